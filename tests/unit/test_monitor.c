/* SPDX-License-Identifier: MIT */
/* The loop on a live tree, its schedule, and what is concluded from readings. */
#include "test.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/sources.h"
#include "base/clock.h"
#include "base/error.h"
#include "launch/keeper.h"
#include "launch/signals.h"
#include "linux/roots.h"
#include "monitor/conclude.h"
#include "monitor/conclude_parts.h"
#include "monitor/loop.h"
#include "record/live_ring.h"
#include "record/run_files.h"

static bool counting;
static size_t allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

void *__wrap_malloc(size_t size)
{
	allocations += counting;
	return __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	allocations += counting;
	return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	allocations += counting;
	return __real_realloc(p, size);
}

/* A job under a keeper with everything that records it, in a directory of its own. */
struct recorded_job {
	struct roots roots;
	struct measures measures;
	bool *selected;
	struct collector_state states[N_COLLECTORS_MAX];
	size_t n_states;
	struct signals signals;
	struct keeper keeper;
	struct monitor monitor;
	struct run_files *files;
	char directory[64];
	char prefix[80];
};

static void begin(struct recorded_job *job, const char *measurements, char *const *argv)
{
	struct error err = { 0 };

	*job = (struct recorded_job){ 0 };
	snprintf(job->directory, sizeof(job->directory), "/tmp/assay-test-XXXXXX");
	assert_non_null(mkdtemp(job->directory));
	snprintf(job->prefix, sizeof(job->prefix), "%s/run-", job->directory);
	assert_int_equal(roots_open(&job->roots, "", &err), 0);
	assert_int_equal(measures_build(&job->measures, &err), 0);
	job->selected = calloc(job->measures.n, sizeof(*job->selected));
	sources_probe(&job->roots, NULL, -1, NULL, job->states, &job->n_states);
	assert_int_equal(
		sources_select(&job->measures, measurements, job->states, job->selected, &err), 0);
	assert_int_equal(
		run_files_open(job->prefix, &(struct run_files_options){ 0 }, &job->files, &err),
		0);
	assert_int_equal(signals_open(&job->signals, &err), 0);
	const struct job_setup setup = { .argv = argv,
		.mask = &job->signals.original_mask,
		.child_action = &job->signals.original_child,
		.stdio = { -1, -1, -1 } };
	assert_int_equal(keeper_start(&job->keeper, &setup, &err), 0);
	monitor_blank(&job->monitor);
	assert_int_equal(monitor_init(&job->monitor, &job->roots, &job->measures, job->selected,
				 job->states, &err),
		0);
	job->monitor.ledger.keeper_pid = job->keeper.pid;
	job->monitor.sink = run_files_sink(job->files);
}

static void end(struct recorded_job *job)
{
	for (size_t i = 0; i < job->monitor.ledger.n_order; i++)
		if (ledger_at(&job->monitor.ledger, i)->alive)
			kill(ledger_at(&job->monitor.ledger, i)->pid, SIGKILL);
	keeper_quit(&job->keeper);
	keeper_done(&job->keeper);
	signals_close(&job->signals);
	monitor_done(&job->monitor);
	run_files_discard(job->files);
	run_files_close(job->files);
	measures_done(&job->measures);
	free(job->selected);
	roots_close(&job->roots);
	rmdir(job->directory);
}

static void wait_until_seen(struct recorded_job *job, uint64_t processes)
{
	uint64_t deadline = clock_monotonic_ns() + 20 * NSEC_PER_SEC;

	while (job->monitor.ledger.living != processes && clock_monotonic_ns() < deadline)
		monitor_tick(&job->monitor, job->keeper.page);
	assert_int_equal(job->monitor.ledger.living, processes);
}

static void the_steady_loop_allocates_nothing(void **state)
{
	char *argv[] = { (char[]){ "sh" }, (char[]){ "-c" },
		(char[]){ "sleep 100 & sleep 100 & while :; do :; done" }, NULL };
	struct recorded_job job;
	struct live_ring ring;

	(void) state;
	begin(&job, "all", argv);
	assert_int_equal(live_ring_init(&ring, job.files, 50, 1), 0);
	job.monitor.samples = &ring.sink;
	job.monitor.handing_on = true;
	/* Every tick closes a window. */
	monitor_start(&job.monitor, clock_monotonic_ns(), 1000, 1000);
	keeper_release(&job.keeper);
	wait_until_seen(&job, 3);
	for (int tick = 0; tick < 100; tick++) {
		if (tick == 10)
			counting = true;
		monitor_tick(&job.monitor, job.keeper.page);
	}
	counting = false;
	assert_int_equal(ring.lost, 0);
	assert_true(ring.written >= 100); /* and went round its 51 slots */
	live_ring_done(&ring);
	uint64_t written, lost, failures;
	run_files_counts(job.files, &written, &lost, &failures);
	assert_int_equal(allocations, 0);
	assert_true(written >= 100);
	assert_int_equal(lost, 0);
	end(&job);
}

static void a_daemon_and_a_child_of_its_own_session_stay_in_the_tree(void **state)
{
	char *argv[] = { (char[]){ "sh" }, (char[]){ "-c" },
		(char[]){ "(setsid sh -c 'sleep 100 & sleep 100' &) ; exec sleep 100" }, NULL };
	struct recorded_job job;

	(void) state;
	begin(&job, "default", argv);
	monitor_start(&job.monitor, clock_monotonic_ns(), NSEC_PER_SEC, 0);
	keeper_release(&job.keeper);
	wait_until_seen(&job, 4);
	end(&job);
}

static void windows_widen_with_the_age_of_the_run(void **state)
{
	static const struct {
		uint64_t age_s, length_s;
	} expected[] = { { 0, 1 }, { 59, 1 }, { 60, 5 }, { 599, 5 }, { 600, 15 }, { 3600, 60 },
		{ 6 * 3600, 120 }, { 86400, 300 }, { 7 * 86400, 600 }, { 90 * 86400, 600 } };
	struct schedule s;

	(void) state;
	schedule_start(&s, NSEC_PER_SEC, 0, 0);
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		assert_int_equal(schedule_window_length(&s, expected[i].age_s * NSEC_PER_SEC),
			expected[i].length_s * NSEC_PER_SEC);
	schedule_start(&s, NSEC_PER_SEC, 0, 7 * NSEC_PER_SEC);
	assert_int_equal(schedule_window_length(&s, 90 * 86400 * NSEC_PER_SEC), 7 * NSEC_PER_SEC);
}

static void a_month_of_ticks_closes_windows_without_gap_and_stays_small(void **state)
{
	struct schedule s;
	uint64_t windows = 0, last_close_ns = 0;

	(void) state;
	schedule_start(&s, 0, 0, 0);
	for (uint64_t now_ns = s.next_tick_ns; now_ns < 30 * 86400 * NSEC_PER_SEC;
		now_ns = s.next_tick_ns) {
		schedule_ticked(&s, now_ns);
		if (!schedule_window_over(&s, now_ns))
			continue;
		windows++;
		last_close_ns = now_ns;
		schedule_window_closed(&s, now_ns);
		assert_true(s.window_end_ns > now_ns);
	}
	assert_int_equal(s.missed, 0);
	assert_in_range(windows, 60 + 108 + 200 + 300 + 540 + 1728 + 3312 - 7,
		60 + 108 + 200 + 300 + 540 + 1728 + 3312 + 7);
	assert_in_range(last_close_ns / NSEC_PER_SEC, 30 * 86400 - 600, 30 * 86400);
}

static void samples_are_kept_apart_from_the_second_minute_on(void **state)
{
	struct schedule s;
	uint64_t window_start_ns = 0, first_wide_ns = 0;

	(void) state;
	schedule_start(&s, 0, 0, 0);
	while (s.next_tick_ns < 180 * NSEC_PER_SEC) {
		/* A timer is late, and by how much differs. */
		uint64_t now_ns = s.next_tick_ns + s.next_tick_ns % 7 * 30000000;

		schedule_ticked(&s, now_ns);
		if (schedule_window_is_wide(&s, window_start_ns) && !first_wide_ns)
			first_wide_ns = now_ns;
		if (schedule_window_over(&s, now_ns)) {
			window_start_ns = now_ns;
			schedule_window_closed(&s, now_ns);
		}
	}
	assert_int_equal(first_wide_ns / NSEC_PER_SEC, 61);
}

static void a_report_interval_of_more_than_a_sample_is_wide_from_the_start(void **state)
{
	struct schedule s;

	(void) state;
	schedule_start(&s, 0, NSEC_PER_SEC, NSEC_PER_SEC);
	assert_false(schedule_window_is_wide(&s, 0));
	schedule_start(&s, 0, NSEC_PER_SEC, 2 * NSEC_PER_SEC);
	assert_true(schedule_window_is_wide(&s, 0));
	schedule_start(&s, 0, NSEC_PER_SEC / 10, 0);
	assert_true(schedule_window_is_wide(&s, 0));
}

static void a_late_tick_counts_those_it_missed_and_returns_to_the_grid(void **state)
{
	struct schedule s;

	(void) state;
	schedule_start(&s, 0, 1000, 0);
	assert_int_equal(s.next_tick_ns, 1000);
	schedule_ticked(&s, 1010);
	assert_int_equal(s.missed, 0);
	assert_int_equal(s.next_tick_ns, 2000);
	schedule_ticked(&s, 5100);
	assert_int_equal(s.missed, 3);
	assert_int_equal(s.next_tick_ns, 6000);
}

static void ticks_that_passed_while_all_was_stopped_are_not_missed(void **state)
{
	struct schedule s;

	(void) state;
	schedule_start(&s, 0, 1000, 0);
	schedule_ticked(&s, 1010);
	schedule_skip(&s, 1500);
	assert_int_equal(s.next_tick_ns, 2000);
	schedule_skip(&s, 5100);
	assert_int_equal(s.next_tick_ns, 6000);
	schedule_ticked(&s, 6010);
	assert_int_equal(s.missed, 0);
	assert_int_equal(s.next_tick_ns, 7000);
}

static void perf_beyond_its_error_tells_of_children_nobody_waited_for(void **state)
{
	struct cpu_sources s = { .keeper_ns = 1000000000,
		.tree_ns = 1000000000,
		.has_perf = true,
		.perf_ns = 1004000000,
		.processes = 10 };

	(void) state;
	assert_int_equal(conclude_reap_alarm(&s), REAP_NONE_DETECTED);
	/* One that nobody is known to have waited for may have been where perf does not follow. */
	s.unproven = 1;
	assert_int_equal(conclude_reap_alarm(&s), REAP_SUSPECTED);
	s.unproven = 0;
	s.perf_ns = 1030000000;
	assert_int_equal(conclude_reap_alarm(&s), REAP_SEEN);
	s.stolen_ns = 10000000;
	assert_int_equal(conclude_reap_alarm(&s), REAP_NONE_DETECTED);
	s.stolen_ns = 0;
	s.childless = true;
	assert_int_equal(conclude_reap_alarm(&s), REAP_NONE_DETECTED);
	s.childless = false;
	s.has_perf = false;
	assert_int_equal(conclude_reap_alarm(&s), REAP_SUSPECTED);
	s.sigchld_ignored = true;
	assert_int_equal(conclude_reap_alarm(&s), REAP_SEEN);
}

static void an_own_cgroup_tells_of_lost_children_and_overrules_perf(void **state)
{
	struct cpu_sources s = { .keeper_ns = 1000000000,
		.tree_ns = 1000000000,
		.has_perf = true,
		.perf_ns = 1100000000,
		.has_cgroup = true,
		.cgroup_own = true,
		.cgroup_exact = true,
		.cgroup_ns = 1025000000,
		.processes = 10 };

	(void) state;
	/* 20 ms, a hundredth, 5 us a process. */
	assert_int_equal(conclude_cgroup_error_ns(&s), 30050000);
	assert_int_equal(conclude_cgroup_lost_ns(&s), 0);
	assert_int_equal(conclude_reap_alarm(&s), REAP_NONE_DETECTED);
	s.cgroup_ns = 1031000000;
	assert_int_equal(conclude_cgroup_lost_ns(&s), 31000000);
	assert_int_equal(conclude_reap_alarm(&s), REAP_SEEN);
	s.childless = true;
	assert_int_equal(conclude_reap_alarm(&s), REAP_NONE_DETECTED);
	s.childless = false;
	s.cgroup_exact = false;
	assert_int_equal(conclude_cgroup_lost_ns(&s), 0);
	s.has_perf = false;
	assert_int_equal(conclude_reap_alarm(&s), REAP_SUSPECTED);
	s.cgroup_exact = true;
	s.cgroup_ns = s.tree_ns;
	assert_int_equal(conclude_reap_alarm(&s), REAP_NONE_DETECTED);
}

static void a_cgroup_without_room_for_lost_children_clears_what_perf_suspects(void **state)
{
	struct cpu_sources s = { .keeper_ns = 1000000000,
		.tree_ns = 1000000000,
		.has_perf = true,
		.perf_ns = 1100000000,
		.has_cgroup = true,
		.cgroup_bounds = true,
		.cgroup_most_ns = 1030000000,
		.processes = 10 };

	(void) state;
	assert_int_equal(conclude_reap_alarm(&s), REAP_NONE_DETECTED);
	s.cgroup_most_ns = 1031000000;
	assert_int_equal(conclude_reap_alarm(&s), REAP_SEEN);
	s.cgroup_most_ns = 1030000000;
	s.cgroup_bounds = false;
	assert_int_equal(conclude_reap_alarm(&s), REAP_SEEN);
	s.cgroup_bounds = true;
	s.has_perf = false;
	assert_int_equal(conclude_reap_alarm(&s), REAP_NONE_DETECTED);
	s.cgroup_most_ns = 1031000000;
	assert_int_equal(conclude_reap_alarm(&s), REAP_SUSPECTED);
	s.sigchld_ignored = true;
	assert_int_equal(conclude_reap_alarm(&s), REAP_SEEN);
}

static void a_shared_cgroup_that_some_of_the_job_left_bounds_nothing(void **state)
{
	struct cpu_sources s = { .tree_ns = 1175000000, .has_cgroup = true, .cgroup_ns = 24000000 };
	struct rung rung = { .key = CGROUP_CPU_KEY,
		.value = { .n = 24000000, .quality = UPPER_BOUND } };

	(void) state;
	conclude_cgroup_rung(&s, &rung);
	assert_int_equal(rung.value.quality, ESTIMATE);
	s.cgroup_bounds = true;
	s.cgroup_ns = s.cgroup_most_ns = 2000000000;
	conclude_cgroup_rung(&s, &rung);
	assert_int_equal(rung.value.quality, UPPER_BOUND);
}

static void a_shared_cgroup_is_exact_only_where_it_equals_the_tree(void **state)
{
	const struct cpu_sources both = { .tree_ns = 1000000000,
		.has_perf = true,
		.perf_ns = 1000000000,
		.has_cgroup = true,
		.cgroup_ns = 1012000000,
		.cgroup_most_ns = 1010000000,
		.processes = 10 };
	struct cpu_sources s = both;

	(void) state;
	conclude_cgroup_shared(&s, false, true);
	assert_true(s.cgroup_exact && s.cgroup_bounds);
	assert_int_equal(s.cgroup_ns, 1010000000); /* assay's own share is taken off */

	/* Somebody else was seen in it, or the command outside of it. */
	s = both;
	conclude_cgroup_shared(&s, false, false);
	assert_true(!s.cgroup_exact && s.cgroup_bounds);
	s = both;
	conclude_cgroup_shared(&s, true, true);
	assert_true(!s.cgroup_exact && !s.cgroup_bounds);

	/* It counted a second more than the tree and perf: another was in it for a while, and nothing was lost. */
	s = both;
	s.cgroup_most_ns = 2010000000;
	conclude_cgroup_shared(&s, false, true);
	assert_true(!s.cgroup_exact && s.cgroup_bounds);
	assert_int_equal(conclude_reap_alarm(&s), REAP_NONE_DETECTED);
	s.has_perf = false; /* now it may have been the job's */
	assert_int_equal(conclude_reap_alarm(&s), REAP_SUSPECTED);

	/* Less than the tree: some of the job is elsewhere. */
	s = both;
	s.tree_ns = 1031000000;
	conclude_cgroup_shared(&s, false, true);
	assert_true(!s.cgroup_exact && !s.cgroup_bounds);

	/* Neither it nor the tree has what perf saw: it left, and its children were reaped unseen. */
	s = both;
	s.perf_ns = 3070000000;
	s.sigchld_ignored = true;
	conclude_cgroup_shared(&s, false, true);
	assert_true(!s.cgroup_exact && !s.cgroup_bounds);
	assert_int_equal(conclude_reap_alarm(&s), REAP_SEEN);
}

static void an_own_cgroup_that_falls_short_of_the_tree_gives_way_to_it(void **state)
{
	struct cpu_sources s = { .tree_ns = 10180000000,
		.has_cgroup = true,
		.cgroup_own = true,
		.cgroup_ns = UINT64_C(10180000000) - 2000000,
		.processes = 1000 };
	struct rung rung = { .key = CGROUP_CPU_KEY, .value = { .n = 1, .quality = EXACT } };

	(void) state;
	conclude_cgroup_own(&s, false);
	assert_true(s.cgroup_exact && conclude_cgroup_has_all(&s));
	s.cgroup_ns = UINT64_C(10180000000) - 2000001;
	conclude_cgroup_own(&s, false);
	assert_true(s.cgroup_exact && !conclude_cgroup_has_all(&s));
	conclude_cgroup_rung(&s, &rung);
	assert_int_equal(rung.value.quality, LOWER_BOUND);
	/* What was used before it was in the cgroup is not missing there. */
	s.cgroup_before_ns = 1;
	conclude_cgroup_own(&s, false);
	assert_true(s.cgroup_exact && conclude_cgroup_has_all(&s));
	s.cgroup_ns--;
	assert_false(conclude_cgroup_has_all(&s));
	s.cgroup_before_ns = 0;
	s.cgroup_ns = 10180000000 - 20000001;
	conclude_cgroup_own(&s, false);
	assert_true(!s.cgroup_exact && s.cgroup_left);
	/* Whatever it counted, not all of the job was in it. */
	s.cgroup_ns = s.tree_ns + NSEC_PER_SEC;
	conclude_cgroup_own(&s, true);
	assert_true(!s.cgroup_exact && s.cgroup_left);
}

static void others_have_what_neither_the_job_nor_we_used(void **state)
{
	struct host_share s = { .known = true,
		.busy_ns = 10 * NSEC_PER_SEC,
		.job_ns = 6 * NSEC_PER_SEC,
		.self_ns = NSEC_PER_SEC / 10,
		.job_quality = EXACT,
		.error_ns = conclude_host_error_ns(4) };
	(void) state;

	assert_int_equal(s.error_ns, 9 * NSEC_PER_SEC / (uint64_t) sysconf(_SC_CLK_TCK));
	conclude_host_others(&s);
	assert_int_equal(s.others_ns, 39 * NSEC_PER_SEC / 10);
	assert_int_equal(s.quality, ESTIMATE);
	s.job_quality = LOWER_BOUND;
	conclude_host_others(&s);
	assert_int_equal(s.quality, UPPER_BOUND);
	/* No more than there is. */
	s.elapsed_ns = NSEC_PER_SEC / 2;
	s.cores = 4;
	conclude_host_others(&s);
	assert_int_equal(s.others_ns, 2 * NSEC_PER_SEC);
	/* More than the ticks show was used: never a negative rest, and the reason is told. */
	s.job_quality = EXACT;
	s.job_ns = 11 * NSEC_PER_SEC;
	conclude_host_others(&s);
	assert_int_equal(s.others_ns, 0);
	assert_non_null(strstr(s.why, "counted less than the job used"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_steady_loop_allocates_nothing),
		cmocka_unit_test(a_daemon_and_a_child_of_its_own_session_stay_in_the_tree),
		cmocka_unit_test(windows_widen_with_the_age_of_the_run),
		cmocka_unit_test(a_month_of_ticks_closes_windows_without_gap_and_stays_small),
		cmocka_unit_test(samples_are_kept_apart_from_the_second_minute_on),
		cmocka_unit_test(a_report_interval_of_more_than_a_sample_is_wide_from_the_start),
		cmocka_unit_test(a_late_tick_counts_those_it_missed_and_returns_to_the_grid),
		cmocka_unit_test(ticks_that_passed_while_all_was_stopped_are_not_missed),
		cmocka_unit_test(perf_beyond_its_error_tells_of_children_nobody_waited_for),
		cmocka_unit_test(an_own_cgroup_tells_of_lost_children_and_overrules_perf),
		cmocka_unit_test(a_cgroup_without_room_for_lost_children_clears_what_perf_suspects),
		cmocka_unit_test(a_shared_cgroup_that_some_of_the_job_left_bounds_nothing),
		cmocka_unit_test(a_shared_cgroup_is_exact_only_where_it_equals_the_tree),
		cmocka_unit_test(an_own_cgroup_that_falls_short_of_the_tree_gives_way_to_it),
		cmocka_unit_test(others_have_what_neither_the_job_nor_we_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
