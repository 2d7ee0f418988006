/* SPDX-License-Identifier: MIT */
/* The collector of disks on made-up trees: disks on disks, disks that come, go and are changed, counters that went round. */
#include "machine_scene.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/macros.h"

/* A disk with two partitions, one of them under a volume, a RAID over two NVMe disks, a CCISS disk, and files and memory that look like disks. */
static void write_disks(const struct machine *m, unsigned sectors)
{
	char text[2048];

	snprintf(text, sizeof(text),
		"   7       0 loop0 9 0 9000 0 9 0 9000 0 0 0 0 0 0 0 0 0 0\n"
		"   1       0 ram0 9 0 9000 0 9 0 9000 0 0 0 0 0 0 0 0 0 0\n"
		" 252       0 zram0 9 0 9000 0 9 0 9000 0 0 0 0 0 0 0 0 0 0\n"
		"   8       0 sda 10 0 100 5 20 0 %u 9 1 500 9 0 0 8 0 0 0\n"
		"   8       1 sda1 4 0 40 5 8 0 %u 9 0 500 9 0 0 0 0 0 0\n"
		"   8       2 sda2 6 0 60 5 12 0 %u 9 0 500 9 0 0 0 0 0 0\n"
		" 259       0 nvme0n1 1 0 8 0 2 0 16 0 0 4 0 0 0 0 0 0 0\n"
		" 259       1 nvme1n1 1 0 8 0 2 0 16 0 0 4 0 0 0 0 0 0 0\n"
		" 259       2 nvme1n1p1 1 0 8 0 2 0 16 0 0 4 0 0 0 0 0 0 0\n"
		" 104       0 cciss/c0d0 1 0 2 0 1 0 2 0 0 4 0 0 0 0 0 0 0\n"
		"   9       0 md127 2 0 16 0 4 0 32 0 0 0 0 0 0 0 0 0 0\n"
		" 253       0 dm-0 6 0 60 0 12 0 %u 0 0 0 0 0 0 0 0 0 0\n",
		sectors, sectors / 2, sectors / 2, sectors / 2);
	tree_put(&m->tree, "proc/diskstats", text);
}

static void bytes_of_disks_are_counted_once_whatever_stands_on_them(void **state)
{
	static const char *const blocks[] = { "loop0", "ram0", "zram0", "sda", "nvme0n1", "nvme1n1",
		"cciss!c0d0", "md127", "dm-0" };
	struct machine m = make_machine();
	(void) state;

	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		char path[64];

		snprintf(path, sizeof(path), "sys/block/%s/size", blocks[i]);
		tree_put(&m.tree, path, "1000\n");
	}
	write_disks(&m, 2000);
	assert_int_equal(probe(&m, "host_disk", NULL), 0);
	assert_int_equal(read_once(&m, "host_disk"), 0);
	assert_int_equal(single(&m, "host_disk_read_bytes").last, (100 + 8 + 8 + 2) * 512);
	write_disks(&m, 5000);
	assert_int_equal(read_once(&m, "host_disk"), 0);
	assert_int_equal(single(&m, "host_disk_write_bytes").delta, 3000 * 512);
	assert_int_equal(single(&m, "host_disk_discard_bytes").last, 8 * 512);
	assert_int_equal(of_device(&m, "sda", "host_device_write_bytes").delta, 3000 * 512);
	assert_int_equal(of_device(&m, "sda", "host_device_busy_seconds").last, 500 * 1000000);
	assert_int_equal(of_device(&m, "sda", "host_device_in_flight_count").max, 1);
	assert_int_equal(of_device(&m, "dm-0", "host_device_write_bytes").delta, 1500 * 512);
	assert_string_equal(find_device(&m, "sda")->kind, "disk");
	assert_string_equal(find_device(&m, "cciss/c0d0")->kind, "disk");
	assert_string_equal(find_device(&m, "dm-0")->kind, "volume");
	assert_string_equal(find_device(&m, "md127")->kind, "volume");
	assert_null(find_device(&m, "sda1"));
	assert_null(find_device(&m, "nvme1n1p1"));
	assert_null(find_device(&m, "loop0"));
	assert_null(find_device(&m, "zram0"));
	drop_machine(&m);
}

/* A cache and a volume of ZFS over sda, DRBD over sdb, an NVMe disk with two paths. What stands on others is known by its name, by `slaves`, or by
 * `hidden`. */
static void a_device_on_another_and_a_path_to_one_are_no_disks_of_their_own(void **state)
{
	struct machine m = make_machine();
	(void) state;

	tree_put(&m.tree, "sys/block/sda/holders/newcache7", "");
	tree_put(&m.tree, "sys/block/sdb/size", "1000\n");
	tree_put(&m.tree, "sys/block/newcache7/slaves/sda", "");
	tree_put(&m.tree, "sys/block/bcache0/size", "1000\n");
	tree_put(&m.tree, "sys/block/drbd1/size", "1000\n");
	tree_put(&m.tree, "sys/block/zd16/size", "1000\n");
	tree_put(&m.tree, "sys/block/nvme0n1/hidden", "0\n");
	tree_put(&m.tree, "sys/block/nvme0c0n1/hidden", "1\n");
	tree_put(&m.tree, "sys/block/nvme0c1n1/hidden", "1\n");
	assert_int_equal(mkdirat(m.tree.roots.sys, "block/nvme0n1/slaves", 0755), 0);
	tree_put(&m.tree, "proc/diskstats",
		"8 0 sda 10 0 100 5 20 0 200 9 0 500 9\n8 16 sdb 1 0 30 0 2 0 40 0 0 4 0\n"
		"251 0 newcache7 10 0 90 5 20 0 190 9 0 500 9\n"
		"252 0 bcache0 10 0 90 5 20 0 190 9 0 500 9\n"
		"147 1 drbd1 1 0 30 0 2 0 40 0 0 4 0\n147 2 drbd1p1 1 0 30 0 2 0 40 0 0 4 0\n"
		"230 16 zd16 1 0 30 0 2 0 40 0 0 4 0\n259 0 nvme0n1 3 0 8 0 2 0 16 0 0 4 0\n"
		"259 1 nvme0c0n1 2 0 5 0 1 0 10 0 0 4 0\n"
		"259 2 nvme0c1n1 1 0 3 0 1 0 6 0 0 4 0\n");
	assert_int_equal(read_once(&m, "host_disk"), 0);
	assert_int_equal(single(&m, "host_disk_read_bytes").last, (100 + 30 + 8) * 512);
	assert_int_equal(single(&m, "host_disk_write_bytes").last, (200 + 40 + 16) * 512);
	assert_int_equal(single(&m, "host_disk_write_count").last, 20 + 2 + 2);
	assert_string_equal(find_device(&m, "sda")->kind, "disk");
	assert_string_equal(find_device(&m, "nvme0n1")->kind, "disk");
	assert_string_equal(find_device(&m, "newcache7")->kind, "volume");
	assert_string_equal(find_device(&m, "bcache0")->kind, "volume");
	assert_string_equal(find_device(&m, "drbd1")->kind, "volume");
	assert_string_equal(find_device(&m, "zd16")->kind, "volume");
	assert_null(find_device(&m, "drbd1p1"));
	assert_null(find_device(&m, "nvme0c0n1"));
	drop_machine(&m);
}

static void a_disk_that_goes_takes_nothing_from_what_the_others_write(void **state)
{
	struct machine m = make_machine();
	(void) state;

	tree_put(&m.tree, "sys/block/sda/size", "1000\n");
	tree_put(&m.tree, "sys/block/sdb/size", "1000\n");
	tree_put(&m.tree, "sys/block/sdc/size", "1000\n");
	tree_put(&m.tree, "proc/diskstats",
		"8 0 sda 10 0 100 5 20 0 1000 9 0 500 9\n"
		"8 16 sdb 1 0 10 5 9000 0 900000 9 0 500 9\n");
	assert_int_equal(read_once(&m, "host_disk"), 0);
	assert_int_equal(single(&m, "host_disk_write_bytes").last, 901000 * 512);
	/* sdb has gone; sda wrote 100 MiB, 204800 sectors, in 100 requests */
	tree_put(&m.tree, "proc/diskstats", "8 0 sda 10 0 100 5 120 0 205800 9 0 500 9\n");
	assert_int_equal(read_once(&m, "host_disk"), 0);
	assert_int_equal(single(&m, "host_disk_write_bytes").delta, 100 << 20);
	assert_int_equal(single(&m, "host_disk_write_count").delta, 100);
	assert_int_equal(single(&m, "host_disk_read_bytes").delta, 0);
	assert_int_equal(single(&m, "host_disk_write_bytes").quality, LOWER_BOUND);
	assert_false(single(&m, "host_disk_write_bytes").backwards);
	/* another sdb, and a third disk: what they show they counted since they came; sda reads 7 sectors */
	tree_put(&m.tree, "proc/diskstats",
		"8 0 sda 11 0 107 5 120 0 205800 9 0 500 9\n8 16 sdb 2 0 16 5 3 0 24 9 0 8 9\n"
		"8 32 sdc 1 0 8 5 1 0 40 9 0 4 9\n");
	assert_int_equal(read_once(&m, "host_disk"), 0);
	assert_int_equal(single(&m, "host_disk_write_bytes").delta, (100 << 20) + (24 + 40) * 512);
	assert_int_equal(single(&m, "host_disk_read_bytes").delta, (7 + 16 + 8) * 512);
	assert_int_equal(of_device(&m, "sdb", "host_device_write_bytes").delta, 24 * 512);
	assert_int_equal(of_device(&m, "sdb", "host_device_write_bytes").quality, LOWER_BOUND);
	assert_int_equal(of_device(&m, "sda", "host_device_write_bytes").quality, EXACT);
	/* sdb was changed between two looks */
	tree_put(&m.tree, "proc/diskstats",
		"8 0 sda 11 0 107 5 120 0 205800 9 0 500 9\n8 16 sdb 1 0 2 5 1 0 4 9 0 8 9\n"
		"8 32 sdc 1 0 8 5 1 0 40 9 0 4 9\n");
	assert_int_equal(read_once(&m, "host_disk"), 0);
	assert_int_equal(
		single(&m, "host_disk_write_bytes").delta, (100 << 20) + (24 + 40 + 4) * 512);
	drop_machine(&m);
}

/* Nothing shows how much the one before counted after the first look. */
static void a_disk_that_was_changed_between_two_looks_leaves_a_lower_bound(void **state)
{
	struct machine m = make_machine();
	(void) state;

	tree_put(&m.tree, "sys/block/sda/size", "1000\n");
	tree_put(&m.tree, "sys/block/sdb/size", "1000\n");
	tree_put(&m.tree, "proc/diskstats",
		"8 0 sda 10 0 100 5 20 0 1000 9 0 500 9\n8 16 sdb 9 0 90 5 9 0 90 9 0 500 9\n");
	assert_int_equal(read_once(&m, "host_disk"), 0);
	assert_int_equal(single(&m, "host_disk_write_bytes").quality, EXACT);
	tree_put(&m.tree, "proc/diskstats",
		"8 0 sda 10 0 100 5 20 0 1000 9 0 500 9\n8 16 sdb 1 0 8 5 1 0 40 9 0 4 9\n");
	assert_int_equal(read_once(&m, "host_disk"), 0);
	assert_int_equal(of_device(&m, "sdb", "host_device_write_bytes").delta, 40 * 512);
	assert_int_equal(of_device(&m, "sdb", "host_device_write_bytes").quality, LOWER_BOUND);
	assert_int_equal(of_device(&m, "sda", "host_device_write_bytes").quality, EXACT);
	assert_int_equal(single(&m, "host_disk_write_bytes").quality, LOWER_BOUND);
	drop_machine(&m);
}

static void milliseconds_that_went_round_at_32_bits_go_on(void **state)
{
	struct machine m = make_machine();
	(void) state;

	tree_put(&m.tree, "sys/block/sda/size", "1000\n");
	tree_put(&m.tree, "proc/diskstats", "8 0 sda 10 0 100 5 20 0 1000 9 0 4294967290 9\n");
	assert_int_equal(read_once(&m, "host_disk"), 0);
	tree_put(&m.tree, "proc/diskstats", "8 0 sda 10 0 100 5 20 0 1000 9 0 14 9\n");
	assert_int_equal(read_once(&m, "host_disk"), 0);
	assert_int_equal(of_device(&m, "sda", "host_device_busy_seconds").delta, 20 * 1000000);
	assert_int_equal(single(&m, "host_disk_write_bytes").quality, EXACT);
	drop_machine(&m);
}

/* Where a long has 32 bits, the kernel counts sectors in as many: 12 sectors of 512 bytes, and no other unit, are what lies between these two. */
static void sectors_that_went_round_at_32_bits_go_on(void **state)
{
	struct machine m = make_machine();
	(void) state;

	tree_put(&m.tree, "sys/block/sda/size", "1000\n");
	tree_put(
		&m.tree, "proc/diskstats", "8 0 sda 10 0 2147483660 5 20 0 4294967290 9 0 500 9\n");
	assert_int_equal(read_once(&m, "host_disk"), 0);
	tree_put(&m.tree, "proc/diskstats", "8 0 sda 12 0 7 5 23 0 6 9 0 500 9\n");
	assert_int_equal(read_once(&m, "host_disk"), 0);
	assert_int_equal(single(&m, "host_disk_write_bytes").delta, 12 * 512);
	assert_int_equal(single(&m, "host_disk_write_bytes").quality, EXACT);
	/* From a little above the half. */
	assert_int_equal(
		single(&m, "host_disk_read_bytes").delta, (4294967296 - 2147483660 + 7) * 512);
	drop_machine(&m);
}

static void a_machine_without_disks_says_so(void **state)
{
	struct machine m = make_machine();
	struct error err = { 0 };
	(void) state;

	tree_put(&m.tree, "proc/diskstats", "");
	assert_int_equal(probe(&m, "host_disk", &err), -ENODEV);
	assert_int_equal(read_once(&m, "host_disk"), -ENODEV);
	assert_int_equal(single(&m, "host_disk_read_bytes").quality, ABSENT);
	assert_int_equal(single(&m, "host_disk_read_bytes").why, ENODEV);
	drop_machine(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_of_disks_are_counted_once_whatever_stands_on_them),
		cmocka_unit_test(a_device_on_another_and_a_path_to_one_are_no_disks_of_their_own),
		cmocka_unit_test(a_disk_that_goes_takes_nothing_from_what_the_others_write),
		cmocka_unit_test(a_disk_that_was_changed_between_two_looks_leaves_a_lower_bound),
		cmocka_unit_test(milliseconds_that_went_round_at_32_bits_go_on),
		cmocka_unit_test(sectors_that_went_round_at_32_bits_go_on),
		cmocka_unit_test(a_machine_without_disks_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
