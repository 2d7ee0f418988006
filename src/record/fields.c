/* SPDX-License-Identifier: MIT */
/* Finds named values in a run, and shows them. */
#include "record/fields.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/macros.h"
#include "model/outcome.h"
#include "model/value.h"
#include "record/json_dump.h"
#include "record/json_walk.h"
#include "record/number.h"
#include "record/run_names.h"

/* Short names for what is asked for often, in the order in which they are tried. */
static const struct {
	const char *name, *path;
} FIELD_SHORT[] = {
	/* clang-format off */
	{ "command", "command.text" },
	{ "command", "target.text" },
	{ "exit_code", "outcome.exit_code" },
	{ "signal", "outcome.signal_name" },
	{ "outcome", "outcome.words" },
	{ "cause", "outcome.cause" },
	{ "started", "time.started" },
	{ "started", "time.started_local" }, /* where the zone is not known */
	{ "ended", "time.ended" },
	{ "ended", "time.ended_local" },
	{ "wall_seconds", "time.wall_seconds" },
	{ "hostname", "host.hostname" },
	{ "user", "user.name" },
	{ "limit", "limit.name" },
	{ "job_id", "slurm.job_id" },
	{ "job_id", "scheduler.JobID" }, /* sacct: 10_1, 4716+0 */
	{ "job_id", "scheduler.SLURM_JOB_ID" }, /* con-duct */
	{ "target", "target.text" },
	{ "tool", "imported.tool" },
	{ "program_version", "program.version" },
	/* clang-format on */
};

/* What con-duct's ls calls them; where a run has nothing of that name itself. Of one name at most FIELD_SAME_MAX, the last where con-duct measured. */
static const struct {
	const char *name, *same;
} FIELD_SAME[] = {
	{ "wall_clock_time", "wall_seconds" },
	{ "start_time", "started" },
	{ "end_time", "ended" },
	{ "logs_size", "logs_bytes" },
	{ "uid", "user.uid" },
	{ "cpu_total", "host.cpus_online" },
	{ "cpu_total", "host.cpus_configured" },
	{ "memory_total", "host.memory_total_bytes" },
	{ "peak_rss", "proc_peak_rss_total_bytes" },
	{ "peak_rss", "ps_peak_rss_total_bytes" },
	{ "average_rss", "proc_mean_rss_total_bytes" },
	{ "average_rss", "ps_mean_rss_total_bytes" },
	{ "peak_vsz", "proc_peak_vsz_total_bytes" },
	{ "peak_vsz", "ps_peak_vsz_total_bytes" },
	{ "average_vsz", "proc_mean_vsz_total_bytes" },
	{ "average_vsz", "ps_mean_vsz_total_bytes" },
	{ "peak_pmem", "proc_peak_memory_total_percent" },
	{ "peak_pmem", "ps_peak_memory_total_percent" },
	{ "average_pmem", "proc_mean_memory_total_percent" },
	{ "average_pmem", "ps_mean_memory_total_percent" },
	{ "peak_pcpu",
		"ps_peak_lifetime_cpu_total_percent" }, /* no rate, and so con-duct's alone */
	{ "average_pcpu", "ps_mean_lifetime_cpu_total_percent" },
	{ "num_samples", "self.ticks" },
	{ "num_samples", "imported.samples" },
	{ "num_reports", "self.windows" },
	{ "num_reports", "imported.reports" },
};

const char *field_same(const char *name, size_t which)
{
	for (size_t i = 0; i < ARRAY_SIZE(FIELD_SAME); i++)
		if (strcmp(FIELD_SAME[i].name, name) == 0 && which-- == 0)
			return FIELD_SAME[i].same;
	return NULL;
}

/* Members that describe the record and not the run, or that fields of their own tell better. */
static const char *const left_out[] = { "measurements", "collectors", "rungs", "headline",
	"summary", "devices", "schema", "version", "state", "target_limits", "segments" };

static struct field text_field(const char *text)
{
	return (struct field){ .type = text ? FIELD_TEXT : FIELD_ABSENT,
		.text = text ? text : "",
		.n = text ? strlen(text) : 0 };
}

static struct field owned_field(char *text)
{
	struct field field = text_field(text);

	field.owned = text;
	return field;
}

static struct field made_field(const json_t *value)
{
	struct buf text = { 0 };

	json_dump_to(&text, value, JSON_COMPACT | JSON_ENCODE_ANY);
	if (text.failed)
		buf_done(&text);
	return owned_field(text.data);
}

static struct field integer_field(int64_t n)
{
	return (struct field){ .type = FIELD_INTEGER, .integer = n, .number = (double) n };
}

static struct field json_field(const json_t *value)
{
	struct field field = { 0 };

	switch (value ? json_typeof(value) : JSON_NULL) {
	case JSON_STRING:
		field = text_field(json_string_value(value));
		field.n = json_string_length(value);
		return field;
	case JSON_INTEGER:
		return integer_field(json_integer_value(value));
	case JSON_REAL:
		return (struct field){ .type = FIELD_REAL, .number = json_real_value(value) };
	case JSON_TRUE:
	case JSON_FALSE:
		return (struct field){ .type = FIELD_BOOL,
			.integer = json_is_true(value),
			.number = json_is_true(value) };
	case JSON_ARRAY:
	case JSON_OBJECT:
		return made_field(value);
	default:
		return field;
	}
}

/* "value" of an object of the headline or the summary, with its quality. */
static struct field measured_field(const json_t *of)
{
	struct field field = json_field(json_object_get(of, "value"));

	field.quality =
		(uint8_t) quality_of_name(json_string_value(json_object_get(of, "quality")));
	return field;
}

/* NAME of the section, or NAME.MEMBER of what stands there. */
static struct field section_field(const json_t *section, const char *name)
{
	const char *dot = strchr(name, '.');
	char head[128];

	if (!dot || json_object_get(section, name))
		return measured_field(json_object_get(section, name));
	if ((size_t) (dot - name) >= sizeof(head))
		return (struct field){ 0 };
	memcpy(head, name, (size_t) (dot - name));
	head[dot - name] = '\0';
	return json_field(json_object_get(json_object_get(section, head), dot + 1));
}

/* Member by member; a name may have dots in it, so the longest that fits is taken. */
static const json_t *at_path(const json_t *of, const char *path)
{
	const json_t *found = json_object_get(of, path);

	for (const char *dot = strchr(path, '.'); !found && dot; dot = strchr(dot + 1, '.')) {
		char *head = strndup(path, (size_t) (dot - path));
		const json_t *inner = head ? json_object_get(of, head) : NULL;

		if (json_is_object(inner))
			found = at_path(inner, dot + 1);
		free(head);
	}
	return found;
}

/* Bytes of the files that hold what the job said and what was recorded. */
static struct field logs_bytes(const struct stored_run *run)
{
	static const char *const names[] = { RUN_NAME_INFO, RUN_NAME_USAGE, "usage.json",
		"events.jsonl", "stdout", "stderr", "stdout.times", "stderr.times", "live" };
	int64_t sum = 0;
	struct stat st;

	if (run->importer && !run_name_is(run->file, RUN_NAME_INFO))
		return stat(run->file, &st) == 0 ? integer_field(st.st_size) : (struct field){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *path = NULL;

		if (asprintf(&path, "%s%s", run->prefix, names[i]) < 0)
			return (struct field){ 0 };
		if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
			sum += st.st_size;
		free(path);
	}
	return integer_field(sum);
}

static const char *const of_files[] = { "state", "format", "file", "prefix", "series_file",
	"logs_bytes" };

static struct field file_field(const struct stored_run *run, const char *name)
{
	if (strcmp(name, "state") == 0)
		return text_field(stored_state_name(run->state));
	if (strcmp(name, "format") == 0)
		return text_field(run->format);
	if (strcmp(name, "file") == 0)
		return text_field(run->file);
	if (strcmp(name, "prefix") == 0)
		return text_field(run->prefix);
	if (strcmp(name, "series_file") == 0)
		return text_field(run->series);
	if (strcmp(name, "logs_bytes") == 0)
		return logs_bytes(run);
	return (struct field){ 0 };
}

/* Ended, and not as it should: with a code other than 0, by a signal, by a limit. Another tool that tells how it ended has a code where it ended well. */
bool run_failed(const struct stored_run *run)
{
	const json_t *outcome = json_object_get(run->info, "outcome");
	const json_t *code = json_object_get(outcome, "exit_code");
	const char *cause = json_string_value(json_object_get(outcome, "cause"));

	if (run->state != STORED_DONE)
		return false;
	if (json_object_get(run->info, "limit") || json_object_get(outcome, "signal"))
		return true;
	if (json_is_number(code))
		return json_number_value(code) != 0;
	return json_object_get(run->info, "imported") && cause &&
	       strcmp(cause, cause_name(CAUSE_EXITED)) != 0;
}

/* What the column "exit" of the table has: the exit code, else the limit of ours that ended it, else the signal without its SIG. */
static struct field exit_field(const struct stored_run *run)
{
	const json_t *outcome = json_object_get(run->info, "outcome");
	const json_t *limit = json_object_get(json_object_get(run->info, "limit"), "name");
	const char *signal = json_string_value(json_object_get(outcome, "signal_name"));

	if (json_is_number(json_object_get(outcome, "exit_code")))
		return json_field(json_object_get(outcome, "exit_code"));
	if (json_is_string(limit))
		return json_field(limit);
	return text_field(signal && strncmp(signal, "SIG", 3) == 0 ? signal + 3 : signal);
}

static const char *const of_endings[] = { "exit", "failed" };

static struct field ending_field(const struct stored_run *run, const char *name)
{
	if (strcmp(name, "exit") == 0)
		return exit_field(run);
	if (strcmp(name, "failed") == 0 && run_failed(run))
		return (struct field){ .type = FIELD_BOOL, .integer = 1, .number = 1 };
	return (struct field){ 0 };
}

void field_known_short(void (*each)(const char *name, void *context), void *context)
{
	for (size_t i = 0; i < ARRAY_SIZE(FIELD_SHORT); i++)
		each(FIELD_SHORT[i].name, context);
	for (size_t i = 0; i < ARRAY_SIZE(of_files); i++)
		each(of_files[i], context);
	for (size_t i = 0; i < ARRAY_SIZE(of_endings); i++)
		each(of_endings[i], context);
	for (size_t i = 0; i < ARRAY_SIZE(FIELD_SAME); i++)
		each(FIELD_SAME[i].name, context);
}

struct field run_field(const struct stored_run *run, const char *name)
{
	struct field field = section_field(json_object_get(run->info, "headline"), name);

	if (field.type == FIELD_ABSENT)
		field = section_field(json_object_get(run->info, "summary"), name);
	if (field.type == FIELD_ABSENT)
		field = file_field(run, name);
	if (field.type == FIELD_ABSENT)
		field = ending_field(run, name);
	for (size_t i = 0; field.type == FIELD_ABSENT && i < ARRAY_SIZE(FIELD_SHORT); i++)
		if (strcmp(FIELD_SHORT[i].name, name) == 0)
			field = json_field(at_path(run->info, FIELD_SHORT[i].path));
	if (field.type == FIELD_ABSENT)
		field = json_field(at_path(run->info, name));
	for (size_t i = 0; field.type == FIELD_ABSENT && field_same(name, i); i++)
		field = run_field(run, field_same(name, i));
	return field;
}

void field_done(struct field *field)
{
	free(field->owned);
	*field = (struct field){ 0 };
}

typedef int each_field(const char *name, const struct field *field, void *context);

static int hand_over(each_field *each, void *context, const char *name, struct field field)
{
	int r = field.type == FIELD_ABSENT ? 0 : each(name, &field, context);

	field_done(&field);
	return r;
}

static int measured_fields(const json_t *section, each_field *each, void *context)
{
	const char *name;
	json_t *value;

	json_object_foreach(json_walk(section), name, value)
	{
		int r = hand_over(each, context, name, measured_field(value));

		if (r < 0)
			return r;
	}
	return 0;
}

static bool is_left_out(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(left_out); i++)
		if (strcmp(left_out[i], name) == 0)
			return true;
	return false;
}

/* Of the members of an object, and of those in it. */
struct path_walk {
	each_field *each;
	void *context;
	bool lists; /* too */
};

static int path_fields(json_t *of, const char *path, const struct path_walk *walk)
{
	const char *name;
	json_t *value;
	int r = 0;

	json_object_foreach(of, name, value)
	{
		char *inner = NULL;

		if (!*path && is_left_out(name))
			continue;
		if (asprintf(&inner, "%s%s%s", path, *path ? "." : "", name) < 0)
			return -ENOMEM;
		if (json_is_object(value))
			r = path_fields(value, inner, walk);
		else if (walk->lists || !json_is_array(value))
			r = hand_over(walk->each, walk->context, inner, json_field(value));
		free(inner);
		if (r < 0)
			return r;
	}
	return 0;
}

int run_fields(const struct stored_run *run, each_field *each, void *context)
{
	const struct path_walk walk = { each, context, false };
	int r = 0;

	for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(of_files); i++)
		r = hand_over(each, context, of_files[i], file_field(run, of_files[i]));
	if (r >= 0)
		r = measured_fields(json_object_get(run->info, "headline"), each, context);
	if (r >= 0)
		r = measured_fields(json_object_get(run->info, "summary"), each, context);
	if (r >= 0)
		r = path_fields(run->info, "", &walk);
	return r < 0 ? r : 0;
}

/* What an object of the headline says besides its value. */
static int headline_members(const json_t *headline, const struct path_walk *walk)
{
	const char *name;
	json_t *quantity;
	int r = 0;

	json_object_foreach(json_walk(headline), name, quantity)
	{
		if (r >= 0 && json_is_object(quantity))
			r = path_fields(quantity, name, walk);
	}
	return r;
}

int run_every_field(const struct stored_run *run, each_field *each, void *context)
{
	static const char *const others[] = { "state", "format", "schema", "version" };
	const struct path_walk walk = { each, context, true };
	const json_t *headline = json_object_get(run->info, "headline");
	int r = measured_fields(headline, each, context);

	if (r >= 0)
		r = headline_members(headline, &walk);
	if (r >= 0)
		r = measured_fields(json_object_get(run->info, "summary"), each, context);
	for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(others); i++)
		r = hand_over(each, context, others[i], run_field(run, others[i]));
	for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(of_endings); i++)
		r = hand_over(each, context, of_endings[i], run_field(run, of_endings[i]));
	for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(FIELD_SHORT); i++)
		r = hand_over(
			each, context, FIELD_SHORT[i].name, run_field(run, FIELD_SHORT[i].name));
	if (r >= 0)
		r = path_fields(run->info, "", &walk);
	return r < 0 ? r : 0;
}

bool field_is_of_files(const char *name)
{
	const char *same = field_same(name, 0);

	for (size_t i = 0; i < ARRAY_SIZE(of_files); i++)
		if (strcmp(of_files[i], same ? same : name) == 0)
			return strcmp(name, "state") != 0 && strcmp(name, "format") != 0;
	return false;
}

bool field_is_apart(const char *name)
{
	char head[32];
	size_t n = strcspn(name, ".");

	if (n >= sizeof(head) || strcmp(name, "schema") == 0 || strcmp(name, "version") == 0 ||
		strcmp(name, "state") == 0)
		return false;
	memcpy(head, name, n);
	head[n] = '\0';
	return is_left_out(head);
}

bool field_is_quoted(const char *name)
{
	static const char *const quoted[] = { "command", "command.text", "target", "target.text" };

	for (size_t i = 0; i < ARRAY_SIZE(quoted); i++)
		if (strcmp(quoted[i], name) == 0)
			return true;
	return false;
}

enum field_unit field_unit(const char *name)
{
	static const struct {
		const char *end;
		enum field_unit unit;
	} units[] = { { "bytes", FIELD_BYTES }, { "seconds", FIELD_SECONDS },
		{ "percent", FIELD_PERCENT }, { "cores", FIELD_CORES }, { "count", FIELD_COUNT },
		{ "joules", FIELD_JOULES }, { "watts", FIELD_WATTS }, { "hertz", FIELD_HERTZ },
		{ "celsius", FIELD_CELSIUS }, { "started", FIELD_TIME }, { "ended", FIELD_TIME } };
	const char *same = field_same(name, 0);
	size_t n;

	if (same)
		name = same;
	/* whoever tagged a run chose what the value is */
	if (strncmp(name, "tags.", strlen("tags.")) == 0)
		return FIELD_PLAIN;
	n = strlen(name);
	if (run_name_is(name, ".lower") || run_name_is(name, ".upper") ||
		run_name_is(name, ".value"))
		n -= strlen(".lower");
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		size_t n_end = strlen(units[i].end);

		if (n >= n_end && strncmp(name + n - n_end, units[i].end, n_end) == 0)
			return units[i].unit;
	}
	return FIELD_PLAIN;
}

const char *field_mark(const struct field *field)
{
	if (field->type == FIELD_ABSENT || field->quality == ABSENT)
		return "";
	return quality_mark((enum quality) field->quality);
}

/* As the summary shows it, so that one run has one figure everywhere. */
static void number_text(enum field_unit unit, const struct field *field, struct buf *out)
{
	static const struct {
		uint8_t unit;
		double scale; /* to what struct value has */
	} shown[] = { [FIELD_BYTES] = { BYTES, 1 },
		[FIELD_SECONDS] = { SECONDS, 1e9 },
		[FIELD_PERCENT] = { PERCENT, 1000 },
		[FIELD_CORES] = { UNITLESS, 1000 },
		[FIELD_JOULES] = { JOULES, 1e9 },
		[FIELD_WATTS] = { WATTS, 1e5 },
		[FIELD_HERTZ] = { HERTZ, 1 },
		[FIELD_CELSIUS] = { CELSIUS, 1000 } };
	double scale = (size_t) unit < ARRAY_SIZE(shown) ? shown[unit].scale : 0;
	double scaled = fabs(field->number) * scale;
	char text[UNITS_TEXT_SIZE];

	if (scale > 0 && scaled < 1e19) {
		format_number(shown[unit].unit, (uint64_t) (scaled + 0.5), text);
		buf_addf(out, "%s%s", field->number < 0 ? "-" : "", text);
	} else if (field->type == FIELD_REAL) {
		buf_addf(out, "%.6g", field->number);
	} else {
		buf_addf(out, "%lld", (long long) field->integer);
	}
}

void field_text(const char *name, const struct field *field, struct buf *out)
{
	switch (field->type) {
	case FIELD_ABSENT:
		buf_add_char(out, '-');
		return;
	case FIELD_TEXT:
		buf_add(out, field->text, field->n);
		return;
	case FIELD_BOOL:
		buf_add_text(out, field->integer ? "yes" : "no");
		return;
	default:
		number_text(field_unit(name), field, out);
	}
}
