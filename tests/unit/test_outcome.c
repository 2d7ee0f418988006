/* SPDX-License-Identifier: MIT */
/* Proves which signals count as having told a command to end that ended by itself. */
#include "test.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "api/outcome.h"
#include "base/macros.h"
#include "launch/forward.h"
#include "linux/exit_page.h"
#include "model/run_info.h"

#define END_NS (10000 * NSEC_PER_SEC)

static struct outcome o;

/* The evidence of a command that exited with 0, this long after the signal. */
static const char *evidence_of(int number, uint64_t before_ns)
{
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
	assert_int_equal(o.request.signal, 0);
}

static void who_asked_for_the_end_is_a_field_each(void **state)
{
	(void) state;
	evidence_of(SIGTERM, 62 * NSEC_PER_SEC);
	assert_int_equal(o.cause, CAUSE_EXITED);
	assert_int_equal(o.request.signal, SIGTERM);
	assert_int_equal(o.request.from, ASKER_PROCESS);
	assert_int_equal(o.request.pid, 7);
	assert_false(o.request.to_group);
	assert_int_equal(o.request.before_end_ns, 62 * NSEC_PER_SEC);
}

static void a_signal_has_the_kind_of_its_sender(void **state)
{
	(void) state;
	static const struct {
		int number;
		struct sender by;
		enum asker from;
		const char *words;
	} cases[] = {
		{ SIGINT, { .by_kernel = true, .to_group = true }, ASKER_TERMINAL,
			"a key on the terminal" },
		{ SIGHUP, { .by_kernel = true, .to_group = true }, ASKER_TERMINAL,
			"the terminal hung up" },
		{ SIGALRM, { .by_kernel = true }, ASKER_ALARM,
			"an alarm that was set before the start" },
		{ SIGTERM, { .by_kernel = true }, ASKER_KERNEL, "sent by the kernel" },
		{ SIGTERM, { .pid = 0 }, ASKER_OTHER_NAMESPACE,
			"sent to assay from another pid namespace and passed on" },
		{ SIGTERM, { .pid = 7, .to_group = true }, ASKER_PROCESS,
			"sent to the process group by pid 7 of uid 0" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sender by = cases[i].by;
		char words[200];

		by.monotonic_ns = END_NS - 5000000;
		outcome_from_status(&o, cases[i].number, false);
		outcome_add_sender(&o, &by, END_NS);
		snprintf(words, sizeof(words), "(%s)", cases[i].words);
		assert_non_null(strstr(o.words, words));
		assert_int_equal(o.cause, CAUSE_SIGNAL);
		assert_int_equal(o.request.signal, cases[i].number);
		assert_int_equal(o.request.from, cases[i].from);
		assert_int_equal(o.request.to_group, by.to_group);
		assert_int_equal(o.request.before_end_ns, 5000000);
	}
	/* None came by way of assay. */
	outcome_from_status(&o, SIGTERM, false);
	outcome_add_sender(&o, &(struct sender){ 0 }, END_NS);
	assert_int_equal(o.request.signal, 0);
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
		cmocka_unit_test(who_asked_for_the_end_is_a_field_each),
		cmocka_unit_test(a_signal_has_the_kind_of_its_sender),
		cmocka_unit_test(what_came_after_the_end_told_nobody),
		cmocka_unit_test(a_signal_of_more_than_a_minute_ago_did_not_end_the_command),
		cmocka_unit_test(a_signal_that_came_with_the_end_is_its_cause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
