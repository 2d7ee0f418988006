/* SPDX-License-Identifier: MIT */
/* The collectors of the whole machine on recorded trees that change between two readings: what they make of disks on disks, of processors
 * that go and come back, of counters that run backwards and of what a kernel lacks. */
#include "linux_test.h"
#include "made_tree.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "collect/collect.h"
#include "linux/cpu_frequency.h"
#include "model/run_info.h"
#include "monitor/conclude.h"

#define SECOND_NS 1000000000ULL

/* A tree of our own and what a collector reads from it. */
struct machine {
	struct made_tree tree;
	struct measures measures;
	bool *selected;
	struct devices devices;
	struct batch batch;
	struct collect collect;
	bool opened[N_COLLECTORS_MAX];
	void *own[N_COLLECTORS_MAX];
	uint64_t now_ns;
};

static struct machine make_machine(void)
{
	struct machine m = { .now_ns = SECOND_NS };
	struct error err = { 0 };

	tree_open_empty(&m.tree);
	assert_int_equal(measures_build(&m.measures, &err), 0);
	m.selected = malloc(m.measures.n);
	assert_non_null(m.selected);
	memset(m.selected, true, m.measures.n);
	assert_int_equal(devices_init(&m.devices, &m.measures, collectors_count()), 0);
	m.batch.singles = calloc(m.measures.n, sizeof(*m.batch.singles));
	m.batch.run_singles = calloc(m.measures.n, sizeof(*m.batch.run_singles));
	m.batch.totals = calloc(m.measures.n, sizeof(*m.batch.totals));
	assert_true(m.batch.singles && m.batch.run_singles && m.batch.totals);
	return m;
}

static void the_table_of_all_measurements_is_sound(void **state)
{
	struct measures measures;
	struct error err = { 0 };

	(void) state;
	assert_int_equal(measures_build(&measures, &err), 0);
	if (measures_check(&measures, &err) < 0)
		fail_msg("%s", err.text);
	measures_done(&measures);
}

static void drop_machine(struct machine *m)
{
	free(m->selected);
	free(m->batch.singles);
	free(m->batch.run_singles);
	free(m->batch.totals);
	devices_done(&m->devices);
	for (size_t i = 0; collectors[i]; i++)
		if (m->opened[i])
			collector_close(collectors[i], &m->collect, m->own[i]);
	measures_done(&m->measures);
	tree_close(&m->tree);
}

static size_t index_of(const char *name)
{
	size_t i = 0;

	while (collectors[i] && strcmp(collectors[i]->name, name) != 0)
		i++;
	assert_non_null(collectors[i]);
	return i;
}

static int probe(struct machine *m, const char *name, struct error *err)
{
	m->collect.roots = &m->tree.roots;
	return collectors[index_of(name)]->probe(&m->collect, err);
}

/* One reading, a second after the one before. */
static int read_once(struct machine *m, const char *name)
{
	size_t i = index_of(name);
	int first = 0;
	int r;

	while (m->measures.collector[first] != (int) i)
		first++;
	m->batch.measures = &m->measures;
	m->batch.selected = m->selected;
	m->batch.devices = &m->devices;
	m->collect.roots = &m->tree.roots;
	if (!m->opened[i])
		assert_int_equal(collector_open(collectors[i], &m->collect, &m->own[i], NULL), 0);
	m->opened[i] = true;
	batch_begin(&m->batch, first, m->now_ns += SECOND_NS);
	r = collector_read(collectors[i], &m->collect, m->own[i], &m->batch);
	batch_end(&m->batch);
	return r;
}

static struct summary single(const struct machine *m, const char *key)
{
	int row = measures_find(&m->measures, key);

	assert_true(row >= 0);
	return accumulator_summary(&m->batch.run_singles[row], m->measures.rows[row]);
}

static const struct device_record *find_device(const struct machine *m, const char *name)
{
	for (size_t i = 0; i < m->devices.n; i++)
		if (strcmp(m->devices.list[i].name, name) == 0)
			return &m->devices.list[i];
	return NULL;
}

static struct summary of_device(const struct machine *m, const char *name, const char *key)
{
	const struct device_record *d = find_device(m, name);
	int row = measures_find(&m->measures, key);

	assert_non_null(d);
	assert_true(row >= 0);
	return accumulator_summary(&d->run_rows[m->devices.column[row]], m->measures.rows[row]);
}

static void cpu_growth_is_told_by_state_and_iowait_that_runs_backwards_is_flagged(void **state)
{
	struct machine m = make_machine();
	uint64_t tick = SECOND_NS / (uint64_t) sysconf(_SC_CLK_TCK);
	(void) state;

	tree_put(&m.tree, "proc/stat",
		"cpu  1000 10 500 90000 300 7 9 40 200 1\ncpu0 1000 10 500 90000 300 7 9 40 200 "
		"1\n");
	assert_int_equal(probe(&m, "host_cpu", NULL), 0);
	assert_int_equal(read_once(&m, "host_cpu"), 0);
	tree_put(&m.tree, "proc/stat",
		"cpu  1050 12 510 90020 290 8 9 45 240 1\ncpu0 1050 12 510 90020 290 8 9 45 240 "
		"1\n");
	assert_int_equal(read_once(&m, "host_cpu"), 0);
	assert_int_equal(single(&m, "host_cpu_seconds").delta, (50 + 2 + 10 + 1) * tick);
	assert_int_equal(single(&m, "host_cpu_percent").mean, (50 + 2 + 10 + 1) * tick / 10000);
	assert_int_equal(single(&m, "host_cpu_user_seconds").delta, 50 * tick);
	assert_int_equal(single(&m, "host_cpu_steal_seconds").delta, 5 * tick);
	assert_int_equal(single(&m, "host_cpu_steal_percent").max, 5 * tick / 10000);
	assert_int_equal(single(&m, "host_cpu_guest_seconds").delta, 40 * tick);
	assert_int_equal(single(&m, "host_cpu_iowait_seconds").delta, 0);
	assert_true(single(&m, "host_cpu_iowait_seconds").backwards);
	assert_false(single(&m, "host_cpu_seconds").backwards);
	/* What it lost is not claimed twice when it catches up. */
	tree_put(&m.tree, "proc/stat", "cpu  1050 12 510 90020 310 8 9 45 240 1\n");
	assert_int_equal(read_once(&m, "host_cpu"), 0);
	assert_int_equal(single(&m, "host_cpu_iowait_seconds").delta, 10 * tick);
	assert_int_equal(single(&m, "host_context_switches_count").quality, ABSENT);
	assert_int_equal(single(&m, "host_context_switches_count").why, ENODATA);
	drop_machine(&m);
}

static void states_a_kernel_lacks_are_absent_and_not_zero(void **state)
{
	struct machine m = make_machine();
	(void) state;

	tree_put(&m.tree, "proc/stat", "cpu  10 0 5 900 3 0 1\ncpu0 10 0 5 900 3 0 1\n");
	assert_int_equal(read_once(&m, "host_cpu"), 0);
	assert_int_equal(single(&m, "host_cpu_iowait_seconds").quality, ESTIMATE);
	assert_int_equal(single(&m, "host_cpu_steal_seconds").quality, ABSENT);
	assert_int_equal(single(&m, "host_cpu_steal_seconds").why, ENODATA);
	assert_int_equal(single(&m, "host_cpu_guest_seconds").quality, ABSENT);
	assert_int_equal(of_device(&m, "cpu0", "host_core_steal_seconds").quality, ABSENT);
	drop_machine(&m);
}

static void a_processor_that_goes_offline_and_returns_keeps_its_growth(void **state)
{
	struct machine m = make_machine();
	uint64_t tick = SECOND_NS / (uint64_t) sysconf(_SC_CLK_TCK);
	int row = measures_find(&m.measures, "host_core_user_seconds");
	(void) state;

	tree_put(&m.tree, "proc/stat",
		"cpu  200 0 0 900 0 0 0 0 0 0\ncpu0 100 0 0 400 0 0 0 0 0 0\ncpu1 100 0 0 500 0 0 "
		"0 0 0 0\n");
	assert_int_equal(read_once(&m, "host_cpu"), 0);
	tree_put(&m.tree, "proc/stat",
		"cpu  250 0 0 950 0 0 0 0 0 0\ncpu0 130 0 0 450 0 0 0 0 0 0\n");
	devices_next_window(&m.devices, m.now_ns);
	assert_int_equal(read_once(&m, "host_cpu"), 0);
	const struct accumulator *gone = &find_device(&m, "cpu1")->rows[m.devices.column[row]];
	assert_int_equal(gone->quality, ABSENT);
	assert_int_equal(gone->why, ENODEV);
	tree_put(&m.tree, "proc/stat",
		"cpu  260 0 0 960 0 0 0 0 0 0\ncpu0 130 0 0 450 0 0 0 0 0 0\ncpu1 130 0 0 480 0 0 "
		"0 0 0 0\n");
	assert_int_equal(read_once(&m, "host_cpu"), 0);
	assert_int_equal(of_device(&m, "cpu0", "host_core_user_seconds").delta, 30 * tick);
	assert_int_equal(of_device(&m, "cpu1", "host_core_user_seconds").delta, 30 * tick);
	assert_int_equal(of_device(&m, "cpu1", "host_core_idle_seconds").delta, 0);
	assert_true(of_device(&m, "cpu1", "host_core_idle_seconds").backwards);
	/* over both seconds in which nobody saw it */
	assert_int_equal(of_device(&m, "cpu1", "host_core_user_percent").max, 30 * tick / 20000);
	drop_machine(&m);
}

static void cores_are_read_only_when_asked_for(void **state)
{
	struct machine m = make_machine();
	(void) state;

	memset(m.selected, false, m.measures.n);
	m.selected[measures_find(&m.measures, "host_cpu_percent")] = true;
	tree_put(&m.tree, "proc/stat", "cpu  10 0 5 900 3 0 1 0 0 0\ncpu0 10 0 broken\n");
	assert_int_equal(read_once(&m, "host_cpu"), 0);
	assert_int_equal(m.devices.n, 0);
	m.selected[measures_find(&m.measures, "host_core_busy_percent")] = true;
	assert_int_equal(read_once(&m, "host_cpu"), -EINVAL);
	assert_int_equal(single(&m, "host_cpu_seconds").samples, 1);
	drop_machine(&m);
}

static void zeros_of_a_sandbox_are_no_reading(void **state)
{
	struct machine m = make_machine();
	struct error err = { 0 };
	(void) state;

	tree_put(&m.tree, "proc/stat", "cpu  0 0 0 0 0 0 0 0 0 0\n");
	assert_int_equal(probe(&m, "host_cpu", &err), -ENODATA);
	assert_non_null(strstr(err.text, "zeros"));
	assert_int_equal(read_once(&m, "host_cpu"), -ENODATA);
	assert_int_equal(single(&m, "host_cpu_seconds").quality, ABSENT);
	drop_machine(&m);
}

static void used_memory_is_what_is_not_available(void **state)
{
	struct machine m = make_machine();
	(void) state;

	tree_put(&m.tree, "proc/meminfo",
		"MemTotal: 1000 kB\nMemFree: 100 kB\nMemAvailable: 600 kB\nSwapTotal: 50 "
		"kB\nSwapFree: 20 kB\nDirty: 4 kB\n");
	assert_int_equal(read_once(&m, "host_memory"), 0);
	assert_int_equal(single(&m, "host_memory_used_bytes").max, 400 * 1024);
	assert_int_equal(single(&m, "host_memory_available_bytes").min, 600 * 1024);
	assert_int_equal(single(&m, "host_swap_used_bytes").max, 30 * 1024);
	assert_int_equal(single(&m, "host_memory_dirty_bytes").last, 4 * 1024);
	assert_int_equal(single(&m, "host_memory_slab_bytes").quality, ABSENT);
	drop_machine(&m);
}

static void without_an_estimate_of_the_kernel_used_memory_is_absent(void **state)
{
	struct machine m = make_machine();
	(void) state;

	tree_put(&m.tree, "proc/meminfo", "MemTotal: 1000 kB\nMemFree: 100 kB\n");
	assert_int_equal(read_once(&m, "host_memory"), 0);
	assert_int_equal(single(&m, "host_memory_free_bytes").min, 100 * 1024);
	assert_int_equal(single(&m, "host_memory_used_bytes").quality, ABSENT);
	assert_int_equal(single(&m, "host_memory_used_bytes").why, ENODATA);
	assert_int_equal(single(&m, "host_swap_used_bytes").quality, ABSENT);
	drop_machine(&m);
}

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

static void pressure_grows_and_a_kernel_without_it_says_what_would_help(void **state)
{
	struct machine m = make_machine();
	struct error err = { 0 };
	(void) state;

	assert_int_equal(probe(&m, "host_pressure", &err), -ENOENT);
	assert_non_null(strstr(err.text, "psi=1"));
	tree_put(&m.tree, "proc/pressure/cpu",
		"some avg10=0.00 avg60=0.00 avg300=0.00 total=1000000\n");
	tree_put(&m.tree, "proc/pressure/io",
		"some avg10=0.00 avg60=0.00 avg300=0.00 total=5\nfull avg10=0.00 avg60=0.00 "
		"avg300=0.00 total=4\n");
	assert_int_equal(probe(&m, "host_pressure", NULL), 0);
	assert_int_equal(read_once(&m, "host_pressure"), 0);
	tree_put(&m.tree, "proc/pressure/cpu",
		"some avg10=0.00 avg60=0.00 avg300=0.00 total=1250000\n");
	assert_int_equal(read_once(&m, "host_pressure"), 0);
	assert_int_equal(single(&m, "host_pressure_cpu_some_seconds").delta, SECOND_NS / 4);
	assert_int_equal(single(&m, "host_pressure_cpu_some_percent").max, 25000);
	assert_int_equal(single(&m, "host_pressure_cpu_full_seconds").why, ENODATA);
	assert_int_equal(single(&m, "host_pressure_io_full_seconds").last, 4000);
	assert_int_equal(single(&m, "host_pressure_memory_some_seconds").quality, ABSENT);
	assert_int_equal(single(&m, "host_pressure_memory_some_seconds").why, ENOENT);
	drop_machine(&m);
}

static bool count_one(unsigned number, uint64_t hertz, int error, void *context)
{
	(void) number;
	(void) hertz;
	(void) error;
	++*(int *) context;
	return false;
}

static void frequencies_come_from_cpufreq_and_else_from_cpuinfo(void **state)
{
	struct machine m = make_machine();
	(void) state;

	assert_int_equal(probe(&m, "host_frequency", NULL), -ENODATA);
	tree_put(&m.tree, "proc/cpuinfo",
		"processor\t: 0\ncpu MHz\t\t: 1000.500\n\nprocessor\t: 2\ncpu MHz\t\t: 2000.000\n");
	assert_int_equal(probe(&m, "host_frequency", NULL), 0);
	assert_int_equal(read_once(&m, "host_frequency"), 0);
	assert_int_equal(of_device(&m, "cpu0", "host_cpu_frequency_hertz").last, 1000500000);
	assert_int_equal(of_device(&m, "cpu2", "host_cpu_frequency_hertz").last, 2000000000);
	tree_put(&m.tree, "sys/devices/system/cpu/possible", "0-2\n");
	tree_put(&m.tree, "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "3400000\n");
	tree_put(&m.tree, "sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "<unknown>\n");
	assert_int_equal(read_once(&m, "host_frequency"), 0);
	assert_int_equal(of_device(&m, "cpu0", "host_cpu_frequency_hertz").max, 3400000000);
	assert_int_equal(of_device(&m, "cpu1", "host_cpu_frequency_hertz").why, ENODATA);
	/* Each may take 10 ms: who has enough asks no more. */
	int asked = 0;
	assert_int_equal(cpu_frequency_each(&m.tree.roots, count_one, &asked), 0);
	assert_int_equal(asked, 1);
	drop_machine(&m);
}

static void sensors_have_names_that_tell_them_apart(void **state)
{
	struct machine m = make_machine();
	struct error err = { 0 };
	(void) state;

	assert_int_equal(probe(&m, "host_temperature", &err), -ENOENT);
	tree_put(&m.tree, "sys/class/thermal/thermal_zone0/type", "x86_pkg_temp\n");
	tree_put(&m.tree, "sys/class/thermal/thermal_zone0/temp", "45000\n");
	tree_put(&m.tree, "sys/class/thermal/cooling_device0/type", "Fan\n");
	for (int socket = 0; socket < 2; socket++) {
		tree_put_at(&m.tree, "coretemp\n", "sys/class/hwmon/hwmon%d/name", socket);
		tree_put_at(&m.tree, "Core 0\n", "sys/class/hwmon/hwmon%d/temp2_label", socket);
		tree_put_at(&m.tree, socket ? "51500\n" : "-5000\n",
			"sys/class/hwmon/hwmon%d/temp2_input", socket);
	}
	/* an old driver, without a label */
	tree_put(&m.tree, "sys/class/hwmon/hwmon2/device/name", "w83627\n");
	tree_put(&m.tree, "sys/class/hwmon/hwmon2/device/temp1_input", "39000\n");
	assert_int_equal(probe(&m, "host_temperature", NULL), 0);
	assert_int_equal(read_once(&m, "host_temperature"), 0);
	assert_int_equal(m.devices.n, 4);
	assert_int_equal(
		of_device(&m, "thermal_zone0 x86_pkg_temp", "host_temperature_celsius").max, 45000);
	assert_int_equal(
		of_device(&m, "hwmon1 coretemp temp2 Core 0", "host_temperature_celsius").max,
		51500);
	assert_int_equal(
		of_device(&m, "hwmon2 w83627 temp1", "host_temperature_celsius").max, 39000);
	struct summary cold =
		of_device(&m, "hwmon0 coretemp temp2 Core 0", "host_temperature_celsius");
	assert_int_equal(cold.quality, ABSENT);
	assert_int_equal(cold.why, ERANGE);
	drop_machine(&m);
}

static void sensors_of_two_machines_in_one_process_are_not_mixed_up(void **state)
{
	struct machine a = make_machine(), b = make_machine();
	(void) state;

	tree_put(&a.tree, "sys/class/thermal/thermal_zone0/temp", "45000\n");
	tree_put(&b.tree, "sys/class/thermal/thermal_zone7/temp", "31000\n");
	assert_false(probe(&a, "host_temperature", NULL) || probe(&b, "host_temperature", NULL));
	assert_int_equal(read_once(&a, "host_temperature"), 0);
	assert_int_equal(read_once(&b, "host_temperature"), 0);
	assert_int_equal(of_device(&a, "thermal_zone0", "host_temperature_celsius").max, 45000);
	assert_int_equal(of_device(&b, "thermal_zone7", "host_temperature_celsius").max, 31000);
	drop_machine(&a);
	drop_machine(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_of_all_measurements_is_sound),
		cmocka_unit_test(
			cpu_growth_is_told_by_state_and_iowait_that_runs_backwards_is_flagged),
		cmocka_unit_test(states_a_kernel_lacks_are_absent_and_not_zero),
		cmocka_unit_test(a_processor_that_goes_offline_and_returns_keeps_its_growth),
		cmocka_unit_test(cores_are_read_only_when_asked_for),
		cmocka_unit_test(zeros_of_a_sandbox_are_no_reading),
		cmocka_unit_test(used_memory_is_what_is_not_available),
		cmocka_unit_test(without_an_estimate_of_the_kernel_used_memory_is_absent),
		cmocka_unit_test(bytes_of_disks_are_counted_once_whatever_stands_on_them),
		cmocka_unit_test(a_device_on_another_and_a_path_to_one_are_no_disks_of_their_own),
		cmocka_unit_test(a_disk_that_goes_takes_nothing_from_what_the_others_write),
		cmocka_unit_test(milliseconds_that_went_round_at_32_bits_go_on),
		cmocka_unit_test(a_machine_without_disks_says_so),
		cmocka_unit_test(pressure_grows_and_a_kernel_without_it_says_what_would_help),
		cmocka_unit_test(frequencies_come_from_cpufreq_and_else_from_cpuinfo),
		cmocka_unit_test(sensors_have_names_that_tell_them_apart),
		cmocka_unit_test(sensors_of_two_machines_in_one_process_are_not_mixed_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
