/* SPDX-License-Identifier: MIT */
/* Closes rounds into windows: values of each GPU, their sums where all of them were seen, and the energy between two rounds. */
#include "record/foreign/gpu_series.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/macros.h"
#include "record/foreign/cells.h"
#include "record/foreign/draft_parts.h"

/* Rounds farther apart than so many of the usual ones have a gap between them. */
#define GAP_ROUNDS 3.0

void gpu_series_init(
	struct gpu_series *s, struct draft *d, const struct gpu_rows *rows, bool named, bool timed)
{
	*s = (struct gpu_series){ .draft = d, .rows = rows, .named = named, .timed = timed };
	/* Each round is one look at a GPU; the first has no time before it, and counts as much. */
	d->mean_of_windows = true;
}

void gpu_series_expect(struct gpu_series *s, struct gpu_series *seen)
{
	s->devices = seen->devices;
	s->n_devices = seen->n_devices;
	s->capacity = seen->capacity;
	seen->devices = NULL;
	seen->n_devices = seen->capacity = 0;
}

static struct gpu_device *device_named(struct gpu_series *s, const char *name)
{
	for (size_t i = 0; i < s->n_devices; i++)
		if (strcmp(s->devices[i].name, name) == 0)
			return &s->devices[i];
	if (s->n_devices == GPU_DEVICES_MAX) {
		s->beyond++;
		return NULL;
	}
	if (s->n_devices == s->capacity) {
		size_t capacity = s->capacity ? s->capacity * 2 : 8;
		struct gpu_device *devices = realloc(s->devices, capacity * sizeof(*devices));

		if (!devices) {
			draft_fail(s->draft, NULL, -ENOMEM, "cannot read it");
			return NULL;
		}
		s->devices = devices;
		s->capacity = capacity;
	}
	s->devices[s->n_devices] = (struct gpu_device){ .in_round = false };
	snprintf(s->devices[s->n_devices].name, GPU_NAME_SIZE, "%s", name);
	return &s->devices[s->n_devices++];
}

/* The middle of the latest distances; of two, the larger. 0: there was none yet. */
static double usual(const struct gpu_series *s)
{
	double sorted[GPU_DISTANCES];
	size_t n = s->n_distances < GPU_DISTANCES ? s->n_distances : GPU_DISTANCES;

	for (size_t i = 0; i < n; i++) {
		size_t at = i;

		for (; at > 0 && sorted[at - 1] > s->distances[i]; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = s->distances[i];
	}
	return n > 0 ? sorted[n / 2] : 0;
}

/* Whether there is a hole before a round that comes so long after the one before. Neither one long distance nor a short one changes what is usual. */
static bool is_gap(struct gpu_series *s, double apart)
{
	double typical = usual(s);

	s->distances[s->n_distances++ % GPU_DISTANCES] = apart;
	s->typical = typical > 0 ? typical : apart;
	return typical > 0 && apart > GAP_ROUNDS * typical;
}

static void put_gauge(struct draft *d, json_t *device, const struct measure *row, double value)
{
	draft_of(d, device, row->key, "max", value);
	draft_of(d, device, row->key, "min", value);
	draft_of(d, device, row->key, "mean", value);
	draft_of(d, device, row->key, "last", value);
}

/* Joules since the device's line of the round before, by the trapezoid; false: they cannot be told. */
static bool energy_of(
	const struct gpu_series *s, const struct gpu_device *device, bool gap, double *ret)
{
	double apart = device->time - device->power_time;

	if (!s->timed || gap || !device->has_power || apart <= 0 ||
		!(device->has & (UINT64_C(1) << s->rows->power)))
		return false;
	*ret = (device->value[s->rows->power] + device->power) / 2 * apart;
	return true;
}

/* The energy since the round before, of a GPU that is in this one or is not. */
static void put_energy(struct gpu_series *s, struct gpu_device *device, json_t *to, bool gap,
	double *energy, size_t *n_energy)
{
	double joules = 0;
	bool has = device->in_round && (device->has & (UINT64_C(1) << s->rows->power));

	if (device->in_round && energy_of(s, device, gap, &joules)) {
		draft_of(s->draft, to, s->rows->rows[s->rows->energy].key, "delta", joules);
		*energy += joules;
		(*n_energy)++;
	} else if (s->timed && s->rounds > 0) {
		device->lacks_energy = true;
		if (!gap)
			s->without_energy++;
	}
	device->has_power = has;
	device->power = has ? device->value[s->rows->power] : 0;
	device->power_time = device->time;
}

static void put_device(
	struct gpu_series *s, struct gpu_device *device, bool gap, double *energy, size_t *n_energy)
{
	json_t *to = device->in_round ? draft_device(s->draft, "gpu", device->name) : NULL;

	for (size_t i = 0; device->in_round && i < s->rows->n; i++)
		if (device->has & (UINT64_C(1) << i))
			put_gauge(s->draft, to, &s->rows->rows[i], device->value[i]);
	if (s->rows->power >= 0 && s->named)
		put_energy(s, device, to, gap, energy, n_energy);
}

/* The sum over all GPUs of the file, if each has the value in this round. `cut`: the file may end in the round. */
static void put_sum(struct gpu_series *s, int row, const char *key, bool cut, struct gpu_sum *ret)
{
	bool whole = true;
	double sum = 0;

	if (row < 0 || !key || !s->named)
		return;
	for (size_t i = 0; i < s->n_devices; i++) {
		const struct gpu_device *device = &s->devices[i];

		if (device->in_round && !(device->has & (UINT64_C(1) << row)))
			cut = false;
		whole = whole && device->in_round && (device->has & (UINT64_C(1) << row));
		sum += whole ? device->value[row] : 0;
	}
	ret->lacks = whole || cut ? ret->lacks && !whole : true;
	ret->rounds += whole;
	if (!whole)
		return;
	draft_value(s->draft, key, "max", sum, SAMPLED);
	draft_value(s->draft, key, "min", sum, SAMPLED);
	draft_value(s->draft, key, "mean", sum, SAMPLED);
	draft_value(s->draft, key, "last", sum, SAMPLED);
}

static bool close_round(struct gpu_series *s, bool at_end)
{
	double apart = s->timed ? s->elapsed - s->round_end : 1;
	bool first = s->rounds == 0 && s->timed;
	bool gap = !first && s->timed && !s->set_back && apart > 0 && is_gap(s, apart);
	double end = s->timed ? s->elapsed : (double) s->rounds + 1;
	double energy = 0;
	size_t n_energy = 0;

	/* What was in a gap is not known: the window holds the usual time before its sample. */
	draft_window(s->draft, first ? end : end - (gap ? s->typical : apart), end, 0, 1);
	if (gap) {
		s->gaps++;
		s->gap_seconds += apart - s->typical;
	}
	for (size_t i = 0; i < s->n_devices; i++)
		put_device(s, &s->devices[i], gap || s->set_back, &energy, &n_energy);
	put_sum(s, s->rows->memory, s->rows->memory_total, at_end, &s->memory_sum);
	put_sum(s, s->rows->power, s->rows->power_total, at_end, &s->power_sum);
	if (n_energy > 0)
		draft_value(s->draft, s->rows->energy_total, "delta", energy,
			n_energy < s->n_devices ? LOWER_BOUND : ESTIMATE);
	for (size_t i = 0; i < s->n_devices; i++)
		s->devices[i].in_round = false;
	s->rounds++;
	s->round_end = end;
	s->set_back = false;
	s->in_round = 0;
	return draft_window_end(s->draft);
}

/* The clock of the file may be set back; then nobody knows how much time passed, and none is counted. */
static double passed(struct gpu_series *s, double stamp)
{
	double apart = s->has_time ? stamp - s->last_stamp : 0;

	s->has_time = true;
	s->last_stamp = stamp;
	if (apart >= 0)
		return apart;
	/* Lines of one round may be some milliseconds out of order. */
	if (apart < -0.5) {
		s->backwards++;
		s->set_back = true;
	}
	return 0;
}

/* A GPU comes again; or one that stands before the latest comes after half of the usual time: the lines between are lost. */
static bool ends_round(const struct gpu_series *s, const struct gpu_device *device, double stamp)
{
	if (device->in_round)
		return true;
	return s->timed && s->in_round > 0 && (size_t) (device - s->devices) < s->latest &&
	       s->typical > 0 && stamp - s->last_stamp > s->typical / 2;
}

bool gpu_series_line(struct gpu_series *s, const char *name, double stamp)
{
	struct gpu_device *device = device_named(s, name);

	s->current = s->only_names ? NULL : device;
	if (!device || s->only_names)
		return s->draft->code == 0;
	if (ends_round(s, device, stamp) && !close_round(s, false))
		return false;
	/* To the microsecond: a stamp of today has no more in a double. */
	if (s->timed)
		s->elapsed = (double) (int64_t) ((s->elapsed + passed(s, stamp)) * 1e6 + 0.5) / 1e6;
	device->in_round = true;
	device->has = 0;
	device->time = s->elapsed;
	s->latest = (size_t) (device - s->devices);
	s->in_round++;
	return true;
}

void gpu_series_value(struct gpu_series *s, int row, double value)
{
	uint64_t bit = UINT64_C(1) << row;

	/* A column twice: the first of them. */
	if (!s->current || (s->current->has & bit))
		return;
	s->current->has |= bit;
	s->current->ever |= bit;
	s->current->value[row] = value;
}

/* What stood earlier is not how it was at the end. */
static void forget_last(struct gpu_series *s, const char *device, const char *key)
{
	json_object_del(draft_totals_of(s->draft, device ? "gpu" : NULL, device, key), "last");
}

/* Energy that leaves stretches out is not all of it. */
static void bound_energy(struct gpu_series *s, const char *device, const char *key)
{
	json_t *total = draft_totals_of(s->draft, device ? "gpu" : NULL, device, key);

	if (total &&
		json_object_set_new(total, "quality", json_string(quality_name(LOWER_BOUND))) < 0)
		draft_fail(s->draft, NULL, -ENOMEM, "cannot keep what it says");
}

static void note_sum(struct gpu_series *s, const struct gpu_sum *sum, const char *what)
{
	if (sum->rounds > 0 && sum->rounds < s->rounds)
		draft_note(s->draft,
			"rounds that lack the %s of a GPU, and are not in that of all GPUs: %llu "
			"of %llu",
			what, (unsigned long long) (s->rounds - sum->rounds),
			(unsigned long long) s->rounds);
}

static void conclude_values(struct gpu_series *s)
{
	for (size_t i = 0; i < s->n_devices; i++) {
		const struct gpu_device *device = &s->devices[i];

		for (size_t k = 0; k < s->rows->n; k++)
			if (device->ever & ~device->has & (UINT64_C(1) << k))
				forget_last(s, device->name, s->rows->rows[k].key);
		if (!device->lacks_energy)
			continue;
		bound_energy(s, device->name, s->rows->rows[s->rows->energy].key);
		bound_energy(s, NULL, s->rows->energy_total);
	}
	if (s->memory_sum.lacks)
		forget_last(s, NULL, s->rows->memory_total);
	if (s->power_sum.lacks)
		forget_last(s, NULL, s->rows->power_total);
	note_sum(s, &s->memory_sum, "memory");
	note_sum(s, &s->power_sum, "power");
}

void gpu_series_end(struct gpu_series *s)
{
	struct draft *d = s->draft;
	bool open = false;

	if (s->only_names)
		return;
	for (size_t i = 0; i < s->n_devices; i++)
		open = open || s->devices[i].in_round;
	if (open && !close_round(s, true))
		return;
	conclude_values(s);
	if (!s->named)
		draft_note(d,
			"the file does not name its GPUs (index, uuid, pci.bus_id): were they "
			"several, their lines cannot be told apart, and neither sum nor energy is "
			"made");
	/* One sample has no time before it. */
	if (s->timed && s->elapsed > 0)
		draft_number(d, "time", "wall_seconds", s->elapsed);
	else if (!s->timed)
		draft_note(d, "the file has no times: its rounds stand one second apart here, as "
			      "the tool does unless told otherwise; no duration and no energy are "
			      "claimed");
	if (s->gaps > 0)
		draft_note(d,
			"gaps between rounds: %llu, %.3g s in all, of which nothing is known; no "
			"energy is counted in them",
			(unsigned long long) s->gaps, s->gap_seconds);
	if (s->without_energy > 0 && s->without_energy < (s->rounds - 1) * s->n_devices)
		draft_note(d,
			"stretches between samples of a GPU that lack its power at an end, and are "
			"not in its energy: %llu",
			(unsigned long long) s->without_energy);
	if (s->backwards > 0)
		draft_note(d,
			"times that the clock of the file was set back, where no time is counted: "
			"%llu",
			(unsigned long long) s->backwards);
	if (s->beyond > 0)
		draft_note(d, "lines left out because they are of GPUs beyond the first %d: %llu",
			GPU_DEVICES_MAX, (unsigned long long) s->beyond);
	if (s->dropped > 0)
		draft_note(d,
			"cells that held nothing that can be (all bits set, a driver's blank, an "
			"unknown unit), and are absent: %llu",
			(unsigned long long) s->dropped);
}

void gpu_series_done(struct gpu_series *s)
{
	free(s->devices);
	*s = (struct gpu_series){ 0 };
}

/* What the tool writes for units; old drivers called MiB "MB", and dmon does. */
static bool unit_factor(const char *unit, const struct measure *row, double *ret)
{
	static const struct {
		const char *name;
		uint8_t unit;
		double factor;
	} units[] = { { "%", PERCENT, 1 }, { "B", BYTES, 1 }, { "KiB", BYTES, 1024.0 },
		{ "KB", BYTES, 1024.0 }, { "MiB", BYTES, 1048576.0 }, { "MB", BYTES, 1048576.0 },
		{ "MB/s", BYTES, 1048576.0 }, { "GiB", BYTES, 1073741824.0 },
		{ "GB", BYTES, 1073741824.0 }, { "W", WATTS, 1 }, { "mW", WATTS, 0.001 },
		{ "Hz", HERTZ, 1 }, { "MHz", HERTZ, 1e6 }, { "GHz", HERTZ, 1e9 },
		{ "C", CELSIUS, 1 }, { "", PERCENT, 1 }, { "", BYTES, 1048576.0 }, { "", WATTS, 1 },
		{ "", HERTZ, 1e6 }, { "", CELSIUS, 1 } };

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (units[i].unit == row->unit && strcmp(units[i].name, unit) == 0) {
			*ret = units[i].factor;
			return true;
		}
	}
	return false;
}

/* Beyond these no GPU is. The blanks of NVML and DCGM (2^31 - 16, 2^47, 2^63 - 16, 2^64 - 1) are. */
static double largest(const struct measure *row)
{
	switch (row->unit) {
	case PERCENT:
		return 1000;
	case BYTES:
		return 0x1p46;
	case WATTS:
		return 100000;
	case HERTZ:
		return 1e11;
	case CELSIUS:
		return 1000;
	default:
		return 0x1p53;
	}
}

bool gpu_cell(struct gpu_series *s, const char *cell, const char *unit, const struct measure *row,
	double *ret)
{
	double number;
	double factor;
	const char *rest = number_begin(cell, &number);

	if (!rest)
		return false;
	rest += strspn(rest, " ");
	if (!unit_factor(*rest ? rest : unit, row, &factor) || number < 0 ||
		number * factor > largest(row)) {
		s->dropped++;
		return false;
	}
	*ret = number * factor;
	return true;
}
