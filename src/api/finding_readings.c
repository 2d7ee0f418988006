/* SPDX-License-Identifier: MIT */
/* Tells what the sources read at one look: the process's own files, the machine's, its cgroups'. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/findings.h"
#include "base/error.h"
#include "base/macros.h"
#include "collect/collect.h"
#include "linux/net_dev.h"
#include "linux/powercap.h"
#include "linux/proc_files.h"
#include "linux/roots.h"
#include "monitor/loop.h"

/* A reading, or why there is none. `device` may be NULL. */
static void tell_reading(struct making *m, const char *key, const char *device, enum unit unit,
	uint64_t n, struct value v)
{
	finding_begin(m, "readings", key);
	finding_add_text(m, "device", device);
	if (v.quality == ABSENT)
		finding_add_text(m, "why", v.why ? errno_name(v.why) : "not read");
	else
		finding_add_number(m, "value", unit, n);
	if (v.quality != ABSENT)
		finding_add_text(m, "quality", quality_name((enum quality) v.quality));
	finding_tell(m);
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

/* Why a collector has no readings. */
static void tell_unavailable(
	struct making *m, const struct look *look, const char *collector, const char *key)
{
	for (size_t i = 0; i < N_COLLECTORS_MAX && collectors[i]; i++) {
		if (strcmp(collectors[i]->name, collector) != 0 || look->states[i].available)
			continue;
		finding_begin(m, "readings", key);
		finding_add_text(m, "why", look->states[i].why);
		finding_tell(m);
	}
}

/* Where the energy counters stand: the collector counts from its first look on. */
static void tell_energy(struct making *m, const struct look *look)
{
	struct powercap_domain *list = calloc(POWERCAP_DOMAINS_MAX, sizeof(*list));
	int n = list ? powercap_list(&look->roots, list, POWERCAP_DOMAINS_MAX) : -ENOMEM;

	if (n <= 0)
		tell_unavailable(m, look, "rapl", "rapl_domain_energy_joules");
	for (int i = 0; i < n; i++) {
		uint64_t uj = 0;
		int r = powercap_read(&look->roots, &list[i], &uj);

		tell_reading(m, "rapl_domain_energy_joules", list[i].zone, JOULES, uj * 1000,
			(struct value){ .quality = r < 0 ? ABSENT : EXACT, .why = (uint8_t) -r });
	}
	free(list);
}

static void tell_interface(const struct net_interface *i, void *context)
{
	static const char *const keys[N_INTERFACE_COUNTERS] = {
		[RECEIVE_BYTES] = "netns_interface_receive_bytes",
		[RECEIVE_PACKETS] = "netns_interface_receive_packets_count",
		[TRANSMIT_BYTES] = "netns_interface_transmit_bytes",
		[TRANSMIT_PACKETS] = "netns_interface_transmit_packets_count",
	};

	for (int k = 0; k < N_INTERFACE_COUNTERS; k++)
		if (keys[k])
			tell_reading(context, keys[k], i->name,
				strstr(keys[k], "bytes") ? BYTES : COUNT, i->counters[k],
				(struct value){ .quality = EXACT });
}

/* The interfaces of the process's network namespace, likewise. */
static void tell_interfaces(struct making *m, const struct look *look)
{
	size_t size = (size_t) 256 * 1024; /* a thousand interfaces and more */
	char *text = malloc(size);
	AUTO_CLOSE int fd = text ? net_dev_open(&look->roots, look->pid) : -1;
	ssize_t n = fd >= 0 ? read_kernel_file(fd, text, size) : -1;

	if (n >= 0)
		net_dev_parse(text, (size_t) n, tell_interface, m);
	free(text);
}

static void tell_row(struct making *m, const struct monitor *monitor, size_t row)
{
	const struct measure *r = monitor->measures->rows[row];
	const struct accumulator *a = &monitor->batch.singles[row];
	const struct collector_state *s = &monitor->states[monitor->measures->collector[row]];

	if (!s->available) {
		finding_begin(m, "readings", r->key);
		finding_add_text(m, "why", s->why);
		finding_tell(m);
	} else if (r->scope == DEVICE) {
		tell_devices(m, monitor, row);
	} else if (a->quality || a->why) {
		tell_reading(m, r->key, NULL, (enum unit) r->unit, a->last,
			(struct value){ .quality = a->quality, .why = a->why });
	}
}

/* Collectors that tell something by one reading are read once. What is a rate needs two readings, and is left out. */
static int read_machine(
	struct making *m, struct look *look, struct monitor *monitor, bool *all, struct error *err)
{
	const struct measures *ms = look->measures;
	struct collector_state states[N_COLLECTORS_MAX];

	memcpy(states, look->states, sizeof(states));
	memset(all, 1, ms->n * sizeof(*all));
	monitor_blank(monitor);
	int r = monitor_init(monitor, &look->roots, ms, all, states, err);
	if (r < 0)
		return r;
	monitor->collect.cgroup = &look->cgroup;
	monitor->ledger.job_pid = look->pid;
	monitor_look(monitor);
	for (size_t row = 0; row < ms->n; row++)
		if (collectors[ms->collector[row]]->tells_alone && ms->rate_of[row] < 0)
			tell_row(m, monitor, row);
	monitor_done(monitor);
	return 0;
}

static int tell_machine_readings(struct making *m, struct look *look, struct error *err)
{
	bool *all = calloc(look->measures->n, sizeof(*all));
	/* Not on the stack, which may be small (ulimit -s). */
	struct monitor *monitor = calloc(1, sizeof(*monitor));
	int r = all && monitor ? read_machine(m, look, monitor, all, err)
			       : error_set(err, -ENOMEM, "cannot read the sources");

	free(monitor);
	free(all);
	return r;
}

int tell_readings(struct making *m, struct look *look, struct error *err)
{
	tell_own_readings(m, look);
	int r = tell_machine_readings(m, look, err);
	if (r < 0)
		return r;
	tell_interfaces(m, look);
	tell_energy(m, look);
	return 0;
}
