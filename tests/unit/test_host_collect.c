/* SPDX-License-Identifier: MIT */
/* The collectors of the whole machine on recorded trees that change between two readings: what they make of processors
 * that go and come back, of counters that run backwards and of what a kernel lacks. */
#include "machine_scene.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "linux/cpu_frequency.h"
#include "model/run_info.h"
#include "monitor/conclude.h"

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
		"cpu  1050 12 510 90020 290 8 13 45 240 1\ncpu0 1050 12 510 90020 290 8 13 45 240 "
		"1\n");
	assert_int_equal(read_once(&m, "host_cpu"), 0);
	assert_int_equal(single(&m, "host_cpu_seconds").delta, (50 + 2 + 10 + 1 + 4) * tick);
	assert_int_equal(single(&m, "host_cpu_percent").mean, (50 + 2 + 10 + 1 + 4) * tick / 10000);
	assert_int_equal(single(&m, "host_cpu_user_seconds").delta, 50 * tick);
	assert_int_equal(single(&m, "host_cpu_steal_seconds").delta, 5 * tick);
	assert_int_equal(single(&m, "host_cpu_steal_percent").max, 5 * tick / 10000);
	assert_int_equal(single(&m, "host_cpu_guest_seconds").delta, 40 * tick);
	assert_int_equal(single(&m, "host_cpu_iowait_seconds").delta, 0);
	assert_true(single(&m, "host_cpu_iowait_seconds").backwards);
	assert_false(single(&m, "host_cpu_seconds").backwards);
	assert_int_equal(
		of_device(&m, "cpu0", "host_core_busy_seconds").delta, (52 + 10 + 1 + 4) * tick);
	assert_int_equal(of_device(&m, "cpu0", "host_core_user_seconds").delta, (50 + 2) * tick);
	assert_int_equal(
		of_device(&m, "cpu0", "host_core_system_seconds").delta, (10 + 1 + 4) * tick);
	/* What it lost is not claimed twice when it catches up. */
	tree_put(&m.tree, "proc/stat", "cpu  1050 12 510 90020 310 8 13 45 240 1\n");
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
		cmocka_unit_test(pressure_grows_and_a_kernel_without_it_says_what_would_help),
		cmocka_unit_test(frequencies_come_from_cpufreq_and_else_from_cpuinfo),
		cmocka_unit_test(sensors_have_names_that_tell_them_apart),
		cmocka_unit_test(sensors_of_two_machines_in_one_process_are_not_mixed_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
