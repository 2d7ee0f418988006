/* SPDX-License-Identifier: MIT */
/* Two collectors that a file each and a word each in the list would add: what the loop does for a state it knows nothing of. */
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/sources.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/macros.h"
#include "linux/exit_page.h"
#include "linux/roots.h"
#include "monitor/conclude_parts.h"
#include "monitor/loop.h"
#include "monitor/opening.h"
#include "target/target.h"

/* What their functions were called with; of a collector that is per_target, of all targets together. */
struct calls {
	unsigned opened, closed, settled;
	uint64_t last_count; /* of the state that was closed last */
	bool blank; /* every state was all zero when it was opened */
	unsigned refuse_from; /* the opening that fails, and all after it; 0: none */
};

static struct calls counter_calls, each_calls;

/* collect/counter.c: counts its own readings. */
struct tally {
	uint64_t opened, readings;
};

static const struct measure counter_rows[] = {
	{ .key = "counter_readings_count",
		.kind = GAUGE,
		.unit = COUNT,
		.scope = SINGLE,
		.reduce = MAX | LAST,
		.quality = EXACT,
		.origin = "itself",
		.help = "how often it was read" },
};

static int open_any(struct collect *c, struct calls *calls, struct error *err)
{
	static const struct tally none;
	struct tally *s = c->state;

	calls->blank = calls->blank && memcmp(s, &none, sizeof(none)) == 0;
	if (calls->refuse_from && calls->opened + 1 >= calls->refuse_from)
		return error_say(err, -ENODEV, "there is no counter; buying one would help");
	calls->opened++;
	s->opened = 1;
	return 0;
}

static int read_any(struct collect *c, struct batch *out)
{
	struct tally *s = c->state;

	assert_int_equal(s->opened, 1);
	put(out, NULL, 0, ++s->readings);
	return 0;
}

static void close_any(struct collect *c, struct calls *calls)
{
	const struct tally *s = c->state;

	calls->closed++;
	calls->last_count = s->readings;
}

static int open_counter(struct collect *c, struct error *err)
{
	return open_any(c, &counter_calls, err);
}

static void settle_counter(struct collect *c)
{
	const struct tally *s = c->state;

	assert_int_equal(s->opened, 1);
	counter_calls.settled++;
}

static void note_counter(const struct collect *c, struct assay_run_info *info)
{
	const struct tally *s = c->state;

	run_info_note(info, "it counted to %llu", (unsigned long long) s->readings);
}

static void close_counter(struct collect *c)
{
	close_any(c, &counter_calls);
}

extern const struct collector counter_collector;
const struct collector counter_collector = { .name = "counter",
	.rows = counter_rows,
	.n_rows = ARRAY_SIZE(counter_rows),
	.state_size = sizeof(struct tally),
	.open = open_counter,
	.read = read_any,
	.settle = settle_counter,
	.note = note_counter,
	.close = close_counter };

/* collect/each.c: the same, for each target. */
static const struct measure each_rows[] = {
	{ .key = "each_readings_count",
		.kind = GAUGE,
		.unit = COUNT,
		.scope = SINGLE,
		.reduce = MAX | LAST,
		.quality = EXACT,
		.origin = "itself",
		.help = "how often it was read for the target" },
};

static int open_each(struct collect *c, struct error *err)
{
	return open_any(c, &each_calls, err);
}

static void close_each(struct collect *c)
{
	close_any(c, &each_calls);
}

extern const struct collector each_collector;
const struct collector each_collector = { .name = "each",
	.rows = each_rows,
	.n_rows = ARRAY_SIZE(each_rows),
	.per_target = PER_NETWORK,
	.state_size = sizeof(struct tally),
	.open = open_each,
	.read = read_any,
	.close = close_each };

struct scene {
	struct roots roots;
	struct measures measures;
	bool *selected;
	struct collector_state states[N_COLLECTORS_MAX];
	size_t n_states;
	struct exit_page page;
	struct target targets[2];
	pid_t pids[2];
	size_t n_targets;
	struct monitor monitor;
};

static size_t index_of(const struct collector *c)
{
	size_t i = 0;

	while (collectors[i] && collectors[i] != c)
		i++;
	assert_non_null(collectors[i]);
	return i;
}

static struct scene *begin(const char *measurements)
{
	struct scene *s = calloc(1, sizeof(*s));
	struct error err = { 0 };

	assert_non_null(s);
	counter_calls = each_calls = (struct calls){ .blank = true };
	assert_int_equal(roots_open(&s->roots, "", &err), 0);
	assert_int_equal(measures_build(&s->measures, &err), 0);
	assert_int_equal(measures_check(&s->measures, &err), 0);
	s->selected = calloc(s->measures.n, sizeof(*s->selected));
	sources_probe(&s->roots, NULL, -1, NULL, s->states, &s->n_states);
	if (sources_select(&s->measures, measurements, s->states, s->selected, &err) < 0)
		fail_msg("%s", err.text);
	monitor_blank(&s->monitor);
	assert_int_equal(
		monitor_init(&s->monitor, &s->roots, &s->measures, s->selected, s->states, &err),
		0);
	return s;
}

/* Two children of ours that do nothing. */
static void watch_two(struct scene *s)
{
	struct error err = { 0 };
	char words[32];

	for (s->n_targets = 0; s->n_targets < 2; s->n_targets++) {
		struct target *t = &s->targets[s->n_targets];

		pid_t pid = fork();
		if (pid == 0)
			for (;;)
				pause();
		assert_true(pid > 0);
		s->pids[s->n_targets] = pid;
		snprintf(words, sizeof(words), "pids:%d", (int) pid);
		assert_int_equal(target_parse(words, t, &err), 0);
		if (target_resolve(t, &s->roots, &err) < 0)
			fail_msg("%s", err.text);
	}
	assert_int_equal(monitor_watch(&s->monitor, s->targets, 2, &err), 0);
}

static void close_monitor(struct scene *s)
{
	monitor_done(&s->monitor);
}

static void end(struct scene *s)
{
	close_monitor(s);
	for (size_t i = 0; i < s->n_targets; i++) {
		target_done(&s->targets[i]);
		kill(s->pids[i], SIGKILL);
		waitpid(s->pids[i], NULL, 0);
	}
	measures_done(&s->measures);
	free(s->selected);
	roots_close(&s->roots);
	free(s);
}

static void start(struct scene *s)
{
	monitor_baseline(&s->monitor);
	monitor_start(&s->monitor, clock_monotonic_ns(), NSEC_PER_SEC, 0);
}

static void ticks(struct scene *s, int n)
{
	while (n-- > 0)
		monitor_tick(&s->monitor, &s->page);
}

static uint64_t last(struct scene *s, const char *key)
{
	return monitor_run_summary(&s->monitor, (size_t) measures_find(&s->measures, key)).last;
}

static void a_state_is_blank_when_it_is_opened_and_lives_from_sample_to_sample(void **state)
{
	struct scene *s = begin("counter_readings_count");

	(void) state;
	assert_int_equal(counter_calls.opened, 0);
	start(s);
	assert_int_equal(counter_calls.opened, 1);
	assert_true(counter_calls.blank);
	ticks(s, 3);
	assert_int_equal(last(s, "counter_readings_count"), 3);
	assert_int_equal(counter_calls.settled, 0);
	monitor_finish(&s->monitor, &s->page);
	assert_int_equal(counter_calls.settled, 1);
	assert_int_equal(last(s, "counter_readings_count"), 4);
	assert_int_equal(counter_calls.opened, 1);
	assert_int_equal(counter_calls.closed, 0);
	close_monitor(s);
	assert_int_equal(counter_calls.closed, 1);
	assert_int_equal(counter_calls.last_count, 4);
	end(s);
	assert_int_equal(counter_calls.closed, 1);
	/* The other one was not asked for. */
	assert_int_equal(each_calls.opened + each_calls.closed, 0);
}

static void a_collector_that_cannot_be_opened_is_out_of_use_and_says_why(void **state)
{
	struct scene *s = begin("counter_readings_count,each_readings_count");
	const struct collector_state *told = &s->states[index_of(&counter_collector)];

	(void) state;
	counter_calls.refuse_from = 1;
	assert_true(told->available);
	start(s);
	ticks(s, 2);
	assert_false(told->available);
	assert_string_equal(told->why, "there is no counter; buying one would help");
	assert_int_equal(told->reads, 0);
	assert_int_equal(monitor_run_summary(&s->monitor,
				 (size_t) measures_find(&s->measures, "counter_readings_count"))
				 .quality,
		ABSENT);
	assert_int_equal(last(s, "each_readings_count"), 2);
	end(s);
	assert_int_equal(counter_calls.opened + counter_calls.closed, 0);
	assert_int_equal(each_calls.closed, 1);
}

static void what_it_says_of_its_readings_is_noted_by_itself(void **state)
{
	struct scene *s = begin("counter_readings_count");
	struct assay_run_info info = { 0 };

	(void) state;
	start(s);
	ticks(s, 2);
	conclude_sources(&s->monitor, &info);
	assert_int_equal(info.n_notes, 1);
	assert_string_equal(info.notes[0], "it counted to 2");
	free(info.notes[0]);
	free(info.notes);
	end(s);
}

static void each_target_has_a_state_of_its_own(void **state)
{
	struct scene *s = begin("counter_readings_count,each_readings_count");
	const struct tally *of[2];

	(void) state;
	watch_two(s);
	start(s);
	assert_int_equal(counter_calls.opened, 1);
	assert_int_equal(each_calls.opened, 2);
	ticks(s, 3);
	for (size_t i = 0; i < 2; i++) {
		monitor_turn_to(&s->monitor, &s->monitor.views[i]);
		of[i] = collect_state(&s->monitor.collect, &each_collector);
		assert_int_equal(of[i]->readings, 3);
		assert_int_equal(last(s, "each_readings_count"), 3);
		/* What is one for all is the same, whoever is turned to. */
		const struct tally *shared = collect_state(&s->monitor.collect, &counter_collector);
		assert_int_equal(shared->readings, 3);
	}
	assert_ptr_not_equal(of[0], of[1]);
	monitor_turn_to(&s->monitor, NULL);
	end(s);
	assert_int_equal(each_calls.closed, 2);
	assert_int_equal(counter_calls.closed, 1);
}

static void a_target_that_shares_a_place_shares_the_state_of_the_earlier_one(void **state)
{
	struct scene *s = begin("each_readings_count");
	const struct tally *shared;

	(void) state;
	watch_two(s);
	monitor_share(&s->monitor, 1, 0, PER_NETWORK);
	start(s);
	ticks(s, 3);
	assert_int_equal(each_calls.opened, 1);
	monitor_turn_to(&s->monitor, &s->monitor.views[1]);
	shared = collect_state(&s->monitor.collect, &each_collector);
	assert_int_equal(shared->readings, 3);
	assert_int_equal(last(s, "each_readings_count"), 3);
	monitor_turn_to(&s->monitor, NULL);
	end(s);
	assert_int_equal(each_calls.closed, 1);
}

static void when_the_second_target_fails_the_first_is_closed_again(void **state)
{
	struct scene *s = begin("each_readings_count");

	(void) state;
	watch_two(s);
	each_calls.refuse_from = 2;
	start(s);
	ticks(s, 1);
	assert_int_equal(each_calls.opened, 1);
	assert_int_equal(each_calls.closed, 1);
	assert_false(s->states[index_of(&each_collector)].available);
	assert_null(collect_state(&s->monitor.collect, &each_collector));
	end(s);
	assert_int_equal(each_calls.closed, 1);
}

static void what_a_limit_needs_is_opened_when_it_is_activated(void **state)
{
	struct scene *s = begin("each_readings_count");

	(void) state;
	start(s);
	monitor_activate(&s->monitor, "counter");
	assert_int_equal(counter_calls.opened, 1);
	monitor_activate(&s->monitor, "counter");
	ticks(s, 1);
	assert_int_equal(counter_calls.opened, 1);
	assert_int_equal(s->states[index_of(&counter_collector)].reads, 1);
	end(s);
	assert_int_equal(counter_calls.closed, 1);
	assert_int_equal(counter_calls.last_count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_state_is_blank_when_it_is_opened_and_lives_from_sample_to_sample),
		cmocka_unit_test(a_collector_that_cannot_be_opened_is_out_of_use_and_says_why),
		cmocka_unit_test(what_it_says_of_its_readings_is_noted_by_itself),
		cmocka_unit_test(each_target_has_a_state_of_its_own),
		cmocka_unit_test(a_target_that_shares_a_place_shares_the_state_of_the_earlier_one),
		cmocka_unit_test(when_the_second_target_fails_the_first_is_closed_again),
		cmocka_unit_test(what_a_limit_needs_is_opened_when_it_is_activated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
