/* SPDX-License-Identifier: MIT */
/* The parsers of what the whole machine does, on texts of real kernels: of today, of RHEL 8, older and newer ones, and of 128 processors. */
#include "linux_test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "linux/cpu_frequency.h"
#include "linux/diskstats.h"
#include "linux/host_stat.h"
#include "linux/line_reader.h"
#include "linux/loadavg.h"
#include "linux/meminfo.h"
#include "linux/pressure.h"
#include "linux/temperature.h"

static int file_of(const char *text, size_t n)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, n), n);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

struct core_list {
	unsigned n;
	unsigned numbers[256];
	struct host_cpu cpus[256];
};

static void keep_core(unsigned number, const struct host_cpu *cpu, void *context)
{
	struct core_list *list = context;

	assert_true(list->n < 256);
	list->numbers[list->n] = number;
	list->cpus[list->n++] = *cpu;
}

static int scan(const char *text, unsigned want, struct host_stat *ret, struct core_list *cores)
{
	int fd = file_of(text, strlen(text));
	int r;

	cores->n = 0;
	r = host_stat_scan(fd, want, ret, keep_core, cores);
	close(fd);
	return r;
}

/* RHEL 8, 4.18, four processors of which cpu2 is offline; the numbers of intr shortened. */
static const char rhel8[] = "cpu  28012 1200 11120 994880 3310 1410 820 77 4000 200\n"
			    "cpu0 9000 400 3700 331000 1100 470 280 20 4000 200\n"
			    "cpu1 9500 400 3700 331880 1100 470 270 30 0 0\n"
			    "cpu3 9512 400 3720 332000 1110 470 270 27 0 0\n"
			    "intr 1180000 44 9 0 0 0 0 0 0 1 0 0 0 156 0 0 0\n"
			    "ctxt 2310000\n"
			    "btime 1700000000\n"
			    "processes 40123\n"
			    "procs_running 3\n"
			    "procs_blocked 1\n"
			    "softirq 700000 1 2 3 4 5 6 7 8 9 10\n";

static void guests_are_counted_once_and_waiting_is_no_work(void **state)
{
	struct core_list cores;
	struct host_stat s;
	(void) state;

	assert_int_equal(scan(rhel8, 0, &s, &cores), 0);
	assert_int_equal(s.all.n_states, N_CPU_STATES);
	assert_int_equal(s.all.ticks[CPU_GUEST], 4000);
	assert_int_equal(s.all.ticks[CPU_STEAL], 77);
	assert_int_equal(host_cpu_busy_ticks(&s.all), 28012 + 1200 + 11120 + 1410 + 820);
	assert_int_equal(ticks_to_ns(3), 3 * (1000000000 / sysconf(_SC_CLK_TCK)));
}

static void only_what_was_asked_for_is_read(void **state)
{
	struct core_list cores;
	struct host_stat s;
	(void) state;

	assert_int_equal(scan(rhel8, 0, &s, &cores), 0);
	assert_int_equal(cores.n, 0);
	assert_int_equal(s.counts_seen, 0);
	assert_int_equal(scan(rhel8, HOST_STAT_COUNTS, &s, &cores), 0);
	assert_int_equal(cores.n, 0);
	assert_int_equal(s.counts_seen, (1 << N_STAT_COUNTS) - 1);
	assert_int_equal(s.counts[STAT_INTERRUPTS], 1180000);
	assert_int_equal(s.counts[STAT_CONTEXT_SWITCHES], 2310000);
	assert_int_equal(s.counts[STAT_FORKS], 40123);
	assert_int_equal(s.counts[STAT_RUNNING], 3);
	assert_int_equal(s.counts[STAT_BLOCKED], 1);
}

static void a_processor_that_is_offline_has_no_line_and_the_others_keep_their_numbers(void **state)
{
	struct core_list cores;
	struct host_stat s;
	(void) state;

	assert_int_equal(scan(rhel8, HOST_STAT_CORES, &s, &cores), 0);
	assert_int_equal(s.n_cores, 3);
	assert_int_equal(cores.numbers[1], 1);
	assert_int_equal(cores.numbers[2], 3);
	assert_int_equal(cores.cpus[2].ticks[CPU_USER], 9512);
	assert_int_equal(cores.cpus[0].ticks[CPU_GUEST_NICE], 200);
}

static void states_an_old_kernel_lacks_are_unknown_and_new_ones_are_left_alone(void **state)
{
	struct core_list cores;
	struct host_stat s;
	(void) state;

	assert_int_equal(
		scan("cpu  10 20 30 40 50 60 70\ncpu0 10 20 30 40 50 60 70\n", 0, &s, &cores), 0);
	assert_int_equal(s.all.n_states, CPU_STEAL);
	assert_int_equal(
		scan("cpu  1 2 3 4 5 6 7 8 9 10 11 12\nnew 1 2\n", HOST_STAT_COUNTS, &s, &cores),
		0);
	assert_int_equal(s.all.n_states, N_CPU_STATES);
	assert_int_equal(s.all.ticks[CPU_GUEST_NICE], 10);
	assert_int_equal(s.counts_seen, 0);
}

static void a_stat_file_that_is_none_is_refused(void **state)
{
	static const char *const bad[] = { "", "intr 1\n", "cpu  1 2 3\n", "cpu  1 2 x 4\n",
		"cpu  1 2 3 4", "cpu  1 2 3 99999999999999999999\n",
		"cpu  1 2 3 4\ncpu0 1 -2 3 4\n", "cpu  1 2 3 4\nctxt x\n" };
	struct core_list cores;
	struct host_stat s;
	(void) state;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(
			scan(bad[i], HOST_STAT_CORES | HOST_STAT_COUNTS, &s, &cores), -EINVAL);
	/* gVisor. */
	assert_int_equal(
		scan("cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\n", 0, &s, &cores),
		-ENODATA);
}

/* A node of 128 processors: 12 KiB of them, and a line of interrupts of 40 KiB, five times the buffer. */
static void a_node_of_128_processors_with_a_long_line_of_interrupts_is_read_whole(void **state)
{
	size_t size = 1 << 17;
	char *text = malloc(size);
	size_t n;
	struct core_list cores;
	struct host_stat s;
	(void) state;

	assert_non_null(text);
	n = (size_t) snprintf(text, size, "cpu  1282048 0 128000 987654321 0 0 640 0 0 0\n");
	for (unsigned i = 0; i < 128; i++)
		n += (size_t) snprintf(text + n, size - n, "cpu%u %u 0 1000 %llu 0 0 5 0 0 0\n", i,
			10000 + i, (unsigned long long) 7716049000 + i);
	n += (size_t) snprintf(text + n, size - n, "intr 987654321012");
	for (unsigned i = 0; i < 20000; i++)
		n += (size_t) snprintf(text + n, size - n, " %u", i % 100 ? 0u : 12u);
	n += (size_t) snprintf(
		text + n, size - n, "\nctxt 77\nprocesses 5\nprocs_running 130\nprocs_blocked 0\n");
	assert_true(n > 40000 && n < size);
	assert_int_equal(scan(text, HOST_STAT_CORES | HOST_STAT_COUNTS, &s, &cores), 0);
	assert_int_equal(s.n_cores, 128);
	for (unsigned i = 0; i < 128; i++) {
		assert_int_equal(cores.numbers[i], i);
		assert_int_equal(cores.cpus[i].ticks[CPU_USER], 10000 + i);
		assert_int_equal(cores.cpus[i].ticks[CPU_IDLE], 7716049000 + i);
	}
	assert_int_equal(s.counts[STAT_INTERRUPTS], 987654321012);
	assert_int_equal(s.counts[STAT_CONTEXT_SWITCHES], 77);
	assert_int_equal(s.counts[STAT_RUNNING], 130);
	free(text);
}

static void lines_across_the_ends_of_the_buffer_stay_whole_and_longer_ones_are_cut(void **state)
{
	size_t size = (size_t) 4 * LINE_READER_SIZE;
	char *text = malloc(size);
	struct line_reader reader;
	const char *line;
	size_t n = 0;
	size_t length;
	unsigned count = 0;
	(void) state;

	assert_non_null(text);
	while (n < (size_t) 2 * LINE_READER_SIZE)
		n += (size_t) snprintf(text + n, size - n, "line %u of some length\n", count++);
	memset(text + n, 'x', LINE_READER_SIZE + 1);
	n += LINE_READER_SIZE + 1;
	n += (size_t) snprintf(text + n, size - n, "\nlast\n");
	int fd = file_of(text, n);
	line_reader_begin(&reader, fd);
	for (unsigned i = 0; i < count; i++) {
		char expected[40];

		snprintf(expected, sizeof(expected), "line %u of some length", i);
		assert_int_equal(line_reader_next(&reader, &line, &length), 1);
		assert_int_equal(length, strlen(expected));
		assert_memory_equal(line, expected, length);
		assert_false(reader.cut);
	}
	assert_int_equal(line_reader_next(&reader, &line, &length), 1);
	assert_true(reader.cut);
	assert_int_equal(length, LINE_READER_SIZE);
	assert_int_equal(line_reader_next(&reader, &line, &length), 1);
	assert_false(reader.cut);
	assert_int_equal(length, 4);
	assert_memory_equal(line, "last", 4);
	assert_int_equal(line_reader_next(&reader, &line, &length), 0);
	close(fd);
	free(text);
}

static void the_live_stat_file_is_the_kernels_and_grows(void **state)
{
	struct roots r;
	struct host_stat before;
	struct host_stat after;
	struct core_list cores = { 0 };
	(void) state;

	assert_int_equal(roots_open(&r, "", NULL), 0);
	if (host_stat_view(&r) != STAT_OF_KERNEL)
		SKIP_BECAUSE("/proc/stat is not the kernel's own here");
	assert_int_equal(
		host_stat_read(&r, HOST_STAT_CORES | HOST_STAT_COUNTS, &before, keep_core, &cores),
		0);
	assert_int_equal(before.n_cores, sysconf(_SC_NPROCESSORS_ONLN));
	/* Ticks that a hypervisor takes for others are not busy ones, and a burst may have had no tick of its own. */
	for (int bursts = 0; bursts < 200; bursts++) {
		burn(BURN_NS);
		assert_int_equal(host_stat_read(&r, HOST_STAT_COUNTS, &after, NULL, NULL), 0);
		if (host_cpu_busy_ticks(&after.all) > host_cpu_busy_ticks(&before.all))
			break;
	}
	assert_true(host_cpu_busy_ticks(&after.all) > host_cpu_busy_ticks(&before.all));
	assert_true(after.counts[STAT_CONTEXT_SWITCHES] >= before.counts[STAT_CONTEXT_SWITCHES]);
	assert_true(after.counts[STAT_RUNNING] >= 1);
	roots_close(&r);
}

static void load_keeps_both_its_digits(void **state)
{
	static const char *const bad[] = { "", "1 2 3 4/5 6\n", "0.5",
		"0.56 1.75 2.15 3 130 18528\n", "-0.56 1.75 2.15 3/130 1\n",
		"0. 1.75 2.15 3/130 1\n" };
	struct loadavg l;
	(void) state;

	assert_int_equal(loadavg_parse("0.56 131.75 2.05 3/130 18528\n", 29, &l), 0);
	assert_int_equal(l.thousandths[0], 560);
	assert_int_equal(l.thousandths[1], 131750);
	assert_int_equal(l.thousandths[2], 2050);
	assert_int_equal(l.runnable, 3);
	assert_int_equal(l.tasks, 130);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(loadavg_parse(bad[i], strlen(bad[i]), &l), -EINVAL);
}

static void memory_lines_are_bytes_and_those_not_there_are_not_zero(void **state)
{
	static const char today[] = "MemTotal:       24684084 kB\nMemFree:        23843140 "
				    "kB\nMemAvailable:   24115820 kB\n"
				    "Buffers:            6744 kB\nCached:           421704 "
				    "kB\nSwapCached:            1 kB\n"
				    "Active(anon):     248836 kB\nZswap:                 0 "
				    "kB\nSwapTotal:       2097148 kB\n"
				    "SwapFree:        2097100 kB\nDirty:               212 "
				    "kB\nWriteback:             4 kB\n"
				    "Shmem:              9124 kB\nKReclaimable:     167000 "
				    "kB\nSlab:             216000 kB\n"
				    "SReclaimable:     167000 kB\nSUnreclaim:        49000 "
				    "kB\nCommitted_AS:     242000 kB\n"
				    "VmallocTotal:   34359738367 kB\nHugePages_Total:       "
				    "0\nHugepagesize:       2048 kB\n";
	static const char old[] = "MemTotal:  1024 kB\nMemFree:  512 kB\nBuffers:  16 kB\nCached:  "
				  "128 kB\nHugePages_Total: 0\n";
	struct meminfo m;
	(void) state;

	assert_int_equal(meminfo_parse(today, sizeof(today) - 1, &m), 0);
	assert_int_equal(m.bytes[MEM_TOTAL], 24684084ULL * 1024);
	assert_int_equal(m.bytes[MEM_AVAILABLE], 24115820ULL * 1024);
	assert_int_equal(m.bytes[MEM_CACHED], 421704ULL * 1024);
	assert_int_equal(m.bytes[MEM_SWAP_FREE], 2097100ULL * 1024);
	assert_int_equal(m.bytes[MEM_DIRTY], 212 * 1024);
	assert_int_equal(m.bytes[MEM_SLAB_RECLAIMABLE], 167000ULL * 1024);
	assert_int_equal(m.bytes[MEM_COMMITTED], 242000ULL * 1024);
	assert_false(meminfo_has(&m, MEM_PAGE_TABLES));
	assert_int_equal(meminfo_parse(old, sizeof(old) - 1, &m), 0);
	assert_true(meminfo_has(&m, MEM_FREE));
	assert_false(meminfo_has(&m, MEM_AVAILABLE));
	assert_false(meminfo_has(&m, MEM_SWAP_TOTAL));
	assert_int_equal(meminfo_parse("MemTotal: x kB\n", 15, &m), -EINVAL);
}

static int parse_disk(const char *line, struct disk_io *io)
{
	return diskstats_parse(line, strlen(line), io);
}

static void disks_of_every_kernel_are_understood_and_sectors_are_512_bytes(void **state)
{
	struct disk_io io;
	(void) state;

	/* 6.18 */
	assert_int_equal(parse_disk(" 254       0 vda 651944 39987 31530978 6636223 239365 171864 "
				    "64486240 517983 2 373180 7301864 513257 73 "
				    "95083888 146212 26743 1445",
				 &io),
		0);
	assert_string_equal(io.name, "vda");
	assert_int_equal(io.n_fields, 17);
	assert_int_equal(io.reads, 651944);
	assert_int_equal(io.read_bytes, 31530978ULL * 512);
	assert_int_equal(io.write_bytes, 64486240ULL * 512);
	assert_int_equal(io.read_ns, 6636223ULL * 1000000);
	assert_int_equal(io.write_ns, 517983ULL * 1000000);
	assert_int_equal(io.in_flight, 2);
	assert_int_equal(io.busy_ns, 373180ULL * 1000000);
	assert_int_equal(io.discard_bytes, 95083888ULL * 512);
	/* 4.18, RHEL 8, has discards and no flushes; 3.10 has neither; a later one may have more */
	assert_int_equal(
		parse_disk("   8       0 sda 1 2 3 4 5 6 7 8 0 10 11 12 13 14 15", &io), 0);
	assert_int_equal(io.n_fields, 15);
	assert_int_equal(io.discard_bytes, 14 * 512);
	assert_int_equal(parse_disk("   8       0 sda 1 2 3 4 5 6 7 8 0 10 11", &io), 0);
	assert_int_equal(io.n_fields, 11);
	assert_int_equal(io.discard_bytes, 0);
	assert_int_equal(
		parse_disk(
			" 259       3 nvme10n1p1 1 2 3 4 5 6 7 8 0 10 11 12 13 14 15 16 17 18 19",
			&io),
		0);
	assert_string_equal(io.name, "nvme10n1p1");
	/* a partition before 2.6.25 */
	assert_int_equal(parse_disk("   8       1 sda1 10 20 30 40", &io), -ENOENT);
	assert_int_equal(parse_disk("   8       1 sda1 10 20 30", &io), -EINVAL);
	assert_int_equal(parse_disk("   8 sda 1 2 3 4 5 6 7 8 9 10 11", &io), -EINVAL);
	assert_int_equal(parse_disk("   8 0 sda 1 2 3 4 5 6 7 -8 9 10 11", &io), -EINVAL);
	assert_int_equal(parse_disk("   8 0 sda", &io), -EINVAL);
}

static void pressure_is_in_microseconds_and_its_lines_may_be_missing(void **state)
{
	static const char both[] = "some avg10=0.07 avg60=2.26 avg300=13.53 total=5350353200\n"
				   "full avg10=0.00 avg60=0.10 avg300=100.00 total=12\n";
	static const char irq[] = "full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n";
	static const char twice[] = "full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n"
				    "full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n";
	static const char *const bad[] = { "", "\n", "some\n",
		"some avg10=0.07 avg60=2.26 avg300=13.53\n",
		"some avg10=0.07 avg60=2.26 avg300=13.53 total=\n",
		"some avg10=0.07 avg60=2.26 avg300=13.53 total=1",
		"some avg10=7 avg60=2.26 avg300=13.53 total=1\n", twice };
	struct pressure p;
	(void) state;

	assert_int_equal(pressure_parse(both, sizeof(both) - 1, &p), 0);
	assert_true(p.some.there && p.full.there);
	assert_int_equal(p.some.total_ns, 5350353200ULL * 1000);
	assert_int_equal(p.some.avg_thousandths[0], 70);
	assert_int_equal(p.some.avg_thousandths[2], 13530);
	assert_int_equal(p.full.avg_thousandths[2], 100000);
	assert_int_equal(p.full.total_ns, 12000);
	assert_int_equal(pressure_parse(irq, sizeof(irq) - 1, &p), 0);
	assert_false(p.some.there);
	assert_int_equal(p.full.total_ns, 7000);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(pressure_parse(bad[i], strlen(bad[i]), &p), -EINVAL);
}

static void lines_of_cpuinfo_give_hertz(void **state)
{
	uint64_t hertz;
	unsigned number;
	(void) state;

	assert_int_equal(cpuinfo_mhz_parse("cpu MHz\t\t: 2596.130", 19, &hertz), 0);
	assert_int_equal(hertz, 2596130000);
	assert_int_equal(cpuinfo_mhz_parse("cpu MHz\t\t: unknown", 18, &hertz), -EINVAL);
	assert_int_equal(cpuinfo_mhz_parse("cpu family\t: 6", 14, &hertz), -ENOENT);
	assert_int_equal(cpuinfo_processor_parse("processor\t: 127", 15, &number), 0);
	assert_int_equal(number, 127);
	assert_int_equal(cpuinfo_processor_parse("processor\t: 1x", 14, &number), -EINVAL);
}

static void temperatures_below_zero_are_absent(void **state)
{
	uint64_t value;
	(void) state;

	assert_int_equal(temperature_parse("45125\n", 6, &value), 0);
	assert_int_equal(value, 45125);
	assert_int_equal(temperature_parse("0\n", 2, &value), 0);
	assert_int_equal(value, 0);
	assert_int_equal(temperature_parse("-274000\n", 8, &value), -ERANGE);
	assert_int_equal(temperature_parse("\n", 1, &value), -ENODATA);
	assert_int_equal(temperature_parse("4x\n", 3, &value), -ENODATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(guests_are_counted_once_and_waiting_is_no_work),
		cmocka_unit_test(only_what_was_asked_for_is_read),
		cmocka_unit_test(
			a_processor_that_is_offline_has_no_line_and_the_others_keep_their_numbers),
		cmocka_unit_test(
			states_an_old_kernel_lacks_are_unknown_and_new_ones_are_left_alone),
		cmocka_unit_test(a_stat_file_that_is_none_is_refused),
		cmocka_unit_test(
			a_node_of_128_processors_with_a_long_line_of_interrupts_is_read_whole),
		cmocka_unit_test(
			lines_across_the_ends_of_the_buffer_stay_whole_and_longer_ones_are_cut),
		cmocka_unit_test(the_live_stat_file_is_the_kernels_and_grows),
		cmocka_unit_test(load_keeps_both_its_digits),
		cmocka_unit_test(memory_lines_are_bytes_and_those_not_there_are_not_zero),
		cmocka_unit_test(disks_of_every_kernel_are_understood_and_sectors_are_512_bytes),
		cmocka_unit_test(pressure_is_in_microseconds_and_its_lines_may_be_missing),
		cmocka_unit_test(lines_of_cpuinfo_give_hertz),
		cmocka_unit_test(temperatures_below_zero_are_absent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
