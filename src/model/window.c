/* SPDX-License-Identifier: MIT */
/* Folds readings into what a window holds, one reading at a time: memory does not grow with the window. */
#include "model/window.h"

#include "base/macros.h"
#include "model/sample.h"

static void count_sample(struct accumulator *a, uint8_t quality)
{
	a->quality = (uint8_t) quality_worse(a->quality, quality);
	a->why = 0;
	a->samples++;
}

static void widen_range(struct accumulator *a, uint64_t n)
{
	if (a->samples == 0 || n > a->max)
		a->max = n;
	if (a->samples == 0 || n < a->min)
		a->min = n;
}

void accumulate_gauge(struct accumulator *a, struct value v, uint64_t now_ns)
{
	if (v.quality == ABSENT) {
		accumulate_absent(a, v.why);
		return;
	}
	if (a->stamp != 0 && now_ns > a->stamp) {
		double seconds = (double) (now_ns - a->stamp) / 1e9;
		a->integral += (double) v.n * seconds;
		a->weight += seconds;
	}
	widen_range(a, v.n);
	a->last = v.n;
	a->stamp = now_ns;
	count_sample(a, v.quality);
}

void accumulate_counter(struct accumulator *a, struct value v, uint64_t now_ns)
{
	if (v.quality == ABSENT) {
		accumulate_absent(a, v.why);
		return;
	}
	if (a->samples == 0 && a->stamp == 0) {
		a->seed = v.n;
		a->last = v.n;
	}
	/* The higher reading stays: what was dropped must not be claimed a second time when the counter catches up. */
	if (v.n < a->last)
		a->backwards = true;
	else
		a->last = v.n;
	a->stamp = now_ns;
	a->keeps_base = false;
	count_sample(a, v.quality);
}

void accumulate_from_zero(struct accumulator *a, uint64_t birth_ns)
{
	if (a->samples != 0 || a->stamp != 0)
		return;
	a->seed = 0;
	a->stamp = birth_ns ? birth_ns : 1; /* 0 says that there is no base */
	a->keeps_base = true;
}

/* growth / step in thousandths of a percent, rounded half up. */
static uint64_t rate_of(uint64_t growth_ns, uint64_t step_ns)
{
	/* Makes room for the factor. A step of 20 hours or more loses its last bits, which no digit shows. */
	while (step_ns >> 46) {
		step_ns >>= 1;
		growth_ns >>= 1;
	}
	return growth_ns / step_ns * 100000 +
	       (growth_ns % step_ns * 100000 + step_ns / 2) / step_ns;
}

void accumulate_rate(struct accumulator *a, uint64_t counter_ns, uint8_t quality, uint64_t now_ns)
{
	if (quality == ABSENT)
		return;
	a->keeps_base = true;
	if (a->samples == 0 && a->stamp == 0) {
		a->seed = counter_ns;
		a->stamp = now_ns;
		return;
	}
	if (counter_ns < a->seed) {
		a->backwards = true;
		return;
	}
	if (now_ns < a->stamp || now_ns - a->stamp < RATE_INTERVAL_MIN_NS)
		return;

	uint64_t growth_ns = counter_ns - a->seed;
	uint64_t step_ns = now_ns - a->stamp;
	uint64_t rate = rate_of(growth_ns, step_ns);
	widen_range(a, rate);
	a->last = rate;
	a->integral +=
		(double) growth_ns / 1e4; /* rate x seconds, without the rounding of `rate` */
	a->weight += (double) step_ns / 1e9;
	a->seed = counter_ns;
	a->stamp = now_ns;
	count_sample(a, quality);
}

void accumulate_absent(struct accumulator *a, int error)
{
	int positive = error < 0 ? -error : error;

	a->why = positive <= UINT8_MAX ? (uint8_t) positive : 0;
}

struct summary accumulator_summary(const struct accumulator *a, const struct measure *row)
{
	struct summary s = { .why = a->why };

	if (a->samples == 0)
		return s;
	s.last = a->last;
	s.samples = a->samples;
	s.quality = a->quality;
	s.backwards = a->backwards;
	if (row->kind == COUNTER) {
		s.delta = a->last - a->seed;
		return s;
	}
	s.max = a->max;
	s.min = a->min;
	s.mean = a->weight > 0 ? (uint64_t) (a->integral / a->weight + 0.5) : a->last;
	return s;
}

bool accumulator_read_since(const struct accumulator *a, uint64_t monotonic_ns)
{
	return a->samples > 0 && a->stamp >= monotonic_ns;
}

void accumulator_next_window(struct accumulator *a, uint64_t now_ns)
{
	if (!a->keeps_base) {
		a->seed = a->last;
		/* Time in which nobody looked is not charged to the window in which somebody looks again. */
		if (a->samples == 0 && a->stamp != 0)
			a->stamp = now_ns;
	}
	a->max = 0;
	a->min = 0;
	a->integral = 0;
	a->weight = 0;
	a->samples = 0;
	a->quality = ABSENT;
	a->backwards = false;
}
