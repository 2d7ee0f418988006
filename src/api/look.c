/* SPDX-License-Identifier: MIT */
/* One look at a machine, this one or a recorded one: the ladders, the cgroups of a process, what bounds it, and what the sources read. */
#include "assay.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/findings.h"
#include "api/sources.h"
#include "base/error.h"
#include "linux/cgroup_view.h"
#include "linux/roots.h"

struct listed {
	const struct measure *row;
	size_t collector;
};

static int by_quantity_and_rank(const void *a, const void *b)
{
	const struct listed *x = a;
	const struct listed *y = b;
	int r = strcmp(x->row->quantity, y->row->quantity);

	return r ? r : (int) x->row->rank - (int) y->row->rank;
}

/* What a cgroup counts is the job's alone only where it was made for the job. */
static void say_shared(struct assay_rung *rung)
{
	size_t n = strlen(rung->why);

	if (strcmp(rung->quality, quality_name(ESTIMATE)) != 0)
		rung->quality = quality_name(UPPER_BOUND);
	snprintf(rung->why + n, sizeof(rung->why) - n, "%s",
		"; the cgroup a job is started in holds others as well: one of the job's own "
		"(--cgroup=own, where it may be made) would count it alone");
}

static int tell_rungs(const struct look *look, const struct assay_look_options *o)
{
	const struct measures *m = look->measures;
	struct listed *list = calloc(m->n, sizeof(*list));
	const char *served = NULL;
	size_t n = 0;

	if (!list)
		return -ENOMEM;
	for (size_t row = 0; row < m->n; row++)
		if (m->rows[row]->quantity)
			list[n++] = (struct listed){ m->rows[row], (size_t) m->collector[row] };
	qsort(list, n, sizeof(*list), by_quantity_and_rank);

	for (size_t i = 0; i < n; i++) {
		const struct measure *r = list[i].row;
		const struct collector_state *s = &look->states[list[i].collector];
		struct assay_rung rung = { .quantity = r->quantity,
			.key = r->key,
			.collector = s->name,
			.quality = quality_name(r->quality),
			.rank = r->rank,
			.available = s->available };

		rung.in_use = s->available && (!served || strcmp(served, r->quantity) != 0);
		if (rung.in_use)
			served = r->quantity;
		snprintf(rung.why, sizeof(rung.why), "%s", s->available ? r->help : s->why);
		if (s->available && strncmp(r->key, "cgroup_", 7) == 0)
			say_shared(&rung);
		o->rung(&rung, o->context);
	}
	free(list);
	return 0;
}

/* The process a tree was recorded of is where its /proc/self leads. */
static pid_t recorded_pid(const struct roots *roots)
{
	char text[16];
	char *end;
	ssize_t n = readlinkat(roots->proc, "self", text, sizeof(text) - 1);

	if (n <= 0)
		return 0;
	text[n] = '\0';
	long pid = strtol(text, &end, 10);
	return *end == '\0' && pid > 0 && pid < INT32_MAX ? (pid_t) pid : 0;
}

static int find_process(struct look *look, const struct assay_look_options *o, struct error *err)
{
	bool recorded = o->root != NULL;
	char path[32];

	look->pid = o->pid > 0 ? o->pid : recorded ? recorded_pid(&look->roots) : getpid();
	look->is_self = !recorded && look->pid == getpid();
	if (look->roots.proc < 0)
		return 0;
	if (look->pid == 0)
		return error_say(err, -ESRCH,
			"the tree in %s does not say which process it is of: name one by its pid",
			o->root);
	snprintf(path, sizeof(path), "%d/stat", (int) look->pid);
	if (faccessat(look->roots.proc, path, F_OK, 0) < 0)
		return error_say(err, -ESRCH, "there is no process %d to be seen %s%s",
			(int) look->pid, recorded ? "in " : "here", recorded ? o->root : "");
	return 0;
}

static int look_around(struct look *look, const struct assay_look_options *o, struct error *err)
{
	size_t n;

	sources_probe(&look->roots, &look->cgroup, -1, NULL, look->states, &n);
	int r = o->finding ? tell_findings(look, o, err) : 0;
	if (r == 0 && o->rung)
		r = tell_rungs(look, o);
	return r;
}

static int open_look(struct look *look, const struct assay_look_options *o, struct error *err)
{
	look->measures = all_measures(err);
	if (!look->measures)
		return err->code;
	int r = roots_open(&look->roots, o->root ? o->root : "", err);
	if (r < 0)
		return r;
	/* The kernel's own files below another name are no record. */
	if (o->root && look->roots.live)
		r = error_say(err, -EINVAL, "%s is this machine, not a recorded tree", o->root);
	if (r == 0)
		r = find_process(look, o, err);
	if (r == 0) {
		cgroup_view_open(&look->cgroup, &look->roots, look->pid);
		r = look_around(look, o, err);
		cgroup_view_close(&look->cgroup);
	}
	roots_close(&look->roots);
	return r;
}

int assay_look(const struct assay_look_options *options, struct assay_error *err)
{
	struct assay_look_options o = ASSAY_LOOK_OPTIONS_INIT;
	struct look look = { .pid = 0 };
	struct error why = { 0 };

	memcpy(&o, options, options->size < sizeof(o) ? options->size : sizeof(o));
	int r = open_look(&look, &o, &why);
	if (r < 0 && !why.text[0])
		error_set(&why, r, "cannot look at the machine");
	if (r < 0 && err) {
		err->code = r;
		snprintf(err->text, sizeof(err->text), "%s", why.text);
	}
	return r;
}

int assay_doctor(void (*each)(const struct assay_rung *rung, void *context), void *context,
	struct assay_error *err)
{
	struct assay_look_options o = ASSAY_LOOK_OPTIONS_INIT;

	o.rung = each;
	o.context = context;
	return assay_look(&o, err);
}
