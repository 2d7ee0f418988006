/* SPDX-License-Identifier: MIT */
/* Adds up the peaks of steps that ran at the same time, by their stamps of whole seconds. */
#include "record/foreign/sacct_steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A part of the largest step. */
#define OF_NO_ACCOUNT 64

/* At one stamp a step that ends goes before one that begins: steps in a row are not side by side. One that began and ended within a second is no
 * longer there for the next. */
enum turn { ENDS, BEGINS, PASSES };

struct event {
	double at;
	enum turn turn;
	const struct sacct_step *step;
};

struct sum {
	double bytes;
	size_t steps, parts; /* parts: those that are of the largest task alone */
};

static int beside_of(const char *name)
{
	static const char *const names[N_STEPS_BESIDE] = {
		[STEP_BATCH] = "batch", [STEP_EXTERN] = "extern", [STEP_INTERACTIVE] = "interactive"
	};

	for (int i = 0; i < N_STEPS_BESIDE; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return -1;
}

int sacct_steps_add(struct sacct_steps *steps, const char *name, const struct sacct_step *step)
{
	int beside = beside_of(name);

	if (beside >= 0) {
		if (step->bytes > steps->beside[beside].bytes)
			steps->beside[beside] = *step;
		return 0;
	}
	if (steps->n == steps->capacity) {
		size_t capacity = steps->capacity > 0 ? 2 * steps->capacity : 8;
		struct sacct_step *at = reallocarray(steps->at, capacity, sizeof(*at));

		if (!at)
			return -ENOMEM;
		steps->at = at;
		steps->capacity = capacity;
	}
	steps->at[steps->n++] = *step;
	return 0;
}

static struct sum with(struct sum sum, const struct sacct_step *step)
{
	return (struct sum){ sum.bytes + step->bytes, sum.steps + 1, sum.parts + !step->is_whole };
}

static struct sum without(struct sum sum, const struct sacct_step *step)
{
	return (struct sum){ sum.bytes - step->bytes, sum.steps - 1, sum.parts - !step->is_whole };
}

static struct sum greater(struct sum a, struct sum b)
{
	return b.bytes > a.bytes ? b : a;
}

static int by_time(const void *a, const void *b)
{
	const struct event *x = a;
	const struct event *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->turn > y->turn) - (x->turn < y->turn);
}

static size_t events_of(const struct sacct_steps *steps, struct event *events)
{
	size_t n = 0;

	for (size_t i = 0; i < steps->n; i++) {
		const struct sacct_step *step = &steps->at[i];

		if (!step->is_timed)
			continue;
		if (step->end > step->begin) {
			events[n++] = (struct event){ step->begin, BEGINS, step };
			events[n++] = (struct event){ step->end, ENDS, step };
		} else {
			events[n++] = (struct event){ step->begin, PASSES, step };
		}
	}
	qsort(events, n, sizeof(*events), by_time);
	return n;
}

/* The most of those whose times are told. */
static int most_at_once(const struct sacct_steps *steps, struct sum *ret)
{
	struct event *events = calloc(2 * steps->n + 1, sizeof(*events));
	struct sum now = { 0 };
	size_t n;

	if (!events)
		return -ENOMEM;
	n = events_of(steps, events);
	for (size_t i = 0; i < n; i++) {
		struct sum then = with(now, events[i].step);

		if (events[i].turn == ENDS) {
			now = without(now, events[i].step);
			continue;
		}
		*ret = greater(*ret, then);
		if (events[i].turn == BEGINS)
			now = then;
	}
	free(events);
	return 0;
}

static bool is_of_account(double bytes, double beside)
{
	return beside > bytes / OF_NO_ACCOUNT;
}

int sacct_steps_together(const struct sacct_steps *steps, struct sacct_together *ret)
{
	struct sum most = { 0 };
	struct sum all = { 0 };
	bool timed = true;
	int code = most_at_once(steps, &most);

	if (code < 0)
		return code;
	*ret = (struct sacct_together){ 0 };
	for (size_t i = 0; i < steps->n; i++) {
		const struct sacct_step *step = &steps->at[i];

		all = with(all, step);
		timed = timed && step->is_timed;
		most = greater(most, with((struct sum){ 0 }, step));
		if (step->bytes > ret->largest)
			ret->largest = step->bytes;
	}
	ret->is_settled = timed || !is_of_account(most.bytes, all.bytes - most.bytes);
	for (size_t i = 0; i < N_STEPS_BESIDE; i++) {
		if (!(steps->beside[i].bytes > 0))
			continue;
		most = with(most, &steps->beside[i]);
		if (steps->beside[i].bytes > ret->largest)
			ret->largest = steps->beside[i].bytes;
	}
	ret->bytes = most.bytes;
	ret->steps = most.steps;
	ret->is_whole = most.parts == 0;
	return 0;
}

bool sacct_together_counts(const struct sacct_together *together)
{
	return together->steps > 1 &&
	       is_of_account(together->largest, together->bytes - together->largest);
}

void sacct_steps_done(struct sacct_steps *steps)
{
	free(steps->at);
	*steps = (struct sacct_steps){ 0 };
}
