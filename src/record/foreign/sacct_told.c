/* SPDX-License-Identifier: MIT */
/* Puts a job of Slurm into the words of a run: man 1 sacct, "Job Accounting Fields" and "JOB STATE CODES". */
#include "record/foreign/sacct_told.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/macros.h"
#include "record/foreign/sacct_values.h"

#define SLURM_ID_MAX 4294967039.0
#define OUT_OF_MEMORY_MARK 125 /* in the place of a signal */

/* States of jobs that go on. */
static const char *const states_before_end[] = { "PENDING", "RUNNING", "SUSPENDED", "REQUEUED",
	"RESIZING", "COMPLETING", "CONFIGURING", "STAGE_OUT", "SIGNALING", "STOPPED" };

static const struct ending {
	const char *state, *words;
	enum cause cause;
	const char *limit;
} endings[] = { { "TIMEOUT", "ended at its time limit", CAUSE_LIMIT, "wall" },
	{ "OUT_OF_MEMORY", "ended out of memory", CAUSE_OOM_KILL, NULL },
	{ "NODE_FAIL", "ended with a node that failed", CAUSE_UNKNOWN, NULL },
	{ "PREEMPTED", "preempted", CAUSE_UNKNOWN, NULL },
	{ "DEADLINE", "ended at its deadline", CAUSE_LIMIT, "deadline" },
	{ "BOOT_FAIL", "its node did not boot", CAUSE_UNKNOWN, NULL },
	{ "REVOKED", "revoked", CAUSE_UNKNOWN, NULL },
	{ "REQUEUED", "ended to be put back in the queue", CAUSE_UNKNOWN, NULL },
	{ "CANCELLED", "cancelled", CAUSE_UNKNOWN, NULL },
	{ "FAILED", "failed", CAUSE_UNKNOWN, NULL },
	{ "COMPLETED", "completed", CAUSE_EXITED, NULL } };

/* The whole text as an id of Slurm. */
static bool id_of(const char *text, size_t n, int64_t *ret)
{
	char digits[16];
	double number;

	if (n == 0 || n >= sizeof(digits) || strspn(text, "0123456789") < n)
		return false;
	snprintf(digits, sizeof(digits), "%.*s", (int) n, text);
	if (!number_is(digits, &number) || number > SLURM_ID_MAX)
		return false;
	*ret = (int64_t) number;
	return true;
}

/* "123", "123_4", "123+1", each with ".batch" behind it. */
static void tell_ids(const struct sacct_table *table, const struct cells *cells, struct draft *d)
{
	const char *text = cells->at[table->id];
	const char *raw = sacct_cell(table, cells, "JobIDRaw");
	size_t n = strcspn(text, "._+");
	size_t n_task = strcspn(text + n + (text[n] == '_'), ".");
	int64_t id;
	int64_t task;

	if (id_of(raw, strcspn(raw, "."), &id) ||
		(text[n] != '_' && text[n] != '+' && id_of(text, n, &id)))
		draft_integer(d, "slurm", "job_id", id);
	if (text[n] == '_' && id_of(text, n, &id) && id_of(text + n + 1, n_task, &task)) {
		draft_integer(d, "slurm", "array_job_id", id);
		draft_integer(d, "slurm", "array_task_id", task);
	}
}

static bool is_slurm_name(const char *text)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	size_t n = strlen(text);

	return n > 0 && n <= 255 && strspn(text, letters) == n;
}

static void tell_names(
	const struct sacct_table *table, const struct cells *cells, bool own_line, struct draft *d)
{
	const char *nodes = sacct_cell(table, cells, "NodeList");
	const char *cluster = sacct_cell(table, cells, "Cluster");
	int64_t uid;

	/* That of a step is "batch" or its program. */
	if (own_line && !sacct_is_nothing(sacct_cell(table, cells, "JobName")))
		draft_text(d, NULL, "name", sacct_cell(table, cells, "JobName"));
	if (!sacct_is_nothing(sacct_cell(table, cells, "User")))
		draft_text(d, "user", "name", sacct_cell(table, cells, "User"));
	if (id_of(sacct_cell(table, cells, "UID"), strlen(sacct_cell(table, cells, "UID")), &uid))
		draft_integer(d, "user", "uid", uid);
	if (sacct_cell(table, cells, "WorkDir")[0])
		draft_text(d, NULL, "working_directory", sacct_cell(table, cells, "WorkDir"));
	if (sacct_cell(table, cells, "SubmitLine")[0])
		draft_command(d, sacct_cell(table, cells, "SubmitLine"));
	if (!sacct_is_nothing(cluster) && is_slurm_name(cluster))
		draft_text(d, "slurm", "cluster", cluster);
	/* One node, and no list like n[1-4]. */
	if (!sacct_is_nothing(nodes) && is_slurm_name(nodes)) {
		draft_text(d, "slurm", "node_name", nodes);
		draft_text(d, "host", "hostname", nodes);
	}
}

/* Slurm writes local time without a zone, unless SLURM_TIME_FORMAT says otherwise: "%s", or one with %z. */
static bool tell_time(const char *text, void (*tell)(struct draft *, uint64_t), struct draft *d)
{
	double seconds;
	bool zoned = true;

	if (!number_is(text, &seconds) && !stamp_read(text, &seconds, &zoned))
		return false;
	if (zoned && seconds > 0 && seconds < 9e9)
		tell(d, (uint64_t) (seconds * 1000) * 1000000);
	return !zoned;
}

static void tell_times(const struct sacct_table *table, const struct cells *cells, struct draft *d)
{
	static const struct {
		const char *column, *local;
		void (*tell)(struct draft *, uint64_t);
	} times[] = { { "Start", "started_local", draft_started },
		{ "End", "ended_local", draft_ended } };
	bool local = false;

	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		const char *text = sacct_cell(table, cells, times[i].column);

		if (!tell_time(text, times[i].tell, d))
			continue;
		/* It still tells which run came before which. */
		draft_text(d, "time", times[i].local, text);
		local = true;
	}
	if (local)
		draft_note(d,
			"sacct writes local time without its zone: the time in UTC is not "
			"known (SLURM_TIME_FORMAT=%%s tells it), and where times are compared "
			"it is taken for local time here");
}

/* What no member of its own has is not lost. */
static void tell_all_cells(
	const struct sacct_table *table, const struct cells *cells, struct draft *d)
{
	static const char *const elsewhere[] = { "JobName", "SubmitLine", "WorkDir", "User",
		"UID" };
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

	for (size_t i = 0; i < table->n && i < cells->n; i++) {
		const char *name = table->names[i];
		bool other = sacct_is_nothing(cells->at[i]) || !name[0] ||
			     (name[0] >= '0' && name[0] <= '9') ||
			     strspn(name, letters) < strlen(name);

		for (size_t k = 0; k < ARRAY_SIZE(elsewhere); k++)
			other = other || strcasecmp(name, elsewhere[k]) == 0;
		if (!other)
			draft_text(d, "scheduler", name, cells->at[i]);
	}
}

void sacct_tell_identity(const struct sacct_job *job, const struct sacct_table *table,
	const struct cells *cells, struct draft *d)
{
	tell_ids(table, cells, d);
	tell_names(table, cells, job->own_line, d);
	tell_times(table, cells, d);
	tell_all_cells(table, cells, d);
	if (!job->own_line)
		draft_note(d, "the job's own line is not in the file: what is told of it is of its "
			      "first step");
	else if (job->steps == 0)
		draft_note(d, "the file has no steps of the job (sacct -X leaves them out): memory "
			      "and I/O stand there alone");
}

static const struct ending *ending_of(const char *state)
{
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++)
		if (strncmp(state, endings[i].state, strlen(endings[i].state)) == 0)
			return &endings[i];
	return NULL;
}

/* Slurm has not let it begin. */
static bool is_waiting(const char *state)
{
	static const char *const waiting[] = { "PENDING", "CONFIGURING", "REQUEUED" };

	for (size_t i = 0; i < ARRAY_SIZE(waiting); i++)
		if (strcmp(waiting[i], state) == 0)
			return true;
	return false;
}

/* A try that is over, and has an end, while the job waits for the next one, which gets a line of its own (-D). */
static bool was_requeued(const struct sacct_table *table, const struct cells *cells)
{
	return strcmp(sacct_cell(table, cells, "State"), "REQUEUED") == 0 &&
	       !sacct_is_nothing(sacct_cell(table, cells, "End"));
}

static bool is_before_end(const char *state)
{
	for (size_t i = 0; i < ARRAY_SIZE(states_before_end); i++)
		if (strcmp(state, states_before_end[i]) == 0)
			return true;
	return false;
}

bool sacct_has_begun(const struct sacct_table *table, const struct cells *cells)
{
	const char *start = sacct_cell(table, cells, "Start");

	if (is_waiting(sacct_cell(table, cells, "State")) && !was_requeued(table, cells))
		return false;
	/* Cancelled while it waited: "Unknown", "None". A table without the column says nothing of it. */
	return !*start || !sacct_is_nothing(start);
}

/* Slurm ended it, and by which signal is no matter. */
static bool is_of_slurm(const char *state)
{
	return strcmp(state, "OUT_OF_MEMORY") == 0 || strcmp(state, "TIMEOUT") == 0 ||
	       strcmp(state, "DEADLINE") == 0;
}

/* "CANCELLED by 1000": who it was. */
static void tell_canceller(struct draft *d, const char *state)
{
	static const char by[] = "CANCELLED by ";
	json_t *request;
	int64_t uid;

	if (strncmp(state, by, strlen(by)) != 0 ||
		!id_of(state + strlen(by), strlen(state) - strlen(by), &uid))
		return;
	request = json_pack("{s:s, s:I}", "from", "user", "uid", (json_int_t) uid);
	if (json_object_set_new(json_object_get(d->info, "outcome"), "request", request) < 0)
		draft_fail(d, NULL, -ENOMEM, "cannot keep what it says");
}

/* An end that has neither an exit code nor a signal. */
static void tell_state(struct draft *d, const char *state, const char *evidence)
{
	const struct ending *ending = ending_of(state);
	char words[160];

	if (strncmp(state, "CANCELLED by ", 13) == 0)
		snprintf(words, sizeof(words), "cancelled by user %.40s", state + 13);
	else
		snprintf(words, sizeof(words), "%s", ending ? ending->words : state);
	draft_cause(d, ending ? ending->cause : CAUSE_UNKNOWN, words, evidence);
	draft_limit(d, ending ? ending->limit : NULL, "slurm");
}

void sacct_tell_outcome(const struct sacct_table *table, const struct cells *cells, struct draft *d)
{
	const char *state = sacct_cell(table, cells, "State");
	const char *exit = sacct_cell(table, cells, "ExitCode");
	char evidence[200];
	int code = 0;
	int number = 0;
	bool told = sacct_exit(exit, &code, &number);
	bool completed = strcmp(state, "COMPLETED") == 0;
	/* 0 alone is no end: jobs that were ended from without, and those that failed before they began, have it, too. */
	bool by_itself = completed ||
			 ((!*state || strcmp(state, "FAILED") == 0) && (code != 0 || number != 0));

	if (is_before_end(state) && !was_requeued(table, cells)) {
		snprintf(evidence, sizeof(evidence), "it was %.40s when sacct was asked", state);
		draft_state(d, STORED_RUNNING, evidence);
		draft_note(d, "it was %s when sacct was asked: %s", state,
			is_waiting(state) ? "it had not begun"
					  : "this is what it had used until then");
		return;
	}
	snprintf(evidence, sizeof(evidence), "sacct: State %.80s, ExitCode %.40s",
		*state ? state : "not told", *exit ? exit : "not told");
	/* Its exit code is of no end of the job. */
	told = told && !was_requeued(table, cells);
	/* Beyond these are no signals but marks of Slurm: 0:53 a file it could not open, 0:125 out of memory. */
	if (told && number > 0 && number <= 31 && !is_of_slurm(state)) {
		draft_signal(d, number, evidence);
		tell_canceller(d, state);
		return;
	}
	if (by_itself && number == 0 && (told || completed)) {
		draft_exit_code(d, code, evidence);
		return;
	}
	if (!*state)
		return;
	if (told && number == OUT_OF_MEMORY_MARK)
		state = "OUT_OF_MEMORY";
	tell_state(d, state, evidence);
	tell_canceller(d, state);
}
