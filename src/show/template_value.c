/* SPDX-License-Identifier: MIT */
/* Looks up what a template names: con-duct's names for a run, the headline, statistics of measurements. */
#include "show/template_value.h"

#include <stdio.h>
#include <string.h>

#include "base/macros.h"
#include "base/utf8.h"
#include "model/run_info.h"
#include "record/info_json.h"

#define SIGNAL_BASE 128

static struct template_value none(void)
{
	return (struct template_value){ .kind = TEMPLATE_NONE };
}

static struct template_value text_of(const char *bytes, size_t n)
{
	struct template_value v = { .kind = TEMPLATE_TEXT };

	buf_add_text(&v.text, "");
	text_add_printable(&v.text, bytes, n);
	return v;
}

static struct template_value text(const char *string)
{
	return string ? text_of(string, strlen(string)) : none();
}

static struct template_value integer(uint64_t n)
{
	return (struct template_value){ .kind = TEMPLATE_INTEGER, .number = (double) n };
}

static struct template_value decimal(double number)
{
	return (struct template_value){ .kind = TEMPLATE_DECIMAL, .number = number };
}

/* A number in the base unit of its row as people count it. */
static struct template_value in_unit(uint8_t unit, uint64_t n)
{
	switch ((enum unit) unit) {
	case SECONDS:
	case JOULES:
		return decimal((double) n / (double) NSEC_PER_SEC);
	case WATTS:
		return decimal((double) n / 1e5);
	case PERCENT:
	case CELSIUS:
	case RATIO:
	case UNITLESS:
		return decimal((double) n / 1000.0);
	case BYTES:
	case COUNT:
	case HERTZ:
	case N_UNIT:
		break;
	}
	return integer(n);
}

static struct template_value command(const struct assay_run_info *info)
{
	struct template_value v = { .kind = TEMPLATE_TEXT };

	for (int i = 0; i < info->argc; i++) {
		if (i > 0)
			buf_add_char(&v.text, ' ');
		text_add_shell_word(&v.text, info->argv[i], strlen(info->argv[i]));
	}
	return v;
}

static struct template_value exit_code(const struct assay_run_info *info)
{
	const struct outcome *o = &info->outcome;

	if (!o->known)
		return none();
	return integer((uint64_t) (o->signal ? SIGNAL_BASE + o->signal : o->exit_code));
}

static struct template_value fact(
	const struct assay_run_info *info, const char *section, const char *key)
{
	for (size_t i = 0; i < info->n_facts; i++) {
		const struct fact *f = &info->facts[i];

		if (strcmp(f->section, section) == 0 && !f->group && strcmp(f->key, key) == 0)
			return f->text ? text(f->text) : integer(f->number);
	}
	return none();
}

static const struct summary *total_of(
	const struct assay_run_info *info, const char *key, const struct measure **ret_row)
{
	const struct measures *m = info->measures;

	for (size_t i = 0; m && info->run_totals && info->selected && i < m->n; i++) {
		if (strcmp(m->rows[i]->key, key) != 0)
			continue;
		if (!info->selected[i] || info->run_totals[i].quality == ABSENT)
			return NULL;
		*ret_row = m->rows[i];
		return &info->run_totals[i];
	}
	return NULL;
}

static struct template_value peak(const struct assay_run_info *info, const char *key)
{
	const struct measure *row = NULL;
	const struct summary *s = total_of(info, key, &row);

	return s ? in_unit(row->unit, s->max) : none();
}

static struct template_value mean(const struct assay_run_info *info, const char *key)
{
	const struct measure *row = NULL;
	const struct summary *s = total_of(info, key, &row);

	return s ? in_unit(row->unit, s->mean) : none();
}

/* Percent of one core. */
static struct template_value cores(const struct assay_run_info *info, const char *name)
{
	const struct headline *h = run_info_headline(info, name);

	return h && h->value.quality != ABSENT ? decimal((double) h->value.n / 10.0) : none();
}

static struct template_value unix_time(uint64_t realtime_ns)
{
	return realtime_ns ? decimal((double) realtime_ns / (double) NSEC_PER_SEC) : none();
}

enum name_id {
	EXIT_CODE,
	COMMAND,
	LOGS_PREFIX,
	WALL_CLOCK_TIME,
	PEAK_RSS,
	AVERAGE_RSS,
	PEAK_VSZ,
	AVERAGE_VSZ,
	PEAK_PMEM,
	AVERAGE_PMEM,
	PEAK_PCPU,
	AVERAGE_PCPU,
	NUM_SAMPLES,
	NUM_REPORTS,
	START_TIME,
	END_TIME,
	WORKING_DIRECTORY,
	MESSAGE,
	NAME,
	ID,
	HOSTNAME,
	USER,
	OUTCOME,
	N_NAMES
};

static const char *const names[] = {
	[EXIT_CODE] = "exit_code",
	[COMMAND] = "command",
	[LOGS_PREFIX] = "logs_prefix",
	[WALL_CLOCK_TIME] = "wall_clock_time",
	[PEAK_RSS] = "peak_rss",
	[AVERAGE_RSS] = "average_rss",
	[PEAK_VSZ] = "peak_vsz",
	[AVERAGE_VSZ] = "average_vsz",
	[PEAK_PMEM] = "peak_pmem",
	[AVERAGE_PMEM] = "average_pmem",
	[PEAK_PCPU] = "peak_pcpu",
	[AVERAGE_PCPU] = "average_pcpu",
	[NUM_SAMPLES] = "num_samples",
	[NUM_REPORTS] = "num_reports",
	[START_TIME] = "start_time",
	[END_TIME] = "end_time",
	[WORKING_DIRECTORY] = "working_directory",
	[MESSAGE] = "message",
	[NAME] = "name",
	[ID] = "id",
	[HOSTNAME] = "hostname",
	[USER] = "user",
	[OUTCOME] = "outcome",
};
_Static_assert(ARRAY_SIZE(names) == N_NAMES, "one text a name");

/* What DESIGN's headline may hold. */
static const char *const headline_names[] = { "wall_seconds", "cpu_seconds", "cpu_user_seconds",
	"cpu_system_seconds", "cpu_mean_cores", "cpu_peak_cores", "memory_peak_bytes",
	"memory_peak_process_bytes", "memory_peak_charged_bytes", "memory_peak_swapped_bytes",
	"memory_peak_huge_bytes", "tasks_peak", "io_read_bytes", "io_write_bytes",
	"io_read_syscall_bytes", "io_write_syscall_bytes", "processes", "network_receive_bytes",
	"network_transmit_bytes" };

static struct template_value of_run(const struct assay_run_info *info, enum name_id id)
{
	switch (id) {
	case EXIT_CODE:
		return exit_code(info);
	case COMMAND:
		return command(info);
	case LOGS_PREFIX:
		return text(info->prefix);
	case WALL_CLOCK_TIME:
		return decimal((double) info->wall_ns / (double) NSEC_PER_SEC);
	case PEAK_RSS:
		return peak(info, "proc_rss_total_bytes");
	case AVERAGE_RSS:
		return mean(info, "proc_rss_total_bytes");
	case PEAK_VSZ:
		return peak(info, "proc_vsz_total_bytes");
	case AVERAGE_VSZ:
		return mean(info, "proc_vsz_total_bytes");
	case PEAK_PMEM:
		return peak(info, "proc_memory_total_percent");
	case AVERAGE_PMEM:
		return mean(info, "proc_memory_total_percent");
	case PEAK_PCPU:
		return cores(info, "cpu_peak_cores");
	case AVERAGE_PCPU:
		return cores(info, "cpu_mean_cores");
	case NUM_SAMPLES:
		return integer(info->ticks);
	case NUM_REPORTS:
		return integer(info->windows);
	case START_TIME:
		return unix_time(info->started_realtime_ns);
	case END_TIME:
		return unix_time(info->ended_realtime_ns);
	case WORKING_DIRECTORY:
		return text(info->working_directory);
	case MESSAGE:
		return text(info->message ? info->message : "");
	case NAME:
		return text(info->name);
	case ID:
		return text(info->id);
	case HOSTNAME:
		return fact(info, "host", "hostname");
	case USER:
		return fact(info, "user", "name");
	case OUTCOME:
		return info->outcome.known ? text(info->outcome.words) : none();
	case N_NAMES:
		break;
	}
	return none();
}

/* The headline quantity `name`, or with the end "_quality" in what way it is known. */
static bool of_headline(
	const struct assay_run_info *info, const char *name, struct template_value *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(headline_names); i++) {
		size_t n = strlen(headline_names[i]);

		if (strncmp(name, headline_names[i], n) != 0)
			continue;
		bool quality = strcmp(name + n, "_quality") == 0;
		if (name[n] && !quality)
			continue;
		const struct headline *h = info ? run_info_headline(info, headline_names[i]) : NULL;
		if (!h || h->value.quality == ABSENT)
			*ret = none();
		else if (quality)
			*ret = text(quality_name(h->value.quality));
		else
			*ret = in_unit(h->unit, h->value.n);
		return true;
	}
	return false;
}

static struct template_value of_tag(const struct assay_run_info *info, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < info->n_tags; i++)
		if (strncmp(info->tags[i], name, n) == 0 && info->tags[i][n] == '=')
			return text(info->tags[i] + n + 1);
	return none();
}

static bool is_statistic(const char *name, const char *key, const char *statistic)
{
	char full[192];

	return statistic_key(key, statistic, full, sizeof(full)) == 0 && strcmp(full, name) == 0;
}

static struct template_value of_measurement(const struct assay_run_info *info, const char *name)
{
	const struct measures *m = info->measures;

	for (size_t i = 0; m && info->run_totals && info->selected && i < m->n; i++) {
		const struct measure *row = m->rows[i];
		const struct summary *s = &info->run_totals[i];

		if (!info->selected[i] || s->quality == ABSENT || row->scope != SINGLE)
			continue;
		if ((row->reduce & MAX) && is_statistic(name, row->key, "peak"))
			return in_unit(row->unit, s->max);
		if ((row->reduce & MEAN) && is_statistic(name, row->key, "mean"))
			return in_unit(row->unit, s->mean);
		if ((row->reduce & MIN) && is_statistic(name, row->key, "min"))
			return in_unit(row->unit, s->min);
		if ((row->reduce & LAST) && is_statistic(name, row->key, "last"))
			return in_unit(row->unit, s->last);
		if ((row->reduce & DELTA) && strcmp(name, row->key) == 0)
			return in_unit(row->unit, s->delta);
	}
	return none();
}

static enum name_id find(const char *name)
{
	size_t i = 0;

	while (i < N_NAMES && strcmp(names[i], name) != 0)
		i++;
	return (enum name_id) i;
}

bool template_name_is_known(const char *name)
{
	struct template_value ignored;

	return find(name) != N_NAMES || of_headline(NULL, name, &ignored) ||
	       (strncmp(name, "tag_", 4) == 0 && name[4]);
}

/* How many letters stand at the same place, from the front and from the back. */
static size_t likeness(const char *a, const char *b)
{
	size_t n_a = strlen(a);
	size_t n_b = strlen(b);
	size_t front = 0;
	size_t back = 0;

	while (a[front] && a[front] == b[front])
		front++;
	while (back + front < n_a && back + front < n_b && a[n_a - 1 - back] == b[n_b - 1 - back])
		back++;
	return front + back;
}

/* A slip of the fingers leaves most of a name in place; what shares a few letters with it is another name. */
static bool is_close(const char *known, const char *name)
{
	size_t n_known = strlen(known);
	size_t n_name = strlen(name);

	return likeness(known, name) * 3 >= (n_known > n_name ? n_known : n_name) * 2;
}

const char *template_name_like(const char *name)
{
	const char *best = names[0];

	for (size_t i = 1; i < ARRAY_SIZE(names); i++)
		if (likeness(names[i], name) > likeness(best, name))
			best = names[i];
	for (size_t i = 0; i < ARRAY_SIZE(headline_names); i++)
		if (likeness(headline_names[i], name) > likeness(best, name))
			best = headline_names[i];
	return is_close(best, name) ? best : NULL;
}

struct template_value template_value_of(const struct assay_run_info *info, const char *name)
{
	enum name_id id = find(name);
	struct template_value v;

	if (id != N_NAMES)
		return of_run(info, id);
	if (of_headline(info, name, &v))
		return v;
	if (strncmp(name, "tag_", 4) == 0)
		return of_tag(info, name + 4);
	return of_measurement(info, name);
}
