/* SPDX-License-Identifier: MIT */
/* Sums up by command what was asked for, used and lost. */
#include "size/size_waste.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/value.h"
#include "size/size_shape_text.h"
#include "size/size_waste_parts.h"

#define SECONDS_PER_HOUR 3600.0
#define BYTES_PER_GIB 1073741824.0
#define FIRST_SLOTS 64

static bool is_amount(double n)
{
	return isfinite(n) && n >= 0;
}

/* `hours` of each unit that was asked for; nothing of a failed run was of use. */
static struct size_held held_of(double asked, double used, double hours, bool failed)
{
	struct size_held h = { .is_known = is_amount(asked) && is_amount(hours) &&
					   (failed || is_amount(used)) };

	if (!h.is_known)
		return h;
	h.asked = asked * hours;
	h.used = failed ? 0 : used * hours;
	h.lost = fmax(0, h.asked - h.used);
	return h;
}

static bool may_have_missed(uint8_t quality)
{
	return quality == LOWER_BOUND || quality == SAMPLED;
}

static bool has_failed(enum compare_outcome outcome)
{
	return outcome == OUTCOME_LOST || outcome == OUTCOME_CUT_OFF || outcome == OUTCOME_FAILED;
}

static void add_sums(struct size_waste_row *row, const struct size_held *cores,
	const struct size_held *memory, bool failed)
{
	row->core_runs += cores->is_known;
	row->core_hours_asked += cores->asked;
	row->core_hours_used += cores->used;
	row->core_hours_lost += cores->lost;
	row->core_hours_failed += failed ? cores->lost : 0;
	row->gib_runs += memory->is_known;
	row->gib_hours_asked += memory->asked;
	row->gib_hours_used += memory->used;
	row->gib_hours_lost += memory->lost;
	row->gib_hours_failed += failed ? memory->lost : 0;
	row->cores_at_least = row->cores_at_least || cores->at_least;
	row->gib_at_least = row->gib_at_least || memory->at_least;
	row->used_is_at_least = row->cores_at_least || row->gib_at_least;
}

static struct size_waste_part part_of(const struct size_run *run)
{
	bool failed = has_failed(run->outcome);
	double hours = run->held_seconds / SECONDS_PER_HOUR;
	/* per hour of its time, as the others are; a run that took no time used nothing */
	double cores_used =
		run->held_seconds > 0 ? run->cpu_seconds / run->held_seconds : run->cpu_seconds;
	struct size_held cores = held_of(run->asked.cpus, cores_used, hours, failed);
	struct size_held memory = held_of(run->asked.memory_bytes / BYTES_PER_GIB,
		run->facts[SIZE_MEMORY].value / BYTES_PER_GIB, hours, failed);

	cores.at_least = cores.is_known && !failed && may_have_missed(run->cpu_quality);
	memory.at_least =
		memory.is_known && !failed && may_have_missed(run->facts[SIZE_MEMORY].quality);
	return (struct size_waste_part){
		.run = run, .failed = failed, .cores = cores, .memory = memory
	};
}

static void add_part(struct size_waste_row *row, const struct size_waste_part *part)
{
	const struct size_run *run = part->run;
	double hours = run->held_seconds / SECONDS_PER_HOUR;
	bool asked_cores = is_amount(run->asked.cpus);
	bool asked_memory = is_amount(run->asked.memory_bytes);

	row->runs++;
	row->failed += part->failed;
	if (run->outcome == OUTCOME_RUNNING) {
		row->running++;
		return;
	}
	row->shared += part->shared;
	row->without_cpu_request += !asked_cores;
	row->without_memory_request += !asked_memory;
	row->memory_of_one_node += part->memory.is_known && run->memory_of_one_node;
	row->unmeasured +=
		(asked_cores && !part->cores.is_known) || (asked_memory && !part->memory.is_known);
	add_sums(row, &part->cores, &part->memory, part->failed);
	if (is_amount(run->asked.seconds) && is_amount(hours)) {
		row->hours_runs++;
		row->hours_asked += run->asked.seconds / SECONDS_PER_HOUR;
		row->hours_used += hours;
	}
}

/* Where the shape is in the table, or may be put. */
static size_t *slot_of(const struct size_waste *waste, const char *shape)
{
	size_t mask = waste->n_slots - 1;
	size_t at = size_hash_add(SIZE_HASH_START, shape, strlen(shape)) & mask;

	while (waste->slots[at] && strcmp(waste->rows[waste->slots[at] - 1].shape, shape) != 0)
		at = (at + 1) & mask;
	return &waste->slots[at];
}

static void fill_slots(struct size_waste *waste)
{
	memset(waste->slots, 0, waste->n_slots * sizeof(*waste->slots));
	for (size_t i = 0; i < waste->n; i++)
		*slot_of(waste, waste->rows[i].shape) = i + 1;
}

/* Rows have room for half as many as there are slots. */
static int make_room(struct size_waste *waste)
{
	size_t n = waste->n_slots ? 2 * waste->n_slots : FIRST_SLOTS;
	struct size_waste_row *rows;
	size_t *slots;

	if (2 * (waste->n + 1) <= waste->n_slots)
		return 0;
	rows = realloc(waste->rows, n / 2 * sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	waste->rows = rows;
	slots = realloc(waste->slots, n * sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	waste->slots = slots;
	waste->n_slots = n;
	fill_slots(waste);
	return 0;
}

static struct size_waste_row *row_of(struct size_waste *waste, const struct size_run *run)
{
	const char *shape = run->shape ? run->shape : SIZE_NO_SHAPE;
	struct size_waste_row row = { 0 };
	size_t *slot;

	if (make_room(waste) < 0)
		return NULL;
	slot = slot_of(waste, shape);
	if (*slot)
		return &waste->rows[*slot - 1];
	row.shape = strdup(shape);
	row.example = run->command ? strdup(run->command) : NULL;
	if (!row.shape || (run->command && !row.example)) {
		free(row.shape);
		free(row.example);
		return NULL;
	}
	waste->rows[waste->n++] = row;
	*slot = waste->n;
	return &waste->rows[waste->n - 1];
}

static int add(struct size_waste *waste, const struct size_waste_part *part)
{
	struct size_waste_row *row = row_of(waste, part->run);

	if (!row)
		return -ENOMEM;
	add_part(row, part);
	add_part(&waste->all, part);
	return 0;
}

int size_waste_add(struct size_waste *waste, const struct size_run *run)
{
	struct size_waste_part part = part_of(run);

	return add(waste, &part);
}

int size_waste_add_all(struct size_waste *waste, const struct size_run *runs, size_t n)
{
	struct size_waste_part *parts = calloc(n + 1, sizeof(*parts));
	int r = parts ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < n; i++)
		parts[i] = part_of(&runs[i]);
	if (r == 0)
		r = size_waste_find_nested(parts, n);
	if (r == 0)
		r = size_waste_share(parts, n);
	for (size_t i = 0; r == 0 && i < n; i++) {
		waste->nested += parts[i].nested;
		r = parts[i].nested ? 0 : add(waste, &parts[i]);
	}
	free(parts);
	return r;
}

static double part(double n, double of)
{
	return of > 0 ? n / of : 0;
}

static int by_loss(const void *a, const void *b, void *context)
{
	const struct size_waste_row *all = context;
	const struct size_waste_row *x = a;
	const struct size_waste_row *y = b;
	double lost_x = part(x->core_hours_lost, all->core_hours_asked) +
			part(x->gib_hours_lost, all->gib_hours_asked);
	double lost_y = part(y->core_hours_lost, all->core_hours_asked) +
			part(y->gib_hours_lost, all->gib_hours_asked);

	if (lost_x > lost_y || lost_x < lost_y)
		return lost_x > lost_y ? -1 : 1;
	return strcmp(x->shape, y->shape);
}

void size_waste_sort(struct size_waste *waste)
{
	if (waste->n == 0)
		return;
	qsort_r(waste->rows, waste->n, sizeof(*waste->rows), by_loss, &waste->all);
	fill_slots(waste);
}

void size_waste_done(struct size_waste *waste)
{
	for (size_t i = 0; i < waste->n; i++) {
		free(waste->rows[i].shape);
		free(waste->rows[i].example);
	}
	free(waste->rows);
	free(waste->slots);
	*waste = (struct size_waste){ 0 };
}
