/* SPDX-License-Identifier: MIT */
/* Block I/O of a cgroup: devices on devices, devices that go, what versions 1 and 2 leave out. */
#include "cgroup_readings.h"

#include <unistd.h>

static struct summary summary_of(const struct readings *r, const char *key)
{
	return accumulator_summary(
		reading(r, key), r->measures.rows[measures_find(&r->measures, key)]);
}

static void what_version_1_counts_after_a_0_counts_whole(void **state)
{
	const char *bytes = "sys/fs/cgroup/blkio/j/blkio.throttle.io_service_bytes_recursive";
	struct readings r;
	(void) state;

	open_readings(&r, "34 31 0:31 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n",
		"7:blkio:/j\n");
	tree_put(&r.tree, bytes, "8:0 Read 0\n8:0 Write 700\nTotal 700\n");
	look_up(&r);
	read_all(&r, 1);
	assert_missing(&r, "cgroup_io_read_bytes", ENODATA);
	tree_put(&r.tree, bytes, "8:0 Read 3000\n8:0 Write 800\nTotal 3800\n");
	read_all(&r, 2);
	tree_put(&r.tree, bytes, "8:0 Read 7000\n8:0 Write 900\nTotal 7900\n");
	read_all(&r, 3);
	assert_reading(&r, "cgroup_io_read_bytes", 7000, ESTIMATE);
	assert_int_equal(summary_of(&r, "cgroup_io_read_bytes").delta, 7000);
	/* What was counted before the job still is no part of it. */
	assert_int_equal(summary_of(&r, "cgroup_io_write_bytes").delta, 200);
	close_readings(&r);
}

/* A job in a cgroup of version 2 that has moved nothing. */
static void open_job(struct readings *r)
{
	open_readings(r, MOUNT_V2, "0::/job\n");
	TREE_PUT(&r->tree, JOB_V2, "cgroup.events", "", "io.stat", "");
}

static void put_io(const struct readings *r, const char *stat)
{
	tree_put(&r->tree, JOB_V2 "/io.stat", stat);
}

static void writes_are_at_least_what_reached_the_devices_so_far(void **state)
{
	static const struct expected_reading expected[] = {
		{ "cgroup_io_read_bytes", 4096, EXACT },
		{ "cgroup_io_read_operations_count", 1, EXACT },
		{ "cgroup_io_write_bytes", 512, LOWER_BOUND },
		{ "cgroup_io_write_operations_count", 2, LOWER_BOUND },
	};
	struct readings r;
	(void) state;

	open_job(&r);
	look_up(&r);
	r.view.place[CGROUP_IO].own = true;
	put_io(&r, "8:0 rbytes=4096 wbytes=512 rios=1 wios=2\n");
	read_all(&r, 1);
	assert_readings(&r, expected, ARRAY_SIZE(expected));
	close_readings(&r);
}

/* The name of a device by its numbers, as sysfs shows it. */
static void put_device_link(const struct readings *r, const char *numbers, const char *name)
{
	char link[64];
	char target[100];

	snprintf(link, sizeof(link), "sys/dev/block/%s", numbers);
	snprintf(target, sizeof(target), "../../devices/pci0000:00/block/%s", name);
	tree_link(&r->tree, link, target);
	tree_put_at(&r->tree, "1000\n", "sys/block/%s/size", name);
}

/* dm-1 is a logical volume on dm-0, which is a LUKS container on sda; sdb stands alone. */
static void open_stacked(struct readings *r)
{
	open_job(r);
	put_device_link(r, "8:0", "sda");
	put_device_link(r, "8:16", "sdb");
	put_device_link(r, "253:0", "dm-0");
	put_device_link(r, "253:1", "dm-1");
	tree_put(&r->tree, "sys/block/sda/holders/dm-0", "");
	tree_put(&r->tree, "sys/block/dm-0/slaves/sda", "");
	tree_put(&r->tree, "sys/block/dm-0/holders/dm-1", "");
	tree_put(&r->tree, "sys/block/dm-1/slaves/dm-0", "");
	look_up(r);
	r->view.place[CGROUP_IO].own = true;
}

static void io_through_devices_on_devices_counts_once(void **state)
{
	struct readings r;
	(void) state;

	open_stacked(&r);
	put_io(&r, "");
	read_all(&r, 1);
	/* charged on all three: 40960 bytes through the volume, 512 straight to sdb */
	put_io(&r, "8:0 rbytes=40960 wbytes=0 rios=10 wios=0\n"
		   "8:16 rbytes=512 wbytes=0 rios=1 wios=0\n"
		   "253:0 rbytes=40960 wbytes=0 rios=10 wios=0\n"
		   "253:1 rbytes=40960 wbytes=0 rios=10 wios=0\n");
	read_all(&r, 2);
	assert_reading(&r, "cgroup_io_read_bytes", 40960 + 512, LOWER_BOUND);
	assert_reading(&r, "cgroup_io_read_operations_count", 11, LOWER_BOUND);
	/* then 8192 bytes that a thread of the kernel handed on to sda for the volume: sda counts none of them for the job */
	put_io(&r, "8:0 rbytes=40960 wbytes=0 rios=10 wios=0\n"
		   "8:16 rbytes=512 wbytes=0 rios=1 wios=0\n"
		   "253:0 rbytes=40960 wbytes=8192 rios=10 wios=2\n"
		   "253:1 rbytes=40960 wbytes=8192 rios=10 wios=2\n");
	read_all(&r, 3);
	assert_reading(&r, "cgroup_io_read_bytes", 40960 + 512, LOWER_BOUND);
	assert_reading(&r, "cgroup_io_write_bytes", 8192, LOWER_BOUND);
	assert_reading(&r, "cgroup_io_write_operations_count", 2, LOWER_BOUND);
	close_readings(&r);
}

/* dm-1 on the third partition of md126: the volume alone is what the job sees. */
static void io_through_a_partition_of_a_raid_counts_once(void **state)
{
	struct readings r;
	(void) state;

	open_job(&r);
	put_device_link(&r, "9:126", "md126");
	put_device_link(&r, "253:1", "dm-1");
	tree_put(&r.tree, "sys/block/md126/md126p3/holders/dm-1", "");
	look_up(&r);
	put_io(&r, "");
	read_all(&r, 1);
	put_io(&r, "9:126 rbytes=4096 wbytes=0 rios=1 wios=0\n"
		   "253:1 rbytes=4096 wbytes=0 rios=1 wios=0\n");
	read_all(&r, 2);
	assert_int_equal(summary_of(&r, "cgroup_io_read_bytes").delta, 4096);
	assert_int_equal(reading(&r, "cgroup_io_read_operations_count")->last, 1);
	/* the cgroup is shared: others may have read it */
	assert_int_equal(cgroup_quality(&r.collect, CGROUP_IO, EXACT), UPPER_BOUND);
	close_readings(&r);
}

static void io_of_a_disk_that_goes_is_kept(void **state)
{
	struct readings r;
	(void) state;

	open_stacked(&r);
	put_io(&r, "8:0 rbytes=90000 wbytes=0 rios=9 wios=0\n"
		   "8:16 rbytes=1000 wbytes=0 rios=1 wios=0\n");
	read_all(&r, 1);
	assert_reading(&r, "cgroup_io_read_bytes", 91000, EXACT);
	put_io(&r, "8:16 rbytes=1500 wbytes=0 rios=2 wios=0\n");
	read_all(&r, 2);
	assert_int_equal(summary_of(&r, "cgroup_io_read_bytes").delta, 500);
	assert_int_equal(summary_of(&r, "cgroup_io_read_bytes").quality, LOWER_BOUND);
	put_io(&r, "8:0 rbytes=300 wbytes=0 rios=1 wios=0\n"
		   "8:16 rbytes=1500 wbytes=0 rios=2 wios=0\n");
	read_all(&r, 3);
	assert_int_equal(summary_of(&r, "cgroup_io_read_bytes").delta, 800);
	assert_int_equal(summary_of(&r, "cgroup_io_read_operations_count").delta, 2);
	close_readings(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_version_1_counts_after_a_0_counts_whole),
		cmocka_unit_test(writes_are_at_least_what_reached_the_devices_so_far),
		cmocka_unit_test(io_through_devices_on_devices_counts_once),
		cmocka_unit_test(io_through_a_partition_of_a_raid_counts_once),
		cmocka_unit_test(io_of_a_disk_that_goes_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
