/* SPDX-License-Identifier: MIT */
/*
 * Draws populations of jobs, makes requests from their past runs by several rules, and counts how many of the next runs fit and what is wasted. Prints the table of docs/sizing.md; with
 * --check, judges what that page claims (TAP), from fewer draws. The same numbers come out on every machine.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "compare/statistics.h"
#include "size/size_bound.h"
#include "size/size_policy.h"
#include "size/size_tried.h"

#define RUNS_MAX 1000
#define NEXT_RUNS 10 /* judged by each request, where the population does not drift */

/* splitmix64 */
static uint64_t state;

static double uniform(void)
{
	uint64_t z = (state += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return ((double) ((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* A run of a job, in GiB: the i-th of those that began one after the other. */
static struct size_point steady(size_t i)
{
	(void) i;
	return (struct size_point){ .value = 10 * (1 + 0.02 * normal()) };
}

static struct size_point varied(size_t i)
{
	(void) i;
	return (struct size_point){ .value = 10 * exp(0.15 * normal()) };
}

static struct size_point skewed(size_t i)
{
	(void) i;
	return (struct size_point){ .value = 8 * exp(0.5 * normal()) };
}

static struct size_point heavy(size_t i)
{
	(void) i;
	return (struct size_point){ .value = 5 * pow(uniform(), -1 / 2.5) };
}

static struct size_point bimodal(size_t i)
{
	(void) i;
	return (struct size_point){ .value = (uniform() < 0.25 ? 24 : 6) * (1 + 0.05 * normal()) };
}

static struct size_point by_input(size_t i)
{
	double input = 3 * exp(0.8 * normal());

	(void) i;
	return (struct size_point){ .value = (2 + 1.5 * input) * exp(0.05 * normal()),
		.at = input };
}

/* One with that input. */
static struct size_point by_input_at(double input)
{
	return (struct size_point){ .value = (2 + 1.5 * input) * exp(0.05 * normal()),
		.at = input };
}

static struct size_point drifting(size_t i)
{
	return (struct size_point){ .value = 6 * (1 + 0.01 * (double) i) * (1 + 0.1 * normal()) };
}

/* These go on from the run before. */
static double level;

static struct size_point walking(size_t i)
{
	level = i == 0 ? 0 : level + 0.05 * normal();
	return (struct size_point){ .value = 10 * exp(level) };
}

static struct size_point lingering(size_t i)
{
	level = i == 0 ? normal() : 0.95 * level + sqrt(1 - 0.95 * 0.95) * normal();
	return (struct size_point){ .value = 10 * exp(0.3 * level) };
}

static struct size_point stepping(size_t i)
{
	if (i == 0)
		level = 0;
	else if (uniform() < 0.05)
		level += 0.3 * normal();
	return (struct size_point){ .value = 10 * exp(level + 0.05 * normal()) };
}

static const struct population {
	const char *name, *is;
	struct size_point (*draw)(size_t i);
	bool by; /* assay is told of the input */
	bool drifts; /* the next runs are others than the past ones */
} populations[] = {
	{ "steady", "normal, spread 2 %", steady, false, false },
	{ "varied", "log-normal, spread 15 %", varied, false, false },
	{ "skewed", "log-normal, spread 50 %", skewed, false, false },
	{ "heavy", "Pareto, exponent 2.5", heavy, false, false },
	{ "bimodal", "one of four needs four times as much", bimodal, false, false },
	{ "input", "grows with an input that is told (`--by`)", by_input, true, false },
	{ "input, untold", "the same, and the input is not told", by_input, false, false },
	{ "drifting", "grows by 1 % of the first with each run, spread 10 %", drifting, false,
		true },
	{ "walking", "each differs from the one before by 5 %", walking, false, true },
	{ "lingering", "spread 30 %, 0.95 of the difference to the mean stays from run to run",
		lingering, false, true },
	{ "stepping", "one of 20 begins at another level, 30 % off; spread 5 %", stepping, false,
		true },
};

static double largest(const struct size_point *runs, size_t n)
{
	double most = 0;

	for (size_t i = 0; i < n; i++)
		most = fmax(most, runs[i].value);
	return most;
}

static double max_and_20_percent(const struct size_point *runs, size_t n)
{
	return 1.2 * largest(runs, n);
}

/* As jobstats advises after a job, in whole GB: a fifth more than that one used, rounded up by its size. */
static double jobstats(const struct size_point *runs, size_t n)
{
	double with_safety = ceil(1.2 * runs[n - 1].value);
	double step = with_safety > 1000 ? 100 : with_safety > 100 ? 10 : with_safety > 30 ? 5 : 1;

	return fmax(1, ceil(with_safety / step) * step);
}

static double percentile_95(const struct size_point *runs, size_t n)
{
	double values[RUNS_MAX];

	for (size_t i = 0; i < n; i++)
		values[i] = runs[i].value;
	return statistics_of(values, n).q95;
}

enum rule { MAX_20, JOBSTATS, P95, ONCE, RETRY, N_RULE };
static const char *const rule_names[] = { "max + 20 %", "jobstats", "95th percentile", "assay once",
	"assay retry" };

struct count {
	double runs, fit, wasted; /* in parts of what was needed */
};

struct cell {
	struct count of[N_RULE];
	double promised, requests;
};

/* The first request, and after each failure the next; doubled where there is none. What a failed attempt held is wasted whole. */
static void serve(struct count *c, double need, const double *steps, size_t n)
{
	double asked = steps[0];
	double held = 0;
	bool first = true;

	for (size_t i = 0;; i++, first = false) {
		asked = i < n ? steps[i] : asked * 2;
		held += asked;
		if (need <= asked)
			break;
	}
	c->runs++;
	c->fit += first;
	c->wasted += (held - need) / need;
}

struct request {
	double steps[SIZE_STEPS_MAX];
	size_t n;
};

/* What each rule asks for, from runs that are past; `at` is the next one's input. */
static void ask(struct request *asked, struct cell *cell, const struct population *p,
	const struct size_point *runs, size_t n, double at)
{
	struct size_wish wish = { .target = 0.95, .by = p->by, .at = at };
	struct size_bound bound;
	struct size_steps steps;

	if (size_bound_find(runs, n, &wish, &bound) < 0 ||
		size_policy_find(runs, n, &wish, bound.request, NULL, &steps) < 0) {
		perror("sizing");
		exit(1);
	}
	asked[MAX_20] = (struct request){ { max_and_20_percent(runs, n) }, 1 };
	asked[JOBSTATS] = (struct request){ { jobstats(runs, n) }, 1 };
	asked[P95] = (struct request){ { percentile_95(runs, n) }, 1 };
	asked[ONCE] = (struct request){ { bound.request }, 1 };
	asked[RETRY].n = steps.n;
	for (size_t i = 0; i < steps.n; i++)
		asked[RETRY].steps[i] = steps.steps[i];
	cell->promised += bound.promise;
	cell->requests++;
}

static struct cell simulate(const struct population *p, size_t n, size_t times)
{
	/* With a covariate, or a drift, each request is for one run. */
	size_t next_runs = p->by || p->drifts ? 1 : NEXT_RUNS;
	struct request asked[N_RULE];
	struct size_point runs[RUNS_MAX];
	struct cell cell = { 0 };

	state = 20261128 + n;
	for (size_t t = 0; t < times; t++) {
		for (size_t i = 0; i < n; i++) {
			runs[i] = p->draw(i);
			runs[i].began = (double) i;
		}
		for (size_t k = 0; k < next_runs; k++) {
			struct size_point next = p->draw(n + k);

			if (k == 0)
				ask(asked, &cell, p, runs, n, next.at);
			for (size_t r = 0; r < N_RULE; r++)
				serve(&cell.of[r], next.value, asked[r].steps, asked[r].n);
		}
	}
	return cell;
}

static double fitting(const struct count *c)
{
	return c->fit / c->runs;
}

static double waste(const struct count *c)
{
	return c->wasted / c->runs;
}

/* What is said less what is true, of requests made apart from each other. */
struct excess {
	double sum, squares;
};

static void add_excess(struct excess *e, double excess)
{
	e->sum += excess;
	e->squares += excess * excess;
}

/* Three standard deviations of the mean. */
static double of_chance(const struct excess *e, double n)
{
	return 3 * sqrt(fmax(e->squares / n - e->sum / n * e->sum / n, 0) / n);
}

/* What is said of retries beside what is true of them. */
struct said {
	double requests;
	double first, true_first; /* the parts for which the first is enough, added up */
	double held, true_held, once, true_once; /* on average, added up */
	double within; /* requests whose true part lies between the two that are said */
	struct excess of_first, of_held;
};

static double held_by(double need, const double *steps, size_t n)
{
	double asked = steps[0];
	double held = asked;

	for (size_t i = 1; need > asked; i++) {
		asked = i < n ? steps[i] : asked * 2;
		held += asked;
	}
	return held;
}

#define JUDGING_RUNS 200 /* that tell what is true of one request */

/* What is true of a request for a run with that input. */
struct truth {
	double first, held, once;
};

static struct truth judge(
	const struct population *p, const struct size_steps *steps, double once, double at)
{
	struct truth t = { 0 };

	for (size_t k = 0; k < JUDGING_RUNS; k++) {
		struct size_point next = p->by ? by_input_at(at) : p->draw(1);

		t.first += next.value <= steps->steps[0];
		t.held += held_by(next.value, steps->steps, steps->n) / JUDGING_RUNS;
		t.once += held_by(next.value, &once, 1) / JUDGING_RUNS;
	}
	t.first /= JUDGING_RUNS;
	return t;
}

static void add_said(struct said *s, const struct size_tried *tried, const struct truth *t)
{
	s->requests++;
	s->first += tried->first;
	s->true_first += t->first;
	/* What is true is itself known from so many runs only. */
	double unsure = 2 * sqrt(t->first * (1 - t->first) / JUDGING_RUNS) + 1.0 / JUDGING_RUNS;
	s->within +=
		t->first >= tried->first_low - unsure && t->first <= tried->first_high + unsure;
	s->held += tried->held;
	s->true_held += t->held;
	s->once += tried->held_once;
	s->true_once += t->once;
	add_excess(&s->of_first, tried->first - t->first);
	add_excess(&s->of_held, tried->held - t->held);
}

static struct said simulate_said(const struct population *p, size_t n, size_t times)
{
	struct size_point runs[RUNS_MAX];
	struct said s = { 0 };

	state = 20261130 + n;
	for (size_t t = 0; t < times; t++) {
		struct size_wish wish = { .target = 0.95, .by = p->by };
		struct size_bound bound;
		struct size_steps steps;
		struct size_tried tried;

		for (size_t i = 0; i < n; i++) {
			runs[i] = p->draw(i);
			runs[i].began = (double) i;
		}
		wish.at = p->draw(n).at;
		if (size_bound_find(runs, n, &wish, &bound) < 0 ||
			size_policy_find(runs, n, &wish, bound.request, NULL, &steps) < 0 ||
			size_policy_try(runs, n, &wish, NULL, steps.n < 2, &tried) < 0) {
			perror("sizing");
			exit(1);
		}
		struct truth is = judge(p, &steps, bound.request, wish.at);
		if (tried.n > 0)
			add_said(&s, &tried, &is);
	}
	return s;
}

static const size_t counts[] = { 1, 2, 3, 5, 10, 20, 50, 100, 1000 };

static size_t times_for(size_t times, size_t n)
{
	return n >= 1000 ? times / 20 + 1 : n >= 100 ? times / 4 + 1 : times;
}

static void print_table(size_t times)
{
	printf("| jobs | past runs | promised |");
	for (size_t r = 0; r < N_RULE; r++)
		printf(" %s |", rule_names[r]);
	printf("\n|---|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < ARRAY_SIZE(populations); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(counts); k++) {
			struct cell cell =
				simulate(&populations[i], counts[k], times_for(times, counts[k]));

			printf("| %s | %zu | %.1f %% |", populations[i].name, counts[k],
				100 * cell.promised / cell.requests);
			for (size_t r = 0; r < N_RULE; r++)
				printf(" %.1f %%, %.2f |", 100 * fitting(&cell.of[r]),
					waste(&cell.of[r]));
			printf("\n");
		}
	}
}

static const size_t said_counts[] = { 10, 20, 50 };

static void print_said(size_t times)
{
	printf("\n| jobs | past runs | first is enough: said | true | within | held: said | true "
	       "|\n|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < ARRAY_SIZE(populations); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(said_counts) && !populations[i].drifts; k++) {
			struct said s = simulate_said(
				&populations[i], said_counts[k], times_for(times, said_counts[k]));

			if (s.requests > 0)
				printf("| %s | %zu | %.1f %% | %.1f %% | %.0f %% | %.0f %% | %.0f "
				       "%% |\n",
					populations[i].name, said_counts[k],
					100 * s.first / s.requests, 100 * s.true_first / s.requests,
					100 * s.within / s.requests, 100 * s.held / s.once,
					100 * s.true_held / s.true_once);
		}
	}
}

/* Of the share of runs that fit: three standard deviations of as many draws as were made apart from each other. */
static double chance(double share, size_t times)
{
	return 3 * sqrt(share * (1 - share) / (double) times);
}

static bool wastes_least(const struct cell *cell)
{
	for (size_t r = 0; r < RETRY; r++)
		if (waste(&cell->of[RETRY]) > waste(&cell->of[r]))
			return false;
	return true;
}

/* What docs/sizing.md claims of populations that stay as they are. */
static bool holds(const struct population *p, size_t n, size_t times)
{
	struct cell cell = simulate(p, n, times);
	double promised = cell.promised / cell.requests;
	double fits = fitting(&cell.of[ONCE]);
	bool kept = fits >= promised - chance(promised, times);
	bool least = n < 10 || wastes_least(&cell);

	if (!kept)
		printf("# %.4f fit, %.4f were promised\n", fits, promised);
	if (!least)
		printf("# another rule wastes less than assay with retries\n");
	return kept && least;
}

/* From one run less the first is enough a little less often, and more is held: not the other way round. */
#define ONE_RUN_LESS 0.02

static bool is_true(const struct population *p, size_t n, size_t times)
{
	struct said s = simulate_said(p, n, times);
	double first = s.of_first.sum / s.requests;
	double held = s.of_held.sum / s.requests;
	double one_less = ONE_RUN_LESS * s.true_held / s.requests;
	bool ok = s.requests == 0 ||
		  (first <= of_chance(&s.of_first, s.requests) &&
			  first >= -of_chance(&s.of_first, s.requests) - ONE_RUN_LESS &&
			  held >= -of_chance(&s.of_held, s.requests) &&
			  held <= of_chance(&s.of_held, s.requests) + one_less &&
			  s.within >= 0.9 * s.requests);

	if (!ok)
		printf("# of %.0f: said %.4f, true %.4f, %.3f between the bounds; held %.4f, true "
		       "%.4f\n",
			s.requests, s.first / s.requests, s.true_first / s.requests,
			s.within / s.requests, s.held / s.requests, s.true_held / s.requests);
	return ok;
}

/* Of runs that go on from the one before, or drift: where there are enough for it to be seen. */
static bool keeps(const struct population *p, size_t n, size_t times)
{
	struct cell cell = simulate(p, n, times);
	double promised = cell.promised / cell.requests;
	double fits = fitting(&cell.of[ONCE]);
	bool kept = fits >= promised - chance(promised, times);

	if (!kept)
		printf("# %.4f fit, %.4f were promised\n", fits, promised);
	return kept;
}

/* As many past runs at all counts, but for the fewest: what is said of a request from 50 of them strays less from the mean than of one from 20, so that
 * fewer requests find as small an excess (three of s / sqrt(20), of 100 or of 40 times as much as s / sqrt(50)). */
static size_t times_said(size_t n)
{
	return n > 20 ? 2000 / n : 100;
}

static int check(void)
{
	static const size_t some[] = { 1, 3, 10, 20, 50, 100 };
	const size_t times = 300;
	size_t number = 0;
	int failed = 0;

	for (size_t i = 0; i < ARRAY_SIZE(populations); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(some) && !populations[i].drifts; k++) {
			bool ok = holds(&populations[i], some[k], times);

			printf("%s %zu - %s of %s jobs from %zu runs\n", ok ? "ok" : "not ok",
				++number,
				some[k] < 10 ? "the promise is kept"
					     : "the promise is kept and the least is wasted",
				populations[i].name, some[k]);
			failed |= !ok;
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(populations); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(said_counts) && !populations[i].drifts; k++) {
			bool ok = is_true(
				&populations[i], said_counts[k], times_said(said_counts[k]));

			printf("%s %zu - what is said of retries of %s jobs from %zu runs is "
			       "true\n",
				ok ? "ok" : "not ok", ++number, populations[i].name,
				said_counts[k]);
			failed |= !ok;
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(populations); i++) {
		for (size_t n = 50; n <= 100 && populations[i].drifts; n += 50) {
			bool ok = keeps(&populations[i], n, 2 * times);

			printf("%s %zu - the promise is kept of %s jobs from %zu runs\n",
				ok ? "ok" : "not ok", ++number, populations[i].name, n);
			failed |= !ok;
		}
	}
	printf("1..%zu\n", number);
	return failed;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--check") == 0)
		return check();
	size_t times = argc > 1 ? (size_t) strtoul(argv[1], NULL, 10) : 2000;
	print_table(times);
	print_said(times);
	return 0;
}
