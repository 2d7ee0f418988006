/* SPDX-License-Identifier: MIT */
/* What the files that make a picture share: the lines in the making, and the steps in their order. */
#ifndef ASSAY_PICTURE_PICTURE_PARTS_H
#define ASSAY_PICTURE_PICTURE_PARTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "model/value.h"
#include "picture/picture.h"
#include "picture/picture_track.h"

struct picture_metrics;

/* Of a reading whose record does not say: an estimate. */
static inline enum quality picture_quality(const char *name)
{
	enum quality quality = quality_of_name(name);

	return quality != ABSENT ? quality : ESTIMATE;
}

#define PICTURE_KEY_SIZE 96
#define PICTURE_SOURCES_MAX                                                                        \
	4096 /* lines in the making of a run: more devices than that are left out */

#define PICTURE_ASKED (-1)

/* A line in the making. */
struct picture_source {
	char key[PICTURE_KEY_SIZE];
	const json_t *row; /* of the record's measurements; NULL */
	char *device; /* NULL: it is of the whole run */
	int usual; /* the row of picture_usual[], or PICTURE_ASKED: by its key alone */
	int rank; /* of the sources that fit the row: the least that has anything is drawn */
	char panel[32];
	const char *unit; /* as it is drawn */
	double factor;
	bool is_counter;
	bool is_sum; /* a counter that is drawn as what it has come to: see is_late() */
	double sum;
	bool asked; /* by its key: drawn whatever else is */
	bool drawn; /* it was chosen, when all was read */
	char peak_key
		[PICTURE_KEY_SIZE]; /* of the gauge that is the growth of this counter over moments shorter than a window; "" */
	const json_t *peak_row; /* of the record's measurements; NULL */
	enum quality peak_quality; /* the worst that was read of it; ABSENT */
	bool any_max; /* the greatest of samples was read, which says nothing of the time between them */
	struct picture_track track;
};

/* A line that is drawn without being asked for. The first row of a panel says its title. */
struct picture_usual {
	const char *panel, *title;
	const char *label; /* of a device its name comes behind */
	const char *keys; /* globs between blanks, the preferred one first */
	const char *device; /* of devices of that kind; NULL */
	bool own_cgroup; /* only where the cgroup held the job alone */
	bool unless_zero; /* left out where nothing but 0 was read */
	bool gauge; /* no counter: of all that were seen, say, in place of those that are there */
	bool fallback; /* only where the panel has no other line */
	bool per_core; /* only when asked for, and stacked */
};

extern const struct picture_usual picture_usual[];
extern const size_t n_picture_usual;

/* A run while its series is read. */
struct picture_reading {
	struct picture *picture;
	size_t run; /* which of picture->runs */
	const struct picture_options *options;
	struct picture_metrics *metrics;
	const json_t *info;
	struct picture_source **sources;
	size_t n_sources;
	json_t *rows; /* of the record's measurements, by key */
	json_t *known; /* what has been looked at, by key or by kind, name and key of a device */
	bool rows_known; /* the record says which measurements it has */
	double from, to; /* what is drawn of it, in seconds from its start */
	double slept, last_end;
	long long segment;
	double stop
		[2]; /* the window that is as long as the command was stopped, in seconds from the run's start */
	size_t stops; /* how many windows are */
	size_t counted; /* marks made of counters */
	size_t joined; /* marks where the recording went on */
	struct picture_gap gap; /* which may go on in the next window; 0 to 0: none */
	size_t first_gap; /* of the picture's: those of this run come last there */
	size_t short_gaps; /* left out, as there are longer ones enough */
	bool any;
};

/* Sources */

/* Looks whether a line is to be made of what has that key: 0, or -ENOMEM. */
int picture_consider(struct picture_reading *r, const char *key, const json_t *value,
	const char *device_kind, const char *device);
/* Of all measurements that the record names. */
int picture_consider_rows(struct picture_reading *r);
/* A window, or the part of it that is drawn. */
struct picture_stretch {
	double start, end; /* in seconds from the picture's zero */
	double seconds; /* of the whole window */
};

/* Adds what a window read. */
void picture_source_add(struct picture_source *s, const json_t *window, const json_t *value,
	struct picture_stretch of);
void picture_sources_done(struct picture_reading *r);
/* The panel that a key belongs into, by its words; its unit and what it is multiplied by. */
void picture_classify(struct picture_source *s, const json_t *value);
bool picture_has_own_cgroup(const json_t *info);
/* The title of a panel by its name. */
const char *picture_panel_title(const char *name);

/* Reads the series of a run. -ENOMEM; that it cannot be read is told by the run's trouble. */
int picture_read(struct picture_reading *r);

/* What is told of the runs, and where each begins. -ENOMEM. */
int picture_describe(struct picture *p, const struct stored_run *const *runs, size_t n,
	const struct picture_options *o);
/* Reads the series for the processes one by one: once for who did most, once for their lines. */
int picture_add_processes(struct picture_reading *r);
/* To the panels that the run has lines in. */
int picture_add_limits(struct picture_reading *r);
/* Tells which of them are in sight, and leaves out what nobody needs to hear. */
void picture_see_limits(struct picture_panel *panel);
/* What a window tells of events; what the record tells. */
int picture_mark_window(struct picture_reading *r, const json_t *window, double end);
int picture_mark_run(struct picture_reading *r);
/* Looks whether the stop that the record tells may be in that window. */
void picture_note_stop(struct picture_reading *r, double start, double end);

/* Puts all in order when the runs are read. */
int picture_arrange(struct picture *p, const struct picture_options *o);
/* Marks and gaps by time. */
void picture_sort(struct picture *p);
void picture_panel_done(struct picture_panel *panel);
/* Gives the lines of a panel the same stretches, at most so many. -ENOMEM. */
int picture_align(struct picture_panel *panel, size_t points_max);
/* The greatest sum of its means. */
double picture_stack_top(const struct picture_panel *panel);
/* Leaves idle stretches out; when all else is done. -ENOMEM. */
int picture_compress(struct picture *p);

/* What is drawn: the sources become lines of panels. */
int picture_add_lines(struct picture_reading *r);
/* The panel of that name, made when it is not there. NULL without memory. */
struct picture_panel *picture_panel(
	struct picture *p, const char *name, const char *unit, size_t run);
/* An empty line at the end of the panel; NULL. */
struct picture_line *picture_line(struct picture_panel *panel);

int picture_add_gap(struct picture *p, const struct picture_gap *gap, const char *why);
int picture_add_mark(
	struct picture *p, size_t run, double at, enum picture_mark_kind kind, const char *label);

#endif
