/* SPDX-License-Identifier: MIT */
/* Writes as JSON what was asked for, used and lost. A sum that no run stands behind is not there. */
#include "size/size_waste.h"

#include <string.h>

#include "base/buf.h"
#include "record/json_dump.h"
#include "run/info_value.h"

static json_t *sums(size_t runs, double asked, double used)
{
	json_t *of = json_object();

	info_set_count(of, "runs", runs);
	json_object_set_new(of, "asked", json_real(asked));
	json_object_set_new(of, "used", json_real(used));
	return of;
}

static void set_losses(json_t *of, double lost, double failed, bool used_is_at_least)
{
	json_object_set_new(of, "lost", json_real(lost));
	json_object_set_new(of, "lost_by_failed", json_real(failed));
	if (used_is_at_least)
		json_object_set_new(of, "used_is_at_least", json_true());
}

static json_t *row_object(const struct size_waste_row *row)
{
	json_t *of = json_object();

	info_set_count(of, "runs", row->runs);
	info_set_count(of, "failed", row->failed);
	info_set_count(of, "running", row->running);
	info_set_count(of, "without_memory_request", row->without_memory_request);
	info_set_count(of, "without_cpu_request", row->without_cpu_request);
	info_set_count(of, "unmeasured", row->unmeasured);
	if (row->shared > 0)
		info_set_count(of, "shared", row->shared);
	if (row->memory_of_one_node > 0)
		info_set_count(of, "memory_of_one_node", row->memory_of_one_node);
	if (row->core_runs > 0) {
		json_t *cores = sums(row->core_runs, row->core_hours_asked, row->core_hours_used);

		set_losses(
			cores, row->core_hours_lost, row->core_hours_failed, row->cores_at_least);
		json_object_set_new(of, "core_hours", cores);
	}
	if (row->gib_runs > 0) {
		json_t *memory = sums(row->gib_runs, row->gib_hours_asked, row->gib_hours_used);

		set_losses(memory, row->gib_hours_lost, row->gib_hours_failed, row->gib_at_least);
		json_object_set_new(of, "gib_hours", memory);
	}
	if (row->hours_runs > 0)
		json_object_set_new(
			of, "hours", sums(row->hours_runs, row->hours_asked, row->hours_used));
	return of;
}

static json_t *command_object(const struct size_waste_row *row)
{
	json_t *of = json_object();
	json_t *numbers = row_object(row);

	/* That of a job has them as well: "(job align_*)". */
	if (strcmp(row->shape, SIZE_NO_SHAPE) != 0)
		info_set_text(of, "shape", row->shape);
	if (row->example)
		info_set_text(of, "example", row->example);
	json_object_update(of, numbers);
	json_decref(numbers);
	return of;
}

static json_t *waste_object(const struct size_waste *waste)
{
	json_t *of = json_object();
	json_t *commands = json_array();

	for (size_t i = 0; i < waste->n; i++)
		json_array_append_new(commands, command_object(&waste->rows[i]));
	info_set_text(of, "schema", "assay-waste");
	info_set_text(of, "version", "1.0");
	if (waste->nested > 0)
		info_set_count(of, "nested", waste->nested);
	json_object_set_new(of, "commands", commands);
	json_object_set_new(of, "all", row_object(&waste->all));
	return of;
}

void size_waste_json(const struct size_waste *waste, struct buf *out)
{
	json_t *of = waste_object(waste);

	json_dump_to(out, of, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	buf_add_char(out, '\n');
	json_decref(of);
}
