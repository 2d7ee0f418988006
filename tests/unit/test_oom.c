/* SPDX-License-Identifier: MIT */
/* What is said of a SIGKILL, by the kernel's counters of OOM kills in a tree that the test makes up. */
#include "made_tree.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/oom.h"
#include "api/outcome.h"
#include "base/error.h"
#include "model/run_info.h"

#define JOB 4321

struct tree {
	struct made_tree made;
	struct oom_watch watch;
};

static void put_own_cgroup(const struct tree *t, const char *text)
{
	tree_put_at(&t->made, text, "proc/%d/cgroup", (int) getpid());
}

static void open_tree(struct tree *t, const char *mount)
{
	tree_open(&t->made, mount);
	oom_init(&t->watch);
}

static void close_tree(struct tree *t)
{
	oom_done(&t->watch);
	tree_close(&t->made);
}

#define V1 "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
#define V2 "42 31 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"

/* How a run that ended with `signal` or `exit_code` is told; notes in *info. */
static struct assay_run_info told(const struct tree *t, int number, int exit_code)
{
	struct assay_run_info info = { 0 };
	struct oom_found found;
	char text[] = "killed by SIGKILL";

	info.outcome = (struct outcome){ .known = true,
		.cause = number ? CAUSE_SIGNAL : CAUSE_EXITED,
		.signal = number,
		.exit_code = exit_code };
	snprintf(info.outcome.words, sizeof(info.outcome.words), "%s", number ? text : "exited");
	oom_end(&t->watch, &t->made.roots, &found);
	outcome_explain(&info, &found);
	return info;
}

static void a_counter_of_our_own_cgroup_that_rose_explains_a_sigkill(void **state)
{
	struct tree t;
	(void) state;

	open_tree(&t, V2);
	put_own_cgroup(&t, "0::/step/task\n");
	tree_put(&t.made, "sys/fs/cgroup/step/memory.events", "oom 0\noom_kill 3\n");
	tree_put(&t.made, "sys/fs/cgroup/step/task/cgroup.procs", "");
	oom_begin(&t.watch, &t.made.roots, 0);
	tree_put(&t.made, "sys/fs/cgroup/step/memory.events", "oom 1\noom_kill 4\n");
	struct assay_run_info info = told(&t, SIGKILL, 0);
	assert_string_equal(info.outcome.words,
		"killed by SIGKILL (the kernel's OOM killer: memory.events oom_kill rose by 1)");
	assert_int_equal(info.outcome.cause, CAUSE_OOM_KILL);
	assert_null(info.outcome.limit);
	assert_int_equal(info.n_notes, 0);
	run_info_done(&info);
	close_tree(&t);
}

static void the_cgroup_a_job_moved_to_counts_from_when_it_was_seen_there(void **state)
{
	struct tree t;
	(void) state;

	open_tree(&t, V1);
	put_own_cgroup(&t, "4:memory:/us\n");
	tree_put(&t.made, "sys/fs/cgroup/memory/us/memory.oom_control", "oom_kill 7\n");
	tree_put(&t.made, "sys/fs/cgroup/memory/job/memory.oom_control", "oom_kill 10\n");
	oom_begin(&t.watch, &t.made.roots, 0);
	tree_put(&t.made, "proc/4321/cgroup", "4:memory:/us\n");
	oom_look(&t.watch, &t.made.roots, JOB, 20000000);
	tree_put(&t.made, "proc/4321/cgroup", "4:memory:/job\n");
	oom_look(&t.watch, &t.made.roots, JOB, 60000000);
	tree_put(&t.made, "sys/fs/cgroup/memory/job/memory.oom_control", "oom_kill 12\n");
	/* As version 1 shows it when it is ending. */
	tree_put(&t.made, "proc/4321/cgroup", "4:memory:/\n");
	oom_look(&t.watch, &t.made.roots, JOB, 140000000);
	struct assay_run_info info = told(&t, SIGKILL, 0);
	assert_string_equal(info.outcome.words, "killed by SIGKILL (the kernel's OOM killer: "
						"memory.oom_control oom_kill rose by 2)");
	run_info_done(&info);
	close_tree(&t);
}

static void an_old_kill_among_others_does_not_explain_a_sigkill_of_now(void **state)
{
	const uint64_t minute_ns = 60 * NSEC_PER_SEC;
	struct tree t;
	(void) state;

	open_tree(&t, V2);
	put_own_cgroup(&t, "0::/\n");
	tree_put(&t.made, "sys/fs/cgroup/memory.events", "oom_kill 0\n");
	oom_begin(&t.watch, &t.made.roots, 0);
	tree_put(&t.made, "sys/fs/cgroup/memory.events", "oom_kill 1\n");
	for (uint64_t i = 1; i <= 2; i++)
		oom_look(&t.watch, &t.made.roots, getpid(), i * minute_ns);
	struct assay_run_info info = told(&t, SIGKILL, 0);
	assert_string_equal(info.outcome.words, "killed by SIGKILL (by whom is not known)");
	assert_non_null(strstr(info.outcome.evidence, "rose by 1, but not in the last minute"));
	assert_int_equal(info.outcome.cause, CAUSE_SIGNAL);
	run_info_done(&info);
	close_tree(&t);
}

static void kills_elsewhere_on_the_machine_are_only_perhaps(void **state)
{
	struct tree t;
	(void) state;

	open_tree(&t, V2);
	tree_put(&t.made, "proc/vmstat", "nr_free_pages 1\noom_kill 1\n");
	oom_begin(&t.watch, &t.made.roots, 0);
	tree_put(&t.made, "proc/vmstat", "nr_free_pages 1\noom_kill 2\n");
	struct assay_run_info info = told(&t, SIGKILL, 0);
	assert_string_equal(info.outcome.words,
		"killed by SIGKILL (perhaps by the kernel's OOM killer, which struck on this "
		"machine meanwhile)");
	assert_non_null(
		strstr(info.outcome.evidence, "oom_kill of the machine (vmstat) rose by 1"));
	run_info_done(&info);
	close_tree(&t);
}

static void a_sigkill_that_nothing_explains_is_unknown_and_why_is_said(void **state)
{
	struct tree t;
	(void) state;

	open_tree(&t, V2);
	oom_begin(&t.watch, &t.made.roots, 0);
	struct assay_run_info info = told(&t, SIGKILL, 0);
	assert_string_equal(info.outcome.words, "killed by SIGKILL (by whom is not known)");
	assert_non_null(strstr(info.outcome.evidence, "could not be read"));
	run_info_done(&info);

	tree_put(&t.made, "proc/vmstat", "oom_kill 1\n");
	oom_begin(&t.watch, &t.made.roots, 0);
	info = told(&t, SIGKILL, 0);
	assert_string_equal(info.outcome.words, "killed by SIGKILL (by whom is not known)");
	assert_non_null(strstr(info.outcome.evidence, "killed nothing on this machine"));
	run_info_done(&info);
	close_tree(&t);
}

static void a_kill_that_did_not_end_the_command_is_a_note(void **state)
{
	struct tree t;
	(void) state;

	open_tree(&t, V2);
	put_own_cgroup(&t, "0::/\n");
	tree_put(&t.made, "sys/fs/cgroup/memory.events", "oom_kill 0\n");
	oom_begin(&t.watch, &t.made.roots, 0);
	tree_put(&t.made, "sys/fs/cgroup/memory.events", "oom_kill 2\n");
	struct assay_run_info info = told(&t, 0, 0);
	assert_string_equal(info.outcome.words, "exited");
	assert_int_equal(info.n_notes, 1);
	assert_string_equal(info.notes[0],
		"the kernel's OOM killer killed 2 processes in this cgroup during the run "
		"(memory.events oom_kill)");
	run_info_done(&info);
	close_tree(&t);
}

static void our_own_limit_needs_no_other_explanation(void **state)
{
	struct assay_run_info info = { 0 };
	struct oom_found found = { .machine_known = true };
	(void) state;

	info.outcome = (struct outcome){ .known = true, .signal = SIGKILL };
	snprintf(info.outcome.evidence, sizeof(info.outcome.evidence), "wait status 9");
	info.limit_hit = (struct limit_hit){ .name = "memory",
		.unit = BYTES,
		.limit = 8ULL << 30,
		.value = 9ULL << 30,
		.key = "proc_pss_total_bytes" };
	outcome_explain(&info, &found);
	assert_string_equal(info.outcome.words, "stopped by our memory limit (8 GiB)");
	assert_int_equal(info.outcome.cause, CAUSE_LIMIT);
	assert_string_equal(info.outcome.limit, "memory");
	assert_string_equal(info.outcome.limit_source, "assay");
	assert_string_equal(info.outcome.evidence,
		"wait status 9; proc_pss_total_bytes was 9 GiB when the limit was hit");
	assert_int_equal(info.n_notes, 0);
}

/* A job in a cgroup below the one that is limited; another child's hits are in memory.events of the limited one as well. */
static void put_limited_v2(const struct tree *t)
{
	put_own_cgroup(t, "0::/step/task\n");
	tree_put(&t->made, "sys/fs/cgroup/step/cgroup.events", "populated 1\n");
	tree_put(&t->made, "sys/fs/cgroup/step/memory.current", "1\n");
	tree_put(&t->made, "sys/fs/cgroup/step/memory.max", "1048576\n");
	tree_put(&t->made, "sys/fs/cgroup/step/memory.events", "max 100\noom_kill 3\n");
	tree_put(&t->made, "sys/fs/cgroup/step/memory.events.local", "max 10\noom_kill 0\n");
	tree_put(&t->made, "sys/fs/cgroup/step/task/cgroup.events", "populated 1\n");
	tree_put(&t->made, "sys/fs/cgroup/step/task/memory.current", "1\n");
	tree_put(&t->made, "sys/fs/cgroup/step/task/memory.max", "max\n");
	tree_put(&t->made, "sys/fs/cgroup/step/task/memory.events", "max 0\noom_kill 3\n");
}

static void hits_are_those_of_the_limit_itself_and_not_of_all_below_it(void **state)
{
	struct tree t;
	(void) state;

	open_tree(&t, V2);
	put_limited_v2(&t);
	oom_begin(&t.watch, &t.made.roots, 0);
	tree_put(&t.made, "sys/fs/cgroup/step/memory.events", "max 150\noom_kill 4\n");
	tree_put(&t.made, "sys/fs/cgroup/step/memory.events.local", "max 12\noom_kill 0\n");
	tree_put(&t.made, "sys/fs/cgroup/step/task/memory.events", "max 0\noom_kill 4\n");
	struct assay_run_info info = told(&t, SIGKILL, 0);
	assert_non_null(strstr(info.outcome.evidence,
		"memory.max of /sys/fs/cgroup/step is 1 MiB, it was hit 2 times during the run"));
	run_info_done(&info);
	close_tree(&t);
}

static void a_limit_of_the_list_has_one_count_in_the_whole_record(void **state)
{
	struct assay_run_info info = { 0 };
	struct oom_found found;
	struct tree t;
	(void) state;

	open_tree(&t, V2);
	put_limited_v2(&t);
	oom_begin(&t.watch, &t.made.roots, 0);
	tree_put(&t.made, "sys/fs/cgroup/step/task/memory.events", "max 0\noom_kill 4\n");
	oom_end(&t.watch, &t.made.roots, &found);
	info.outcome = (struct outcome){ .known = true, .signal = SIGKILL };
	info.target_limits[0] = (struct target_limit){ .name = "memory",
		.source = "cgroup",
		.where = "/sys/fs/cgroup/step/memory.max",
		.has_hits = true,
		.hits = 5 };
	info.n_target_limits = 1;
	outcome_explain(&info, &found);
	assert_non_null(strstr(info.outcome.evidence, "it was hit 5 times during the run"));
	run_info_done(&info);
	close_tree(&t);
}

static void the_sum_with_swap_counts_where_it_is_refused_first(void **state)
{
	struct tree t;
	(void) state;

	open_tree(&t, V1);
	put_own_cgroup(&t, "4:memory:/us\n");
	tree_put(&t.made, "sys/fs/cgroup/memory/us/memory.oom_control", "oom_kill 0\n");
	tree_put(&t.made, "sys/fs/cgroup/memory/us/memory.limit_in_bytes", "1048576\n");
	tree_put(&t.made, "sys/fs/cgroup/memory/us/memory.failcnt", "7\n");
	tree_put(&t.made, "sys/fs/cgroup/memory/us/memory.memsw.limit_in_bytes", "1048576\n");
	tree_put(&t.made, "sys/fs/cgroup/memory/us/memory.memsw.failcnt", "20\n");
	oom_begin(&t.watch, &t.made.roots, 0);
	tree_put(&t.made, "sys/fs/cgroup/memory/us/memory.oom_control", "oom_kill 1\n");
	tree_put(&t.made, "sys/fs/cgroup/memory/us/memory.failcnt", "8\n");
	tree_put(&t.made, "sys/fs/cgroup/memory/us/memory.memsw.failcnt", "24\n");
	struct assay_run_info info = told(&t, SIGKILL, 0);
	assert_non_null(strstr(info.outcome.evidence, "it was hit 4 times during the run"));
	run_info_done(&info);
	close_tree(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_counter_of_our_own_cgroup_that_rose_explains_a_sigkill),
		cmocka_unit_test(the_cgroup_a_job_moved_to_counts_from_when_it_was_seen_there),
		cmocka_unit_test(an_old_kill_among_others_does_not_explain_a_sigkill_of_now),
		cmocka_unit_test(kills_elsewhere_on_the_machine_are_only_perhaps),
		cmocka_unit_test(a_sigkill_that_nothing_explains_is_unknown_and_why_is_said),
		cmocka_unit_test(a_kill_that_did_not_end_the_command_is_a_note),
		cmocka_unit_test(hits_are_those_of_the_limit_itself_and_not_of_all_below_it),
		cmocka_unit_test(a_limit_of_the_list_has_one_count_in_the_whole_record),
		cmocka_unit_test(the_sum_with_swap_counts_where_it_is_refused_first),
		cmocka_unit_test(our_own_limit_needs_no_other_explanation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
