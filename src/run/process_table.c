/* SPDX-License-Identifier: MIT */
/* Adds up what windows say of processes. */
#include "run/process_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/utf8.h"
#include "model/value.h"
#include "run/info_value.h"

#define PROCESSES_MAX 50000
#define KEPT_OF_EACH 5000 /* of the ended ones, by each order, when there are too many */
#define LIVING_MAX                                                                                 \
	500000 /* from then on those that did least go whether they ended or not: nobody has had so many at once */
#define COMMAND_BYTES 512

/* The rows of our own records, then those of other tools'. */
static const struct key {
	const char *name;
	enum process_number number;
	bool is_counter;
} process_keys[PROCESS_KEYS] = {
	{ "proc_cpu_seconds", NUMBER_CPU, true },
	{ "proc_cpu_percent", NUMBER_CPU_PERCENT, false },
	{ "proc_hwm_bytes", NUMBER_RSS, false },
	{ "proc_rss_bytes", NUMBER_RSS, false },
	{ "ps_rss_bytes", NUMBER_RSS, false },
	{ "proc_pss_bytes", NUMBER_PSS, false },
	{ "proc_io_read_bytes", NUMBER_READ, true },
	{ "proc_io_write_bytes", NUMBER_WRITE, true },
};

static double *number_of(struct process_sum *p, enum process_number number)
{
	double *const numbers[N_PROCESS_NUMBER] = { [NUMBER_CPU] = &p->cpu_seconds,
		[NUMBER_CPU_PERCENT] = &p->cpu_percent,
		[NUMBER_RSS] = &p->rss_bytes,
		[NUMBER_PSS] = &p->pss_bytes,
		[NUMBER_READ] = &p->read_bytes,
		[NUMBER_WRITE] = &p->write_bytes };

	return numbers[number];
}

/* What was read at samples a process has used at least: it went on after the last of them, and may have had more between them. */
static unsigned char quality_of(const json_t *of)
{
	enum quality quality = quality_of_name(info_text(of, "quality", NULL));

	return quality == SAMPLED ? LOWER_BOUND : (unsigned char) quality;
}

unsigned char process_quality_of_both(unsigned char a, unsigned char b)
{
	if (a == ABSENT || b == ABSENT || a == b)
		return a == ABSENT ? b : a;
	if (a == EXACT || b == EXACT)
		return a == EXACT ? b : a;
	return ESTIMATE;
}

void process_table_begin(struct process_table *t, const json_t *measurements)
{
	for (size_t i = 0; i < json_array_size(measurements); i++) {
		const json_t *row = json_array_get(measurements, i);
		const char *key = info_text(row, "key", NULL);

		for (size_t k = 0; key && k < PROCESS_KEYS; k++)
			if (strcmp(key, process_keys[k].name) == 0)
				t->row_qualities[k] = quality_of(row);
	}
}

/* NAN: there is none. */
static double read_number(const json_t *value, const struct key *key)
{
	bool is_memory = key->number == NUMBER_RSS || key->number == NUMBER_PSS;
	double number = info_number(value, key->is_counter ? "delta" : "max", NULL);

	if (isnan(number) && !key->is_counter)
		number = info_number(value, "last", NULL);
	/* One that was caught while it exits has given its memory back already. */
	return is_memory && !(number > 0) ? (double) NAN : number;
}

static void take_numbers(
	const struct process_table *t, struct process_sum *p, const json_t *process)
{
	const json_t *values = json_object_get(process, "values");

	for (size_t k = 0; k < PROCESS_KEYS; k++) {
		const struct key *key = &process_keys[k];
		const json_t *value = json_object_get(values, key->name);
		double *sum = number_of(p, key->number);
		double number = read_number(value, key);
		unsigned char quality = quality_of(value);

		if (isnan(number))
			continue;
		if (isnan(*sum) || (!key->is_counter && number > *sum))
			*sum = number;
		else if (key->is_counter)
			*sum += number;
		p->qualities[key->number] = process_quality_of_both(p->qualities[key->number],
			quality == ABSENT ? t->row_qualities[k] : quality);
	}
}

static double or_none(double number)
{
	return isnan(number) ? -1 : number;
}

double process_weight(const struct process_sum *p, enum process_order order)
{
	double read = isnan(p->read_bytes) ? 0 : p->read_bytes;

	switch (order) {
	case BY_CPU:
		return isnan(p->cpu_seconds) ? or_none(p->cpu_percent) : p->cpu_seconds;
	case BY_MEMORY:
		return isnan(p->rss_bytes) ? or_none(p->pss_bytes) : p->rss_bytes;
	case BY_IO:
		return isnan(p->write_bytes) ? or_none(p->read_bytes) : read + p->write_bytes;
	case BY_START:
	case N_PROCESS_ORDER:
		break;
	}
	return -p->first_seconds;
}

static int compare(
	const struct process_sum *a, const struct process_sum *b, enum process_order order)
{
	double x = process_weight(a, order);
	double y = process_weight(b, order);

	if (x < y || x > y)
		return x < y ? 1 : -1;
	if (a->start_ticks != b->start_ticks)
		return a->start_ticks < b->start_ticks ? -1 : 1;
	return (a->pid > b->pid) - (a->pid < b->pid);
}

static int by_cpu(const void *a, const void *b)
{
	return compare(a, b, BY_CPU);
}

static int by_memory(const void *a, const void *b)
{
	return compare(a, b, BY_MEMORY);
}

static int by_io(const void *a, const void *b)
{
	return compare(a, b, BY_IO);
}

static int by_start(const void *a, const void *b)
{
	return compare(a, b, BY_START);
}

void process_table_sort(struct process_table *t, enum process_order order)
{
	static int (*const orders[N_PROCESS_ORDER])(const void *, const void *) = {
		[BY_CPU] = by_cpu, [BY_MEMORY] = by_memory, [BY_IO] = by_io, [BY_START] = by_start
	};

	if (t->n > 1)
		qsort(t->list, t->n, sizeof(*t->list), orders[order]);
	intmap_clear(&t->newest);
}

static void sum_done(struct process_sum *p)
{
	free(p->name);
	free(p->command);
}

/* Takes what `keep` says to the front, lets the others go, and finds the newest of each pid again. */
static void compact(struct process_table *t, const bool *keep)
{
	size_t kept = 0;

	intmap_clear(&t->newest);
	for (size_t i = 0; i < t->n; i++) {
		if (!keep[i]) {
			sum_done(&t->list[i]);
			t->let_go++;
			continue;
		}
		t->list[kept] = t->list[i];
		if (!t->list[kept].ended &&
			intmap_set(&t->newest, (int) t->list[kept].pid, (uint32_t) kept) < 0)
			t->failed = true;
		kept++;
	}
	t->n = kept;
}

/* What is below the 5000th of each order, and ended, goes; of far too many the living as well. */
static void make_room(struct process_table *t)
{
	bool *keep = NULL;

	process_table_sort(t, BY_MEMORY);
	double memory = process_weight(&t->list[KEPT_OF_EACH], BY_MEMORY);
	process_table_sort(t, BY_IO);
	double io = process_weight(&t->list[KEPT_OF_EACH], BY_IO);
	process_table_sort(t, BY_CPU);
	double cpu = process_weight(&t->list[KEPT_OF_EACH], BY_CPU);

	keep = calloc(t->n, sizeof(*keep));
	if (!keep) {
		t->failed = true;
		return;
	}
	for (size_t i = 0; i < t->n; i++)
		keep[i] = (!t->list[i].ended && t->n < LIVING_MAX) ||
			  process_weight(&t->list[i], BY_CPU) > cpu ||
			  process_weight(&t->list[i], BY_MEMORY) > memory ||
			  process_weight(&t->list[i], BY_IO) > io;
	compact(t, keep);
	free(keep);
}

static bool grow(struct process_table *t)
{
	/* More than that can be alive: then only every so many are looked at. */
	if (t->n >= PROCESSES_MAX && t->n >= t->next_look) {
		make_room(t);
		t->next_look = t->n + PROCESSES_MAX / 4;
	}
	if (t->n < t->room)
		return true;
	size_t room = t->room ? 2 * t->room : 64;
	struct process_sum *list = realloc(t->list, room * sizeof(*list));
	if (!list) {
		t->failed = true;
		return false;
	}
	t->list = list;
	t->room = room;
	return true;
}

static uint64_t start_of(const json_t *process)
{
	return (uint64_t) json_integer_value(json_object_get(process, "start_time_ticks"));
}

/* The one that the line is of, or a new one; NULL without memory. */
static struct process_sum *find(struct process_table *t, const json_t *process, int64_t pid)
{
	uint32_t *known = intmap_get(&t->newest, (int) pid);
	uint64_t start = start_of(process);

	if (known) {
		struct process_sum *p = &t->list[*known];

		/* Other tools tell no start: there a pid that ended is another's from then on. */
		if (p->start_ticks == start && (start > 0 || !p->ended))
			return p;
	}
	if (!grow(t))
		return NULL;
	t->list[t->n] = (struct process_sum){ .pid = pid,
		.start_ticks = start,
		.cpu_seconds = (double) NAN,
		.cpu_percent = (double) NAN,
		.rss_bytes = (double) NAN,
		.pss_bytes = (double) NAN,
		.read_bytes = (double) NAN,
		.write_bytes = (double) NAN,
		.first_seconds = (double) NAN };
	if (intmap_set(&t->newest, (int) pid, (uint32_t) t->n) < 0) {
		t->failed = true;
		return NULL;
	}
	return &t->list[t->n++];
}

void process_add_command(const json_t *process, size_t bytes, struct buf *out)
{
	const json_t *command = json_object_get(process, "command");
	size_t from = out->len;
	bool whole = !json_is_true(json_object_get(process, "command_cut"));

	/* One word alone is a title that the process gave itself, or a line of ps(1): no shell would read it as it stands, so it is not quoted, and a backslash in
	 * it is one. */
	if (json_array_size(command) == 1)
		command = json_array_get(command, 0);
	if (json_is_string(command)) {
		const char *text = json_string_value(command);

		text_add_quoted_printable(out, text, strnlen(text, bytes));
		whole = whole && strlen(text) <= bytes;
	}
	for (size_t i = 0; i < json_array_size(command); i++) {
		const char *word = json_string_value(json_array_get(command, i));

		if (out->len - from >= bytes) {
			whole = false;
			break;
		}

		if (!word)
			continue;
		if (out->len > from)
			buf_add_char(out, ' ');
		text_add_shell_word(out, word, strnlen(word, bytes));
		whole = whole && strlen(word) <= bytes;
	}
	if (!whole && out->len > from)
		buf_add_text(out, "...");
}

static void take_texts(struct process_table *t, struct process_sum *p, const json_t *process)
{
	const char *name = json_string_value(json_object_get(process, "name"));
	struct buf command = { 0 };

	if (name && (!p->name || strcmp(p->name, name) != 0)) {
		free(p->name);
		p->name = strdup(name);
		t->failed = t->failed || !p->name;
	}
	process_add_command(process, COMMAND_BYTES, &command);
	if (command.len == 0 || command.failed) {
		t->failed = t->failed || command.failed;
		buf_done(&command);
		return;
	}
	free(p->command);
	p->command = command.data;
}

static void add_one(struct process_table *t, const json_t *process, double start, double end)
{
	const json_t *pid = json_object_get(process, "pid");

	if (!json_is_integer(pid) || json_integer_value(pid) < 1 ||
		json_integer_value(pid) > INT32_MAX)
		return;
	struct process_sum *p = find(t, process, json_integer_value(pid));
	if (!p)
		return;
	take_texts(t, p, process);
	take_numbers(t, p, process);
	if (isnan(p->first_seconds)) {
		double since = info_number(process, "since_seconds", NULL);

		p->first_seconds = since >= 0 ? since : start;
	}
	p->last_seconds = end;
	p->born = p->born || json_is_true(json_object_get(process, "born"));
	p->ended = p->ended || json_is_true(json_object_get(process, "ended"));
	p->left = p->left || json_is_true(json_object_get(process, "left"));
}

void process_table_add(struct process_table *t, const json_t *window, double start, double end)
{
	const json_t *processes = json_object_get(window, "processes");

	for (size_t i = 0; i < json_array_size(processes) && !t->failed; i++)
		add_one(t, json_array_get(processes, i), start, end);
}

void process_table_done(struct process_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		sum_done(&t->list[i]);
	free(t->list);
	intmap_done(&t->newest);
	*t = (struct process_table){ 0 };
}
