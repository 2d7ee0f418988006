/* SPDX-License-Identifier: MIT */
/* Says values and differences in words. */
#include "compare/compare_text.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "model/value.h"

/* Where a number is rounded to nothing, so many digits that it is not: "0.00 W" of 0.0031 becomes "0.0031 W". */
static void sharpen(struct buf *out, size_t start, double number)
{
	size_t n = strspn(out->data + start, "0.");
	char unit[32];

	/* A number without a part behind the point is as sharp as it gets. */
	if (n == 0 || (out->data[start + n] >= '1' && out->data[start + n] <= '9') ||
		out->len - start - n >= sizeof(unit))
		return;
	memcpy(unit, out->data + start + n, out->len - start - n + 1);
	out->len = start;
	buf_addf(out, "%.2g%s", number, unit);
}

static void add_number(struct buf *out, const char *name, double number)
{
	struct field field = { .type = FIELD_REAL, .number = number };
	size_t start = out->len;

	/* 2^53: up to there every whole number is exact. */
	if (number >= -9007199254740992.0 && number <= 9007199254740992.0) {
		field.integer = (int64_t) number;
		if ((double) field.integer == number)
			field.type = FIELD_INTEGER;
	}
	field_text(name, &field, out);
	if (number > 0 && isfinite(number) && !out->failed)
		sharpen(out, start, number);
}

void text_add_value(struct buf *out, const char *name, double value, uint8_t quality)
{
	if (quality != ABSENT)
		buf_addf(out, "%s ", quality_mark((enum quality) quality));
	add_number(out, name, value);
}

void text_add_change(struct buf *out, const char *name, double change)
{
	if (change != 0)
		buf_add_char(out, change > 0 ? '+' : '-');
	add_number(out, name, fabs(change));
}

void text_add_percent(struct buf *out, double relative)
{
	double percent = 100 * relative;

	/* Beyond ten times as much nobody reads percents. */
	if (relative >= 9) {
		buf_addf(out,
			relative < 999   ? "x %.1f"
			: relative < 1e9 ? "x %.0f"
					 : "x %.3g",
			1 + relative);
		return;
	}
	if (fabs(percent) < 1000)
		buf_addf(out, percent != 0 ? "%+.1f %%" : "%.1f %%", percent);
	else
		buf_addf(out, "%+.3g %%", percent);
}

void text_add_interval(struct buf *out, const char *name, double lower, double upper)
{
	if (isinf(lower) && isinf(upper))
		return;
	if (isinf(lower) || isinf(upper)) {
		buf_add_text(out, isinf(upper) ? "at least " : "at most ");
		text_add_change(out, name, isinf(upper) ? lower : upper);
		return;
	}
	text_add_change(out, name, lower);
	buf_add_text(out, " .. ");
	text_add_change(out, name, upper);
}

static const char *quality_words(uint8_t quality)
{
	switch ((enum quality) quality) {
	case EXACT:
		return "exact";
	case SAMPLED:
		return "sampled";
	case LOWER_BOUND:
		return "at least";
	case UPPER_BOUND:
		return "at most";
	case ESTIMATE:
		return "an estimate";
	case ABSENT:
	case N_QUALITY:
		break;
	}
	return "not measured";
}

/* NULL: several. */
static const char *source_name(const struct compare *c, const struct compare_series *s)
{
	uint32_t first = s->values[0].source;

	for (size_t i = 1; i < s->n; i++)
		if (s->values[i].source != first)
			return NULL;
	return first ? c->sources[first - 1] : "a source that is not named";
}

static void begin_part(struct buf *out, size_t start)
{
	if (out->len > start)
		buf_add_text(out, "; ");
}

/* Of single values. Of repeated runs the interval shows it. */
static void add_uncertainty(struct buf *out, const struct compare_row *row,
	const struct compare_difference *d, size_t start)
{
	if (d->base_n > 1 || d->other_n > 1)
		return;
	if (d->verdict == VERDICT_NOT_TOLD_APART) {
		begin_part(out, start);
		buf_add_text(out, "not told apart");
	}
	if (d->lower < d->upper && !(isinf(d->lower) && isinf(d->upper))) {
		begin_part(out, start);
		buf_add_text(out, "the change is ");
		text_add_interval(out, row->name, d->lower, d->upper);
	}
}

/* Groups that scatter like this are hardly alike in shape. */
#define SCATTER_ODD 3.0

void text_add_scatter(
	struct buf *out, const char *base, const char *other, const struct compare_difference *d)
{
	size_t least = d->base_n < d->other_n ? d->base_n : d->other_n;
	size_t most = d->base_n < d->other_n ? d->other_n : d->base_n;
	bool other_is_wider = d->scatter > 1;
	double times = other_is_wider ? d->scatter : 1 / d->scatter;

	if (d->confidence > 0 && least <= 2 && !d->widened) {
		buf_addf(out, "how %s scatters %s: taken to be as %s does",
			d->base_n == least ? base : other,
			least == 1 ? "one run does not show" : "two runs hardly show",
			d->base_n == least ? other : base);
		return;
	}
	/* Where the larger group scatters more, the interval is wider than it need be. */
	if (!(d->scatter > 0) || times < SCATTER_ODD || (!d->widened && least < most))
		return;
	buf_addf(out, "%s scatters ", other_is_wider ? other : base);
	if (isinf(times))
		buf_addf(out, "and %s does not", other_is_wider ? base : other);
	else
		buf_addf(out, "%.3g times as much as %s", times, other_is_wider ? base : other);
	buf_add_text(out, d->widened ? ": the interval allows for it"
				     : ": the interval is less sure than it says, as it takes them "
				       "for alike in shape");
}

void text_add_note(struct buf *out, const struct compare *c, const struct compare_row *row,
	size_t base, size_t other, const struct compare_difference *d)
{
	struct buf scatter = { 0 };
	const char *a = c->groups[base].label;
	const char *b = c->groups[other].label;
	size_t start = out->len;

	if (d->verdict == VERDICT_NONE)
		return;
	if (d->verdict == VERDICT_ONLY_BASE || d->verdict == VERDICT_ONLY_OTHER) {
		buf_addf(out, "only %s has it", d->verdict == VERDICT_ONLY_BASE ? a : b);
		return;
	}
	add_uncertainty(out, row, d, start);
	text_add_scatter(&scatter, a, b, d);
	if (scatter.len > 0) {
		begin_part(out, start);
		buf_add_text(out, scatter.data);
	}
	out->failed = out->failed || scatter.failed;
	buf_done(&scatter);
	if (d->base_quality != d->other_quality) {
		begin_part(out, start);
		buf_addf(out, "%s is %s, %s is %s", a, quality_words(d->base_quality), b,
			quality_words(d->other_quality));
	}
	if (d->alike) {
		begin_part(out, start);
		buf_addf(out, "both are %s, of one source: compared as measured",
			quality_words(d->base_quality));
	}
	if (d->sources_differ) {
		const char *of_a = source_name(c, compare_series(row, base));
		const char *of_b = source_name(c, compare_series(row, other));

		begin_part(out, start);
		if (of_a && of_b)
			buf_addf(out, "sources differ: %s %s, %s %s", a, of_a, b, of_b);
		else
			buf_add_text(out, "sources differ from run to run");
	}
}
