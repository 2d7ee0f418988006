/* SPDX-License-Identifier: MIT */
/* What somebody wants drawn: names of panels and keys of measurements, as a list with commas. */
#ifndef ASSAY_PICTURE_PICTURE_METRICS_H
#define ASSAY_PICTURE_PICTURE_METRICS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct error;

struct picture_metrics {
	/* private */
	struct picture_item *items;
	size_t n;
	json_t *seen; /* the keys that the runs have, as those of an object */
	bool failed; /* memory ran out */
};

/* `text` NULL: what is usual. -EINVAL with a line, -ENOMEM. */
int picture_metrics_read(const char *text, struct picture_metrics *ret, struct error *err);
void picture_metrics_done(struct picture_metrics *m);

/* Whether the usual lines of the panel are drawn. */
bool picture_metrics_panel(const struct picture_metrics *m, const char *panel);
/* Whether it was asked for by its name. */
bool picture_metrics_names(const struct picture_metrics *m, const char *panel);
/* Whether the measurement was asked for; whether it was taken away. */
bool picture_metrics_key(const struct picture_metrics *m, const char *key);
bool picture_metrics_without(const struct picture_metrics *m, const char *key);

/* A run has that measurement. */
void picture_metrics_saw(struct picture_metrics *m, const char *key);
/* -ENOENT with a line when something was asked for that no run has. */
int picture_metrics_check(const struct picture_metrics *m, struct error *err);

#endif
