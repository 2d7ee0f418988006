/* SPDX-License-Identifier: MIT */
/*
 * Slurm's openapi plugins from v0.0.37 on: a number is one, or {"set", "infinite", "number"}; a state or status a text, or a list of them. Counts of a step's
 * TRES are bytes, and milliseconds of CPU time; memory that is asked for or allocated is in MiB, a time limit in minutes; points in time are seconds since 1970.
 */
#include "record/foreign/sacct_json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/macros.h"
#include "record/foreign/beside.h"
#include "record/foreign/import.h"
#include "record/foreign/sacct_job.h"

#define FILE_MAX_BYTES ((size_t) 64 * 1024 * 1024)

/* What a step is called by its number. */
#define STEP_INTERACTIVE_NUMBER 0xfffffffau
#define STEP_BATCH_NUMBER 0xfffffffbu
#define STEP_EXTERN_NUMBER 0xfffffffcu

enum column {
	JOB_ID,
	JOB_ID_RAW,
	JOB_NAME,
	USER,
	ACCOUNT,
	PARTITION,
	QOS,
	CLUSTER,
	NODE_LIST,
	STATE,
	EXIT_CODE,
	START,
	END,
	ELAPSED,
	SUSPENDED,
	TIME_LIMIT,
	TOTAL_CPU,
	USER_CPU,
	SYSTEM_CPU,
	ALLOC_CPUS,
	N_NODES,
	N_TASKS,
	REQ_MEM,
	ALLOC_TRES,
	IN_TOTAL,
	IN_MAX,
	OUT_TOTAL,
	MAX_RSS,
	MAX_VM_SIZE,
	MAX_DISK_READ,
	MAX_DISK_WRITE,
	WORK_DIR,
	SUBMIT_LINE,
	N_COLUMNS
};

static const char *const columns[] = { [JOB_ID] = "JobID",
	[JOB_ID_RAW] = "JobIDRaw",
	[JOB_NAME] = "JobName",
	[USER] = "User",
	[ACCOUNT] = "Account",
	[PARTITION] = "Partition",
	[QOS] = "QOS",
	[CLUSTER] = "Cluster",
	[NODE_LIST] = "NodeList",
	[STATE] = "State",
	[EXIT_CODE] = "ExitCode",
	[START] = "Start",
	[END] = "End",
	[ELAPSED] = "ElapsedRaw",
	[SUSPENDED] = "Suspended",
	[TIME_LIMIT] = "TimelimitRaw",
	[TOTAL_CPU] = "TotalCPU",
	[USER_CPU] = "UserCPU",
	[SYSTEM_CPU] = "SystemCPU",
	[ALLOC_CPUS] = "AllocCPUS",
	[N_NODES] = "NNodes",
	[N_TASKS] = "NTasks",
	[REQ_MEM] = "ReqMem",
	[ALLOC_TRES] = "AllocTRES",
	[IN_TOTAL] = "TRESUsageInTot",
	[IN_MAX] = "TRESUsageInMax",
	[OUT_TOTAL] = "TRESUsageOutTot",
	[MAX_RSS] = "MaxRSS",
	[MAX_VM_SIZE] = "MaxVMSize",
	[MAX_DISK_READ] = "MaxDiskRead",
	[MAX_DISK_WRITE] = "MaxDiskWrite",
	[WORK_DIR] = "WorkDir",
	[SUBMIT_LINE] = "SubmitLine" };
_Static_assert(ARRAY_SIZE(columns) == N_COLUMNS, "one name a column");

/* One line: its cells as they come together. */
struct row {
	struct buf of[N_COLUMNS];
};

static void row_clear(struct row *row)
{
	for (size_t i = 0; i < N_COLUMNS; i++) {
		buf_clear(&row->of[i]);
		buf_add_text(&row->of[i], "");
	}
}

static void row_done(struct row *row)
{
	for (size_t i = 0; i < N_COLUMNS; i++)
		buf_done(&row->of[i]);
}

static const json_t *at(const json_t *of, const char *first, const char *second)
{
	const json_t *inner = json_object_get(of, first);

	return second ? json_object_get(inner, second) : inner;
}

/* What is a number, and is set; nothing below 0 is one of Slurm's. */
static bool number_in(const json_t *value, uint64_t *ret)
{
	if (json_is_object(value)) {
		if (json_is_false(json_object_get(value, "set")) ||
			json_is_true(json_object_get(value, "infinite")))
			return false;
		value = json_object_get(value, "number");
	}
	if (!json_is_number(value) || json_number_value(value) < 0 ||
		json_number_value(value) > 0x1p60)
		return false;
	*ret = (uint64_t) json_number_value(value);
	return true;
}

/* A text, the first of a list of them, or what is "current". */
static const char *text_in(const json_t *value)
{
	if (json_is_object(value))
		value = json_object_get(value, "current");
	if (json_is_array(value))
		value = json_array_get(value, 0);
	return json_string_value(value);
}

/* A NUL in a text would end its cell: there is none in what Slurm writes. */
static void put_text(struct row *row, enum column column, const json_t *value)
{
	const char *text = text_in(value);

	if (text)
		buf_add_text(&row->of[column], text);
}

static void put_number(struct row *row, enum column column, const json_t *value)
{
	uint64_t number;

	if (number_in(value, &number))
		buf_addf(&row->of[column], "%" PRIu64, number);
}

/* Points in time: 0 is none. */
static void put_moment(struct row *row, enum column column, const json_t *value)
{
	uint64_t number;

	if (number_in(value, &number) && number > 0)
		buf_addf(&row->of[column], "%" PRIu64, number);
	else
		buf_add_text(&row->of[column], "Unknown");
}

/* Minutes and seconds, as sacct has them. */
static void add_duration(struct buf *out, uint64_t seconds, uint64_t micros)
{
	buf_addf(out, "%" PRIu64 ":%02" PRIu64 ".%06" PRIu64, seconds / 60, seconds % 60, micros);
}

static void put_duration(struct row *row, enum column column, const json_t *value)
{
	uint64_t seconds;
	uint64_t micros = 0;

	if (!number_in(value, &seconds) && !number_in(json_object_get(value, "seconds"), &seconds))
		return;
	number_in(json_object_get(value, "microseconds"), &micros);
	add_duration(&row->of[column], seconds, micros % 1000000);
}

/* Members of an object that are columns as they are. */
struct member {
	const char *name;
	enum column column;
	void (*put)(struct row *row, enum column column, const json_t *value);
};

static void put_members(struct row *row, const json_t *of, const struct member *members, size_t n)
{
	for (size_t i = 0; i < n; i++)
		members[i].put(row, members[i].column, json_object_get(of, members[i].name));
}

static void put_times(struct row *row, const json_t *time)
{
	static const struct member members[] = {
		{ "start", START, put_moment },
		{ "end", END, put_moment },
		{ "elapsed", ELAPSED, put_number },
		{ "suspended", SUSPENDED, put_duration },
		{ "total", TOTAL_CPU, put_duration },
		{ "user", USER_CPU, put_duration },
		{ "system", SYSTEM_CPU, put_duration },
	};

	put_members(row, time, members, ARRAY_SIZE(members));
}

static void put_exit(struct row *row, const json_t *exit)
{
	const json_t *signal = json_object_get(exit, "signal");
	uint64_t code;
	uint64_t number = 0;

	if (!number_in(json_object_get(exit, "return_code"), &code))
		code = 0;
	if (!number_in(json_object_get(signal, "id"), &number))
		number_in(json_object_get(signal, "signal_id"), &number);
	if (json_is_object(exit))
		buf_addf(&row->of[EXIT_CODE], "%" PRIu64 ":%" PRIu64, code, number);
}

/* "gres/gpu", "fs/disk", "cpu" */
static bool name_of(const json_t *one, char *name, size_t size)
{
	const char *type = json_string_value(json_object_get(one, "type"));
	const char *more = json_string_value(json_object_get(one, "name"));
	int n = type ? snprintf(name, size, "%s%s%s", type, more && *more ? "/" : "",
			       more && *more ? more : "")
		     : -1;

	return n > 0 && (size_t) n < size && !strpbrk(name, ",=");
}

/* A list of TRES as sacct has it. `used`: CPU is milliseconds, memory bytes; else CPUs, and MiB. */
static void put_tres(struct row *row, enum column column, const json_t *list, bool used)
{
	struct buf *out = &row->of[column];
	const json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
	{
		char name[128];
		uint64_t count;

		if (!name_of(one, name, sizeof(name)) ||
			!number_in(json_object_get(one, "count"), &count))
			continue;
		buf_addf(out, "%s%s=", out->len > 0 ? "," : "", name);
		if (used && strcmp(name, "cpu") == 0)
			add_duration(out, count / 1000, count % 1000 * 1000);
		else
			buf_addf(out, "%" PRIu64 "%s", count,
				!used && strcmp(name, "mem") == 0 ? "M" : "");
	}
}

/* The count of one of a list. */
static void put_of_list(struct row *row, enum column column, const json_t *list, const char *wanted)
{
	const json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
	{
		char name[128];

		if (name_of(one, name, sizeof(name)) && strcmp(name, wanted) == 0)
			put_number(row, column, json_object_get(one, "count"));
	}
}

static void put_memory_request(struct row *row, const json_t *required)
{
	uint64_t mib;

	if (number_in(json_object_get(required, "memory_per_node"), &mib) && mib > 0)
		buf_addf(&row->of[REQ_MEM], "%" PRIu64 "Mn", mib);
	else if (number_in(json_object_get(required, "memory_per_cpu"), &mib) && mib > 0)
		buf_addf(&row->of[REQ_MEM], "%" PRIu64 "Mc", mib);
}

/* "123", "123_4", "123+1" */
static void put_id(struct row *row, const json_t *job)
{
	const json_t *array = json_object_get(job, "array");
	const json_t *het = json_object_get(job, "het");
	uint64_t head;
	uint64_t part;
	uint64_t id = 0;

	number_in(json_object_get(job, "job_id"), &id);
	buf_addf(&row->of[JOB_ID_RAW], "%" PRIu64, id);
	if (number_in(json_object_get(array, "job_id"), &head) && head > 0 &&
		number_in(json_object_get(array, "task_id"), &part))
		buf_addf(&row->of[JOB_ID], "%" PRIu64 "_%" PRIu64, head, part);
	else if (number_in(json_object_get(het, "job_id"), &head) && head > 0 &&
		 number_in(json_object_get(het, "job_offset"), &part))
		buf_addf(&row->of[JOB_ID], "%" PRIu64 "+%" PRIu64, head, part);
	else
		buf_addf(&row->of[JOB_ID], "%" PRIu64, id);
}

static void put_job(struct row *row, const json_t *job)
{
	static const struct member members[] = {
		{ "name", JOB_NAME, put_text },
		{ "account", ACCOUNT, put_text },
		{ "partition", PARTITION, put_text },
		{ "qos", QOS, put_text },
		{ "cluster", CLUSTER, put_text },
		{ "nodes", NODE_LIST, put_text },
		{ "state", STATE, put_text },
		{ "working_directory", WORK_DIR, put_text },
		{ "submit_line", SUBMIT_LINE, put_text },
	};
	const json_t *limit = at(job, "time", "limit");
	const json_t *user = json_object_get(job, "user");
	const json_t *allocated = at(job, "tres", "allocated");

	put_id(row, job);
	put_members(row, job, members, ARRAY_SIZE(members));
	put_text(row, USER, user ? user : at(job, "association", "user"));
	put_exit(row, json_object_get(job, "exit_code"));
	put_times(row, json_object_get(job, "time"));
	if (json_is_true(json_object_get(limit, "infinite")))
		buf_add_text(&row->of[TIME_LIMIT], "UNLIMITED");
	else
		put_number(row, TIME_LIMIT, limit);
	put_tres(row, ALLOC_TRES, allocated, false);
	put_of_list(row, ALLOC_CPUS, allocated, "cpu");
	put_of_list(row, N_NODES, allocated, "node");
	put_memory_request(row, json_object_get(job, "required"));
}

/* Behind the '.' of its id. */
static void add_step_name(struct buf *out, const json_t *step)
{
	const json_t *id = at(step, "step", "id");
	const char *text = json_string_value(id);
	const char *dot = text ? strrchr(text, '.') : NULL;
	uint64_t number;

	if (json_is_object(id))
		id = json_object_get(id, "step_id");
	text = dot ? dot + 1 : json_string_value(id);
	if (text)
		buf_add_text(out, text);
	else if (!number_in(id, &number))
		buf_add_char(out, '?');
	else if (number == STEP_BATCH_NUMBER)
		buf_add_text(out, "batch");
	else if (number == STEP_EXTERN_NUMBER)
		buf_add_text(out, "extern");
	else if (number == STEP_INTERACTIVE_NUMBER)
		buf_add_text(out, "interactive");
	else
		buf_addf(out, "%" PRIu64, number);
}

static void put_step(struct row *row, const json_t *job, const json_t *step)
{
	const json_t *in = at(step, "tres", "requested");
	const json_t *out = at(step, "tres", "consumed");
	const json_t *in_max = json_object_get(in, "max");

	put_id(row, job);
	buf_add_char(&row->of[JOB_ID], '.');
	add_step_name(&row->of[JOB_ID], step);
	put_text(row, JOB_NAME, at(step, "step", "name"));
	put_text(row, STATE, json_object_get(step, "state"));
	put_exit(row, json_object_get(step, "exit_code"));
	put_times(row, json_object_get(step, "time"));
	put_number(row, N_TASKS, at(step, "tasks", "count"));
	put_tres(row, IN_TOTAL, json_object_get(in, "total"), true);
	put_tres(row, IN_MAX, in_max, true);
	put_tres(row, OUT_TOTAL, json_object_get(out, "total"), true);
	put_of_list(row, MAX_RSS, in_max, "mem");
	put_of_list(row, MAX_VM_SIZE, in_max, "vmem");
	put_of_list(row, MAX_DISK_READ, in_max, "fs/disk");
	put_of_list(row, MAX_DISK_WRITE, json_object_get(out, "max"), "fs/disk");
}

static int add_row(struct sacct_job *to, const struct sacct_table *table, struct row *row)
{
	char *texts[N_COLUMNS];
	struct cells cells = { .at = texts, .n = N_COLUMNS, .capacity = N_COLUMNS };

	for (size_t i = 0; i < N_COLUMNS; i++) {
		if (row->of[i].failed)
			return -ENOMEM;
		texts[i] = row->of[i].data;
	}
	return sacct_job_add(to, table, &cells);
}

static int take_table(struct sacct_table *table)
{
	char *names[N_COLUMNS];
	struct cells cells = { .at = names, .n = N_COLUMNS, .capacity = N_COLUMNS };
	int r = 0;

	for (size_t i = 0; i < N_COLUMNS; i++) {
		names[i] = strdup(columns[i]);
		r = names[i] ? r : -ENOMEM;
	}
	if (r == 0)
		r = sacct_table_take(table, &cells);
	for (size_t i = 0; i < N_COLUMNS; i++)
		free(names[i]);
	return r;
}

static int tell_job(const json_t *job, struct draft *d, struct error *err)
{
	struct sacct_table table = { 0 };
	struct sacct_job of = { 0 };
	struct row row = { 0 };
	const json_t *step;
	size_t i;
	int r = take_table(&table);

	row_clear(&row);
	put_job(&row, job);
	if (r == 0)
		r = add_row(&of, &table, &row);
	json_array_foreach(json_object_get(job, "steps"), i, step)
	{
		row_clear(&row);
		put_step(&row, job, step);
		if (r == 0)
			r = add_row(&of, &table, &row);
	}
	if (r == 0)
		sacct_job_tell(&of, &table, d);
	row_done(&row);
	sacct_job_done(&of);
	sacct_table_done(&table);
	return r < 0 ? draft_fail(d, err, r, "cannot read it") : 1;
}

/* The document that was read last: its runs are asked for one after the other, each more than once. */
static struct {
	json_t *root;
	struct stat st;
} known;

static bool is_known(const struct stat *st)
{
	return known.root && known.st.st_dev == st->st_dev && known.st.st_ino == st->st_ino &&
	       known.st.st_size == st->st_size && known.st.st_mtim.tv_sec == st->st_mtim.tv_sec &&
	       known.st.st_mtim.tv_nsec == st->st_mtim.tv_nsec;
}

static int load(const struct import_file *file, struct draft *d, struct error *err)
{
	struct error why = { 0 };
	struct stat st;
	int r = fstat(file->fd, &st) < 0 ? -errno : 0;

	if (r == 0 && is_known(&st))
		return 0;
	json_decref(known.root);
	known.root = NULL;
	if (r == 0)
		r = json_fd_load(file->fd, FILE_MAX_BYTES, &known.root, &why);
	known.st = st;
	return r < 0 ? draft_fail(d, err, r, "%s", why.text) : 0;
}

int sacct_json_read(
	const struct import_file *file, size_t which, struct draft *d, struct error *err)
{
	const json_t *jobs;
	int r = load(file, d, err);

	if (r < 0)
		return r;
	jobs = json_object_get(known.root, "jobs");
	if (!json_is_array(jobs) || json_array_size(jobs) == 0)
		return draft_fail(d, err, -EINVAL, "no job is in it");
	if (which >= json_array_size(jobs))
		return 0;
	if (!json_is_object(json_array_get(jobs, which)))
		return draft_fail(d, err, -EINVAL, "its job number %zu is no object", which + 1);
	return tell_job(json_array_get(jobs, which), d, err);
}

bool sacct_json_is(const char *head)
{
	/* squeue and scontrol write jobs, too, but no steps. */
	return strstr(head, "\"jobs\"") && strstr(head, "\"steps\"") && strstr(head, "\"time\"");
}
