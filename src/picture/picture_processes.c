/* SPDX-License-Identifier: MIT */
/* Draws processes one by one: those that did most, and the rest as one line. Who did most is known at the end of the series only, so that it is read once for that and once for their lines. */
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/intmap.h"
#include "base/macros.h"
#include "picture/picture_metrics.h"
#include "picture/picture_parts.h"
#include "record/json_walk.h"
#include "record/stored_run.h"
#include "run/info_value.h"
#include "run/process_table.h"

#define SECONDS_MAX 1e12
#define LEAST_SHARE 0.01 /* of what the first did: who did less is one of the rest */

/* What the rest held when it was last heard of, by pid. */
struct held {
	int pid;
	size_t listed; /* in which window last */
	double bytes;
};

/* One panel: of CPU or of memory. */
struct kind {
	const char *panel, *unit, *what;
	enum process_order order;
	char key[PICTURE_KEY_SIZE]; /* "": the record has none */
	bool is_counter;
	double factor;
	enum quality quality;
	struct process_sum *
		top; /* copies out of the table, whose texts they share: the one that did most first */
	struct picture_track *tracks; /* of each of them */
	double *holds; /* what each of them had when it was listed last; NAN: it is gone */
	bool *held; /* whether that was drawn of a time in which it was not listed */
	size_t n_top;
	struct picture_track rest;
	bool any_rest;
};

struct drawn {
	struct picture_reading *reading;
	struct process_table table;
	struct kind kinds[2];
	double slept;
	struct intmap held_at; /* by pid: which of `held` */
	struct held *held;
	size_t n_held;
	double held_bytes;
	size_t windows;
	double end; /* of the windows drawn, in seconds from the picture's zero */
	bool any_quiet; /* in the last of them processes lived that it does not list */
};

/* Of the rest, those that a window lists: what they had on average over it, and what they hold behind it. */
struct listed {
	double bytes, held_bytes;
};

/* Which measurements */

/* Takes the first glob that a measurement of processes fits. */
static void choose_key(struct kind *k, const json_t *info, const char *const *globs)
{
	const json_t *rows = json_object_get(info, "measurements");

	for (; *globs && !k->key[0]; globs++) {
		for (size_t i = 0; i < json_array_size(rows) && !k->key[0]; i++) {
			const json_t *row = json_array_get(rows, i);
			const char *key = info_text(row, "key", NULL);
			const char *scope = info_text(row, "scope", NULL);
			const char *kind = info_text(row, "kind", NULL);

			if (!key || !scope || strcmp(scope, "process") != 0 ||
				strlen(key) >= sizeof(k->key) || fnmatch(*globs, key, 0) != 0)
				continue;
			memcpy(k->key, key, strlen(key) + 1);
			k->is_counter = kind && strcmp(kind, "counter") == 0;
			k->quality = picture_quality(info_text(row, "quality", NULL));
		}
	}
}

static void choose_keys(struct drawn *d)
{
	static const char *const cpu[] = { "proc_cpu_seconds", "proc_cpu_percent", "*_cpu_seconds",
		"*_cpu_percent", "*cpu*_percent", NULL };
	static const char *const memory[] = { "proc_pss_bytes", "*_pss_bytes", "proc_rss_bytes",
		"*_rss_bytes", NULL };
	const json_t *info = d->reading->info;

	d->kinds[0] = (struct kind){
		.panel = "process_cpu", .unit = "cores", .what = "CPU", .order = BY_CPU
	};
	d->kinds[1] = (struct kind){
		.panel = "process_memory", .unit = "bytes", .what = "memory", .order = BY_MEMORY
	};
	choose_key(&d->kinds[0], info, cpu);
	choose_key(&d->kinds[1], info, memory);
	d->kinds[0].factor = d->kinds[0].is_counter ? 1 : 0.01;
	d->kinds[1].factor = 1;
	for (size_t i = 0; i < ARRAY_SIZE(d->kinds); i++)
		if (!picture_metrics_panel(d->reading->metrics, d->kinds[i].panel))
			d->kinds[i].key[0] = '\0';
}

/* Who did most */

static bool times_of(struct drawn *d, const json_t *window, double *ret_start, double *ret_end)
{
	double slept = info_number(window, "suspended_seconds", NULL);

	*ret_start = info_number(window, "start_seconds", NULL) + d->slept;
	*ret_end = info_number(window, "end_seconds", NULL) + d->slept;
	if (slept > 0 && slept < SECONDS_MAX)
		d->slept += slept;
	return isfinite(*ret_start) && isfinite(*ret_end) && *ret_start >= 0 &&
	       *ret_end >= *ret_start && *ret_end < SECONDS_MAX && *ret_start < d->reading->to;
}

static int rank_window(const json_t *window, void *context)
{
	struct drawn *d = context;
	double start;
	double end;

	if (times_of(d, window, &start, &end) && end > d->reading->from)
		process_table_add(&d->table, window, start, end);
	return d->table.failed ? -ENOMEM : 0;
}

static int choose_top(struct drawn *d, struct kind *k)
{
	const struct picture_options *o = d->reading->options;
	size_t n = o->n_processes > 0 ? o->n_processes : PICTURE_PROCESSES_USUAL;
	size_t points = o->points_max > 0 ? o->points_max : PICTURE_POINTS_USUAL;

	process_table_sort(&d->table, k->order);
	k->top = calloc(n, sizeof(*k->top));
	k->tracks = calloc(n, sizeof(*k->tracks));
	k->holds = calloc(n, sizeof(*k->holds));
	k->held = calloc(n, sizeof(*k->held));
	if (!k->top || !k->tracks || !k->holds || !k->held)
		return -ENOMEM;
	for (size_t i = 0; i < d->table.n && k->n_top < n; i++) {
		double weight = process_weight(&d->table.list[i], k->order);

		if (!(weight > 0) ||
			weight < LEAST_SHARE * process_weight(&d->table.list[0], k->order))
			break;
		k->tracks[k->n_top].max = points < PICTURE_POINTS_MIN ? PICTURE_POINTS_MIN : points;
		k->top[k->n_top++] = d->table.list[i];
	}
	k->rest.max = points < PICTURE_POINTS_MIN ? PICTURE_POINTS_MIN : points;
	return 0;
}

/* Their lines */

static struct picture_track *track_of(const struct kind *k, int64_t pid, uint64_t start_ticks)
{
	for (size_t i = 0; i < k->n_top; i++)
		if (k->top[i].pid == pid && k->top[i].start_ticks == start_ticks)
			return &k->tracks[i];
	return NULL;
}

static double gauge_of(const json_t *value, const char *const *names)
{
	double found = (double) NAN;

	for (; *names && isnan(found); names++)
		found = info_number(value, *names, NULL);
	return found;
}

/* What a process says of itself: the time that it covers, and the value in it; `mean` NAN when it says nothing. Of one that was quiet before, a counter grew some
 * time since then; a gauge was read in this window alone. */
static struct picture_point point_of(const struct drawn *d, const struct kind *k,
	const json_t *process, double start, double end)
{
	static const char *const high[] = { "max", "mean", "last", NULL };
	static const char *const mean[] = { "mean", "max", "last", NULL };
	const json_t *value = json_object_get(json_object_get(process, "values"), k->key);
	double since = info_number(process, "since_seconds", NULL) + d->slept;
	struct picture_point p = { .start = k->is_counter && since < start ? since : start,
		.end = end };
	double seconds;

	if (since > start && since < end)
		p.start = since;
	seconds = p.end - p.start;
	if (k->is_counter) {
		p.mean = seconds > 0 ? info_number(value, "delta", NULL) / seconds * k->factor
				     : (double) NAN;
		p.high = p.low = p.mean;
	} else {
		p.high = gauge_of(value, high) * k->factor;
		p.mean = gauge_of(value, mean) * k->factor;
		p.low = p.mean;
	}
	if (p.start < d->reading->from)
		p.start = d->reading->from;
	if (p.end > d->reading->to)
		p.end = d->reading->to;
	p.start += d->reading->picture->runs[d->reading->run].offset;
	p.end += d->reading->picture->runs[d->reading->run].offset;
	return p;
}

static bool is_gone(const json_t *process)
{
	return json_is_true(json_object_get(process, "ended")) ||
	       json_is_true(json_object_get(process, "left"));
}

/* Of one that is gone, when it went, in seconds from the picture's zero: nobody knows but by the samples that met it. It had its memory until then, not until
 * the window's end. */
static double gone_at(
	const struct drawn *d, const json_t *window, const json_t *process, const double times[2])
{
	double samples = info_number(window, "samples", NULL);
	double since = info_number(process, "since_seconds", NULL) + d->slept;
	double start = since > times[0] ? since : times[0];
	double length = times[1] - times[0];
	double met = 0;
	double end = times[1];
	const char *state;
	json_t *count;

	json_object_foreach(json_walk(json_object_get(process, "states")), state, count) met +=
		json_is_number(count) ? json_number_value(count) : 0;
	/* Of one that was quiet before, samples of earlier windows are in it. */
	if (met > 0 && met < samples && !(since < times[0]) && start + length * met / samples < end)
		end = start + length * met / samples;
	return end + d->reading->picture->runs[d->reading->run].offset;
}

static void let_go(struct drawn *d, struct held *held)
{
	int pid = held->pid;

	/* The last takes its place. */
	*held = d->held[--d->n_held];
	if (held->pid != pid)
		*intmap_get(&d->held_at, held->pid) = (uint32_t) (held - d->held);
	intmap_remove(&d->held_at, pid);
}

/* Of one of the rest: what it holds from now on; 0 when it ended. */
static int hold(struct drawn *d, int64_t pid, double bytes)
{
	uint32_t *at = pid > 0 && pid <= INT32_MAX ? intmap_get(&d->held_at, (int) pid) : NULL;
	struct held *held;

	if (pid <= 0 || pid > INT32_MAX)
		return 0;
	if (!at && !(bytes > 0))
		return 0;
	if (!at) {
		held = realloc(d->held, (d->n_held + 1) * sizeof(*held));
		if (!held || intmap_set(&d->held_at, (int) pid, (uint32_t) d->n_held) < 0) {
			d->held = held ? held : d->held;
			return -ENOMEM;
		}
		d->held = held;
		d->held[d->n_held++] = (struct held){ .pid = (int) pid };
		at = intmap_get(&d->held_at, (int) pid);
	}
	held = &d->held[*at];
	d->held_bytes += bytes - held->bytes;
	held->bytes = bytes;
	held->listed = d->windows;
	if (!(bytes > 0))
		let_go(d, held);
	return 0;
}

/* It is there, and nothing is said of its memory. */
static void hold_as_before(struct drawn *d, int64_t pid)
{
	uint32_t *at = pid > 0 && pid <= INT32_MAX ? intmap_get(&d->held_at, (int) pid) : NULL;

	if (at)
		d->held[*at].listed = d->windows;
}

/* Where none is quiet, who is not listed is gone: other tools say no more of it, and of very many at once not all that ended are listed. */
static void let_go_of_unlisted(struct drawn *d)
{
	for (size_t i = d->n_held; i-- > 0;)
		if (d->held[i].listed != d->windows) {
			d->held_bytes -= d->held[i].bytes;
			let_go(d, &d->held[i]);
		}
}

/* What the point adds to a stretch as long as the window, of which it may cover a part only: a process that was born in it. */
static double share_of(const struct picture_point *p, double window_seconds)
{
	double seconds = p->end - p->start;

	if (!(p->mean > 0) || !(seconds > 0))
		return 0;
	return seconds < window_seconds ? p->mean * seconds / window_seconds : p->mean;
}

/* The stretch of a window that is drawn. */
static struct picture_point stretch_of(const struct drawn *d, const double times[2])
{
	double offset = d->reading->picture->runs[d->reading->run].offset;
	double start = times[0] > d->reading->from ? times[0] : d->reading->from;
	double end = times[1] < d->reading->to ? times[1] : d->reading->to;

	return (struct picture_point){ .start = start + offset, .end = end + offset };
}

static int add_held(struct drawn *d, const json_t *process, const struct picture_point *point,
	double window_seconds, struct listed *listed)
{
	int64_t pid = json_integer_value(json_object_get(process, "pid"));
	double held = point->mean > 0 && !is_gone(process) ? point->mean : 0;

	/* Listed without its memory, which was not read: it holds what it held. */
	if (isnan(point->mean) && !is_gone(process)) {
		hold_as_before(d, pid);
		return 0;
	}
	listed->bytes += share_of(point, window_seconds);
	listed->held_bytes += held;
	return hold(d, pid, held);
}

/* Of the time from `start` on in which it was quiet: what it had when it was listed last. */
static void add_quiet(struct kind *k, struct picture_track *track, double start, double end)
{
	double holds = k->holds[track - k->tracks];
	struct picture_point p = { .start = start, .end = end, .low = holds, .high = holds };

	p.mean = holds;
	if (track->n > 0 && track->points[track->n - 1].end > p.start)
		p.start = track->points[track->n - 1].end;
	if (!(holds > 0) || !(p.start < p.end))
		return;
	k->held[track - k->tracks] = true;
	picture_track_add(track, p, ESTIMATE);
}

static bool add_top_point(const struct drawn *d, struct kind *k, struct picture_track *track,
	const json_t *process, struct picture_point p)
{
	const json_t *of = json_object_get(json_object_get(process, "values"), k->key);
	const char *quality = info_text(of, "quality", NULL);
	double since = info_number(process, "since_seconds", NULL) + d->slept;

	if (!k->is_counter && isfinite(since))
		add_quiet(k, track,
			(since > d->reading->from ? since : d->reading->from) +
				d->reading->picture->runs[d->reading->run].offset,
			p.start);
	picture_track_add(track, p, quality ? picture_quality(quality) : k->quality);
	if (is_gone(process))
		k->holds[track - k->tracks] = (double) NAN;
	else if (!isnan(p.mean))
		k->holds[track - k->tracks] = p.mean;
	return !track->failed;
}

static int add_processes(
	struct drawn *d, struct kind *k, const json_t *window, const double times[2])
{
	const json_t *processes = json_object_get(window, "processes");
	struct picture_point rest = stretch_of(d, times);
	struct listed listed = { 0 };
	bool is_memory = k->order == BY_MEMORY;

	for (size_t i = 0; i < json_array_size(processes); i++) {
		const json_t *process = json_array_get(processes, i);
		struct picture_track *track =
			track_of(k, json_integer_value(json_object_get(process, "pid")),
				(uint64_t) json_integer_value(
					json_object_get(process, "start_time_ticks")));
		struct picture_point point = point_of(d, k, process, times[0], times[1]);
		double gone = is_memory && is_gone(process) ? gone_at(d, window, process, times)
							    : point.end;

		point.end = gone < point.end ? gone : point.end;
		if (track && !add_top_point(d, k, track, process, point))
			return -ENOMEM;
		if (!track && !is_memory)
			rest.mean += share_of(&point, rest.end - rest.start);
		if (!track && is_memory &&
			add_held(d, process, &point, rest.end - rest.start, &listed) < 0)
			return -ENOMEM;
	}
	if (is_memory && !d->any_quiet)
		let_go_of_unlisted(d);
	/* Those that it does not list are quiet. */
	if (is_memory)
		rest.mean = d->held_bytes - listed.held_bytes + listed.bytes;
	/* Sums of means are fractions. */
	if (rest.mean < 0)
		rest.mean = 0;
	rest.low = rest.high = rest.mean;
	/* Of what was before the picture begins, what is held is of interest alone. */
	if (!(rest.end > rest.start))
		return 0;
	d->end = rest.end;
	k->any_rest = k->any_rest || rest.mean > 0;
	/* Of memory each has its most for as long as it was met: neither more than all nor less. */
	picture_track_add(&k->rest, rest, is_memory ? ESTIMATE : LOWER_BOUND);
	return k->rest.failed ? -ENOMEM : 0;
}

/* The next line of one that is quiet is behind what is drawn, or was never written: it is there. */
static void hold_on(const struct drawn *d, struct kind *k)
{
	for (size_t i = 0; d->any_quiet && k->order == BY_MEMORY && i < k->n_top; i++) {
		struct picture_track *track = &k->tracks[i];

		add_quiet(
			k, track, track->n > 0 ? track->points[track->n - 1].end : d->end, d->end);
	}
}

static int draw_window(const json_t *window, void *context)
{
	struct drawn *d = context;
	double slept = d->slept;
	double times[2];
	int r = 0;

	if (!times_of(d, window, &times[0], &times[1]))
		return 0;
	d->windows++;
	d->any_quiet = info_number(window, "quiet_processes", NULL) > 0 ||
		       info_number(window, "omitted_processes", NULL) > 0;
	/* Of a process it is where the window began. */
	double after = d->slept;
	d->slept = slept;
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(d->kinds); i++)
		if (d->kinds[i].key[0])
			r = add_processes(d, &d->kinds[i], window, times);
	d->slept = after;
	return r;
}

/* Into the picture */

static int fill_line(struct drawn *d, const struct kind *k, struct picture_line *line,
	struct picture_track *track)
{
	line->key = strdup(k->key);
	line->quality = line->peak_quality = track->quality;
	line->run = d->reading->run;
	line->rate = k->is_counter;
	line->points = track->points;
	line->n = track->n;
	track->points = NULL;
	return line->key ? 0 : -ENOMEM;
}

static int add_top(struct drawn *d, struct kind *k, struct picture_panel *panel, size_t which)
{
	const struct process_sum *of = &k->top[which];
	struct picture_line *line = picture_line(panel);
	struct buf label = { 0 };
	struct buf why = { 0 };

	if (!line || fill_line(d, k, line, &k->tracks[which]) < 0)
		return -ENOMEM;
	buf_addf(&label, "%lld %s", (long long) of->pid, of->name ? of->name : "");
	buf_addf(&why, "%s of process %lld: %s", k->what, (long long) of->pid,
		of->command ? of->command
		: of->name  ? of->name
			    : "name not known");
	if (k->held[which])
		buf_add_text(&why, "; while it did nothing, what it had before");
	line->label = buf_take(&label);
	line->why = buf_take(&why);
	return line->label && line->why ? 0 : -ENOMEM;
}

static int add_rest(struct drawn *d, struct kind *k, struct picture_panel *panel)
{
	struct picture_line *line = picture_line(panel);

	if (!line || fill_line(d, k, line, &k->rest) < 0)
		return -ENOMEM;
	free(line->key);
	line->key = strdup("rest");
	line->label = strdup("all others");
	line->why = strdup(k->order == BY_MEMORY
				   ? "the processes that are not drawn one by one, as far as the "
				     "series names them, each with its most of a window for as "
				     "long as it was met there"
				   : "the processes that are not drawn one by one, as far as the "
				     "series names them; those too short to be seen are not in it");
	return line->key && line->label && line->why ? 0 : -ENOMEM;
}

static int add_panel(struct drawn *d, struct kind *k)
{
	struct picture_panel *panel;
	int r = 0;

	if (!k->key[0] || k->n_top == 0)
		return 0;
	/* One process alone is what the panel of the run shows. */
	if (k->n_top == 1 && !k->any_rest && !picture_metrics_names(d->reading->metrics, k->panel))
		return 0;
	panel = picture_panel(d->reading->picture, k->panel, k->unit, d->reading->run);
	if (!panel)
		return -ENOMEM;
	panel->stacked = !d->reading->options->unstacked;
	for (size_t i = 0; r == 0 && i < k->n_top; i++)
		if (k->tracks[i].n > 0)
			r = add_top(d, k, panel, i);
	if (r == 0 && k->any_rest)
		r = add_rest(d, k, panel);
	return r;
}

static void done(struct drawn *d)
{
	for (size_t i = 0; i < ARRAY_SIZE(d->kinds); i++) {
		struct kind *k = &d->kinds[i];

		for (size_t j = 0; j < k->n_top; j++)
			picture_track_done(&k->tracks[j]);
		free(k->top);
		free(k->tracks);
		free(k->holds);
		free(k->held);
		picture_track_done(&k->rest);
	}
	process_table_done(&d->table);
	intmap_done(&d->held_at);
	free(d->held);
}

int picture_add_processes(struct picture_reading *r)
{
	struct drawn d = { .reading = r };
	const struct stored_run *run = r->picture->runs[r->run].stored;
	int code = 0;

	choose_keys(&d);
	if (!d.kinds[0].key[0] && !d.kinds[1].key[0])
		return 0;
	process_table_begin(&d.table, json_object_get(r->info, "measurements"));
	/* That it cannot be read to its end was told when the run was read first. */
	code = stored_run_windows(run, rank_window, &d, NULL, NULL);
	code = code == -ENOMEM ? code : 0;
	for (size_t i = 0; code == 0 && i < ARRAY_SIZE(d.kinds); i++)
		if (d.kinds[i].key[0])
			code = choose_top(&d, &d.kinds[i]);
	if (code == 0 && (d.kinds[0].n_top > 0 || d.kinds[1].n_top > 0)) {
		d.slept = 0;
		code = stored_run_windows(run, draw_window, &d, NULL, NULL);
		code = code == -ENOMEM ? code : 0;
	}
	for (size_t i = 0; code == 0 && i < ARRAY_SIZE(d.kinds); i++) {
		hold_on(&d, &d.kinds[i]);
		code = add_panel(&d, &d.kinds[i]);
	}
	done(&d);
	return code;
}
