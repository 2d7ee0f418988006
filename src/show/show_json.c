/* SPDX-License-Identifier: MIT */
/* A run and what follows from it, as JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "model/value.h"
#include "run/info_value.h"
#include "show/show.h"

/* A member that was measured; nothing otherwise. */
static void set_number(json_t *of, const char *name, double number)
{
	if (isfinite(number))
		json_object_set_new(of, name, json_real(number));
}

static void set_bytes(json_t *of, const char *name, double number)
{
	if (number >= 0 && number < 9e18)
		json_object_set_new(of, name, json_integer((json_int_t) number));
}

static json_t *verdicts(const struct story *s)
{
	struct verdict_facts facts = story_facts(s);
	struct verdict found[N_VERDICT];
	size_t n = verdict_judge(&facts, found);
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_pack("{ss ss}", "tag", verdict_name(found[i].tag),
						    "figures", found[i].figures));
	return list;
}

static json_t *figures(const struct story *s)
{
	struct verdict_facts f = story_facts(s);
	json_t *of = json_object();

	set_number(of, "mean_cores", f.mean_cores);
	set_number(of, "peak_cores", f.peak_cores);
	set_number(of, "allowed_cores", f.allowed_cores);
	set_bytes(of, "memory_peak_bytes", f.memory_peak_bytes);
	set_bytes(of, "memory_allowed_bytes", f.memory_allowed_bytes);
	set_number(of, "memory_stall_ratio", f.memory_stall_share);
	set_number(of, "io_stall_ratio", f.io_stall_share);
	set_number(of, "disk_wait_processes", f.disk_wait_tasks);
	set_number(of, "throttled_ratio", f.throttled_share);
	set_bytes(of, "gpu_memory_bytes", f.gpu_memory_bytes);
	set_number(of, "gpu_idle_ratio", f.gpu_idle_share);
	return of;
}

static void add_warning(const char *sentence, void *context)
{
	json_t *text = json_string(sentence);

	/* A note of a record that another tool wrote may hold any bytes. */
	if (text)
		json_array_append_new(context, text);
}

/* How well each number that is there is known. */
static json_t *qualities(const struct process_sum *p)
{
	static const char *const names[N_PROCESS_NUMBER] = { [NUMBER_CPU] = "cpu_seconds",
		[NUMBER_CPU_PERCENT] = "peak_cpu_percent",
		[NUMBER_RSS] = "peak_rss_bytes",
		[NUMBER_PSS] = "peak_pss_bytes",
		[NUMBER_READ] = "io_read_bytes",
		[NUMBER_WRITE] = "io_write_bytes" };
	json_t *of = json_object();

	for (int n = 0; n < N_PROCESS_NUMBER; n++)
		if (p->qualities[n] != ABSENT)
			json_object_set_new(of, names[n],
				json_string(quality_name((enum quality) p->qualities[n])));
	return of;
}

static json_t *process(const struct process_sum *p)
{
	json_t *of = json_object();

	info_set_count(of, "pid", (uint64_t) p->pid);
	if (p->start_ticks > 0)
		info_set_count(of, "start_time_ticks", p->start_ticks);
	if (p->name)
		json_object_set_new(of, "name", json_string(p->name));
	if (p->command)
		json_object_set_new(of, "command", json_string(p->command));
	set_number(of, "cpu_seconds", p->cpu_seconds);
	set_number(of, "peak_cpu_percent", p->cpu_percent);
	set_bytes(of, "peak_rss_bytes", p->rss_bytes);
	set_bytes(of, "peak_pss_bytes", p->pss_bytes);
	set_bytes(of, "io_read_bytes", p->read_bytes);
	set_bytes(of, "io_write_bytes", p->write_bytes);
	json_object_set_new(of, "qualities", qualities(p));
	set_number(of, "first_seconds", p->first_seconds);
	set_number(of, "last_seconds", p->last_seconds);
	if (p->born)
		json_object_set_new(of, "born", json_true());
	if (p->ended)
		json_object_set_new(of, "ended", json_true());
	if (p->left)
		json_object_set_new(of, "left", json_true());
	return of;
}

static json_t *processes(struct story *s)
{
	const struct process_sum *picked[3 * SHOW_TOP];
	size_t n = show_pick_processes(&s->processes, picked, ARRAY_SIZE(picked));
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, process(picked[i]));
	return list;
}

static json_t *series(const struct story *s)
{
	json_t *of = json_object();

	if (s->run->series)
		info_set_text(of, "file", s->run->series);
	info_set_count(of, "windows", s->survey.windows);
	info_set_count(of, "damaged", s->survey.damaged);
	if (s->survey.damaged > 0)
		info_set_count(of, "first_damaged", s->survey.first_damaged);
	info_set_count(of, "missing", s->survey.missing);
	json_object_set_new(of, "torn", json_boolean(s->survey.torn));
	info_set_count(of, "gaps", s->gaps);
	if (s->gaps > 0)
		set_number(of, "gap_seconds", s->gap_seconds);
	info_set_count(of, "missed_ticks", s->missed_ticks);
	return of;
}

json_t *show_json(struct story *s)
{
	json_t *of = json_object();
	json_t *warnings = json_array();

	info_set_text(of, "schema", "assay-show");
	info_set_text(of, "version", "1.0");
	json_object_set_new(of, "state", json_string(stored_state_name(s->run->state)));
	if (s->run->why[0])
		json_object_set_new(of, "why", json_string(s->run->why));
	json_object_set_new(of, "format", json_string(s->run->format));
	info_set_text(of, "file", s->run->file);
	json_object_set_new(of, "series", series(s));
	json_object_set_new(of, "verdicts", verdicts(s));
	json_object_set_new(of, "figures", figures(s));
	show_warnings(s, add_warning, warnings);
	json_object_set_new(of, "warnings", warnings);
	json_object_set_new(of, "top_processes", processes(s));
	json_object_set(of, "info", s->run->info);
	return of;
}
