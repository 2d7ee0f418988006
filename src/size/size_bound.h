/* SPDX-License-Identifier: MIT */
/*
 * A bound that the next run keeps with a chosen probability, from runs that are past. Formulas, assumptions and sources stand in man 7 assay-sizing. Pure: no input, no output,
 * no state; any thread.
 */
#ifndef ASSAY_SIZE_BOUND_H
#define ASSAY_SIZE_BOUND_H

#include <stdbool.h>
#include <stddef.h>

/* What one run came to; points stand in the order in which the runs began. */
struct size_point {
	double value; /* above 0 */
	double at; /* of the covariate, above 0; not looked at without one */
	bool at_least; /* the run was cut off there: it would have come to that or more */
	double began; /* seconds since any moment; NAN: that is not known, and no drift is looked for */
};

enum size_method {
	SIZE_NOTHING, /* no run tells where it would have ended: request is NAN */
	SIZE_RANK, /* an order statistic: holds whatever the distribution is */
	SIZE_MARGIN, /* too few runs for that: the largest with a margin */
	SIZE_CUT_OFF /* too many were cut off above all the others: a next try, not a bound */
};

enum size_order {
	SIZE_ORDER_KNOWN, /* or too few runs for a drift to be seen in, or a covariate explains them */
	SIZE_ORDER_UNDATED, /* some have no start */
	SIZE_ORDER_TOGETHER /* many began together, as an array does */
};

struct size_bound {
	enum size_method method;
	double request; /* NAN: the runs say nothing */
	double next_try; /* where there is none: twice the largest that was seen; NAN: none was */
	double stands_on; /* the value among the runs (brought to the next run's place) that it stands on */
	double margin; /* request / stands_on */
	double promise; /* the probability that the next run keeps the request, as far as it follows from the runs alone, whatever the distribution, if they come in no order (serial: if the next step is like these) */
	double confidence; /* that at least `target` of all future runs keep it, in the same way; 0: nothing is known of that */
	size_t rank; /* of SIZE_RANK: which one of the sorted values, from 1 */
	size_t n,
		n_cut_off; /* points that were looked at, and those among them that were cut off */
	size_t needed; /* runs that it takes for SIZE_RANK, none of them cut off */
	/* how the values were brought to the place of the next run */
	enum size_order order; /* whether a drift could be looked for */
	bool drifts; /* they rise or fall with time */
	double drift; /* growth from one whole run to the next: 0.01 is 1 % */
	bool serial; /* each is like the one before: the request is no less than the bound of the next step from the last one, of which the promise is */
	bool by_steps; /* it is that bound, and so are rank, n, stands_on */
	bool by; /* they follow the covariate: fixed + slope * at */
	double fixed, slope;
	double at; /* of the next run */
	bool beyond; /* `at` is outside of what was seen of whole runs */
};

/* What is asked. */
struct size_wish {
	double target; /* 0.5 to 0.999: probability that the next run keeps the bound */
	double confidence; /* 0, or 0.5 to 0.999: that at least `target` of all future runs keep it */
	bool by; /* points have a covariate */
	double at; /* of the next run; NAN: the largest of the whole ones */
};

/* 0, or -ENOMEM. `points` stay as they are. */
int size_bound_find(const struct size_point *points, size_t n, const struct size_wish *wish,
	struct size_bound *ret);

/* How many runs without a cut-off one SIZE_RANK needs: the smallest n with n / (n + 1) >= target, and with 1 - target^n >= confidence. */
size_t size_bound_needed(double target, double confidence);

/* The values at the next run's place, sorted, those that were cut off behind equal ones. `sorted` has room for n; *ret_n is how many count. Fills in what `b` says of their way there. 0, or
 * -ENOMEM. */
int size_points_placed(const struct size_point *points, size_t n, const struct size_wish *wish,
	struct size_point *sorted, size_t *ret_n, struct size_bound *b);

struct size_spread;
/* How the values vary; one of them is whole at least. One that was cut off below the mean of the whole ones tells nothing of that, and is left out. 0, or -ENOMEM. */
int size_points_spread(const struct size_point *points, size_t n, struct size_spread *ret);

#endif
