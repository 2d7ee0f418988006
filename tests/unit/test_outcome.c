/* SPDX-License-Identifier: MIT */
/* Proves which signals count as having told a command to end that ended by itself. */
#include "test.h"

#include <signal.h>
#include <string.h>

#include "api/outcome.h"
#include "base/macros.h"
#include "launch/forward.h"
#include "linux/exit_page.h"
#include "model/run_info.h"

#define END_NS (10000 * NSEC_PER_SEC)

/* The evidence of a command that exited with 0, this long after the signal. */
static const char *evidence_of(int number, uint64_t before_ns)
{
	static struct outcome o;
	struct sender latest[EXIT_PAGE_SIGNALS] = { 0 };

	latest[number] = (struct sender){ .monotonic_ns = END_NS - before_ns, .pid = 7 };
	outcome_from_status(&o, 0, false);
	outcome_add_request(&o, latest, END_NS);
	return o.evidence;
}

static void a_batch_job_is_told_minutes_before_its_limit(void **state)
{
	(void) state;
	assert_non_null(strstr(evidence_of(SIGTERM, 62 * NSEC_PER_SEC),
		"; SIGTERM (sent to assay by pid 7 of uid 0 and passed on) came 62000 ms before "
		"the end"));
	assert_non_null(strstr(evidence_of(SIGHUP, 3600 * NSEC_PER_SEC), "; SIGHUP"));
	assert_null(strstr(evidence_of(SIGTERM, 3601 * NSEC_PER_SEC), "SIGTERM"));
}

static void a_signal_that_says_many_things_is_no_request(void **state)
{
	(void) state;
	assert_null(strstr(evidence_of(SIGUSR1, NSEC_PER_SEC), "before the end"));
	assert_null(strstr(evidence_of(SIGUSR2, NSEC_PER_SEC), "before the end"));
}

/* After the end, the difference of two unsigned times is hundreds of years: no less than an hour, and no evidence. */
static void what_came_after_the_end_told_nobody(void **state)
{
	(void) state;
	assert_non_null(strstr(evidence_of(SIGTERM, 0), "came 0 ms before the end"));
	assert_null(strstr(evidence_of(SIGTERM, (uint64_t) -1), "SIGTERM"));
	assert_null(strstr(evidence_of(SIGTERM, (uint64_t) -NSEC_PER_SEC), "SIGTERM"));
}

/* What is said of a command that SIGTERM ended, this long after assay got one. */
static const struct outcome *killed_after(uint64_t before_ns)
{
	static struct outcome o;
	const struct sender latest = { .monotonic_ns = END_NS - before_ns, .pid = 7 };

	outcome_from_status(&o, SIGTERM, false);
	outcome_add_sender(&o, &latest, END_NS);
	return &o;
}

static void a_signal_of_more_than_a_minute_ago_did_not_end_the_command(void **state)
{
	(void) state;
	assert_string_equal(killed_after(60 * NSEC_PER_SEC)->words,
		"killed by SIGTERM (sent to assay by pid 7 of uid 0 and passed on)");
	assert_non_null(
		strstr(killed_after(60 * NSEC_PER_SEC)->evidence, "saw the signal 60000 ms"));
	assert_string_equal(killed_after(60 * NSEC_PER_SEC + 1)->words, "killed by SIGTERM");
	assert_non_null(strstr(killed_after(60 * NSEC_PER_SEC + 1)->evidence,
		"; not sent by way of assay, who sent it is not known"));
}

/* It went to the whole group, and we read it a moment late. */
static void a_signal_that_came_with_the_end_is_its_cause(void **state)
{
	(void) state;
	assert_non_null(strstr(killed_after((uint64_t) -5000000)->evidence,
		"; assay saw the signal 0 ms before the end"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_batch_job_is_told_minutes_before_its_limit),
		cmocka_unit_test(a_signal_that_says_many_things_is_no_request),
		cmocka_unit_test(what_came_after_the_end_told_nobody),
		cmocka_unit_test(a_signal_of_more_than_a_minute_ago_did_not_end_the_command),
		cmocka_unit_test(a_signal_that_came_with_the_end_is_its_cause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
