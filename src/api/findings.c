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
#include "linux/proc_files.h"
#include "linux/proc_mount.h"
#include "linux/proc_stat.h"
#include "monitor/loop.h"
#include "report/allowed.h"

/* A finding being made: numbers and copied texts need a place until it is told. */
struct making {
	const struct assay_look_options *to;
	struct assay_finding finding;
	char numbers[ASSAY_FINDING_FIELDS_MAX][32];
};

static void begin(struct making *m, const char *section, const char *name)
{
	m->finding = (struct assay_finding){ .section = section, .name = name };
}

static void add_field(struct making *m, const char *name, const char *text, const char *unit)
{
	if (text && text[0] && m->finding.n_fields < ASSAY_FINDING_FIELDS_MAX)
		m->finding.fields[m->finding.n_fields++] =
			(struct assay_finding_field){ name, text, unit };
}

static void add_text(struct making *m, const char *name, const char *text)
{
	add_field(m, name, text, NULL);
}

/* In the unit's public form: what is kept in fractions as a decimal. */
static void add_number(struct making *m, const char *name, enum unit unit, uint64_t n)
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
	add_field(m, name, place, unit_name(unit));
}

static void tell(struct making *m)
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
		add_text(m, "hidepid", m->numbers[m->finding.n_fields]);
	}
	if (!mount.hides)
		return;
	if (look->roots.live && !proc_mount_hides_from_us(&look->roots))
		add_text(m, "hides", "processes of other users from ordinary users, not from you");
	else
		add_text(m, "hides",
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

	begin(m, "process", "process");
	add_number(m, "pid", COUNT, (uint64_t) look->pid);
	snprintf(path, sizeof(path), "%d/stat", (int) look->pid);
	ssize_t n = read_root_file(look->roots.proc, path, text, sizeof(text));
	if (n >= 0 && proc_stat_parse(text, (size_t) n, &stat) == 0)
		add_text(m, "name", stat.name);
	add_text(m, "root", m->to->root);
	add_hiding(m, look);
	tell(m);
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

		begin(m, "cgroups", controllers[i]);
		if (p->version)
			add_number(m, "version", COUNT, (uint64_t) p->version);
		add_text(m, "path", p->path);
		add_text(m, "directory", p->directory);
		if (p->is_root)
			add_text(m, "top", "hierarchy");
		else if (p->is_namespace_root)
			add_text(m, "top", "namespace");
		if (p->version == 0 || p->fd < 0)
			add_text(m, "why", p->why);
		tell(m);
	}
}

/* A reading, or why there is none. `device` may be NULL. */
static void tell_reading(struct making *m, const char *key, const char *device, enum unit unit,
	uint64_t n, struct value v)
{
	begin(m, "readings", key);
	add_text(m, "device", device);
	if (v.quality == ABSENT)
		add_text(m, "why", v.why ? errno_name(v.why) : "not read");
	else
		add_number(m, "value", unit, n);
	if (v.quality != ABSENT)
		add_text(m, "quality", quality_name((enum quality) v.quality));
	tell(m);
}

/* One row of the process itself. */
static void tell_own(
	struct making *m, const struct look *look, const char *key, int error, uint64_t n)
{
	int row = measures_find(look->measures, key);
	struct value v = { .n = n };

	if (row < 0)
		return;
	v.quality = error ? ABSENT : look->measures->rows[row]->quality;
	v.why = (uint8_t) -error;
	tell_reading(m, key, NULL, (enum unit) look->measures->rows[row]->unit, n, v);
}

/* Reads one file of the process; its length or a negative errno. */
static ssize_t read_own(const struct look *look, const char *name, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "%d/%s", (int) look->pid, name);
	return read_root_file(look->roots.proc, path, text, size);
}

static void tell_own_readings(struct making *m, const struct look *look)
{
	char text[8192];
	struct proc_status status = { .uid = 0 };
	struct smaps_rollup smaps = { .rss = 0 };
	struct proc_io io = { .rchar = 0 };
	ssize_t n = read_own(look, "status", text, sizeof(text));
	int r = n < 0 ? (int) n : proc_status_parse(text, (size_t) n, &status);

	if (r == 0 && !status.has_memory)
		r = -ENODATA;
	tell_own(m, look, "proc_rss_bytes", r,
		status.rss_anon_bytes + status.rss_file_bytes + status.rss_shmem_bytes);
	tell_own(m, look, "proc_hwm_bytes", r, status.hwm_bytes);
	n = read_own(look, "smaps_rollup", text, sizeof(text));
	r = n < 0 ? (int) n : smaps_rollup_parse(text, (size_t) n, &smaps);
	tell_own(m, look, "proc_pss_bytes", r, smaps.pss);
	n = read_own(look, "io", text, sizeof(text));
	r = n < 0 ? (int) n : proc_io_parse(text, (size_t) n, &io);
	tell_own(m, look, "proc_io_read_bytes", r, io.read_bytes);
	tell_own(m, look, "proc_io_write_bytes", r, io.write_bytes);
}

static void tell_devices(struct making *m, const struct monitor *monitor, size_t row)
{
	const struct measure *r = monitor->measures->rows[row];
	const struct devices *d = &monitor->devices;

	for (size_t i = 0; i < d->n; i++) {
		if (d->list[i].collector != monitor->measures->collector[row])
			continue;
		const struct accumulator *a = &d->list[i].rows[d->column[row]];
		if (a->quality || a->why)
			tell_reading(m, r->key, d->list[i].name, (enum unit) r->unit, a->last,
				(struct value){ .quality = a->quality, .why = a->why });
	}
}

/* Collectors that count without a job are read once. What is a rate needs two readings, and is left out. */
static int tell_machine_readings(struct making *m, struct look *look, struct error *err)
{
	struct monitor monitor;
	const struct measures *ms = look->measures;
	bool *all = calloc(ms->n, sizeof(*all));
	struct collector_state states[N_COLLECTORS_MAX];

	memcpy(states, look->states, sizeof(states));
	if (!all)
		return error_set(err, -ENOMEM, "cannot read the sources");
	memset(all, 1, ms->n * sizeof(*all));
	int r = monitor_init(&monitor, &look->roots, ms, all, states, err);
	if (r < 0) {
		free(all);
		return r;
	}
	monitor.collect.cgroup = &look->cgroup;
	monitor.ledger.job_pid = look->pid;
	monitor_look(&monitor);
	for (size_t row = 0; row < ms->n; row++) {
		const struct measure *r1 = ms->rows[row];
		const struct accumulator *a = &monitor.batch.singles[row];

		if (!collectors[ms->collector[row]]->counted_before || ms->rate_of[row] >= 0)
			continue;
		if (r1->scope == DEVICE)
			tell_devices(m, &monitor, row);
		else if (a->quality || a->why)
			tell_reading(m, r1->key, NULL, (enum unit) r1->unit, a->last,
				(struct value){ .quality = a->quality, .why = a->why });
	}
	monitor_done(&monitor);
	free(all);
	return 0;
}

static void tell_limit(struct making *m, const struct target_limit *l, uint64_t hits, bool has_hits)
{
	char amount[ALLOWED_AMOUNT_SIZE] = "unlimited";

	begin(m, "limits", l->name);
	add_text(m, "unit", l->unit == UNITLESS ? "cores" : unit_name((enum unit) l->unit));
	if (l->limit == UINT64_MAX) {
		add_text(m, "limit", amount);
	} else {
		/* cores are kept in thousandths, as ratios are */
		add_number(m, "limit", l->unit == UNITLESS ? RATIO : (enum unit) l->unit, l->limit);
		allowed_amount(l->unit, l->limit, amount);
	}
	add_text(m, "source", l->source);
	add_text(m, "where", l->where);
	add_field(m, "tightest", l->tightest ? "true" : "false", "bool");
	if (has_hits)
		add_number(m, "hits_so_far", COUNT, hits);
	add_text(m, "note", l->note);
	add_text(m, "amount", amount);
	tell(m);
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
	tell_own_readings(&m, look);
	return tell_machine_readings(&m, look, err);
}
