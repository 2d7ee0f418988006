/* SPDX-License-Identifier: MIT */
/* The request as JSON: numbers in base units, what is not known is not there. schema/assay-size.schema.json describes it. */
#include <jansson.h>
#include <math.h>

#include "base/buf.h"
#include "model/value.h"
#include "record/json_dump.h"
#include "run/info_value.h"
#include "size/size_plan.h"

static void set_steps(json_t *of, const struct size_part *part)
{
	json_t *steps = json_array();

	if (part->n_requests == 0) {
		json_decref(steps);
		return;
	}
	for (size_t i = 0; i < part->n_requests; i++)
		json_array_append_new(steps, json_integer((json_int_t) part->requests[i]));
	json_object_set_new(of, "steps", steps);
	info_set_count(of, "tried", part->tried.n);
	if (part->tried.n == 0)
		return;
	info_set_number(of, "first_is_enough", part->tried.first);
	info_set_number(of, "first_is_enough_lower", part->tried.first_low);
	info_set_number(of, "first_is_enough_upper", part->tried.first_high);
	info_set_number(of, "held_on_average", part->tried.held);
	info_set_number(of, "held_on_average_once", part->tried.held_once);
}

static json_t *seen_json(const struct size_part *part)
{
	json_t *of = json_object();

	info_set_number(of, "min", part->seen.min);
	info_set_number(of, "median", part->seen.median);
	info_set_number(of, "max", part->seen.max);
	return of;
}

static json_t *part_json(const struct size_part *part, enum size_resource resource)
{
	static const char *const methods[] = { "none", "rank", "margin", "next_try" };
	static const char *const orders[] = { NULL, "no_start", "began_together" };
	const struct size_bound *b = &part->bound;
	json_t *of = json_object();

	if (part->request > 0)
		info_set_count(of, "request", part->request);
	else if (part->next_try > 0)
		info_set_count(of, "next_try", part->next_try);
	info_set_count(of, "runs", part->measured);
	info_set_count(of, "cut_off", part->cut_off);
	if (part->key[0]) {
		info_set_text(of, "key", part->key);
		info_set_text(of, "quality", quality_name((enum quality) part->quality));
	}
	if (part->measured > 0) {
		json_object_set_new(of, "seen", seen_json(part));
	}
	if (part->why_not[0])
		info_set_text(of, "why", part->why_not);
	if (part->unknown > 0) {
		info_set_count(of, "unknown", part->unknown);
		if (part->why_unknown[0])
			info_set_text(of, "why_unknown", part->why_unknown);
	}
	if (resource == SIZE_CPUS)
		return of;
	info_set_text(of, "method", methods[b->method]);
	info_set_number(of, "promise", b->promise);
	info_set_number(of, "confidence", b->confidence);
	info_set_number(of, "stands_on", b->stands_on);
	info_set_number(of, "margin", b->margin);
	info_set_count(of, "runs_needed", b->needed);
	info_set_number(of, "measured_part", part->measured_part);
	info_set_number(of, "missed_part", part->missed_part);
	info_set_number(of, "kernel_part", part->kernel_part);
	if (part->request > 0)
		info_set_number(of, "around", part->around);
	if (b->rank > 0)
		info_set_count(of, "rank", b->rank);
	if (b->drifts)
		info_set_number(of, "drift", b->drift);
	if (b->serial)
		json_object_set_new(of, "serial", json_true());
	if (orders[b->order])
		info_set_text(of, "drift_not_looked_for", orders[b->order]);
	if (b->by) {
		info_set_number(of, "fixed", b->fixed);
		info_set_number(of, "slope", b->slope);
		info_set_number(of, "at", b->at);
		json_object_set_new(of, "beyond", json_boolean(b->beyond));
	}
	set_steps(of, part);
	return of;
}

/* What is in the numbers that no process has in memory. */
static void set_beside(json_t *of, const struct size_part *memory)
{
	if (memory->shared > 0)
		info_set_number(of, "new_shared", memory->shared);
	if (memory->swapped > 0)
		info_set_number(of, "swapped", memory->swapped);
}

static json_t *cores_json(const struct size_plan *plan)
{
	json_t *of = part_json(&plan->parts[SIZE_CPUS], SIZE_CPUS);
	json_t *choices = json_array();

	for (size_t i = 0; i < plan->cores.n_choices; i++) {
		json_t *choice = json_object();

		info_set_count(choice, "cores", plan->cores.choices[i].cores);
		info_set_number(choice, "median_stretch", plan->cores.choices[i].median);
		info_set_number(choice, "max_stretch", plan->cores.choices[i].most);
		json_array_append_new(choices, choice);
	}
	json_object_set_new(of, "choices", choices);
	info_set_count(of, "held_back", plan->cores.held_back);
	info_set_number(of, "mean_cores", plan->cores.median_mean);
	return of;
}

static json_t *outcomes_json(const struct size_plan *plan)
{
	static const char *const names[N_OUTCOME] = { "done", "running", "lost", "cut_off",
		"failed", "unknown" };
	json_t *of = json_object();

	for (size_t i = 0; i < N_OUTCOME; i++)
		if (plan->outcomes[i] > 0)
			info_set_count(of, names[i], plan->outcomes[i]);
	return of;
}

void size_plan_json(
	const struct size_plan *plan, const struct size_options *options, struct buf *out)
{
	json_t *of = json_object();

	info_set_text(of, "schema", "assay-size");
	info_set_text(of, "version", "1.0");
	if (plan->job)
		info_set_text(of, "job", plan->job);
	info_set_count(of, "runs", plan->n);
	info_set_number(of, "tasks", plan->tasks);
	info_set_number(of, "nodes", plan->nodes);
	json_object_set_new(of, "outcomes", outcomes_json(plan));
	info_set_number(of, "target", options->wish.target);
	if (options->wish.confidence > 0)
		info_set_number(of, "confidence", options->wish.confidence);
	info_set_number(of, "slowdown", options->slowdown);
	info_set_text(of, "policy", options->retry ? "retry" : "once");
	if (options->by)
		info_set_text(of, "by", options->by);
	json_object_set_new(of, "memory_bytes", part_json(&plan->parts[SIZE_MEMORY], SIZE_MEMORY));
	info_set_number(json_object_get(of, "memory_bytes"), "with_caches", plan->charged);
	set_beside(json_object_get(of, "memory_bytes"), &plan->parts[SIZE_MEMORY]);
	json_object_set_new(of, "wall_seconds", part_json(&plan->parts[SIZE_TIME], SIZE_TIME));
	json_object_set_new(of, "cpus", cores_json(plan));
	json_dump_to(out, of, JSON_INDENT(2) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15));
	buf_add_char(out, '\n');
	json_decref(of);
}
