/* SPDX-License-Identifier: MIT */
/*
 * Reads `sadf -j` of sysstat: what sar keeps of a machine, one run a host of the document. All of it is of the whole machine, so none of it is in the headline but
 * how long it is. Rates are of the interval that ends at the timestamp.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/macros.h"
#include "record/foreign/beside.h"
#include "record/foreign/import.h"
#include "record/foreign/iso_time.h"

#define FILE_MAX_BYTES ((size_t) 64 * 1024 * 1024)
#define SECTOR 512.0
#define KIB 1024.0
#define INTERVAL_MAX_SECONDS 1e8

#define WALL "sadf_wall_seconds"
#define CPU "sadf_host_cpu_percent"
#define CPU_SECONDS "sadf_host_cpu_seconds"
#define IOWAIT "sadf_host_iowait_percent"
#define RECEIVE "sadf_host_network_receive_bytes"
#define TRANSMIT "sadf_host_network_transmit_bytes"

#define ROW(key_, kind_, unit_, reduce_, quality_, help_)                                          \
	{                                                                                          \
		.key = (key_), .kind = (kind_), .unit = (unit_), .scope = SINGLE,                  \
		.reduce = (reduce_), .quality = (quality_), .origin = "sadf(1)", .help = (help_)   \
	}

static const struct measure rows[] = {
	ROW(WALL, GAUGE, SECONDS, LAST, ESTIMATE,
		"from the beginning of the first interval to the end of the last"),
	ROW(CPU, GAUGE, PERCENT, MAX | MEAN, SAMPLED,
		"CPU use of the machine, 100 for each CPU, without waiting for I/O and what a "
		"hypervisor took"),
	ROW(CPU_SECONDS, COUNTER, SECONDS, DELTA, ESTIMATE, "that use by the interval"),
	ROW(IOWAIT, GAUGE, PERCENT, MAX | MEAN, SAMPLED,
		"time in which CPUs were idle and waited for storage, 100 for each CPU"),
	ROW("sadf_host_memory_used_bytes", GAUGE, BYTES, MAX | MEAN | LAST, SAMPLED,
		"memory of the machine that is not free, its caches not counted"),
	ROW("sadf_host_memory_cached_bytes", GAUGE, BYTES, MAX | MEAN | LAST, SAMPLED,
		"page cache of the machine"),
	ROW("sadf_host_swap_used_bytes", GAUGE, BYTES, MAX | MEAN | LAST, SAMPLED,
		"swap space in use"),
	ROW("sadf_host_disk_read_bytes", COUNTER, BYTES, DELTA, ESTIMATE,
		"bytes that the machine's disks read"),
	ROW("sadf_host_disk_write_bytes", COUNTER, BYTES, DELTA, ESTIMATE,
		"bytes that the machine's disks wrote"),
	ROW(RECEIVE, COUNTER, BYTES, DELTA, ESTIMATE,
		"bytes that the machine's interfaces received, the loopback left out"),
	ROW(TRANSMIT, COUNTER, BYTES, DELTA, ESTIMATE,
		"bytes that the machine's interfaces sent, the loopback left out"),
};

/* Numbers of one place. A rate is of a second. */
static const struct {
	const char *path[3], *key;
	double scale;
	bool rate;
} numbers[] = {
	{ { "memory", "memused" }, "sadf_host_memory_used_bytes", KIB, false },
	{ { "memory", "cached" }, "sadf_host_memory_cached_bytes", KIB, false },
	{ { "memory", "swpused" }, "sadf_host_swap_used_bytes", KIB, false },
	{ { "io", "io-reads", "bread" }, "sadf_host_disk_read_bytes", SECTOR, true },
	{ { "io", "io-writes", "bwrtn" }, "sadf_host_disk_write_bytes", SECTOR, true },
};

struct reading {
	struct draft *d;
	double cpus; /* 0: not told */
	uint64_t first_ns,
		before_ns; /* the beginning of the first interval, the end of the latest; 0: none yet */
	uint64_t windows, left_out;
	bool local; /* times are of no zone that is known */
};

static bool number_in(const json_t *of, const char *const path[3], double *ret)
{
	for (size_t i = 0; i < 3 && path[i]; i++)
		of = json_object_get(of, path[i]);
	*ret = json_number_value(of);
	return json_is_number(of) && *ret >= 0;
}

static void tell_gauge(struct draft *d, const char *key, double value, bool last)
{
	draft_value(d, key, "max", value, SAMPLED);
	draft_value(d, key, "mean", value, SAMPLED);
	if (last)
		draft_value(d, key, "last", value, SAMPLED);
}

static const json_t *all_cpus(const json_t *statistic)
{
	static const char *const names[] = { "cpu-load", "cpu-load-all" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const json_t *list = json_object_get(statistic, names[i]);
		const json_t *one;
		size_t k;

		json_array_foreach(list, k, one)
		{
			const char *cpu = json_string_value(json_object_get(one, "cpu"));

			if (cpu && strcmp(cpu, "all") == 0)
				return one;
		}
	}
	return NULL;
}

static void tell_cpu(struct reading *r, const json_t *statistic, double seconds)
{
	static const char *const idle_path[3] = { "idle" };
	static const char *const wait_path[3] = { "iowait" };
	static const char *const steal_path[3] = { "steal" };
	const json_t *all = all_cpus(statistic);
	double idle;
	double wait = 0;
	double steal = 0;
	double busy;

	if (!(r->cpus > 0) || !number_in(all, idle_path, &idle))
		return;
	number_in(all, wait_path, &wait);
	number_in(all, steal_path, &steal);
	busy = 100 - idle - wait - steal;
	/* Each is rounded to a hundredth. */
	busy = busy > 0 ? busy * r->cpus : 0;
	tell_gauge(r->d, CPU, busy, false);
	tell_gauge(r->d, IOWAIT, wait * r->cpus, false);
	draft_value(r->d, CPU_SECONDS, "delta", busy / 100 * seconds, ESTIMATE);
}

static void tell_network(struct reading *r, const json_t *statistic, double seconds)
{
	static const char *const rx_path[3] = { "rxkB" };
	static const char *const tx_path[3] = { "txkB" };
	const json_t *list = json_object_get(json_object_get(statistic, "network"), "net-dev");
	const json_t *one;
	double received = 0;
	double sent = 0;
	bool any = false;
	size_t i;

	json_array_foreach(list, i, one)
	{
		const char *name = json_string_value(json_object_get(one, "iface"));
		double rx;
		double tx;

		if (!name || strcmp(name, "lo") == 0 || !number_in(one, rx_path, &rx) ||
			!number_in(one, tx_path, &tx))
			continue;
		any = true;
		received += rx * KIB * seconds;
		sent += tx * KIB * seconds;
	}
	if (!any)
		return;
	draft_value(r->d, RECEIVE, "delta", received, ESTIMATE);
	draft_value(r->d, TRANSMIT, "delta", sent, ESTIMATE);
}

/* When the interval ended; 0: it does not say. */
static uint64_t end_of(struct reading *r, const json_t *timestamp)
{
	const char *date = json_string_value(json_object_get(timestamp, "date"));
	const char *time = json_string_value(json_object_get(timestamp, "time"));
	const json_t *utc = json_object_get(timestamp, "utc");
	char text[64];
	uint64_t ns;

	if (!date || !time || strlen(date) + strlen(time) > 40)
		return 0;
	r->local = r->local || !(json_is_true(utc) || json_integer_value(utc) == 1);
	snprintf(text, sizeof(text), "%sT%s", date, time);
	return parse_iso_time(text, &ns) < 0 ? 0 : ns;
}

/* False: nobody wants any more. */
static bool take_statistic(struct reading *r, const json_t *statistic)
{
	static const char *const interval_path[3] = { "timestamp", "interval" };
	uint64_t end = end_of(r, json_object_get(statistic, "timestamp"));
	double seconds;
	uint64_t start;

	if (end == 0 || !number_in(statistic, interval_path, &seconds) || !(seconds > 0) ||
		seconds > INTERVAL_MAX_SECONDS || end <= r->before_ns ||
		(double) end < seconds * (double) NSEC_PER_SEC) {
		r->left_out++;
		return true;
	}
	start = end - (uint64_t) (seconds * (double) NSEC_PER_SEC);
	if (r->first_ns == 0)
		r->first_ns = start;
	start = start > r->before_ns ? start : r->before_ns;
	draft_window(r->d, (double) (start - r->first_ns) / (double) NSEC_PER_SEC,
		(double) (end - r->first_ns) / (double) NSEC_PER_SEC, r->local ? 0 : end, 1);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		double value;

		if (!number_in(statistic, numbers[i].path, &value))
			continue;
		if (numbers[i].rate)
			draft_value(r->d, numbers[i].key, "delta",
				value * numbers[i].scale * seconds, ESTIMATE);
		else
			tell_gauge(r->d, numbers[i].key, value * numbers[i].scale, true);
	}
	tell_cpu(r, statistic, seconds);
	tell_network(r, statistic, seconds);
	r->before_ns = end;
	r->windows++;
	return draft_window_end(r->d);
}

static void take_host(struct reading *r, const json_t *host)
{
	const json_t *cpus = json_object_get(host, "number-of-cpus");

	draft_text(r->d, "host", "hostname", json_string_value(json_object_get(host, "nodename")));
	if (json_is_integer(cpus) && json_integer_value(cpus) > 0 &&
		json_integer_value(cpus) < 1000000) {
		r->cpus = json_number_value(cpus);
		draft_integer(r->d, "host", "cpus_online", json_integer_value(cpus));
	}
}

static void conclude(const struct reading *r)
{
	double seconds = (double) (r->before_ns - r->first_ns) / (double) NSEC_PER_SEC;

	if (r->local) {
		draft_started_local(r->d, (double) r->first_ns / (double) NSEC_PER_SEC);
		draft_note(r->d, "its times are local, and their zone is not known: sadf without "
				 "-T writes UTC");
	} else {
		draft_started(r->d, r->first_ns);
		draft_ended(r->d, r->before_ns);
	}
	draft_number(r->d, "time", "wall_seconds", seconds);
	draft_total(r->d, WALL, "last", seconds, ESTIMATE);
	draft_headline(r->d, "wall_seconds", seconds, ESTIMATE, WALL,
		"from the beginning of the first interval to the end of the last");
	draft_note(r->d, "all that sar keeps is of the whole machine, whoever used it");
	if (r->left_out > 0)
		draft_note(r->d,
			"readings without a time or an interval, or older than the one "
			"before, that were left out: %llu",
			(unsigned long long) r->left_out);
}

static int read_host(struct draft *d, const json_t *host, struct error *err)
{
	struct reading r = { .d = d };
	const json_t *statistic;
	size_t i;

	draft_begin(d, "sadf", NULL, rows, ARRAY_SIZE(rows));
	take_host(&r, host);
	json_array_foreach(json_object_get(host, "statistics"), i, statistic)
	{
		if (!take_statistic(&r, statistic))
			break;
	}
	if (d->code == 0 && r.windows == 0)
		return draft_fail(d, err, -EINVAL, "it has no reading of a time and an interval");
	conclude(&r);
	return d->code < 0 ? d->code : 1;
}

static int read_sadf(
	const struct import_file *file, size_t which, struct draft *d, struct error *err)
{
	struct error why = { 0 };
	json_t *root;
	const json_t *hosts;
	int r = json_fd_load(file->fd, FILE_MAX_BYTES, &root, &why);

	if (r < 0)
		return draft_fail(d, err, r, "%s", why.text);
	hosts = json_object_get(json_object_get(root, "sysstat"), "hosts");
	if (json_array_size(hosts) == 0)
		r = draft_fail(d, err, -EINVAL, "it has no host of sysstat's");
	else if (which < json_array_size(hosts))
		r = read_host(d, json_array_get(hosts, which), err);
	json_decref(root);
	return r;
}

static int probe(const struct import_file *file)
{
	if (file->is_directory || file->head[strspn(file->head, " \t\r\n")] != '{')
		return 0;
	return head_holds(file, "\"sysstat\"") && head_holds(file, "\"hosts\"") ? 2 : 0;
}

const struct importer sadf_importer = {
	.name = "sadf",
	.help = "what sar keeps of a machine, as JSON: sadf -j",
	.files = "JSON with sysstat and its hosts",
	.probe = probe,
	.read = read_sadf,
	.several = true,
};
