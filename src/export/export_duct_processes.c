/* SPDX-License-Identifier: MIT */
/* Keeps what was last told of each process, until it ends. */
#include "export/export_duct_processes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/macros.h"
#include "record/json_walk.h"

#define KEY_SIZE 48

/* What is added to a process's own members. */
#define CPU "cpu"
#define AGE "age"
#define AT "at" /* when that was read */
#define WINDOW "window" /* the latest that told of it */

static const struct export_row *row_of(const struct export_run *run, const char *end)
{
	for (size_t i = 0; i < run->n_rows; i++) {
		const char *key = run->rows[i].key;
		size_t n = strlen(key);

		if (run->rows[i].scope == PROCESS && n > strlen(end) &&
			strcmp(key + n - strlen(end), end) == 0)
			return &run->rows[i];
	}
	return NULL;
}

int duct_processes_init(struct duct_processes *p, const struct export_run *run)
{
	*p = (struct duct_processes){ .known = json_object(), .latest = json_object() };
	p->cpu = export_row_find(run, "proc_cpu_seconds");
	if (!p->cpu)
		p->cpu = row_of(run, "_cpu_seconds");
	p->elapsed = row_of(run, "_elapsed_seconds");
	return p->known && p->latest ? 0 : -ENOMEM;
}

void duct_processes_done(struct duct_processes *p)
{
	json_decref(p->known);
	json_decref(p->latest);
}

static void key_of(const json_t *process, char key[KEY_SIZE])
{
	snprintf(key, KEY_SIZE, "%" JSON_INTEGER_FORMAT ".%" JSON_INTEGER_FORMAT,
		json_integer_value(json_object_get(process, "pid")),
		json_integer_value(json_object_get(process, "start_time_ticks")));
}

static void pid_of(const json_t *process, char key[KEY_SIZE])
{
	snprintf(key, KEY_SIZE, "%" JSON_INTEGER_FORMAT,
		json_integer_value(json_object_get(process, "pid")));
}

static const json_t *number_of(
	const json_t *process, const struct export_row *row, const char *statistic)
{
	const json_t *values = json_object_get(process, "values");
	const json_t *value = row ? json_object_get(values, row->key) : NULL;
	const json_t *number = json_object_get(value, statistic);

	return json_is_number(number) ? number : NULL;
}

/* CPU time so far: as it stands, else what it grew by added up. */
static int take_cpu(struct duct_processes *p, json_t *known, const json_t *told)
{
	const json_t *last = number_of(told, p->cpu, "last");
	const json_t *delta = number_of(told, p->cpu, "delta");
	double before = json_number_value(json_object_get(known, CPU));

	if (!last && !delta)
		return 0;
	return json_object_set_new(known, CPU,
		json_real(last ? json_number_value(last) : before + json_number_value(delta)));
}

static int take_age(struct duct_processes *p, json_t *known, const json_t *told)
{
	const json_t *age = number_of(told, p->elapsed, "last");

	if (!age)
		age = number_of(told, p->elapsed, "max");
	if (!age)
		return 0;
	if (json_object_set_new(known, AGE, json_real(json_number_value(age))) < 0)
		return -ENOMEM;
	return json_object_set_new(known, AT, json_real(p->end));
}

static int take_members(json_t *known, const json_t *told)
{
	/* A line leaves out what holds no longer, but tells the command once. */
	static const struct {
		const char *name;
		bool lasts;
	} members[] = { { "pid", true }, { "name", true }, { "command", true }, { "ended", false },
		{ "left", false }, { "born", false }, { "since_seconds", false },
		{ "states", false }, { "values", false } };

	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		json_t *member = json_object_get(told, members[i].name);
		bool empty = json_is_array(member) && json_array_size(member) == 0;

		if (member && !empty && json_object_set(known, members[i].name, member) < 0)
			return -ENOMEM;
		if (!member && !members[i].lasts)
			json_object_del(known, members[i].name);
	}
	return 0;
}

static int take_one(struct duct_processes *p, const json_t *told)
{
	char key[KEY_SIZE];
	char pid[KEY_SIZE];
	json_t *known;

	key_of(told, key);
	pid_of(told, pid);
	if (!json_object_get(p->known, key) &&
		json_object_set_new(p->known, key, json_object()) < 0)
		return -ENOMEM;
	known = json_object_get(p->known, key);
	if (take_members(known, told) < 0 || take_cpu(p, known, told) < 0 ||
		take_age(p, known, told) < 0 ||
		json_object_set_new(known, WINDOW, json_integer(p->window)) < 0 ||
		json_object_set(p->latest, pid, known) < 0)
		return -ENOMEM;
	return 0;
}

/* Of no line any more: nothing of the record says that they live. */
static void forget_all_but_told(struct duct_processes *p)
{
	const char *key;
	json_t *process;
	void *next;

	json_object_foreach_safe(p->known, next, key, process)
	{
		if (!duct_process_is_told(p, process))
			json_object_del(p->known, key);
	}
}

/* Those that the line did not find worth listing live, if they are as many as it counts. Lines of other tools list all, and count none. */
static void check_living(struct duct_processes *p, const json_t *window)
{
	const json_t *quiet = json_object_get(window, "quiet_processes");
	double living = (double) json_integer_value(quiet) +
			(double) json_integer_value(json_object_get(window, "omitted_processes"));
	double unlisted = (double) json_object_size(p->known) -
			  (double) json_array_size(json_object_get(window, "processes"));

	if (unlisted <= living)
		return;
	p->unsure += json_is_integer(quiet) && living > 0;
	forget_all_but_told(p);
}

int duct_processes_take(struct duct_processes *p, const json_t *window)
{
	json_t *process;
	size_t i;
	int r = 0;

	p->window++;
	p->end = export_seconds(window, "end_seconds");
	json_array_foreach(json_object_get(window, "processes"), i, process)
	{
		if (r == 0)
			r = take_one(p, process);
	}
	check_living(p, window);
	return r;
}

void duct_processes_pass(struct duct_processes *p)
{
	const char *key;
	json_t *process;
	void *next;

	json_object_foreach_safe(p->known, next, key, process)
	{
		char pid[KEY_SIZE];

		if (duct_process_lives(process))
			continue;
		pid_of(process, pid);
		if (json_object_get(p->latest, pid) == process)
			json_object_del(p->latest, pid);
		json_object_del(p->known, key);
	}
}

bool duct_process_is_listed(const struct duct_processes *p, const json_t *process)
{
	char pid[KEY_SIZE];

	pid_of(process, pid);
	return json_object_get(p->latest, pid) == process;
}

bool duct_process_lives(const json_t *process)
{
	return !json_is_true(json_object_get(process, "ended")) &&
	       !json_is_true(json_object_get(process, "left"));
}

bool duct_process_is_told(const struct duct_processes *p, const json_t *process)
{
	return json_integer_value(json_object_get(process, WINDOW)) == p->window;
}

bool duct_process_age(const struct duct_processes *p, const json_t *process, double *ret)
{
	const json_t *age = json_object_get(process, AGE);

	if (!age)
		return false;
	*ret = json_number_value(age);
	if (duct_process_lives(process))
		*ret += p->end - json_number_value(json_object_get(process, AT));
	return true;
}

bool duct_process_cpu(const struct duct_processes *p, const json_t *process, double *ret)
{
	const json_t *cpu = json_object_get(process, CPU);
	double age;

	/* What was told with it is of one moment. */
	if (!cpu || !duct_process_age(p, process, &age) || !(age > 0))
		return false;
	*ret = json_number_value(cpu) / age * 100;
	return true;
}
