/* SPDX-License-Identifier: MIT */
/* Tells where a process stands: what can be seen of it, its cgroups, what bounds it, and what the sources read now. */
#include "api/findings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/bounds.h"
#include "api/sources.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "linux/proc_mount.h"
#include "linux/proc_stat.h"
#include "run/allowed.h"

void finding_begin(struct making *m, const char *section, const char *name)
{
	m->finding = (struct assay_finding){ .section = section, .name = name };
}

void finding_add(struct making *m, const char *name, const char *text, const char *unit)
{
	if (text && text[0] && m->finding.n_fields < ASSAY_FINDING_FIELDS_MAX)
		m->finding.fields[m->finding.n_fields++] =
			(struct assay_finding_field){ name, text, unit };
}

void finding_add_text(struct making *m, const char *name, const char *text)
{
	finding_add(m, name, text, NULL);
}

/* In the unit's public form: what is kept in fractions as a decimal. */
void finding_add_number(struct making *m, const char *name, enum unit unit, uint64_t n)
{
	struct buf text = { 0 };
	struct json j;

	if (m->finding.n_fields >= ASSAY_FINDING_FIELDS_MAX)
		return;
	char *place = m->numbers[m->finding.n_fields];
	json_init(&j, &text, 0);
	json_measure_value(&j, unit, n);
	snprintf(place, sizeof(m->numbers[0]), "%s", text.data ? text.data : "");
	buf_done(&text);
	finding_add(m, name, place, unit_name(unit));
}

void finding_tell(struct making *m)
{
	m->to->finding(&m->finding, m->to->context);
}

/* Why what is in /proc may not be all there is. */
static void add_hiding(struct making *m, const struct look *look)
{
	struct proc_mount mount;

	if (proc_mount_read(&look->roots, &mount) < 0)
		return;
	if (mount.hidepid[0]) {
		snprintf(m->numbers[m->finding.n_fields], sizeof(m->numbers[0]), "%s",
			mount.hidepid);
		finding_add_text(m, "hidepid", m->numbers[m->finding.n_fields]);
	}
	if (!mount.hides)
		return;
	if (look->roots.live && !proc_mount_hides_from_us(&look->roots))
		finding_add_text(
			m, "hides", "processes of other users from ordinary users, not from you");
	else
		finding_add_text(m, "hides",
			"processes of other users: what the job starts as another user "
			"(sudo, setuid programs) is in no sum over processes, though still in the "
			"keeper's and the cgroup's totals; root, or the group of the mount's gid= "
			"option, would see them");
}

static void tell_process(struct making *m, const struct look *look)
{
	char text[1024];
	char path[32];
	struct proc_stat stat = { .pid = 0 };

	finding_begin(m, "process", "process");
	finding_add_number(m, "pid", COUNT, (uint64_t) look->pid);
	snprintf(path, sizeof(path), "%d/stat", (int) look->pid);
	ssize_t n = read_root_file(look->roots.proc, path, text, sizeof(text));
	if (n >= 0 && proc_stat_parse(text, (size_t) n, &stat) == 0)
		finding_add_text(m, "name", stat.name);
	finding_add_text(m, "root", m->to->root);
	add_hiding(m, look);
	finding_tell(m);
}

static const char *const controllers[N_CGROUP_CONTROLLERS] = {
	[CGROUP_CPU] = "cpu",
	[CGROUP_CPUACCT] = "cpuacct",
	[CGROUP_CPUSET] = "cpuset",
	[CGROUP_MEMORY] = "memory",
	[CGROUP_PIDS] = "pids",
	[CGROUP_IO] = "io",
	[CGROUP_PRESSURE] = "pressure",
};

static void tell_cgroups(struct making *m, const struct look *look)
{
	for (int i = 0; i < N_CGROUP_CONTROLLERS; i++) {
		const struct cgroup_place *p = &look->cgroup.place[i];

		finding_begin(m, "cgroups", controllers[i]);
		if (p->version)
			finding_add_number(m, "version", COUNT, (uint64_t) p->version);
		finding_add_text(m, "path", p->path);
		finding_add_text(m, "directory", p->directory);
		if (p->is_root)
			finding_add_text(m, "top", "hierarchy");
		else if (p->is_namespace_root)
			finding_add_text(m, "top", "namespace");
		if (p->version == 0 || p->fd < 0)
			finding_add_text(m, "why", p->why);
		finding_tell(m);
	}
}

static void tell_limit(struct making *m, const struct target_limit *l, uint64_t hits, bool has_hits)
{
	char amount[ALLOWED_AMOUNT_SIZE] = "unlimited";

	finding_begin(m, "limits", l->name);
	finding_add_text(m, "unit", l->unit == UNITLESS ? "cores" : unit_name((enum unit) l->unit));
	if (l->limit == UINT64_MAX) {
		finding_add_text(m, "limit", amount);
	} else {
		/* cores are kept in thousandths, as ratios are */
		finding_add_number(
			m, "limit", l->unit == UNITLESS ? RATIO : (enum unit) l->unit, l->limit);
		allowed_amount(l->unit, l->limit, amount);
	}
	finding_add_text(m, "source", l->source);
	finding_add_text(m, "where", l->where);
	finding_add(m, "tightest", l->tightest ? "true" : "false", "bool");
	if (has_hits)
		finding_add_number(m, "hits_so_far", COUNT, hits);
	finding_add_text(m, "note", l->note);
	finding_add_text(m, "amount", amount);
	finding_tell(m);
}

/* Those of one name together, in the order of the first of each. */
static void tell_limits_by_name(
	struct making *m, const struct assay_run_info *info, const struct bounds *bounds)
{
	bool told[N_TARGET_LIMITS_MAX] = { false };

	for (size_t i = 0; i < info->n_target_limits; i++)
		for (size_t k = i; k < info->n_target_limits && !told[i]; k++) {
			const struct target_limit *l = &info->target_limits[k];
			uint64_t hits = 0;
			bool has_hits = false;

			if (told[k] || strcmp(l->name, info->target_limits[i].name) != 0)
				continue;
			for (size_t b = 0; b < bounds->n; b++)
				if (bounds->counters[b].limit == k) {
					has_hits = true;
					if (bounds->counters[b].before.hits > hits)
						hits = bounds->counters[b].before.hits;
				}
			tell_limit(m, l, hits, has_hits);
			told[k] = k != i;
		}
}

static int tell_limits(struct making *m, const struct look *look, struct error *err)
{
	struct assay_run_info *info = calloc(1, sizeof(*info));
	struct bounds bounds;

	if (!info)
		return error_set(err, -ENOMEM, "cannot look for limits");
	bounds_find(info, &look->roots, look->pid, &bounds);
	if (!look->is_self)
		bounds_forget_environment(info);
	tell_limits_by_name(m, info, &bounds);
	bounds_done(&bounds);
	run_info_done(info);
	free(info);
	return 0;
}

int tell_findings(struct look *look, const struct assay_look_options *options, struct error *err)
{
	struct making m = { .to = options };

	tell_process(&m, look);
	tell_cgroups(&m, look);
	int r = tell_limits(&m, look, err);
	if (r < 0)
		return r;
	return tell_readings(&m, look, err);
}
