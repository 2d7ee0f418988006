/* SPDX-License-Identifier: MIT */
/* Takes the options of a script's #SBATCH lines apart as getopt_long(3) does for sbatch(1), and puts other amounts in their places. */
#include "size/size_script.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/utf8.h"
#include "size/size_directives.h"
#include "size/size_script_body.h"

#define DIRECTIVE "#SBATCH"

enum wanted { WANT_MEMORY, WANT_CPUS, WANT_TIME, N_WANTED };

/* What an option means here: one of those that are changed, or one that decides what their amounts mean. */
enum meaning {
	MEANS_MEMORY = WANT_MEMORY,
	MEANS_CPUS = WANT_CPUS,
	MEANS_TIME = WANT_TIME,
	MEANS_MEMORY_PER_CPU,
	MEANS_TASKS, /* more than one of these multiplies the amounts */
	MEANS_OTHER_WAY, /* amounts by the GPU, or a least time */
	MEANS_BY_TASK, /* the same, if its value is of CPUs or memory; of GPUs it may make tasks */
	MEANS_GPUS_OF_TASK, /* as many tasks as these fit into the GPUs, unless their number is told */
	MEANS_EXCLUSIVE,
	MEANS_IGNORE_PBS,
	MEANS_NOTHING
};

/* A part of the script that is replaced. */
struct change {
	size_t from, to;
	char text[80];
};

struct reading {
	const char *script;
	size_t n;
	const struct size_ask *ask;
	struct size_directives directives;
	struct change changes[N_WANTED];
	bool found[N_WANTED], doubled[N_WANTED];
	bool per_cpu; /* memory was asked for by the CPU */
	bool whole_node; /* --mem=0 */
	bool tasks_told, gpus_of_task;
	bool many_tasks, exclusive, heterogeneous, other_way, ignore_pbs;
	size_t stray; /* a word that is no option, from 1 */
	size_t ambiguous; /* an option that is short for several; from 1 */
	size_t lacking; /* an option whose value is not there, or on another line; from 1 */
};

enum takes { TAKES_NONE, TAKES_ATTACHED, TAKES_VALUE };

/*
 * Options of which one has to know, and those that are like them: sbatch takes an abbreviation that fits but one. Of all others it is enough to know
 * whether the next word is their value: it is, unless it begins with "-", which is right for plugins' options with and without a value.
 */
static const struct option {
	const char *name;
	enum meaning meaning;
	enum takes takes;
	char letter;
} options[] = {
	{ "mem", MEANS_MEMORY, TAKES_VALUE, 0 },
	{ "mem-bind", MEANS_NOTHING, TAKES_VALUE, 0 },
	{ "mem-per-cpu", MEANS_MEMORY_PER_CPU, TAKES_VALUE, 0 },
	{ "mem-per-gpu", MEANS_OTHER_WAY, TAKES_VALUE, 0 },
	{ "cpus-per-task", MEANS_CPUS, TAKES_VALUE, 'c' },
	{ "cpus-per-gpu", MEANS_OTHER_WAY, TAKES_VALUE, 0 },
	{ "gpus-per-task", MEANS_GPUS_OF_TASK, TAKES_VALUE, 0 },
	{ "time", MEANS_TIME, TAKES_VALUE, 't' },
	{ "time-min", MEANS_OTHER_WAY, TAKES_VALUE, 0 },
	{ "tres-bind", MEANS_NOTHING, TAKES_VALUE, 0 },
	{ "tres-per-task", MEANS_BY_TASK, TAKES_VALUE, 0 },
	{ "ntasks", MEANS_TASKS, TAKES_VALUE, 'n' },
	{ "ntasks-per-core", MEANS_NOTHING, TAKES_VALUE, 0 },
	{ "ntasks-per-gpu", MEANS_TASKS, TAKES_VALUE, 0 },
	{ "ntasks-per-node", MEANS_TASKS, TAKES_VALUE, 0 },
	{ "ntasks-per-socket", MEANS_NOTHING, TAKES_VALUE, 0 },
	{ "ntasks-per-tres", MEANS_TASKS, TAKES_VALUE, 0 },
	{ "tasks-per-node", MEANS_TASKS, TAKES_VALUE, 0 },
	{ "nodes", MEANS_TASKS, TAKES_VALUE, 'N' },
	{ "nodefile", MEANS_NOTHING, TAKES_VALUE, 'F' },
	{ "nodelist", MEANS_NOTHING, TAKES_VALUE, 'w' },
	{ "exclude", MEANS_NOTHING, TAKES_VALUE, 'x' },
	{ "exclusive", MEANS_EXCLUSIVE, TAKES_ATTACHED, 0 },
	{ "ignore-pbs", MEANS_IGNORE_PBS, TAKES_NONE, 0 },
	{ "job-name", MEANS_NOTHING, TAKES_VALUE, 'J' },
	{ "output", MEANS_NOTHING, TAKES_VALUE, 'o' },
	{ "error", MEANS_NOTHING, TAKES_VALUE, 'e' },
	{ "comment", MEANS_NOTHING, TAKES_VALUE, 0 },
	{ "contiguous", MEANS_NOTHING, TAKES_NONE, 0 },
	{ "get-user-env", MEANS_NOTHING, TAKES_ATTACHED, 0 },
	{ "hold", MEANS_NOTHING, TAKES_NONE, 'H' },
	{ "help", MEANS_NOTHING, TAKES_NONE, 'h' },
	{ "nice", MEANS_NOTHING, TAKES_ATTACHED, 0 },
	{ "no-kill", MEANS_NOTHING, TAKES_ATTACHED, 'k' },
	{ "no-requeue", MEANS_NOTHING, TAKES_NONE, 0 },
	{ "overcommit", MEANS_NOTHING, TAKES_NONE, 'O' },
	{ "oversubscribe", MEANS_NOTHING, TAKES_NONE, 's' },
	{ "parsable", MEANS_NOTHING, TAKES_NONE, 0 },
	{ "quiet", MEANS_NOTHING, TAKES_NONE, 'Q' },
	{ "reboot", MEANS_NOTHING, TAKES_NONE, 0 },
	{ "requeue", MEANS_NOTHING, TAKES_ATTACHED, 0 },
	{ "spread-job", MEANS_NOTHING, TAKES_NONE, 0 },
	{ "test-only", MEANS_NOTHING, TAKES_NONE, 0 },
	{ "usage", MEANS_NOTHING, TAKES_NONE, 'u' },
	{ "use-min-nodes", MEANS_NOTHING, TAKES_NONE, 0 },
	{ "verbose", MEANS_NOTHING, TAKES_NONE, 'v' },
	{ "version", MEANS_NOTHING, TAKES_NONE, 'V' },
	{ "wait", MEANS_NOTHING, TAKES_NONE, 'W' },
};

static const struct option other_letter = { "", MEANS_NOTHING, TAKES_VALUE, 0 };

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

/* By its name of n bytes, or what it alone begins with; NULL: another, or more than one: then *ret_meant if one of them matters here. */
static const struct option *long_option(const char *name, size_t n, bool *ret_meant)
{
	const struct option *fits = NULL;
	size_t n_fits = 0;
	bool matters = false;

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		if (strncmp(options[i].name, name, n) != 0)
			continue;
		if (options[i].name[n] == '\0')
			return &options[i];
		fits = &options[i];
		matters = matters || fits->meaning != MEANS_NOTHING;
		n_fits++;
	}
	*ret_meant = n_fits > 1 && matters;
	return n_fits == 1 && fits->meaning != MEANS_NOTHING ? fits : NULL;
}

static const struct option *short_option(char letter)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].letter && options[i].letter == letter)
			return &options[i];
	return &other_letter;
}

/* An option with its value: in the word itself from `at` on, or all of the next word. */
struct given {
	size_t word;
	size_t value_word;
	size_t at;
	const char *value;
};

/* "0", "0G" */
static bool is_nothing(const char *value)
{
	size_t digits = strspn(value, "0");

	return digits > 0 && strspn(value + digits, "KMGTkmgt") == strlen(value + digits);
}

/* Puts the amount in the place of the value; of memory by the CPU, the whole option is replaced. */
static void change_value(struct reading *r, enum wanted wanted, bool per_cpu, struct given g)
{
	const struct size_script_word *first = &r->directives.words[g.word];
	const struct size_script_word *last = &r->directives.words[g.value_word];
	struct change *c = &r->changes[wanted];
	char amount[SIZE_SLURM_TEXT];
	char quote = 0;

	amount_of(r->ask, wanted, amount);
	r->doubled[wanted] = r->doubled[wanted] || r->found[wanted];
	r->found[wanted] = true;
	if (first->line != last->line)
		r->lacking = g.word + 1;
	c->from = per_cpu ? first->from : size_directives_place(r->script, last, g.at, &quote);
	c->to = last->to;
	snprintf(c->text, sizeof(c->text), "%s%s%.1s", per_cpu ? "--mem=" : "", amount,
		(const char[2]){ quote, '\0' });
}

static void take_option(struct reading *r, const struct option *o, struct given g)
{
	switch (o->meaning) {
	case MEANS_MEMORY:
	case MEANS_MEMORY_PER_CPU:
		r->per_cpu = o->meaning == MEANS_MEMORY_PER_CPU;
		r->whole_node = !r->per_cpu && is_nothing(g.value);
		change_value(r, WANT_MEMORY, r->per_cpu, g);
		break;
	case MEANS_CPUS:
	case MEANS_TIME:
		change_value(r, (enum wanted) o->meaning, false, g);
		break;
	case MEANS_TASKS:
		r->tasks_told = r->tasks_told || strcmp(o->name, "ntasks") == 0;
		r->many_tasks =
			r->many_tasks || (strcmp(g.value, "1") != 0 && strcmp(g.value, "1-1") != 0);
		break;
	case MEANS_BY_TASK:
		r->other_way = r->other_way || strstr(g.value, "cpu") || strstr(g.value, "mem");
		r->gpus_of_task = r->gpus_of_task || strstr(g.value, "gpu");
		break;
	case MEANS_GPUS_OF_TASK:
		r->gpus_of_task = true;
		break;
	case MEANS_OTHER_WAY:
		r->other_way = true;
		break;
	case MEANS_EXCLUSIVE:
		r->exclusive = r->exclusive || !g.value[0];
		break;
	case MEANS_IGNORE_PBS:
		r->ignore_pbs = true;
		break;
	default:
		break;
	}
}

/* The option of one word, whose value begins `at` within it unless it is the next word. Returns the word to go on with. */
static size_t take_valued(struct reading *r, const struct option *o, size_t word, size_t at)
{
	const char *text = size_directives_text(&r->directives, word);
	struct given g = { word, word, at, at ? text + at : "" };

	if (o->takes == TAKES_VALUE && !at) {
		if (word + 1 == r->directives.n) {
			r->lacking = word + 1;
			return word + 1;
		}
		g.value_word = word + 1;
		g.value = size_directives_text(&r->directives, word + 1);
	}
	if (o->takes == TAKES_VALUE && !g.value[0])
		r->lacking = word + 1;
	take_option(r, o, g);
	return g.value_word + 1;
}

static size_t take_long(struct reading *r, size_t word)
{
	const char *text = size_directives_text(&r->directives, word);
	size_t n = strcspn(text, "=");
	bool meant = false;
	const struct option *o = long_option(text + 2, n - 2, &meant);

	if (meant)
		r->ambiguous = word + 1;
	if (o)
		return take_valued(r, o, word, text[n] ? n + 1 : 0);
	if (!text[n] && word + 1 < r->directives.n &&
		size_directives_text(&r->directives, word + 1)[0] != '-')
		word++;
	return word + 1;
}

/* "-c8", "-c 8", "-Hc8" */
static size_t take_short(struct reading *r, size_t word)
{
	const char *text = size_directives_text(&r->directives, word);

	for (size_t i = 1; text[i]; i++) {
		const struct option *o = short_option(text[i]);

		if (o->takes == TAKES_VALUE)
			return take_valued(r, o, word, text[i + 1] ? i + 1 : 0);
		if (o->takes == TAKES_ATTACHED)
			break;
	}
	return word + 1;
}

static void take_words(struct reading *r)
{
	for (size_t i = 0; i < r->directives.n; i++) {
		const char *text = size_directives_text(&r->directives, i);

		r->heterogeneous = r->heterogeneous || strcasecmp(text, "hetjob") == 0 ||
				   strcasecmp(text, "packjob") == 0;
	}
	for (size_t i = 0; i < r->directives.n && !r->stray;) {
		const char *text = size_directives_text(&r->directives, i);

		if (text[0] != '-' || !text[1] || strcmp(text, "--") == 0)
			r->stray = i + 1;
		else
			i = text[1] == '-' ? take_long(r, i) : take_short(r, i);
	}
}

static int refuse_word(const struct reading *r, size_t word, const char *about, struct error *err)
{
	const char *text = size_directives_text(&r->directives, word - 1);
	struct buf shown = { 0 };

	text_add_printable(&shown, text, strnlen(text, 60));
	error_say(err, -EINVAL, "line %zu: %s: %s", r->directives.words[word - 1].line,
		shown.data && !shown.failed ? shown.data : "a word", about);
	buf_done(&shown);
	return -EINVAL;
}

static int judge_file(const char *script, size_t n, struct error *err)
{
	if (n >= 3 && memcmp(script, "\xef\xbb\xbf", 3) == 0)
		return error_say(err, -EINVAL,
			"no batch script: its first bytes are a byte order mark, and not #!, which "
			"sbatch needs");
	if (n < 2 || memcmp(script, "#!", 2) != 0)
		return error_say(err, -EINVAL,
			"no batch script: its first line is no #!INTERPRETER, which sbatch needs");
	/* One that ends with CR has no LF there yet. */
	if (memmem(script, n, "\r\n", 2) || script[n - 1] == '\r')
		return error_say(err, -EINVAL,
			"lines of it end with CR LF, which sbatch refuses: make them end with LF "
			"(dos2unix)");
	if (memchr(script, '\0', n))
		return error_say(err, -EINVAL, "no batch script: it has bytes of 0 in it");
	return 0;
}

static int judge_lines(const struct reading *r, struct error *err)
{
	if (r->directives.unmatched)
		return error_say(err, -EINVAL,
			"line %zu: a quote is not closed, which sbatch refuses",
			r->directives.unmatched);
	if (r->directives.escaped_blank)
		return error_say(err, -EINVAL,
			"line %zu: a backslash before a blank, which ends the word for sbatch "
			"before 24.05 and not after: put it in quotes",
			r->directives.escaped_blank);
	if (r->directives.other && !r->directives.any)
		return error_say(
			err, -EINVAL, "a script for PBS or LSF: only #SBATCH lines are changed");
	if (r->directives.other && !r->ignore_pbs)
		return error_say(err, -EINVAL,
			"it has lines of #PBS or #BSUB, which sbatch reads as well: remove them, "
			"or "
			"add #SBATCH --ignore-pbs");
	return 0;
}

static int judge(const struct reading *r, struct error *err)
{
	static const char *const names[] = { "memory", "CPUs", "time" };
	int result = judge_lines(r, err);

	if (result < 0)
		return result;
	if (r->heterogeneous)
		return error_say(err, -EINVAL,
			"a heterogeneous job has several requests, and it is not known which is "
			"meant");
	if (r->stray)
		return refuse_word(r, r->stray, "no option, which sbatch refuses", err);
	if (r->lacking)
		return refuse_word(r, r->lacking, "its value is not on the same line", err);
	if (r->ambiguous)
		return refuse_word(
			r, r->ambiguous, "short for several options, which sbatch refuses", err);
	if (r->gpus_of_task && !r->tasks_told)
		return error_say(err, -EINVAL,
			"GPUs for each task make as many tasks as there are GPUs for: with one "
			"task, add #SBATCH --ntasks=1");
	if (r->many_tasks)
		return error_say(err, -EINVAL,
			"it has several tasks or nodes, and the request is for all of the job: "
			"divide it by hand");
	if (r->other_way)
		return error_say(err, -EINVAL,
			"it asks by the GPU or the task (--mem-per-gpu, --cpus-per-gpu, "
			"--tres-per-task) or for a least time (--time-min): change it by hand");
	for (int i = 0; i < N_WANTED; i++)
		if (r->doubled[i])
			return error_say(err, -EINVAL,
				"%s: asked for twice in #SBATCH lines; leave one", names[i]);
	return 0;
}

static void add_notes(const struct reading *r, struct buf *notes)
{
	size_t late = r->directives.late;

	if (r->per_cpu && r->ask->memory_bytes > 0)
		buf_add_text(notes,
			"--mem-per-cpu gives way to --mem: the request is for the whole job\n");
	if (r->whole_node && r->ask->memory_bytes > 0)
		buf_add_text(notes, "--mem=0 asked for all memory of the node\n");
	if (r->exclusive)
		buf_add_text(notes,
			"with --exclusive all CPUs of the node are taken, whatever is asked for; "
			"memory is not\n");
	if (late > 0)
		buf_addf(notes,
			"%zu #SBATCH line%s behind the first command, where sbatch reads none: "
			"left alone\n",
			late, late == 1 ? "" : "s");
	size_script_own_numbers(r->script, r->n, notes);
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
			buf_addf(out, DIRECTIVE " %s%s\n", names[i], amount);
	}
}

/* Copies up to a place, with the missing lines where they belong on the way. */
static void copy_to(const struct reading *r, size_t *at, size_t to, struct buf *out)
{
	if (*at <= r->directives.behind && r->directives.behind <= to) {
		buf_add(out, r->script + *at, r->directives.behind - *at);
		if (r->directives.behind > 0 && r->script[r->directives.behind - 1] != '\n')
			buf_add_char(out, '\n');
		add_missing(r, out);
		*at = r->directives.behind;
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

static int change_script(struct reading *r, struct buf *out, struct buf *notes, struct error *err)
{
	int result = size_directives_read(r->script, r->n, &r->directives);

	if (result == 0) {
		take_words(r);
		result = judge(r, err);
	}
	if (result == 0) {
		add_notes(r, notes);
		write_changed(r, out);
		result = out->failed || notes->failed ? -ENOMEM : 0;
	}
	return result == -ENOMEM ? error_say(err, -ENOMEM, "there is not enough memory") : result;
}

int size_script_change(const char *script, size_t n, const struct size_ask *ask, struct buf *out,
	struct buf *notes, struct error *err)
{
	struct reading r = { .script = script, .n = n, .ask = ask };
	int result = judge_file(script, n, err);

	if (result == 0)
		result = change_script(&r, out, notes, err);
	size_directives_done(&r.directives);
	return result;
}
