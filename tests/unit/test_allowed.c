/* SPDX-License-Identifier: MIT */
/* Use beside limits, as the summary shows it and as the notes advise. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/bounds.h"
#include "base/buf.h"
#include "base/macros.h"
#include "model/run_info.h"
#include "run/allowed.h"
#include "text/page.h"

#define GIB (UINT64_C(1) << 30)

static struct assay_run_info info;

static int forget(void **state)
{
	(void) state;
	run_info_done(&info);
	return 0;
}

static struct target_limit *bound(
	const char *name, enum unit unit, uint64_t limit, const char *source, const char *where)
{
	struct target_limit *l = &info.target_limits[info.n_target_limits++];

	*l = (struct target_limit){ .name = name, .unit = (uint8_t) unit, .limit = limit };
	snprintf(l->source, sizeof(l->source), "%s", source);
	snprintf(l->where, sizeof(l->where), "%s", where);
	return l;
}

static void used(const char *name, enum unit unit, uint64_t n, enum quality quality)
{
	info.headline[info.n_headline++] = (struct headline){ .name = name,
		.unit = (uint8_t) unit,
		.value = { .n = n, .quality = (uint8_t) quality } };
}

static void assert_rows(const char *expected)
{
	struct buf out = { 0 };
	struct page page = { .out = &out };

	allowed_rows(&page, &info);
	assert_false(out.failed);
	assert_string_equal(out.data ? out.data : "", expected);
	buf_done(&out);
}

static void the_summary_shows_what_is_tighter_than_the_machine(void **state)
{
	(void) state;
	struct target_limit *l = bound("memory", BYTES, 4 * GIB, "cgroup", "/sys/x/memory.max");

	l->tightest = l->has_hits = true;
	l->hits = 3;
	bound("memory", BYTES, 16 * GIB, "host", "MemTotal");
	l = bound("cpu", UNITLESS, 1500, "cgroup", "/sys/x/cpu.max");
	l->tightest = l->has_hits = true;
	l->hits = 12;
	l->periods = 300;
	l->throttled_ns = 2500000000;
	bound("cpu", UNITLESS, 2000, "affinity", "");
	bound("processes", COUNT, 4000, "cgroup", "/sys/x/pids.max")->tightest = true;
	bound("time", SECONDS, 3600 * NSEC_PER_SEC, "slurm", "SLURM_JOB_END_TIME")->tightest = true;
	info.wall_ns = 12300000000;
	used("memory_peak_bytes", BYTES, 31 * GIB / 10, LOWER_BOUND);
	used("cpu_peak_cores", UNITLESS, 1490, SAMPLED);
	assert_rows("  allowed   >= 3.1 of 4 GiB in processes (cgroup memory.max),\n"
		    "               limit hit 3 times\n"
		    "             ~ 1.49 of 1.50 cores at peak (cgroup cpu.max),\n"
		    "               throttled in 12 of 300 periods, 2.50 s\n"
		    "             = 12.3 s of 1h 00m 00s wall time (SLURM_JOB_END_TIME)\n");
}

static void where_only_the_machine_limits_the_summary_says_nothing(void **state)
{
	(void) state;
	bound("memory", BYTES, 16 * GIB, "host", "MemTotal")->tightest = true;
	bound("memory", BYTES, 16 * GIB, "slurm", "SLURM_MEM_PER_NODE");
	bound("cpu", UNITLESS, 8000, "host", "")->tightest = true;
	bound("cpu", UNITLESS, 8000, "affinity", "");
	bound("cpu", UNITLESS, UINT64_MAX, "cgroup", "/sys/x/cpu.max");
	bound("swap", BYTES, 0, "cgroup", "/sys/x/memory.swap.max")->tightest = true;
	used("memory_peak_bytes", BYTES, GIB, EXACT);
	assert_rows("");
	bounds_advise(&info, false);
	assert_int_equal(info.n_notes, 0);
}

static void a_limit_of_each_process_is_shown_beside_that_of_the_job(void **state)
{
	(void) state;
	bound("memory", BYTES, GIB, "RLIMIT_AS", "/proc/PID/limits")->tightest = true;
	bound("memory", BYTES, 4 * GIB, "slurm", "SLURM_MEM_PER_NODE");
	bound("memory", BYTES, 16 * GIB, "host", "MemTotal");
	used("memory_peak_bytes", BYTES, 2 * GIB, LOWER_BOUND);
	used("memory_peak_process_bytes", BYTES, GIB / 2, EXACT);
	assert_rows("  allowed    = 512 MiB of 1 GiB resident in the largest process (RLIMIT_AS)\n"
		    "            >= 2 of 4 GiB in processes (SLURM_MEM_PER_NODE)\n");
}

static void assert_note(const char *words)
{
	for (size_t i = 0; i < info.n_notes; i++)
		if (strstr(info.notes[i], words))
			return;
	fail_msg(
		"no note says \"%s\"; the first: %s", words, info.n_notes ? info.notes[0] : "none");
}

static void what_came_near_a_limit_has_a_note_with_advice(void **state)
{
	(void) state;
	bound("memory", BYTES, 4 * GIB, "cgroup", "/sys/x/memory.max")->tightest = true;
	bound("memory", BYTES, 8 * GIB, "slurm", "SLURM_MEM_PER_NODE");
	bound("cpu", UNITLESS, 2000, "affinity", "")->tightest = true;
	struct target_limit *quota = bound("cpu", UNITLESS, 4000, "cgroup", "/sys/x/cpu.max");
	quota->hits = 10;
	quota->periods = 100;
	struct target_limit *tasks = bound("processes", COUNT, 100, "cgroup", "/sys/x/pids.max");
	tasks->has_hits = true;
	tasks->hits = 1;
	bound("time", SECONDS, 100 * NSEC_PER_SEC, "slurm", "SLURM_JOB_END_TIME")->tightest = true;
	info.wall_ns = 90 * NSEC_PER_SEC;
	used("memory_peak_bytes", BYTES, 37 * GIB / 10, LOWER_BOUND);
	used("cpu_mean_cores", UNITLESS, 1850, EXACT);
	bounds_advise(&info, false);
	assert_note("memory: 3.7 GiB of the 4 GiB allowed (cgroup memory.max) were used");
	assert_note("ask for more next time (--mem)");
	assert_note(
		"memory: 4 GiB allowed (cgroup memory.max), less than the 8 GiB asked from Slurm "
		"(SLURM_MEM_PER_NODE)");
	assert_note("cpu: 1.85 cores of the 2 cores allowed (affinity) were busy");
	assert_note("throttled in 10 of 100 periods");
	assert_note("some could not be started, 100 processes and threads are allowed");
	assert_note("(--time)");
	assert_int_equal(info.n_notes, 6);
}

static void far_from_a_limit_nothing_is_said(void **state)
{
	(void) state;
	bound("memory", BYTES, 4 * GIB, "cgroup", "/sys/x/memory.max")->tightest = true;
	bound("cpu", UNITLESS, 2000, "affinity", "")->tightest = true;
	bound("time", SECONDS, 100 * NSEC_PER_SEC, "slurm", "SLURM_JOB_END_TIME")->tightest = true;
	info.wall_ns = 89 * NSEC_PER_SEC;
	used("memory_peak_bytes", BYTES, 35 * GIB / 10, LOWER_BOUND);
	used("cpu_mean_cores", UNITLESS, 1790, EXACT);
	bounds_advise(&info, false);
	assert_int_equal(info.n_notes, 0);
}

static void charged_memory_is_compared_with_the_limit_of_its_cgroup(void **state)
{
	(void) state;
	static const struct measure lasting = { .key = "cgroup_memory_nonreclaimable_peak_bytes" };
	static const struct measure *rows[] = { &lasting };
	static const struct measures measures = { .rows = rows, .n = 1 };

	bound("memory", BYTES, 4 * GIB, "cgroup", "/sys/x/memory.max")->tightest = true;
	used("memory_peak_bytes", BYTES, GIB, LOWER_BOUND);
	used("memory_peak_charged_bytes", BYTES, 4 * GIB - 1, EXACT);
	assert_rows("  allowed    = 4 of 4 GiB charged (cgroup memory.max)\n");

	/* The cache of files fills what it may: no reason to ask for more. */
	bounds_advise(&info, false);
	assert_note("counts the cache of files");
	assert_note("the processes themselves had 1 GiB at once");
	assert_int_equal(info.n_notes, 1);

	/* Unless what cannot be taken back filled it. */
	info.measures = &measures;
	info.run_totals = calloc(1, sizeof(*info.run_totals));
	assert_non_null(info.run_totals);
	info.run_totals[0] = (struct summary){ .max = 2 * GIB, .quality = SAMPLED };
	bounds_advise(&info, false);
	assert_note("what the kernel cannot take back came to 2 GiB at once");
	info.run_totals[0].max = 4 * GIB - 1;
	bounds_advise(&info, false);
	assert_note("may be killed or fail: ask for more");
	assert_int_equal(info.n_notes, 3);
}

static void a_limit_that_only_the_cache_of_files_reached_is_no_alarm(void **state)
{
	(void) state;
	struct target_limit *l = bound("memory", BYTES, 4 * GIB, "cgroup", "/sys/x/memory.max");

	l->tightest = l->has_hits = true;
	l->hits = 1000;
	used("memory_peak_bytes", BYTES, GIB, LOWER_BOUND);
	assert_rows("  allowed   >= 1 of 4 GiB in processes (cgroup memory.max),\n"
		    "               limit hit 1000 times\n");
	bounds_advise(&info, false);
	assert_note("memory: the 4 GiB allowed (cgroup memory.max) were reached, but the cache of "
		    "files, which "
		    "the kernel takes back, and files in tmpfs count too; the processes themselves "
		    "had 1 GiB");
	assert_int_equal(info.n_notes, 1);
}

static void near_the_limit_of_each_process_ulimit_is_the_advice(void **state)
{
	(void) state;
	bound("memory", BYTES, GIB, "RLIMIT_AS", "/proc/PID/limits")->tightest = true;
	used("memory_peak_process_bytes", BYTES, GIB - GIB / 10, EXACT);
	bounds_advise(&info, false);
	assert_note("(RLIMIT_AS): a greater limit (ulimit) would help");
	assert_int_equal(info.n_notes, 1);
}

static void what_was_not_taken_back_is_not_blamed_on_the_cache(void **state)
{
	(void) state;
	static const struct measure lasting = { .key = "cgroup_memory_nonreclaimable_peak_bytes" };
	static const struct measure *rows[] = { &lasting };
	static const struct measures measures = { .rows = rows, .n = 1 };

	bound("memory", BYTES, 4 * GIB, "cgroup", "/sys/x/memory.max")->tightest = true;
	used("memory_peak_charged_bytes", BYTES, 4 * GIB, EXACT);
	info.measures = &measures;
	info.run_totals = calloc(1, sizeof(*info.run_totals));
	assert_non_null(info.run_totals);
	/* The sample came before the memory did. */
	info.run_totals[0] = (struct summary){ .max = GIB / 100, .quality = SAMPLED };
	bounds_advise(&info, true);
	assert_note("may be killed or fail: ask for more");
	used("memory_peak_process_bytes", BYTES, GIB, EXACT);
	bounds_advise(&info, false);
	assert_note("takes back; the largest process had 1 GiB at once");
	info.headline[info.n_headline - 1].value.n = 4 * GIB - GIB / 10;
	bounds_advise(&info, false);
	/* The same note, which is kept once. */
	assert_int_equal(info.n_notes, 2);
}

static void what_filled_a_limit_between_two_readings_is_not_said_to_be_little(void **state)
{
	(void) state;
	struct target_limit *l = bound("memory", BYTES, 4 * GIB, "cgroup", "/sys/x/memory.max");

	l->tightest = l->has_hits = true;
	l->hits = 2;
	used("memory_peak_bytes", BYTES, GIB / 100, LOWER_BOUND);
	bounds_advise(&info, true);
	assert_note(
		"memory: the 4 GiB allowed (cgroup memory.max) were reached and the kernel killed "
		"for "
		"them, between two readings, which found 10.2 MiB at most: ask for more next time");
	assert_int_equal(info.n_notes, 1);
}

#define ALONE(test) cmocka_unit_test_teardown(test, forget)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ALONE(the_summary_shows_what_is_tighter_than_the_machine),
		ALONE(where_only_the_machine_limits_the_summary_says_nothing),
		ALONE(a_limit_of_each_process_is_shown_beside_that_of_the_job),
		ALONE(what_came_near_a_limit_has_a_note_with_advice),
		ALONE(far_from_a_limit_nothing_is_said),
		ALONE(a_limit_that_only_the_cache_of_files_reached_is_no_alarm),
		ALONE(near_the_limit_of_each_process_ulimit_is_the_advice),
		ALONE(what_filled_a_limit_between_two_readings_is_not_said_to_be_little),
		ALONE(what_was_not_taken_back_is_not_blamed_on_the_cache),
		ALONE(charged_memory_is_compared_with_the_limit_of_its_cgroup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
