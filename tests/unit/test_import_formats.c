/* SPDX-License-Identifier: MIT */
/*
 * Proves what becomes of the files of sacct, nvidia-smi, its dmon and JUmPER. The files in tests/fixtures/foreign are made by hand after
 * the tools' documented formats; the values asserted are reckoned from them by hand.
 */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "record/foreign/cells.h"
#include "record/foreign/sacct_values.h"
#include "record/stored_run.h"

#define MIB 1048576.0
#define FOREIGN FIXTURES "/foreign/"

static struct stored_run run;

static void open_which(const char *path, size_t which)
{
	struct error err = { 0 };

	if (stored_run_open_which(path, which, &run, &err) < 0)
		fail_msg("%s", err.text);
}

static const json_t *member(const json_t *of, const char *a, const char *b)
{
	return json_object_get(json_object_get(of, a), b);
}

static double statistic(const char *name)
{
	const json_t *value = member(run.info, "summary", name);

	if (!value)
		fail_msg("%s is absent", name);
	return json_number_value(json_object_get(value, "value"));
}

static const char *text(const char *section, const char *key)
{
	const char *found = json_string_value(
		section ? member(run.info, section, key) : json_object_get(run.info, key));

	return found ? found : "absent";
}

static double headline(const char *name, const char *quality)
{
	const json_t *value = member(run.info, "headline", name);

	if (!value)
		fail_msg("%s is absent", name);
	assert_string_equal(json_string_value(json_object_get(value, "quality")), quality);
	return json_number_value(json_object_get(value, "value"));
}

static const json_t *device(const char *name)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(run.info, "devices"), i, one)
	{
		if (strcmp(json_string_value(json_object_get(one, "name")), name) == 0)
			return json_object_get(one, "summary");
	}
	fail_msg("no device %s", name);
	return NULL;
}

static double of_device(const char *name, const char *key)
{
	const json_t *value = json_object_get(device(name), key);

	if (!value)
		fail_msg("%s of %s is absent", key, name);
	return json_number_value(json_object_get(value, "value"));
}

static bool is_noted(const char *part)
{
	const json_t *note;
	size_t i;

	json_array_foreach(json_object_get(run.info, "notes"), i, note)
	{
		if (strstr(json_string_value(note), part))
			return true;
	}
	return false;
}

static const json_t *limit(const char *name)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(run.info, "target_limits"), i, one)
	{
		if (strcmp(json_string_value(json_object_get(one, "name")), name) == 0)
			return one;
	}
	return NULL;
}

static double limit_of(const char *name)
{
	return json_number_value(json_object_get(limit(name), "limit"));
}

#define assert_near(a, b) assert_true((a) - (b) < 1e-6 && (b) - (a) < 1e-6)

/* Two GPUs, one cell of each kind of nothing, a hole of a minute, and a last line that was cut. */
static void nvidia_smi_is_read_by_its_header(void **state)
{
	static const char first[] = "GPU-aaaaaaaa-0000", second[] = "GPU-bbbbbbbb-1111";
	(void) state;

	open_which(FOREIGN "nvidia-smi-header.csv", 0);
	assert_near(of_device(first, "nvsmi_peak_gpu_utilization_percent"), 100);
	assert_near(of_device(first, "nvsmi_peak_memory_used_bytes"), 2048 * MIB);
	/* 60 W to 100 W for 2 s, then 100 W to 200 W; none in the hole. */
	assert_near(of_device(first, "nvsmi_energy_joules"), 160 + 300);
	assert_near(of_device(first, "nvsmi_peak_sm_clock_hertz"), 1.41e9);
	/* [N/A] for power and [Not Supported] for use drop nothing else of their lines. */
	assert_near(of_device(second, "nvsmi_min_memory_used_bytes"), 512 * MIB);
	assert_near(of_device(second, "nvsmi_peak_memory_utilization_percent"), 3);
	assert_near(of_device(second, "nvsmi_min_gpu_utilization_percent"), 10);
	assert_near(of_device(second, "nvsmi_peak_gpu_utilization_percent"), 30);
	/* 2^64 - 1 bytes in MiB is no memory. */
	assert_near(of_device(second, "nvsmi_peak_memory_used_bytes"), 1024 * MIB);
	assert_near(of_device(second, "nvsmi_energy_joules"), 170);
	/* At one time, not the sum of both peaks. */
	assert_near(statistic("nvsmi_peak_memory_used_total_bytes"), (2048 + 1024) * MIB);
	assert_near(statistic("nvsmi_energy_total_joules"), 460 + 170);
	assert_string_equal(text("time", "started"), "absent");
	assert_near(json_number_value(member(run.info, "time", "wall_seconds")), 64.01);
	assert_true(is_noted("local time without its zone"));
	assert_true(is_noted("gaps between rounds: 1,"));
	assert_true(is_noted("1 line of its file could not be read (the first is line 10)"));
	assert_null(member(run.info, "headline", "memory_peak_bytes"));
	stored_run_done(&run);
}

static void nvidia_smi_without_units_is_in_mebibytes(void **state)
{
	(void) state;

	open_which(FOREIGN "nvidia-smi-nounits.csv", 0);
	assert_near(of_device("gpu", "nvsmi_peak_memory_used_bytes"), 2050 * MIB);
	assert_near(of_device("gpu", "nvsmi_peak_power_watts"), 143.21);
	assert_null(json_object_get(device("gpu"), "nvsmi_energy_joules"));
	assert_near(of_device("gpu", "nvsmi_peak_temperature_celsius"), 41);
	/* Nothing tells the GPUs apart: no sum. */
	assert_null(member(run.info, "summary", "nvsmi_peak_memory_used_total_bytes"));
	assert_true(is_noted("does not name its GPUs"));
	stored_run_done(&run);
}

static void nvidia_smi_without_header_is_refused(void **state)
{
	struct error err = { 0 };
	(void) state;

	assert_int_equal(stored_run_open(FOREIGN "hw_metrics.csv", &run, &err), -EINVAL);
	assert_non_null(strstr(err.text, "hw_metrics.csv: it has no header"));
	assert_non_null(strstr(err.text, "--query-gpu"));
}

static void dmon_is_read_by_its_header(void **state)
{
	(void) state;

	open_which(FOREIGN "dmon-mu.txt", 0);
	assert_near(of_device("0", "dmon_peak_memory_used_bytes"), 400 * MIB);
	assert_near(of_device("0", "dmon_mean_sm_utilization_percent"), 20);
	/* "-" is none of its readings. */
	assert_near(of_device("1", "dmon_mean_sm_utilization_percent"), 45);
	assert_near(of_device("1", "dmon_min_sm_utilization_percent"), 40);
	/* The last round lacks one GPU's memory, so it has no sum. */
	assert_near(statistic("dmon_peak_memory_used_total_bytes"), 700 * MIB);
	assert_near(statistic("dmon_min_memory_used_total_bytes"), 300 * MIB);
	assert_null(member(run.info, "time", "wall_seconds"));
	assert_null(member(run.info, "summary", "dmon_energy_total_joules"));
	assert_true(is_noted("no times"));
	stored_run_done(&run);
}

static void dmon_with_date_and_time_passes_midnight(void **state)
{
	(void) state;

	open_which(FOREIGN "dmon-dt.txt", 0);
	assert_near(json_number_value(member(run.info, "time", "wall_seconds")), 6);
	/* 100 W to 200 W for 2 s; then the power is not told twice. */
	assert_near(statistic("dmon_energy_total_joules"), 300);
	assert_null(json_object_get(device("0"), "dmon_peak_memory_temperature_celsius"));
	assert_near(of_device("0", "dmon_peak_processor_clock_hertz"), 1.41e9);
	assert_string_equal(text("time", "started"), "absent");
	stored_run_done(&run);
}

static void steps_of_a_job_are_one_run(void **state)
{
	(void) state;

	open_which(FOREIGN "sacct.txt", 0);
	assert_string_equal(text(NULL, "name"), "train");
	assert_int_equal(json_integer_value(member(run.info, "slurm", "job_id")), 123);
	/* 3:30:00.5 of the job's own line, not that and the steps'. */
	assert_near(headline("cpu_seconds", "lower_bound"), 12600.5);
	assert_near(headline("cpu_user_seconds", "lower_bound"), 10800);
	assert_near(headline("wall_seconds", "estimate"), 3600);
	/* 4 GiB of both tasks, of which the largest had 2.5; the 10 MiB of the batch step are of no account. */
	assert_near(headline("memory_peak_bytes", "estimate"), 4096 * MIB);
	assert_near(statistic("sacct_peak_task_rss_bytes"), 2560 * MIB);
	assert_near(statistic("sacct_peak_tasks_count"), 2);
	assert_near(statistic("sacct_peak_step_memory_bytes"), 4096 * MIB);
	assert_near(headline("io_read_syscall_bytes", "lower_bound"), 2 * MIB + 1000);
	assert_near(limit_of("memory"), 4096 * MIB);
	assert_string_equal(
		json_string_value(json_object_get(limit("memory"), "note")), "of each node");
	assert_near(limit_of("time"), 93600);
	assert_near(limit_of("cpu"), 4);
	assert_int_equal(json_integer_value(member(run.info, "outcome", "exit_code")), 0);
	assert_string_equal(text("outcome", "cause"), "exited");
	assert_string_equal(json_string_value(json_object_get(limit("memory"), "per")), "node");
	assert_null(json_object_get(limit("cpu"), "per"));
	assert_string_equal(text("time", "started"), "absent");
	assert_string_equal(text("scheduler", "Start"), "2026-01-02T10:00:00");
	assert_string_equal(text("command", "text"), "sbatch train.sh");
	assert_true(is_noted("in step 123.0"));
	stored_run_done(&run);
}

static void a_missing_maxrss_is_missing(void **state)
{
	(void) state;

	open_which(FOREIGN "sacct.txt", 1);
	assert_null(member(run.info, "headline", "memory_peak_bytes"));
	assert_null(member(run.info, "summary", "sacct_peak_task_rss_bytes"));
	assert_null(member(run.info, "headline", "cpu_seconds"));
	assert_true(is_noted("no step has a MaxRSS"));
	/* A cancelled job has ExitCode 0:0 and did not end well. */
	assert_null(member(run.info, "outcome", "exit_code"));
	assert_string_equal(text("outcome", "words"), "cancelled by user 1000");
	assert_string_equal(text("outcome", "cause"), "unknown");
	assert_int_equal(
		json_integer_value(member(json_object_get(run.info, "outcome"), "request", "uid")),
		1000);
	/* 4000 MiB for each of 2 CPUs. */
	assert_near(limit_of("memory"), 8000 * MIB);
	assert_string_equal(
		json_string_value(json_object_get(limit("time"), "limit")), "unlimited");
	assert_int_equal(json_integer_value(member(run.info, "slurm", "job_id")), 207);
	assert_int_equal(json_integer_value(member(run.info, "slurm", "array_job_id")), 200);
	assert_int_equal(json_integer_value(member(run.info, "slurm", "array_task_id")), 7);
	/* A list of nodes is no host. */
	assert_null(json_object_get(run.info, "host"));
	stored_run_done(&run);
}

static void states_and_signals_of_slurm_are_told_apart(void **state)
{
	(void) state;

	open_which(FOREIGN "sacct.txt", 2);
	assert_string_equal(text("outcome", "words"), "ended out of memory");
	assert_string_equal(text("outcome", "cause"), "oom_kill");
	assert_null(member(run.info, "outcome", "limit"));
	assert_null(member(run.info, "outcome", "signal"));
	/* 0.001 TiB, of the largest of eight tasks */
	assert_near(headline("memory_peak_bytes", "lower_bound"), 1099511628);
	assert_null(limit("time"));
	assert_int_equal(json_integer_value(member(run.info, "slurm", "job_id")), 301);
	stored_run_done(&run);
	open_which(FOREIGN "sacct.txt", 3);
	assert_int_equal(json_integer_value(member(run.info, "outcome", "signal")), 9);
	assert_string_equal(text("outcome", "cause"), "signal");
	/* SLURM_TIME_FORMAT=%s */
	assert_string_equal(text("time", "started"), "2026-01-02T10:00:00.000000Z");
	/* "0n" is all of the node, whatever that was. */
	assert_null(limit("memory"));
	stored_run_done(&run);
	/* The same job put back in the queue: a run of its own; its zone is told. */
	open_which(FOREIGN "sacct.txt", 4);
	assert_string_equal(text(NULL, "name"), "again");
	assert_string_equal(text("outcome", "words"), "ended at its time limit");
	assert_string_equal(text("outcome", "cause"), "limit");
	assert_string_equal(text("outcome", "limit"), "wall");
	assert_string_equal(text("outcome", "limit_source"), "slurm");
	assert_string_equal(text("time", "ended"), "2026-01-02T09:05:00.000000Z");
	stored_run_done(&run);
	open_which(FOREIGN "sacct.txt", 5);
	assert_null(json_object_get(run.info, "outcome"));
	assert_true(is_noted("PENDING"));
	assert_true(is_noted("1 line of its file could not be read"));
	stored_run_done(&run);
	assert_int_equal(stored_run_count(FOREIGN "sacct.txt", NULL), 6);
}

/* In any order, and again after the last. */
static void jobs_are_found_in_any_order(void **state)
{
	static const size_t order[] = { 0, 0, 1, 2, 5, 5, 4, 3, 4, 0, 1 };
	static const char *const names[] = { "train", "array", "het", "killed", "again",
		"waiting" };
	struct error err = { 0 };
	(void) state;

	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		open_which(FOREIGN "sacct.txt", order[i]);
		assert_string_equal(text(NULL, "name"), names[order[i]]);
		stored_run_done(&run);
		if (order[i] == 5)
			assert_int_equal(
				stored_run_open_which(FOREIGN "sacct.txt", 6, &run, &err), -ENOENT);
	}
}

/* What another --format wrote, put behind it: its columns stand elsewhere. */
static void files_of_sacct_that_were_put_together_are_read(void **state)
{
	static const char bytes[] =
		"JobID|MaxRSS|State|JobName\n7||COMPLETED|a\n7.0|5K|COMPLETED|a\n"
		"JobName|JobID|State\nb|7|FAILED\n\nc|8|TIMEOUT\n";
	char path[] = "/tmp/test-import-formats-XXXXXX";
	int fd = mkstemp(path);
	(void) state;

	assert_true(fd >= 0 && write(fd, bytes, sizeof(bytes) - 1) == sizeof(bytes) - 1);
	close(fd);
	assert_int_equal(stored_run_count(path, NULL), 3);
	open_which(path, 0);
	assert_near(headline("memory_peak_bytes", "lower_bound"), 5120);
	stored_run_done(&run);
	for (size_t i = 1; i < 3; i++) {
		open_which(path, i);
		assert_string_equal(text(NULL, "name"), i == 1 ? "b" : "c");
		assert_null(member(run.info, "headline", "memory_peak_bytes"));
		stored_run_done(&run);
	}
	unlink(path);
}

static void cells_of_sacct_are_read_or_refused(void **state)
{
	static const struct {
		const char *text;
		double seconds;
	} durations[] = { { "1-02:03:04", 93784 }, { "00:00:10.500", 10.5 }, { "01:30.250", 90.25 },
		{ "27:00:00", 97200 } };
	static const char *const no_durations[] = { "", "UNLIMITED", "Partition_Limit", "INVALID",
		"12", "1-", "-1:00", "1:2:3:4", "00:00:x", "nan", "4294967295-00:00:00" };
	static const char *const no_sizes[] = { "", "K", "-1K", "1Z", "1KK", "0x10", "inf",
		"1e300P", "18446744073709551615", "1e3G", "1E3", "+5K", "12,5M" };
	static const char *const damaged_lists[] = { "mem=12,5M", "mem", "cpu=1,mem=3K,", ",mem=3K",
		"=3K,mem=3K", "5M,mem=3K" };
	double value;
	char per;
	char found[16];
	int code;
	int number;
	(void) state;

	for (size_t i = 0; i < ARRAY_SIZE(durations); i++) {
		assert_true(sacct_duration(durations[i].text, &value));
		assert_near(value, durations[i].seconds);
	}
	for (size_t i = 0; i < ARRAY_SIZE(no_durations); i++)
		assert_false(sacct_duration(no_durations[i], &value));
	for (size_t i = 0; i < ARRAY_SIZE(no_sizes); i++)
		assert_false(sacct_size(no_sizes[i], &value));
	assert_true(sacct_size("2T", &value));
	assert_near(value, 2 * MIB * MIB);
	assert_true(sacct_request("4000Mc", &value, &per) && per == 'c');
	assert_true(sacct_request("8G", &value, &per) && per == '\0');
	assert_false(sacct_request("8Gx", &value, &per));
	assert_false(sacct_request("1e3G", &value, &per));
	/* Slurm's own unit of what is asked for; of what was used it is bytes. */
	assert_true(sacct_request("4096", &value, &per) && per == '\0');
	assert_near(value, 4096 * MIB);
	assert_true(sacct_request("512.5c", &value, &per) && per == 'c');
	assert_near(value, 512.5 * MIB);
	assert_true(sacct_size("4096", &value));
	assert_near(value, 4096);
	assert_true(sacct_size("0.5E", &value));
	assert_near(value, MIB * MIB * MIB / 2);
	/* "vmem=" is not "mem=". */
	assert_true(sacct_tres("cpu=1,vmem=7K,mem=3K", "mem", found, sizeof(found)));
	assert_string_equal(found, "3K");
	assert_false(sacct_tres("cpu=1,vmem=7K", "mem", found, sizeof(found)));
	assert_false(sacct_tres_is_damaged(""));
	assert_false(sacct_tres_is_damaged("cpu=1,gres/gpu:a100=2,mem=12.5M"));
	for (size_t i = 0; i < ARRAY_SIZE(damaged_lists); i++) {
		assert_true(sacct_tres_is_damaged(damaged_lists[i]));
		assert_false(sacct_tres(damaged_lists[i], "mem", found, sizeof(found)));
	}
	assert_true(sacct_exit("3:0", &code, &number) && code == 3 && number == 0);
	assert_false(sacct_exit("3", &code, &number));
}

static void the_counters_of_jumper_are_righted(void)
{
	/* 4096 -> 5096 -> 5000 (a process ended) -> 9000 */
	assert_near(headline("io_read_bytes", "estimate"), 1000 + 4000);
	assert_near(headline("io_write_bytes", "lower_bound"), 1000000000.0 + 1808 + 10000);
	assert_near(statistic("jumper_read_calls_count"), 5 + 8);
	assert_true(is_noted("not in the sums: 2"));
	assert_near(headline("memory_peak_bytes", "lower_bound"), 300 * MIB);
	/* A row of 0 GiB is an error of theirs, not a reading. */
	assert_near(statistic("jumper_min_uss_total_bytes"), 100 * MIB + 4096);
	/* 50 %, 100 %, 200 %, 25 % of a CPU for 0.25, 1, 1.25, 1.25 s */
	assert_near(headline("cpu_mean_cores", "estimate"),
		(0.5 * 0.25 + 1 * 1 + 2 * 1.25 + 0.25 * 1.25) / 3.75);
	assert_near(headline("cpu_peak_cores", "estimate"), 2);
	assert_near(of_device("0", "jumper_peak_group_gpu_memory_bytes"), 2.5 * 1024 * MIB);
	assert_null(json_object_get(device("0"), "jumper_peak_gpu_utilization_percent"));
	assert_string_equal(text("time", "started"), "2026-01-02T10:00:00.000000Z");
	assert_string_equal(text("tags", "level"), "process");
	assert_int_equal(json_integer_value(member(run.info, "slurm", "job_id")), 98765);
	assert_true(is_noted("cell 0 ran from 0.750 s to 2.750 s"));
	assert_true(is_noted("cell 1 ran from 3.250 s to 3.750 s"));
}

static void a_session_of_jumper_is_a_run_of_each_level(void **state)
{
	struct error err = { 0 };
	(void) state;

	open_which(FOREIGN "jumper-session", 0);
	the_counters_of_jumper_are_righted();
	stored_run_done(&run);
	open_which(FOREIGN "jumper-session", 1);
	assert_string_equal(text("tags", "level"), "system");
	assert_null(member(run.info, "headline", "memory_peak_bytes"));
	assert_near(statistic("jumper_peak_host_memory_used_bytes"), 9 * 1024 * MIB);
	/* The first row of a whole machine is psutil's 0. */
	assert_near(statistic("jumper_min_host_cpu_percent"), 50);
	assert_near(of_device("3", "jumper_min_core_percent"), 40);
	assert_near(statistic("jumper_host_read_bytes"), 1024);
	stored_run_done(&run);
	assert_int_equal(stored_run_open_which(FOREIGN "jumper-session", 2, &run, &err), -ENOENT);
	assert_int_equal(stored_run_open(FOREIGN "jumper-session", &run, &err), -EINVAL);
	assert_non_null(strstr(err.text, "several runs"));
}

static void a_zip_file_is_the_same_session(void **state)
{
	struct error err = { 0 };
	int r = stored_run_open_which(FOREIGN "jumper-session.zip", 0, &run, &err);
	(void) state;

	if (r == -ENOTSUP) {
		print_message("skipped: %s\n", err.text);
		skip();
	}
	assert_int_equal(r, 0);
	the_counters_of_jumper_are_righted();
	stored_run_done(&run);
	assert_int_equal(stored_run_count(FOREIGN "jumper-session.zip", NULL), 2);
}

static int see_window(const json_t *window, void *context)
{
	(void) context;
	assert_true(json_is_object(window));
	return 0;
}

/* Each fixture, cut at every seventh byte and with a NUL or a high byte put in, is read or refused with a line. */
static void look_at(const char *path, const char *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct error err = { 0 };

	assert_true(fd >= 0 && write(fd, bytes, n) == (ssize_t) n);
	close(fd);
	if (stored_run_open_which(path, 0, &run, &err) < 0) {
		assert_true(err.code < 0 && err.text[0]);
		return;
	}
	assert_int_equal(
		stored_run_windows(&run, see_window, NULL, NULL, &err) >= 0 || err.text[0], 1);
	stored_run_done(&run);
}

static void damaged_files_are_read_or_refused(void **state)
{
	static const char *const files[] = { "nvidia-smi-header.csv", "dmon-mu.txt", "dmon-dt.txt",
		"sacct.txt", "jumper-session.zip" };
	char path[] = "/tmp/test-import-formats-XXXXXX";
	int made = mkstemp(path);
	(void) state;

	assert_true(made >= 0);
	close(made);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char name[200];
		static char bytes[16384];
		int fd;
		ssize_t n;

		snprintf(name, sizeof(name), FOREIGN "%s", files[i]);
		fd = open(name, O_RDONLY | O_CLOEXEC);
		n = read(fd, bytes, sizeof(bytes));
		close(fd);
		assert_true(n > 0 && n < (ssize_t) sizeof(bytes));
		for (ssize_t cut = 1; cut < n; cut += 7) {
			char kept = bytes[cut];

			look_at(path, bytes, (size_t) cut);
			bytes[cut] = (char) (cut % 2 ? 0 : 0xff);
			look_at(path, bytes, (size_t) n);
			bytes[cut] = kept;
		}
	}
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nvidia_smi_is_read_by_its_header),
		cmocka_unit_test(nvidia_smi_without_units_is_in_mebibytes),
		cmocka_unit_test(nvidia_smi_without_header_is_refused),
		cmocka_unit_test(dmon_is_read_by_its_header),
		cmocka_unit_test(dmon_with_date_and_time_passes_midnight),
		cmocka_unit_test(steps_of_a_job_are_one_run),
		cmocka_unit_test(a_missing_maxrss_is_missing),
		cmocka_unit_test(states_and_signals_of_slurm_are_told_apart),
		cmocka_unit_test(jobs_are_found_in_any_order),
		cmocka_unit_test(files_of_sacct_that_were_put_together_are_read),
		cmocka_unit_test(cells_of_sacct_are_read_or_refused),
		cmocka_unit_test(a_session_of_jumper_is_a_run_of_each_level),
		cmocka_unit_test(a_zip_file_is_the_same_session),
		cmocka_unit_test(damaged_files_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
