/* SPDX-License-Identifier: MIT */
/* The lines that differ between a script and its copy, as diff -u and patch have it. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "size/size_script.h"

#define AROUND 3
/* Of longer stretches the whole is shown as changed. */
#define STRETCH_MAX 1500

/* The lines of a text, the last without an end it may be. */
struct lines {
	const char *text;
	size_t n;
};

static size_t line_at(const struct lines *l, size_t at)
{
	const char *newline = at < l->n ? memchr(l->text + at, '\n', l->n - at) : NULL;

	return newline ? (size_t) (newline - l->text) + 1 - at : l->n - at;
}

static size_t count(const struct lines *l, size_t from, size_t to)
{
	size_t n = 0;

	for (; from < to; n++)
		from += line_at(l, from);
	return n;
}

static void add_lines(struct buf *out, char mark, const struct lines *l, size_t from, size_t to)
{
	while (from < to) {
		size_t n = line_at(l, from);

		buf_add_char(out, mark);
		buf_add(out, l->text + from, n);
		if (l->text[from + n - 1] != '\n')
			buf_add_text(out, "\n\\ No newline at end of file\n");
		from += n;
	}
}

/* How far both are the same, in whole lines, from the beginning. */
static size_t same_before(const struct lines *a, const struct lines *b)
{
	size_t at = 0;

	for (;;) {
		size_t n = line_at(a, at);

		if (n == 0 || n != line_at(b, at) || memcmp(a->text + at, b->text + at, n) != 0)
			return at;
		at += n;
	}
}

/* A stretch of both: where its lines begin, and what they have in common. */
struct stretch {
	const struct lines *a, *b;
	size_t *a_at, *b_at;
	size_t n_a, n_b;
	unsigned short *table;
};

static void split(const struct lines *l, size_t from, size_t to, size_t *at)
{
	size_t n = 0;

	for (; from < to; from += line_at(l, from))
		at[n++] = from;
}

/* The length of what both have in common from line i and line k on: [i * (n_b + 1) + k]. */
static unsigned short *common(const struct stretch *s)
{
	unsigned short *table = calloc((s->n_a + 1) * (s->n_b + 1), sizeof(*table));

	for (size_t i = s->n_a; table && i-- > 0;) {
		for (size_t k = s->n_b; k-- > 0;) {
			size_t n = line_at(s->a, s->a_at[i]);
			unsigned short *here = &table[i * (s->n_b + 1) + k];
			unsigned short without_a = here[s->n_b + 1];
			unsigned short without_b = here[1];

			if (n == line_at(s->b, s->b_at[k]) &&
				memcmp(s->a->text + s->a_at[i], s->b->text + s->b_at[k], n) == 0)
				*here = (unsigned short) (here[s->n_b + 2] + 1);
			else
				*here = without_a > without_b ? without_a : without_b;
		}
	}
	return table;
}

static void walk(const struct stretch *s, struct buf *out)
{
	size_t i = 0;
	size_t k = 0;

	while (i < s->n_a || k < s->n_b) {
		const unsigned short *here = &s->table[i * (s->n_b + 1) + k];
		bool both = i < s->n_a && k < s->n_b;

		if (both && *here > here[1] && *here > here[s->n_b + 1]) {
			add_lines(
				out, ' ', s->a, s->a_at[i], s->a_at[i] + line_at(s->a, s->a_at[i]));
			i++;
			k++;
		} else if (i < s->n_a && (!both || here[s->n_b + 1] >= here[1])) {
			add_lines(
				out, '-', s->a, s->a_at[i], s->a_at[i] + line_at(s->a, s->a_at[i]));
			i++;
		} else {
			add_lines(
				out, '+', s->b, s->b_at[k], s->b_at[k] + line_at(s->b, s->b_at[k]));
			k++;
		}
	}
}

/* The lines between two places of each, those that both have among them. */
static int add_changed(struct buf *out, const struct lines *a, const struct lines *b, size_t from,
	size_t a_to, size_t b_to)
{
	struct stretch s = {
		.a = a, .b = b, .n_a = count(a, from, a_to), .n_b = count(b, from, b_to)
	};

	if (s.n_a > STRETCH_MAX || s.n_b > STRETCH_MAX) {
		add_lines(out, '-', a, from, a_to);
		add_lines(out, '+', b, from, b_to);
		return 0;
	}
	s.a_at = calloc(s.n_a + 1, sizeof(*s.a_at));
	s.b_at = calloc(s.n_b + 1, sizeof(*s.b_at));
	if (s.a_at && s.b_at) {
		split(a, from, a_to, s.a_at);
		split(b, from, b_to, s.b_at);
		s.table = common(&s);
	}
	if (s.table)
		walk(&s, out);
	free(s.a_at);
	free(s.b_at);
	free(s.table);
	return s.table ? 0 : -ENOMEM;
}

static size_t line_start(const struct lines *l, size_t end)
{
	while (end > 0 && l->text[end - 1] != '\n')
		end--;
	return end;
}

/* The same from the end, not going below `before`. */
static size_t same_behind(const struct lines *a, const struct lines *b, size_t before)
{
	size_t same = 0;

	for (;;) {
		size_t a_end = a->n - same;
		size_t b_end = b->n - same;
		size_t start;
		size_t n;

		if (a_end <= before || b_end <= before)
			return same;
		start = line_start(a, a_end - 1);
		n = a_end - start;
		if (start < before || b_end - before < n ||
			memcmp(a->text + start, b->text + b_end - n, n) != 0 ||
			line_start(b, b_end - 1) != b_end - n)
			return same;
		same += n;
	}
}

static size_t back(const struct lines *l, size_t at, int lines)
{
	while (lines-- > 0 && at > 0)
		at = line_start(l, at - 1);
	return at;
}

static size_t forth(const struct lines *l, size_t at, int lines)
{
	while (lines-- > 0 && at < l->n)
		at += line_at(l, at);
	return at;
}

static void add_range(struct buf *out, char mark, size_t first, size_t n)
{
	buf_addf(out, " %c%zu", mark, n > 0 ? first + 1 : first);
	if (n != 1)
		buf_addf(out, ",%zu", n);
}

int size_script_difference(
	const char *name, const struct buf *old, const struct buf *new_one, struct buf *out)
{
	const struct lines a = { old->data ? old->data : "", old->len };
	const struct lines b = { new_one->data ? new_one->data : "", new_one->len };
	size_t before = same_before(&a, &b);
	size_t behind = same_behind(&a, &b, before);
	size_t from = back(&a, before, AROUND);
	size_t a_end = forth(&a, a.n - behind, AROUND);
	size_t b_end = forth(&b, b.n - behind, AROUND);

	if (before == a.n && before == b.n)
		return 0;
	buf_addf(out, "--- %s\n+++ %s\n@@", name, name);
	add_range(out, '-', count(&a, 0, from), count(&a, from, a_end));
	add_range(out, '+', count(&a, 0, from), count(&b, from, b_end));
	buf_add_text(out, " @@\n");
	add_lines(out, ' ', &a, from, before);
	if (add_changed(out, &a, &b, before, a.n - behind, b.n - behind) < 0)
		return -ENOMEM;
	add_lines(out, ' ', &a, a.n - behind, a_end);
	return out->failed ? -ENOMEM : 0;
}
