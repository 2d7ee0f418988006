/* SPDX-License-Identifier: MIT */
/* assay_run() in a process that goes on afterwards: it leaves no trace in its caller, and no run has numbers of another. */
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <assay.h>

#include "model/run_info.h"

#define MIB ((size_t) 1 << 20)
#define BIG_CALLER_BYTES (300 * MIB)
#define FEW_FILES 200

static void remove_record(const char *directory)
{
	static const char *const names[] = { "info.json", "usage.jsonl" };
	char path[80];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		unlink(path);
	}
	rmdir(directory);
}

static struct assay_run_info *run(char *const *argv, int *ret_wait_status)
{
	struct assay_run_options options = ASSAY_RUN_OPTIONS_INIT;
	struct assay_run_info *info = NULL;
	struct assay_error err = { 0 };
	char directory[] = "/tmp/assay-test-XXXXXX";
	char prefix[40];

	assert_non_null(mkdtemp(directory));
	snprintf(prefix, sizeof(prefix), "%s/", directory);
	options.argv = argv;
	options.output_prefix = prefix;
	enum assay_run_status status = assay_run(&options, ret_wait_status, &info, &err);
	if (status != ASSAY_RUN_ENDED)
		fail_msg("%s", err.text);
	remove_record(directory);
	return info;
}

static struct assay_run_info *run_shell(const char *script)
{
	char name[] = "sh", option[] = "-c", text[128];
	char *argv[] = { name, option, text, NULL };
	int wait_status = -1;

	snprintf(text, sizeof(text), "%s", script);
	struct assay_run_info *info = run(argv, &wait_status);
	assert_true(WIFEXITED(wait_status));
	assert_int_equal(WEXITSTATUS(wait_status), 7);
	return info;
}

static const struct headline *headline_of(const struct assay_run_info *info, const char *name)
{
	for (size_t i = 0; i < info->n_headline; i++)
		if (strcmp(info->headline[i].name, name) == 0)
			return &info->headline[i];
	fail_msg("no %s in the headline", name);
	return NULL;
}

#define BURNING "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done; exit 7"

static void the_second_run_of_a_process_has_only_its_own_numbers(void **state)
{
	struct assay_run_info *first = run_shell(BURNING);
	struct assay_run_info *second = run_shell("exit 7");
	uint64_t burnt_ns = headline_of(first, "cpu_seconds")->value.n;

	(void) state;
	assert_true(burnt_ns > 50000000);
	assert_in_range(headline_of(second, "cpu_seconds")->value.n, 1, burnt_ns / 4);
	assert_int_equal(headline_of(second, "processes")->value.n, 1);
	assay_run_info_free(first);
	assay_run_info_free(second);
}

/* Then the caller itself reaps, and its own RUSAGE_CHILDREN holds the run before. */
static void a_second_run_whose_keeper_is_killed_has_only_its_own_numbers(void **state)
{
	struct assay_run_info *first = run_shell(BURNING);
	struct assay_run_info *second = run_shell("kill -9 $PPID; sleep 0.2; exit 7");
	uint64_t burnt_ns = headline_of(first, "cpu_seconds")->value.n;

	(void) state;
	assert_in_range(headline_of(second, "cpu_seconds")->value.n, 1, burnt_ns / 4);
	assay_run_info_free(first);
	assay_run_info_free(second);
}

/* What a run may change in its caller while it goes on. */
struct manners {
	sigset_t mask;
	struct sigaction child;
	int is_subreaper;
	struct rlimit files;
	unsigned int n_fds;
};

static unsigned int count_fds(void)
{
	DIR *directory = opendir("/proc/self/fd");
	unsigned int n = 0;

	assert_non_null(directory);
	while (readdir(directory))
		n++;
	closedir(directory);
	return n;
}

static struct manners look(void)
{
	struct manners m = { .n_fds = count_fds() };

	assert_int_equal(sigprocmask(SIG_SETMASK, NULL, &m.mask), 0);
	assert_int_equal(sigaction(SIGCHLD, NULL, &m.child), 0);
	assert_int_equal(prctl(PR_GET_CHILD_SUBREAPER, &m.is_subreaper), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &m.files), 0);
	return m;
}

static void assert_same(const struct manners *a, const struct manners *b)
{
	for (int n = 1; n < NSIG; n++)
		assert_int_equal(sigismember(&a->mask, n), sigismember(&b->mask, n));
	assert_ptr_equal(a->child.sa_handler, b->child.sa_handler);
	assert_int_equal(a->child.sa_flags, b->child.sa_flags);
	assert_int_equal(a->is_subreaper, b->is_subreaper);
	assert_int_equal(a->files.rlim_cur, b->files.rlim_cur);
	assert_int_equal(a->files.rlim_max, b->files.rlim_max);
	assert_int_equal(a->n_fds, b->n_fds);
}

static void on_child(int number)
{
	(void) number;
}

static void check_that_a_run_leaves_its_caller_as_it_was(int subreaper)
{
	struct manners original = look();
	struct sigaction child = { .sa_handler = on_child, .sa_flags = SA_RESTART };
	struct rlimit few = { FEW_FILES, original.files.rlim_max };
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR2);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	sigaction(SIGCHLD, &child, NULL);
	setrlimit(RLIMIT_NOFILE, &few);
	prctl(PR_SET_CHILD_SUBREAPER, subreaper);
	struct manners before = look();

	for (int i = 0; i < 2; i++) {
		assay_run_info_free(run_shell("exit 7"));
		struct manners after = look();
		assert_same(&before, &after);
		assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
		assert_int_equal(errno, ECHILD);
	}

	prctl(PR_SET_CHILD_SUBREAPER, original.is_subreaper);
	setrlimit(RLIMIT_NOFILE, &original.files);
	sigaction(SIGCHLD, &original.child, NULL);
	sigprocmask(SIG_SETMASK, &original.mask, NULL);
}

static void a_run_leaves_its_caller_as_it_was(void **state)
{
	(void) state;
	check_that_a_run_leaves_its_caller_as_it_was(0);
}

static void a_caller_that_is_a_subreaper_stays_one(void **state)
{
	(void) state;
	check_that_a_run_leaves_its_caller_as_it_was(1);
}

/* The kernel hands the peak of who forked on to the forked, and keeps it over exec. */
static void a_big_caller_is_not_taken_for_the_peak_of_a_small_command(void **state)
{
	char *memory = mmap(
		NULL, BIG_CALLER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void) state;
	assert_true(memory != MAP_FAILED);
	memset(memory, 1, BIG_CALLER_BYTES);
	struct assay_run_info *info = run_shell("exit 7");
	munmap(memory, BIG_CALLER_BYTES);

	const struct headline *h = headline_of(info, "memory_peak_process_bytes");
	assert_true(h->value.quality == UPPER_BOUND || h->value.n < 100 * MIB);
	assert_true(h->value.quality == EXACT || h->why[0] != '\0');
	/* A bound from below must be below what a shell uses. */
	const struct headline *peak = headline_of(info, "memory_peak_bytes");
	assert_true(peak->value.quality == UPPER_BOUND || peak->value.n < 100 * MIB);
	assay_run_info_free(info);
}

static void what_ended_a_command_is_told_to_the_caller(void **state)
{
	struct assay_run_options options = ASSAY_RUN_OPTIONS_INIT;
	struct assay_run_info *info = run_shell("exit 7");
	char name[] = "sleep", seconds[] = "60", limits[] = "wall=100ms", prefix[40];
	char *argv[] = { name, seconds, NULL };
	char directory[] = "/tmp/assay-test-XXXXXX";
	int wait_status;

	(void) state;
	assert_string_equal(assay_run_cause(info), "exited");
	assert_null(assay_run_limit_name(info));
	assay_run_info_free(info);
	assert_non_null(mkdtemp(directory));
	snprintf(prefix, sizeof(prefix), "%s/", directory);
	options.argv = argv;
	options.output_prefix = prefix;
	options.limits = limits;
	assert_int_equal(assay_run(&options, &wait_status, &info, NULL), ASSAY_RUN_ENDED);
	remove_record(directory);
	assert_string_equal(assay_run_cause(info), "limit");
	assert_string_equal(assay_run_limit_name(info), "wall");
	/* A target has no cause, nor has what was never known. */
	info->outcome.known = false;
	assert_string_equal(assay_run_cause(info), "unknown");
	assay_run_info_free(info);
	assert_string_equal(assay_run_cause(NULL), "unknown");
	assert_null(assay_run_limit_name(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_second_run_of_a_process_has_only_its_own_numbers),
		cmocka_unit_test(a_second_run_whose_keeper_is_killed_has_only_its_own_numbers),
		cmocka_unit_test(a_run_leaves_its_caller_as_it_was),
		cmocka_unit_test(a_caller_that_is_a_subreaper_stays_one),
		cmocka_unit_test(a_big_caller_is_not_taken_for_the_peak_of_a_small_command),
		cmocka_unit_test(what_ended_a_command_is_told_to_the_caller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
