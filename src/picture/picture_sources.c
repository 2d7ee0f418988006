/* SPDX-License-Identifier: MIT */
/* Which measurements are drawn, in which panel and unit: a table of what is usual, and by the words of the key for what was asked for. */
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "picture/picture_metrics.h"
#include "picture/picture_parts.h"
#include "record/json_walk.h"
#include "record/run_names.h"
#include "run/info_value.h"

/* clang-format off */
const struct picture_usual picture_usual[] = {
	{ .panel = "cpu", .title = "CPU", .label = "CPU in use",
		.keys = "tree_cpu_seconds target_cpu_seconds tree_cpu_percent target_cpu_percent *_cpu_total_percent "
			"*_cpu_percent *_cpu_seconds" },
	{ .panel = "cpu", .label = "CPU in user mode", .keys = "*_cpu_user_seconds", .fallback = true },
	{ .panel = "cpu", .label = "CPU in the kernel", .keys = "*_cpu_system_seconds", .fallback = true },
	{ .panel = "cpu", .label = "CPU, of each process the mean over its life", .keys = "*lifetime*cpu*_percent *cpu*lifetime*_percent", .fallback = true },
	{ .panel = "cpu", .label = "CPU of the job's cgroup", .keys = "cgroup_cpu_seconds cgroup_cpu_percent", .own_cgroup = true },
	{ .panel = "memory", .title = "Memory", .label = "PSS of all processes", .keys = "proc_pss_total_bytes *_pss_total_bytes" },
	{ .panel = "memory", .label = "RSS of all processes", .keys = "proc_rss_total_bytes *_rss_total_bytes" },
	{ .panel = "memory", .label = "USS of all processes", .keys = "*_uss_total_bytes" },
	{ .panel = "memory", .label = "memory", .keys = "*[!h]_memory_total_bytes sacct_task_rss_bytes" },
	{ .panel = "memory", .label = "charged to the job's cgroup", .keys = "cgroup_memory_current_bytes", .own_cgroup = true },
	{ .panel = "memory", .label = "swap", .keys = "proc_swap_total_bytes *_swap_total_bytes", .unless_zero = true },
	{ .panel = "io", .title = "I/O with storage", .label = "read",
		.keys = "tree_io_read_bytes target_io_read_bytes *_io_read_bytes jumper_read_bytes *[!kt]_read_bytes" },
	{ .panel = "io", .label = "written",
		.keys = "tree_io_write_bytes target_io_write_bytes *_io_write_bytes jumper_write_bytes *[!kt]_write_bytes" },
	{ .panel = "calls", .title = "I/O by read and write calls", .label = "read",
		.keys = "tree_io_read_syscall_bytes target_io_read_syscall_bytes *_io_read_syscall_bytes" },
	{ .panel = "calls", .label = "written",
		.keys = "tree_io_write_syscall_bytes target_io_write_syscall_bytes *_io_write_syscall_bytes" },
	{ .panel = "network", .title = "Network", .label = "received by TCP connections of the job", .keys = "socket_tcp_receive_bytes" },
	{ .panel = "network", .label = "sent by TCP connections of the job", .keys = "socket_tcp_transmit_bytes" },
	{ .panel = "network", .label = "received", .keys = "netns_receive_bytes *_network_receive_bytes" },
	{ .panel = "network", .label = "sent", .keys = "netns_transmit_bytes *_network_transmit_bytes" },
	{ .panel = "pressure", .title = "Pressure: share of time in which tasks waited", .label = "some waited for a CPU",
		.keys = "cgroup_pressure_cpu_some_seconds host_pressure_cpu_some_seconds", .unless_zero = true },
	{ .panel = "pressure", .label = "some waited for memory",
		.keys = "cgroup_pressure_memory_some_seconds host_pressure_memory_some_seconds", .unless_zero = true },
	{ .panel = "pressure", .label = "all waited for memory",
		.keys = "cgroup_pressure_memory_full_seconds host_pressure_memory_full_seconds", .unless_zero = true },
	{ .panel = "pressure", .label = "some waited for I/O",
		.keys = "cgroup_pressure_io_some_seconds host_pressure_io_some_seconds", .unless_zero = true },
	{ .panel = "pressure", .label = "all waited for I/O",
		.keys = "cgroup_pressure_io_full_seconds host_pressure_io_full_seconds", .unless_zero = true },
	{ .panel = "processes", .title = "Processes and threads", .label = "processes", .gauge = true,
		.keys = "tree_processes_count target_processes_count *_processes_count *_processes_total_count" },
	{ .panel = "processes", .label = "threads", .keys = "proc_threads_total_count *_threads_total_count *_threads_count" },
	{ .panel = "gpu", .title = "GPU", .label = "busy", .device = "gpu",
		.keys = "*_gpu_utilization_percent *_sm_utilization_percent" },
	{ .panel = "gpu", .label = "GPU busy", .keys = "*_gpu_utilization_percent *_gpu_sm_percent" },
	{ .panel = "gpu_memory", .title = "Memory of GPUs", .label = "memory in use", .device = "gpu",
		.keys = "*_memory_used_bytes *[!p]_gpu_memory_bytes" },
	{ .panel = "gpu_memory", .label = "memory of GPUs in use", .keys = "*_gpu_memory_bytes" },
	{ .panel = "power", .title = "Power", .label = "processor packages of the machine", .keys = "rapl_package_power_watts" },
	{ .panel = "power", .label = "memory of the machine", .keys = "rapl_dram_power_watts" },
	{ .panel = "power", .label = "power", .device = "gpu", .keys = "*[!_]_power_watts" },
	{ .panel = "host", .title = "CPU of the whole machine", .label = "in use by anybody", .keys = "host_cpu_percent *_host_cpu_percent" },
	{ .panel = "host", .label = "withheld by the hypervisor", .keys = "host_cpu_steal_percent", .unless_zero = true },
	{ .panel = "cores", .title = "Processors of the machine", .label = "processor", .device = "cpu", .per_core = true,
		.keys = "host_core_busy_percent *_core_percent" },
};
const size_t n_picture_usual = ARRAY_SIZE(picture_usual);

/* Names of panels that no usual line is in, or whose lines are no measurements of the run. */
static const struct {
	const char *name, *title;
} more_titles[] = {
	{ "process_cpu", "CPU by process" }, { "process_memory", "Memory by process" }, { "host_memory", "Memory of the whole machine" },
	{ "energy", "Energy" }, { "recorder", "The recorder itself" }, { "more", "More" },
};
/* clang-format on */

const char *picture_panel_title(const char *name)
{
	for (size_t i = 0; i < n_picture_usual; i++)
		if (picture_usual[i].title && strcmp(picture_usual[i].panel, name) == 0)
			return picture_usual[i].title;
	for (size_t i = 0; i < ARRAY_SIZE(more_titles); i++)
		if (strcmp(more_titles[i].name, name) == 0)
			return more_titles[i].title;
	return NULL;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Of the machine, of us, of what is counted when a child has ended, or of a cgroup that others may be in: a glob does not mean it. */
static bool is_of_others(const char *key)
{
	return begins(key, "host_") || begins(key, "self_") || begins(key, "cgroup_") ||
	       begins(key, "keeper_") || begins(key, "perf_") || strstr(key, "_host_") ||
	       strstr(key, "_node_");
}

bool picture_has_own_cgroup(const json_t *info)
{
	const char *cgroup = info_text(info, "options", "cgroup");
	const json_t *headline = json_object_get(info, "headline");
	const char *quality = info_text(headline, "memory_peak_charged_bytes", "quality");

	return (cgroup && strcmp(cgroup, "own") == 0) || (quality && strcmp(quality, "exact") == 0);
}

/* The place of the key among those of the row; -1. */
static int rank_in(const struct picture_usual *usual, const char *key)
{
	const char *at = usual->keys;
	int rank = 0;

	while (*at) {
		size_t n = strcspn(at, " ");
		char glob[PICTURE_KEY_SIZE] = "";
		bool any = memchr(at, '*', n) != NULL;

		memcpy(glob, at, n < sizeof(glob) ? n : sizeof(glob) - 1);
		if (fnmatch(glob, key, 0) == 0 &&
			!(any && is_of_others(key) && !strstr(glob, "host_")) &&
			!(strstr(key, "lifetime") && !strstr(glob, "lifetime")))
			return rank;
		rank++;
		at += n + (at[n] == ' ');
	}
	return -1;
}

/* Panel and unit */

static const struct {
	const char *word, *panel;
} words[] = { { "pressure", "pressure" }, { "gpu", "gpu" }, { "nvml", "gpu" }, { "watts", "power" },
	{ "joules", "power" }, { "netns", "network" }, { "socket", "network" },
	{ "network", "network" }, { "_core_", "cores" }, { "syscall_bytes", "calls" },
	{ "_io_", "io" }, { "_disk_", "io" }, { "_read_", "io" }, { "_write_", "io" },
	{ "processes", "processes" }, { "threads", "processes" }, { "_cpu_", "cpu" },
	{ "bytes", "memory" } };

static const char *panel_by_words(const char *key)
{
	if (begins(key, "self_"))
		return "recorder";
	if (begins(key, "host_cpu") || strstr(key, "_host_cpu"))
		return "host";
	if (strstr(key, "host_") && run_name_is(key, "_bytes") && !strstr(key, "disk"))
		return "host_memory";
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strstr(key, words[i].word))
			return words[i].panel;
	return "more";
}

/* How a number of that unit is drawn: as it is, or the growth of a counter each second. */
static const struct {
	const char *unit, *drawn, *rate;
	double rate_factor;
} units[] = { { "bytes", "bytes", "bytes/s", 1 }, { "count", "count", "count/s", 1 },
	{ "seconds", "seconds", "cores", 1 }, { "percent", "percent", "percent", 1 },
	{ "joules", "joules", "watts", 1 }, { "watts", "watts", "", 1 },
	{ "hertz", "hertz", "", 1 }, { "celsius", "celsius", "", 1 }, { "ratio", "", "", 1 } };

static bool is_cpu(const char *key)
{
	return strstr(key, "cpu") || strstr(key, "_core_");
}

/* Grows by all that a process used when it has ended and was waited for: its growth in a window is no rate of that window. */
static bool is_late(const char *key)
{
	return begins(key, "keeper_");
}

void picture_classify(struct picture_source *s, const json_t *value)
{
	const char *kind = info_text(s->row, "kind", NULL);
	const char *last_word = strrchr(s->key, '_');

	s->is_counter = kind ? strcmp(kind, "counter") == 0
			     : json_is_number(json_object_get(value, "delta"));
	s->is_sum = s->is_counter && is_late(s->key);
	s->is_counter = s->is_counter && !s->is_sum;
	s->factor = 1;
	s->unit = "";
	for (size_t i = 0; last_word && i < ARRAY_SIZE(units); i++) {
		if (strcmp(last_word + 1, units[i].unit) != 0)
			continue;
		s->unit = s->is_counter ? units[i].rate : units[i].drawn;
	}
	if (strcmp(s->unit, "percent") == 0 && is_cpu(s->key) && !strstr(s->key, "pressure")) {
		s->unit = "cores";
		s->factor = 0.01;
	}
	/* Seconds a second: of CPU time cores, of what waited the share of the time. */
	if (strcmp(s->unit, "cores") == 0 && s->is_counter && !is_cpu(s->key)) {
		s->unit = "percent";
		s->factor = 100;
	}
	if (strstr(s->key, "pressure") && s->is_counter) {
		s->unit = "percent";
		s->factor = 100;
	}
	snprintf(s->panel, sizeof(s->panel), "%s",
		s->usual >= 0 ? picture_usual[s->usual].panel : panel_by_words(s->key));
}

/* Which are drawn */

static int add_source(struct picture_reading *r, const struct picture_source *like,
	const char *device, const json_t *value)
{
	struct picture_source **sources;
	struct picture_source *s;
	size_t points = r->options->points_max > 0 ? r->options->points_max : PICTURE_POINTS_USUAL;

	if (r->n_sources >= PICTURE_SOURCES_MAX)
		return 0;
	sources = realloc(r->sources, (r->n_sources + 1) * sizeof(struct picture_source *));
	if (!sources)
		return -ENOMEM;
	r->sources = sources;
	s = malloc(sizeof(*s));
	if (!s)
		return -ENOMEM;
	*s = *like;
	s->device = device ? strdup(device) : NULL;
	s->track = (struct picture_track){ .max = points < PICTURE_POINTS_MIN ? PICTURE_POINTS_MIN
									      : points };
	picture_classify(s, value);
	r->sources[r->n_sources++] = s;
	return device && !s->device ? -ENOMEM : 0;
}

static bool row_applies(
	const struct picture_reading *r, const struct picture_usual *usual, const char *device_kind)
{
	if (device_kind ? !usual->device || strcmp(usual->device, device_kind) != 0
			: usual->device != NULL)
		return false;
	if (usual->own_cgroup && !picture_has_own_cgroup(r->info))
		return false;
	if (usual->per_core && !r->options->per_core &&
		!picture_metrics_names(r->metrics, usual->panel))
		return false;
	return picture_metrics_panel(r->metrics, usual->panel);
}

/* Of several of one key the first. */
static int index_rows(struct picture_reading *r)
{
	const json_t *rows = json_object_get(r->info, "measurements");

	for (size_t i = 0; i < json_array_size(rows); i++) {
		json_t *row = json_array_get(rows, i);
		const char *key = info_text(row, "key", NULL);

		if (key && !json_object_get(r->rows, key) && json_object_set(r->rows, key, row) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int note_known(struct picture_reading *r, const char *name)
{
	return json_object_set_new(r->known, name, json_true()) < 0 ? -ENOMEM : 0;
}

/* The first row of the table that the measurement fits, with its rank in it; PICTURE_ASKED. */
static void find_usual(
	const struct picture_reading *r, struct picture_source *s, const char *device_kind)
{
	const char *kind = info_text(s->row, "kind", NULL);

	s->usual = PICTURE_ASKED;
	for (size_t i = 0; i < n_picture_usual && s->usual < 0; i++) {
		s->rank = rank_in(&picture_usual[i], s->key);
		if (s->rank >= 0 &&
			!(picture_usual[i].gauge && kind && strcmp(kind, "counter") == 0) &&
			row_applies(r, &picture_usual[i], device_kind))
			s->usual = (int) i;
	}
}

/* "tree_cpu_seconds" misses nothing and has a mean of each window; "tree_cpu_percent", which is its growth over moments, knows how high it went in between. */
static void find_peak_key(const struct picture_reading *r, struct picture_source *s)
{
	static const char of_counter[] = "_cpu_seconds";
	static const char of_gauge[] = "_cpu_percent";
	size_t n = strlen(s->key);

	if (s->usual < 0 || !run_name_is(s->key, of_counter))
		return;
	memcpy(s->peak_key, s->key, n - strlen(of_counter));
	memcpy(s->peak_key + n - strlen(of_counter), of_gauge, sizeof(of_gauge));
	if (picture_metrics_without(r->metrics, s->peak_key))
		s->peak_key[0] = '\0';
	s->peak_row = json_object_get(r->rows, s->peak_key);
}

int picture_consider(struct picture_reading *r, const char *key, const json_t *value,
	const char *device_kind, const char *device)
{
	struct picture_source s = { .row = json_object_get(r->rows, key) };

	picture_metrics_saw(r->metrics, key);
	if (strlen(key) >= sizeof(s.key) || picture_metrics_without(r->metrics, key))
		return 0;
	snprintf(s.key, sizeof(s.key), "%s", key);
	find_usual(r, &s, device_kind);
	if (!device_kind)
		find_peak_key(r, &s);
	s.asked = picture_metrics_key(r->metrics, key);
	return s.usual >= 0 || s.asked ? add_source(r, &s, device, value) : 0;
}

int picture_consider_rows(struct picture_reading *r)
{
	const json_t *rows = json_object_get(r->info, "measurements");
	int code = index_rows(r);

	for (size_t i = 0; code == 0 && i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);
		const char *key = info_text(row, "key", NULL);
		const char *scope = info_text(row, "scope", NULL);

		if (!key)
			continue;
		r->rows_known = true;
		if (scope && strcmp(scope, "single") == 0)
			code = picture_consider(r, key, NULL, NULL, NULL);
		if (code == 0 && scope && strcmp(scope, "single") == 0)
			code = note_known(r, key);
	}
	return code;
}

/* Readings */

static enum quality quality_of(const json_t *value, const json_t *row)
{
	const char *name = info_text(value, "quality", NULL);

	return picture_quality(name ? name : info_text(row, "quality", NULL));
}

static double first_known(double a, double b, double c)
{
	if (!isnan(a))
		return a;
	return isnan(b) ? c : b;
}

static double known(double value)
{
	return isnan(value) ? 0 : value;
}

static double least(double a, double b)
{
	return isnan(a) || b < a ? b : a;
}

/* Where most samples are missing, gauges tell of the few that are there; a counter misses nothing. */
static bool is_mostly_missed(const json_t *window)
{
	double samples = info_number(window, "samples", NULL);
	double missed = info_number(window, "missed_ticks", NULL);

	return missed > 0 && missed > samples;
}

/* Raises the point's greatest value to that of the gauge. */
static void add_peak(struct picture_source *s, const json_t *window, struct picture_point *point)
{
	const json_t *gauge = json_object_get(json_object_get(window, "values"), s->peak_key);
	double max = info_number(gauge, "max", NULL) * 0.01;

	if (!s->peak_key[0] || !(max > point->high) || is_mostly_missed(window))
		return;
	point->high = max;
	s->peak_quality = quality_worse(s->peak_quality, quality_of(gauge, s->peak_row));
}

void picture_source_add(struct picture_source *s, const json_t *window, const json_t *value,
	struct picture_stretch of)
{
	struct picture_point point = { .start = of.start, .end = of.end };
	double max = info_number(value, "max", NULL);
	double mean = info_number(value, "mean", NULL);
	double last = info_number(value, "last", NULL);
	double min = info_number(value, "min", NULL);

	if (s->is_sum) {
		/* Where the window does not say what it has come to: of what is drawn. */
		s->sum = isnan(last) ? s->sum + known(info_number(value, "delta", NULL)) : last;
		point.low = point.high = point.mean = s->sum * s->factor;
		if (!json_is_object(value))
			return;
	} else if (s->is_counter) {
		if (!(of.seconds > 0))
			return;
		point.mean = info_number(value, "delta", NULL) / of.seconds * s->factor;
		point.low = point.high = point.mean;
		add_peak(s, window, &point);
	} else {
		if (is_mostly_missed(window))
			return;
		s->any_max = s->any_max || !isnan(max);
		point.high = first_known(max, mean, last) * s->factor;
		point.mean = first_known(mean, first_known(max, last, max), last) * s->factor;
		/* Of what a window keeps no least of, the least that is known of it. */
		point.low = least(least(min, mean), least(last, max)) * s->factor;
	}
	picture_track_add(&s->track, point, quality_of(value, s->row));
}

void picture_sources_done(struct picture_reading *r)
{
	for (size_t i = 0; i < r->n_sources; i++) {
		picture_track_done(&r->sources[i]->track);
		free(r->sources[i]->device);
		free(r->sources[i]);
	}
	free(r->sources);
	json_decref(r->rows);
	json_decref(r->known);
	r->sources = NULL;
	r->n_sources = 0;
	r->rows = NULL;
	r->known = NULL;
}
