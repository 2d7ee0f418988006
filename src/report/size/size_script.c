/* SPDX-License-Identifier: MIT */
/* Reads #SBATCH lines as sbatch(1) does, and puts other amounts in their places. */
#include "report/size/size_script.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/utf8.h"

#define DIRECTIVE "#SBATCH"

enum wanted { WANT_MEMORY, WANT_CPUS, WANT_TIME, N_WANTED };

/* A part of the script that is replaced, or an insertion where `from` is `to`. */
struct change {
	size_t from, to;
	char text[80];
};

struct reading {
	const char *script;
	size_t n;
	const struct size_ask *ask;
	struct change
		changes[N_WANTED]; /* of the latest option of each, which is the one that counts */
	bool found[N_WANTED], doubled[N_WANTED];
	bool per_cpu; /* memory was asked for by the CPU */
	bool whole_node; /* --mem=0 */
	bool many_tasks, exclusive, heterogeneous;
	bool other_way; /* amounts by the GPU, or a least time */
	size_t behind; /* the last directive, or the first line */
	size_t first_line; /* where it ends */
	bool any;
	size_t late; /* directives behind the first command, which sbatch does not read */
	const char *end; /* of a line: "\n" or "\r\n" */
};

/* The options that are changed: what the value stands for, and how it is written. */
static const struct option {
	const char *name;
	char letter;
	enum wanted wanted;
} options[] = {
	{ "--mem", 0, WANT_MEMORY },
	{ "--mem-per-cpu", 0, WANT_MEMORY },
	{ "--cpus-per-task", 'c', WANT_CPUS },
	{ "--time", 't', WANT_TIME },
};

static void amount_of(const struct size_ask *ask, enum wanted wanted, char text[SIZE_SLURM_TEXT])
{
	text[0] = '\0';
	if (wanted == WANT_MEMORY && ask->memory_bytes > 0)
		size_slurm_memory(ask->memory_bytes, text);
	else if (wanted == WANT_CPUS && ask->cpus > 0)
		snprintf(text, SIZE_SLURM_TEXT, "%" PRIu64, ask->cpus);
	else if (wanted == WANT_TIME && ask->seconds > 0)
		size_slurm_time(ask->seconds, text);
}

/* A word of a directive: where it stands, and where the value in it begins ("" when that is the next word). */
struct word {
	const char *at;
	size_t n;
};

static struct word next_word(const char **cursor, const char *end)
{
	struct word word;
	char quote = 0;

	while (*cursor < end && isspace((unsigned char) **cursor))
		(*cursor)++;
	word.at = *cursor;
	for (; *cursor < end && (quote || !isspace((unsigned char) **cursor)); (*cursor)++) {
		if (quote && **cursor == quote)
			quote = 0;
		else if (!quote && (**cursor == '"' || **cursor == '\''))
			quote = **cursor;
	}
	word.n = (size_t) (*cursor - word.at);
	return word;
}

static bool is(struct word word, const char *text)
{
	return word.n == strlen(text) && memcmp(word.at, text, word.n) == 0;
}

static bool begins(struct word word, const char *text)
{
	return word.n >= strlen(text) && memcmp(word.at, text, strlen(text)) == 0;
}

/* The option that the word is, and where its value begins within it; `n` of the word: the value is the next word. NULL: none of those that are changed. */
static const struct option *option_of(struct word word, size_t *ret_value)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		const struct option *o = &options[i];
		size_t n = strlen(o->name);

		*ret_value = word.n;
		if (is(word, o->name))
			return o;
		if (begins(word, o->name) && word.at[n] == '=') {
			*ret_value = n + 1;
			return o;
		}
		if (o->letter && word.n >= 2 && word.at[0] == '-' && word.at[1] == o->letter) {
			*ret_value = word.n > 2 ? 2 : word.n;
			return o;
		}
	}
	return NULL;
}

/* Puts the amount in the place of the value; of memory by the CPU, the whole option is replaced. */
static void note_option(
	struct reading *r, const struct option *o, struct word word, struct word value)
{
	char amount[SIZE_SLURM_TEXT];
	struct change *c = &r->changes[o->wanted];
	bool per_cpu = strcmp(o->name, "--mem-per-cpu") == 0;

	amount_of(r->ask, o->wanted, amount);
	r->doubled[o->wanted] = r->doubled[o->wanted] || r->found[o->wanted];
	r->found[o->wanted] = true;
	if (o->wanted == WANT_MEMORY) {
		r->per_cpu = per_cpu;
		r->whole_node = !per_cpu && (is(value, "0") || is(value, "\"0\""));
	}
	c->from = (size_t) ((per_cpu ? word.at : value.at) - r->script);
	c->to = (size_t) (value.at + value.n - r->script);
	snprintf(c->text, sizeof(c->text), "%s%s", per_cpu ? "--mem=" : "", amount);
}

/* What is not changed and yet decides what the amounts mean. */
static void note_other(struct reading *r, struct word word, struct word next)
{
	struct word value = next;

	if (begins(word, "--ntasks=") || begins(word, "--ntasks-per-node=") ||
		begins(word, "--nodes="))
		value = (struct word){ strchr(word.at, '=') + 1,
			(size_t) (word.at + word.n - strchr(word.at, '=') - 1) };
	else if ((begins(word, "-n") || begins(word, "-N")) && word.n > 2)
		value = (struct word){ word.at + 2, word.n - 2 };
	else if (!is(word, "-n") && !is(word, "-N") && !is(word, "--ntasks") &&
		 !is(word, "--ntasks-per-node") && !is(word, "--nodes"))
		value.n = 0;
	r->many_tasks = r->many_tasks || (value.n > 0 && !is(value, "1"));
	r->exclusive = r->exclusive || begins(word, "--exclusive");
	r->other_way = r->other_way || begins(word, "--mem-per-gpu") ||
		       begins(word, "--cpus-per-gpu") || begins(word, "--time-min");
	r->heterogeneous = r->heterogeneous || is(word, "hetjob") || is(word, "packjob");
}

static void read_directive(struct reading *r, const char *line, size_t n)
{
	const char *cursor = line + strlen(DIRECTIVE);
	const char *end = line + n;
	struct word word;

	while ((word = next_word(&cursor, end)).n > 0 && word.at[0] != '#') {
		const char *ahead = cursor;
		struct word next = next_word(&ahead, end);
		size_t value;
		const struct option *o = option_of(word, &value);

		if (!o) {
			note_other(r, word, next);
		} else if (value < word.n) {
			note_option(r, o, word, (struct word){ word.at + value, word.n - value });
		} else if (next.n > 0) {
			note_option(r, o, word, next);
			cursor = ahead;
		}
	}
}

static bool is_directive(const char *line, size_t n)
{
	size_t length = strlen(DIRECTIVE);

	return n > length && memcmp(line, DIRECTIVE, length) == 0 &&
	       isspace((unsigned char) line[length]);
}

/* Only blank lines and comments: sbatch(1) reads no directive behind the first command. */
static bool is_comment(const char *line, size_t n)
{
	size_t i = 0;

	while (i < n && isspace((unsigned char) line[i]))
		i++;
	return i == n || line[i] == '#';
}

static void read_lines(struct reading *r)
{
	bool in_commands = false;
	const char *newline;

	for (size_t at = 0; at < r->n; at = newline ? (size_t) (newline - r->script) + 1 : r->n) {
		const char *line = r->script + at;
		size_t n;

		newline = memchr(line, '\n', r->n - at);
		n = newline ? (size_t) (newline - line) : r->n - at;
		if (n > 0 && line[n - 1] == '\r' && at == 0)
			r->end = "\r\n";
		if (at == 0)
			r->first_line = r->behind = newline ? n + 1 : n;
		in_commands = in_commands || !is_comment(line, n);
		if (!is_directive(line, n))
			continue;
		if (in_commands) {
			r->late++;
			continue;
		}
		read_directive(r, line, n);
		r->any = true;
		r->behind = newline ? at + n + 1 : at + n;
	}
}

static int judge(const struct reading *r, struct error *err)
{
	static const char *const names[] = { "memory", "CPUs", "time" };

	if (r->n < 2 || memcmp(r->script, "#!", 2) != 0)
		return error_say(err, -EINVAL,
			"no batch script: its first line is no #!INTERPRETER, which sbatch needs");
	if (memchr(r->script, '\0', r->n))
		return error_say(err, -EINVAL, "no batch script: it has bytes of 0 in it");
	if (r->heterogeneous)
		return error_say(err, -EINVAL,
			"a heterogeneous job has several requests, and it is not known which is "
			"meant");
	if (r->many_tasks)
		return error_say(err, -EINVAL,
			"it has several tasks or nodes, and the request is for all of the job: "
			"divide it by hand");
	if (r->other_way)
		return error_say(err, -EINVAL,
			"it asks by the GPU (--mem-per-gpu, --cpus-per-gpu) or for a least time "
			"(--time-min): change it by hand");
	for (int i = 0; i < N_WANTED; i++)
		if (r->doubled[i])
			return error_say(err, -EINVAL,
				"%s: asked for twice in #SBATCH lines; leave one", names[i]);
	return 0;
}

static void add_notes(const struct reading *r, struct buf *notes)
{
	if (r->per_cpu && r->ask->memory_bytes > 0)
		buf_add_text(notes,
			"--mem-per-cpu gives way to --mem: the request is for the whole job\n");
	if (r->whole_node && r->ask->memory_bytes > 0)
		buf_add_text(notes, "--mem=0 asked for all memory of the node\n");
	if (r->exclusive)
		buf_add_text(
			notes, "with --exclusive the whole node is taken, whatever is asked for\n");
	if (r->late > 0)
		buf_addf(notes,
			"%zu #SBATCH line%s behind the first command, where sbatch reads none: "
			"left alone\n",
			r->late, r->late == 1 ? "" : "s");
}

static int by_place(const void *a, const void *b)
{
	const struct change *x = a;
	const struct change *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

static void add_missing(const struct reading *r, struct buf *out)
{
	static const char *const names[] = { "--mem=", "--cpus-per-task=", "--time=" };

	for (int i = 0; i < N_WANTED; i++) {
		char amount[SIZE_SLURM_TEXT];

		amount_of(r->ask, (enum wanted) i, amount);
		if (!r->found[i] && amount[0])
			buf_addf(out, DIRECTIVE " %s%s%s", names[i], amount, r->end);
	}
}

/* Copies up to a place, with the missing lines where they belong on the way. */
static void copy_to(const struct reading *r, size_t *at, size_t to, struct buf *out)
{
	if (*at <= r->behind && r->behind <= to) {
		buf_add(out, r->script + *at, r->behind - *at);
		if (r->behind > 0 && r->script[r->behind - 1] != '\n')
			buf_add_text(out, r->end);
		add_missing(r, out);
		*at = r->behind;
	}
	buf_add(out, r->script + *at, to - *at);
	*at = to;
}

static void write_changed(const struct reading *r, struct buf *out)
{
	struct change changes[N_WANTED] = { 0 };
	size_t n = 0;
	size_t at = 0;

	for (int i = 0; i < N_WANTED; i++) {
		char amount[SIZE_SLURM_TEXT];

		amount_of(r->ask, (enum wanted) i, amount);
		if (r->found[i] && amount[0])
			changes[n++] = r->changes[i];
	}
	qsort(changes, n, sizeof(*changes), by_place);
	for (size_t i = 0; i < n; i++) {
		copy_to(r, &at, changes[i].from, out);
		buf_add_text(out, changes[i].text);
		at = changes[i].to;
	}
	copy_to(r, &at, r->n, out);
}

int size_script_change(const char *script, size_t n, const struct size_ask *ask, struct buf *out,
	struct buf *notes, struct error *err)
{
	struct reading r = { .script = script, .n = n, .ask = ask, .end = "\n" };
	int result;

	read_lines(&r);
	result = judge(&r, err);
	if (result < 0)
		return result;
	add_notes(&r, notes);
	write_changed(&r, out);
	return out->failed || notes->failed ? error_say(err, -ENOMEM, "there is not enough memory")
					    : 0;
}
