/* SPDX-License-Identifier: MIT */
/* Takes readings from a collector into the accumulators, derives rates and sums over processes. */
#include "collect/collect.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "linux/roots.h"
#include "target/process.h"

int collect_needs_proc(const struct collect *c, struct error *err)
{
	if (c->roots->proc >= 0)
		return 0;
	return error_say(err, -ENOENT, "no process can be looked at: %s; mounting /proc would help",
		c->roots->why_no_proc);
}

/* Rows of a collector stand together, each total row right after its base. */
static size_t rows_end(const struct batch *out)
{
	size_t row = (size_t) out->first_row;

	while (row < out->measures->n &&
		out->measures->collector[row] == out->measures->collector[out->first_row])
		row++;
	return row;
}

void batch_begin(struct batch *out, int first_row, uint64_t now_ns)
{
	size_t n = 0;

	out->first_row = first_row;
	out->now_ns = now_ns;
	for (size_t row = (size_t) first_row; row < rows_end(out); row++) {
		out->totals[row] = (struct total){ 0 };
		for (size_t i = 0; i < out->n_targets; i++)
			out->targets[i].totals[row] = (struct total){ 0 };
		if (out->measures->base[row] < 0)
			out->rows[n++] = (int) row;
	}
}

static void accumulate(
	struct accumulator *a, const struct measure *m, struct value v, uint64_t now_ns)
{
	if (m->kind == COUNTER)
		accumulate_counter(a, v, now_ns);
	else
		accumulate_gauge(a, v, now_ns);
}

static struct accumulator *process_accumulator(
	const struct batch *out, struct process *who, size_t row)
{
	return &who->rows[out->column[row]];
}

static void begin_at_birth(struct accumulator *a, const struct process *who)
{
	if (who->born_in_run && a->samples == 0 && a->stamp == 0)
		accumulate_from_zero(a, who->birth_ns);
}

static struct accumulator *single(const struct batch *out, size_t row)
{
	return out->target ? &out->target->singles[row] : &out->singles[row];
}

static struct accumulator *run_single(const struct batch *out, size_t row)
{
	return out->target ? &out->target->run_singles[row] : &out->run_singles[row];
}

/* The rate made from this counter. */
static void derive(struct batch *out, struct process *who, size_t counter, struct value v)
{
	int row = out->measures->rated_by[counter];

	if (row < 0)
		return;
	v.quality = (uint8_t) quality_worse(v.quality, out->measures->rows[row]->quality);
	if (who) {
		struct accumulator *a = process_accumulator(out, who, (size_t) row);

		begin_at_birth(a, who);
		accumulate_rate(a, v.n, v.quality, out->now_ns);
	} else {
		accumulate_rate(single(out, (size_t) row), v.n, v.quality, out->now_ns);
		accumulate_rate(run_single(out, (size_t) row), v.n, v.quality, out->now_ns);
	}
}

static void add_to_total(struct total *t, struct value v)
{
	if (v.quality == ABSENT) {
		t->absent++;
		t->why = v.why;
		return;
	}
	t->present++;
	t->sum += v.n;
	t->quality = (uint8_t) quality_worse(t->quality, v.quality);
}

/* Of each target that the process is in. */
static void add_to_totals(struct batch *out, const struct process *who, size_t base, struct value v)
{
	if (out->n_targets == 0) {
		add_to_total(&out->totals[base], v);
		return;
	}
	uint32_t left = who->share.targets;

	for (size_t i = 0; left; i++, left >>= 1)
		if (left & 1)
			add_to_total(&out->targets[i].totals[base], v);
}

static void put_value(struct batch *out, struct process *who, unsigned local, struct value v)
{
	size_t row = (size_t) out->rows[local];
	const struct measure *m = out->measures->rows[row];

	if (who && m->total)
		add_to_totals(out, who, row, v);
	if (v.quality == ABSENT) {
		if (who && out->column[row] >= 0)
			accumulate_absent(process_accumulator(out, who, row), v.why);
		if (!who) {
			accumulate_absent(single(out, row), v.why);
			accumulate_absent(run_single(out, row), v.why);
		}
		return;
	}
	if (who) {
		if (out->column[row] < 0)
			return;
		struct accumulator *a = process_accumulator(out, who, row);
		if (m->kind == COUNTER)
			begin_at_birth(a, who);
		accumulate(a, m, v, out->now_ns);
	} else {
		accumulate(single(out, row), m, v, out->now_ns);
		accumulate(run_single(out, row), m, v, out->now_ns);
	}
	if (m->kind == COUNTER)
		derive(out, who, row, v);
}

static void put_device_value(
	struct batch *out, const char *kind, const char *name, unsigned local, struct value v)
{
	size_t row = (size_t) out->rows[local];
	const struct measure *m = out->measures->rows[row];
	struct devices *d = out->devices;

	/* A device is the machine's, or else of the first target. */
	if (out->target && out->target != out->targets)
		return;
	if (!out->selected[row] &&
		(out->measures->rated_by[row] < 0 || !out->selected[out->measures->rated_by[row]]))
		return;
	struct device_record *device = devices_get(d, out->measures->collector[row], kind, name);
	if (!device)
		return;
	struct accumulator *now = &device->rows[d->column[row]];
	struct accumulator *run = &device->run_rows[d->column[row]];
	accumulate(now, m, v, out->now_ns);
	accumulate(run, m, v, out->now_ns);
	int rate = out->measures->rated_by[row];
	if (v.quality == ABSENT || rate < 0)
		return;
	v.quality = (uint8_t) quality_worse(v.quality, out->measures->rows[rate]->quality);
	accumulate_rate(&device->rows[d->column[rate]], v.n, v.quality, out->now_ns);
	accumulate_rate(&device->run_rows[d->column[rate]], v.n, v.quality, out->now_ns);
}

void put_device(struct batch *out, const char *kind, const char *name, unsigned row, uint64_t n)
{
	const struct measure *m = out->measures->rows[out->rows[row]];

	put_device_value(out, kind, name, row, (struct value){ .n = n, .quality = m->quality });
}

void put_device_quality(struct batch *out, const char *kind, const char *name, unsigned row,
	uint64_t n, enum quality quality)
{
	put_device_value(
		out, kind, name, row, (struct value){ .n = n, .quality = (uint8_t) quality });
}

void put_device_absent(
	struct batch *out, const char *kind, const char *name, unsigned row, int error)
{
	put_device_value(out, kind, name, row,
		(struct value){ .quality = ABSENT, .why = (uint8_t) (error < 0 ? -error : error) });
}

void put_quality(
	struct batch *out, struct process *who, unsigned row, uint64_t n, enum quality quality)
{
	put_value(out, who, row, (struct value){ .n = n, .quality = (uint8_t) quality });
}

void put(struct batch *out, struct process *who, unsigned row, uint64_t n)
{
	put_quality(out, who, row, n, (enum quality) out->measures->rows[out->rows[row]]->quality);
}

void put_absent(struct batch *out, struct process *who, unsigned row, int error)
{
	put_value(out, who, row,
		(struct value){ .quality = ABSENT, .why = (uint8_t) (error < 0 ? -error : error) });
}

void put_all_absent(struct batch *out, struct process *who, unsigned first, unsigned end, int error)
{
	for (unsigned row = first; row < end; row++)
		put_absent(out, who, row, error);
}

void put_result(struct batch *out, unsigned row, int r, uint64_t n, enum quality quality)
{
	if (r < 0)
		put_absent(out, NULL, row, r);
	else
		put_quality(out, NULL, row, n, quality);
}

void batch_total_quality(struct batch *out, unsigned row, enum quality quality)
{
	struct total *t = &out->totals[out->rows[row]];

	t->quality = (uint8_t) quality_worse(t->quality, quality);
	for (size_t i = 0; i < out->n_targets; i++) {
		t = &out->targets[i].totals[out->rows[row]];
		t->quality = (uint8_t) quality_worse(t->quality, quality);
	}
}

void begin_at_zero(struct batch *out, unsigned row)
{
	accumulate_from_zero(single(out, (size_t) out->rows[row]), out->now_ns);
	accumulate_from_zero(run_single(out, (size_t) out->rows[row]), out->now_ns);
}

/* A sum that lacks some members is a lower bound of the whole; one that may be too high besides, as it may hold some twice, bounds nothing. */
static uint8_t total_quality(const struct total *t, const struct measure *m)
{
	enum quality quality = quality_worse(m->quality, t->quality);

	if (t->absent)
		quality = quality == UPPER_BOUND || quality == ESTIMATE ? ESTIMATE : LOWER_BOUND;
	return (uint8_t) quality;
}

/* `t` over the processes of one target, or of the job. */
static void end_total(struct batch *out, size_t row, const struct total *t)
{
	const struct measures *m = out->measures;

	if (t->present == 0) {
		if (t->absent)
			accumulate_absent(single(out, row), t->why);
		return;
	}
	struct value v = { .n = t->sum, .quality = total_quality(t, m->rows[row]) };

	accumulate(single(out, row), m->rows[row], v, out->now_ns);
	accumulate(run_single(out, row), m->rows[row], v, out->now_ns);
}

void batch_end(struct batch *out)
{
	const struct measures *m = out->measures;

	for (size_t row = (size_t) out->first_row; row < rows_end(out); row++) {
		if (m->base[row] < 0)
			continue;
		if (out->n_targets == 0)
			end_total(out, row, &out->totals[m->base[row]]);
		for (size_t i = 0; i < out->n_targets; i++) {
			out->target = &out->targets[i];
			end_total(out, row, &out->targets[i].totals[m->base[row]]);
		}
	}
	out->target = NULL;
}
