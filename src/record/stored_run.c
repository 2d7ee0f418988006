/* SPDX-License-Identifier: MIT */
/* Finds out what a file is, and reads a run of it: assay's own here, those of other tools by their importers. */
#include "record/stored_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/fd_read.h"
#include "base/line_source.h"
#include "model/run_info.h"
#include "record/foreign/import.h"
#include "record/json_cut.h"
#include "record/json_members.h"
#include "record/old_words.h"
#include "record/run_names.h"
#include "record/stored_series.h"
#include "record/stored_unfinished.h"
#include "record/writer_lock.h"

/* A run on another machine whose locks we may not see counts as running for so long after its last line. */
#define QUIET_MIN_SECONDS 300.0

const char *stored_state_name(enum stored_state state)
{
	static const char *const names[N_STORED_STATE] = { "done", "running", "lost" };

	return names[state];
}

json_t *stored_json(const char *bytes, size_t n, struct error *err)
{
	const size_t flags = JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY;
	json_error_t e;
	json_t *top;

	/* Editors put U+FEFF before what they keep as UTF-8. */
	if (bytes && n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
		bytes += 3;
		n -= 3;
	}
	top = json_loadb(bytes, n, flags, &e);
	if (!top && json_error_code(&e) == json_error_numeric_overflow)
		top = json_loadb(bytes, n, flags | JSON_DECODE_INT_AS_REAL, &e);
	if (!top)
		error_say(err, json_error_code(&e) == json_error_out_of_memory ? -ENOMEM : -EINVAL,
			"%s (line %d)", json_what_is_wrong(&e), e.line);
	return top;
}

static int out_of_memory(struct error *err)
{
	return error_set(err, -ENOMEM, "cannot read it");
}

/* An info file is one object. A table of another tool may be large, and is opened anew for each of its runs: all of it is not read to find that out. */
static bool may_be_object(int fd)
{
	char head[512];
	ssize_t n = pread(fd, head, sizeof(head) - 1, 0);
	size_t at = n >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

	head[n > 0 ? n : 0] = '\0';
	at += strspn(head + at, " \t\r\n");
	return n < 0 || at == (size_t) n || head[at] == '{';
}

/* 0; 1: it is no object of JSON, and was not read; or a negative errno. */
static int read_bytes(const char *path, struct buf *out, struct stat *st, struct error *err)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int r = fd < 0 ? -errno : 0;

	if (r == 0 && fstat(fd, st) < 0)
		r = -errno;
	if (r == 0 && !S_ISREG(st->st_mode))
		r = error_say(err, -EINVAL, "it is no file");
	else if (r == 0 && st->st_size == 0)
		r = error_say(err, -ENODATA, "it is empty");
	else if (r == 0 && !may_be_object(fd))
		r = 1;
	else if (r == 0)
		r = fd_read_all(fd, STORED_INFO_MAX, out);
	if (r == -EFBIG)
		error_say(err, r,
			"it begins as no file that is known, and as a run's own (info.json) it is "
			"too large: more than %zu MiB",
			STORED_INFO_MAX / 1024 / 1024);
	else if (r < 0 && !(err && err->code == r && err->text[0]))
		error_set(err, r, "cannot read it");
	if (fd >= 0)
		close(fd);
	return r;
}

static const char *text_at(const json_t *of, const char *section, const char *key)
{
	const json_t *from = section ? json_object_get(of, section) : of;

	return json_string_value(json_object_get(from, key));
}

/* Whether its info file is held by a recorder. */
static bool is_written(const char *file)
{
	return writer_lock_is_free(AT_FDCWD, file) == -EBUSY;
}

static double seconds_since_written(const struct stored_run *run)
{
	struct stat st;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (stat(run->series ? run->series : run->file, &st) < 0)
		return 0;
	return (double) (now.tv_sec - st.st_mtim.tv_sec);
}

static void read_boot_id(char *text, size_t size)
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (fd >= 0)
		close(fd);
}

/* Whether the lock of its recorder may not be seen from here, so that a lock that is free says nothing. */
static bool is_of_another_machine(const struct stored_run *run)
{
	const char *host = text_at(run->info, "host", "hostname");
	const char *boot = text_at(run->info, "monitor", "boot_id");
	char own_boot[64];
	char own[256] = "";

	read_boot_id(own_boot, sizeof(own_boot));
	gethostname(own, sizeof(own) - 1);
	/* Containers have names of their own, and the locks of one kernel. */
	if (boot && own_boot[0] && strcmp(boot, own_boot) == 0)
		return false;
	if (host && strcmp(host, own) != 0)
		return true;
	/* By the same name it is this machine before it was booted anew, unless more was written since: names are not unique. */
	return boot && own_boot[0] &&
	       seconds_since_written(run) < (double) clock_boottime_ns() / 1e9;
}

/* It says that it runs. */
static void judge_running(struct stored_run *run)
{
	const json_t *interval =
		json_object_get(json_object_get(run->info, "options"), "report_interval_seconds");
	double quiet = 10 * json_number_value(interval);
	double since = seconds_since_written(run);

	run->state = STORED_RUNNING;
	if (is_written(run->file))
		return;
	if (quiet < QUIET_MIN_SECONDS)
		quiet = QUIET_MIN_SECONDS;
	if (!is_of_another_machine(run)) {
		run->state = STORED_LOST;
		snprintf(run->why, sizeof(run->why),
			"its file says that it is running, and no recorder holds it");
	} else if (since <= quiet) {
		snprintf(run->why, sizeof(run->why),
			"it ran on another machine when it was last written; whether it still "
			"does cannot be known here");
	} else {
		run->state = STORED_LOST;
		snprintf(run->why, sizeof(run->why),
			"it ran on another machine, and wrote nothing for %lld s",
			(long long) since);
	}
}

static int check_own(const json_t *info, struct error *err)
{
	const char *version = text_at(info, NULL, "version");

	if (!version || strncmp(version, "1.", 2) != 0)
		return error_say(err, -EINVAL,
			"its \"version\" is \"%.20s\", and this assay knows " RUN_VERSION,
			version ? version : "");
	if (!text_at(info, NULL, "state"))
		return error_say(err, -EINVAL, "its \"state\" is missing");
	if (json_array_size(json_object_get(info, "measurements")) > STORED_KEYS_MAX)
		return error_say(err, -EFBIG, "it has more than %u measurements", STORED_KEYS_MAX);
	return 0;
}

static bool is_own(const json_t *info)
{
	const char *schema = text_at(info, NULL, "schema");

	return schema && strcmp(schema, RUN_SCHEMA) == 0;
}

/* A series that stands where its name says, or beside the info file. */
static char *find_series(const struct stored_run *run)
{
	char *path = NULL;

	if (asprintf(&path, "%susage.jsonl", run->prefix) < 0)
		return NULL;
	if (access(path, F_OK) < 0) {
		free(path);
		path = NULL;
	}
	return path;
}

/* Takes over `info`. */
static int take_own(struct stored_run *run, json_t *info, struct error *err)
{
	int r = check_own(info, err);

	run->info = info;
	run->format = "assay";
	if (r == 0 && old_words_add_fields(info) < 0)
		r = out_of_memory(err);
	if (r < 0)
		return r;
	run->series = find_series(run);
	if (strcmp(text_at(info, NULL, "state"), "running") == 0) {
		judge_running(run);
		stored_unfinished_headline(run);
	}
	if (strcmp(text_at(info, NULL, "state"), "lost") == 0) {
		/* Another tool's run, that was lost when it was imported. */
		const char *why = text_at(info, "imported", "lost");

		run->state = STORED_LOST;
		snprintf(run->why, sizeof(run->why), "%s", why ? why : "");
	} else if (strcmp(text_at(info, NULL, "state"), "running") != 0 &&
		   strcmp(text_at(info, NULL, "state"), "done") != 0) {
		/* Whatever it means, it does not say that the run was over. */
		run->state = STORED_LOST;
		snprintf(run->why, sizeof(run->why), "its state is none that is known");
	}
	return 0;
}

static int keep_names(struct stored_run *run, const char *file, struct error *err)
{
	run->file = strdup(file);
	run->prefix = run_name_prefix(file);
	return run->file && run->prefix ? 0 : out_of_memory(err);
}

/* 0; 1: it is JSON or not, and in no case one of ours; or a negative errno. */
static int open_own(struct stored_run *run, const char *file, struct error *err)
{
	struct buf bytes = { 0 };
	struct error parse = { 0 };
	struct stat st;
	json_t *info = NULL;
	int r = read_bytes(file, &bytes, &st, err);
	bool parsed = r == 0;

	if (parsed) {
		info = stored_json(bytes.data, bytes.len, &parse);
		r = 1;
	}
	buf_done(&bytes);
	/* con-duct makes its info file before it has anything to say; another tool's session may be a directory. */
	if (r == -ENODATA || r == -EISDIR)
		return 1;
	if (r < 0 || !parsed)
		return r;
	if (!info || !is_own(info)) {
		json_decref(info);
		if (!info)
			error_say(err, parse.code, "%s", parse.text);
		return 1;
	}
	r = keep_names(run, file, err);
	if (r < 0) {
		json_decref(info);
		return r;
	}
	return take_own(run, info, err);
}

int stored_run_open_brief(const char *name, struct stored_run *ret)
{
	struct buf bytes = { 0 };
	struct stat st;
	char *path = NULL;
	json_t *info = NULL;
	int r = run_name_resolve(name, &path, NULL);

	*ret = (struct stored_run){ 0 };
	if (r == 0 && (stat(path, &st) < 0 || !S_ISREG(st.st_mode)))
		r = -EINVAL;
	if (r == 0)
		r = read_bytes(path, &bytes, &st, NULL);
	if (r == 0) {
		bytes.len = json_cut_list(bytes.data, bytes.len, "measurements");
		info = stored_json(bytes.data, bytes.len, NULL);
		r = info && is_own(info) && text_at(info, NULL, "state") &&
				    strcmp(text_at(info, NULL, "state"), "done") == 0
			    ? keep_names(ret, path, NULL)
			    : -EINVAL;
	}
	if (r == 0)
		r = take_own(ret, json_incref(info), NULL);
	json_decref(info);
	buf_done(&bytes);
	free(path);
	if (r != 0)
		stored_run_done(ret);
	return r > 0 ? -EINVAL : r;
}

static int open_by(struct stored_run *run, const struct import_file *file, size_t which,
	const struct importer *importer, struct error *err)
{
	struct draft draft;
	int r = keep_names(run, file->path, err);

	if (r < 0)
		return r;
	draft_init(&draft, importer->name, NULL, NULL);
	r = importer->read(file, which, &draft, err);
	if (r == 0)
		r = error_say(err, -ENOENT, "it holds no run number %zu", which + 1);
	else if (r > 0)
		r = draft_finish(&draft, file->path, err);
	if (r == 0) {
		run->info = json_incref(draft.info);
		run->format = importer->name;
		run->importer = importer;
		run->which = which;
		run->series = strdup(file->path);
		run->state = draft.state;
		snprintf(run->why, sizeof(run->why), "%s", draft.why);
	}
	draft_done(&draft);
	return r;
}

/* What is no info file of ours: another tool's, or nothing we know. `own` says what was wrong with it as ours. */
static int open_foreign(struct stored_run *run, const char *path, size_t which,
	const struct error *own, struct error *err)
{
	struct import_file file;
	const struct importer *importer;
	int r = import_file_open_run(path, NULL, &file, err);

	if (r < 0)
		return r;
	importer = importer_for(&file);
	if (!importer && file.size == 0 && !file.is_directory)
		r = error_say(err, -EINVAL, "it is empty");
	else if (importer)
		r = open_by(run, &file, which, importer, err);
	else if (own->code < 0 && (file.head[0] == '{' || own->code == -EFBIG || file.is_directory))
		r = error_say(err, own->code, "%s", own->text);
	else
		r = error_say(err, -EINVAL,
			"it is no run of assay, and of no other format that is known (see assay "
			"import --list)");
	import_file_close(&file);
	return r;
}

/* A series alone: its info file is not there, or was never wanted. */
static int open_lone_series(struct stored_run *run, const char *path, struct error *err)
{
	int r = keep_names(run, path, err);

	if (r < 0)
		return r;
	run->series = strdup(path);
	run->format = "assay";
	if (!run->series)
		return out_of_memory(err);
	return lone_series_info(run, err);
}

static int open_file(struct stored_run *run, const char *path, size_t which, struct error *err)
{
	struct error own = { 0 };
	struct stat st;
	int r;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		error_say(&own, -EINVAL, "it is a directory without a run in it");
		return open_foreign(run, path, which, &own, err);
	}
	/* Whoever writes into a FIFO would be woken by opening it, a device may do whatever it does. */
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return error_say(err, -EINVAL, "it is no file");
	if (run_name_is(path, RUN_NAME_USAGE)) {
		if (lone_series_is(path))
			return which > 0 ? error_say(err, -ENOENT, "it holds one run")
					 : open_lone_series(run, path, err);
	} else {
		r = open_own(run, path, &own);
		if (r == 0 && which > 0)
			return error_say(err, -ENOENT, "it holds one run");
		if (r <= 0 && own.code != -EFBIG)
			return r < 0 ? error_say(err, r, "%s", own.text) : 0;
	}
	return open_foreign(run, path, which, &own, err);
}

int stored_run_open_which(const char *name, size_t which, struct stored_run *ret, struct error *err)
{
	char *path = NULL;
	struct error why = { 0 };
	int r = run_name_resolve(name, &path, &why);

	*ret = (struct stored_run){ 0 };
	if (r == 0)
		r = open_file(ret, path, which, &why);
	if (r < 0) {
		error_say(err, r, "%s: %s", path ? path : name, why.text);
		stored_run_done(ret);
	}
	free(path);
	return r;
}

int stored_run_open_as(const char *path, size_t which, const struct importer *importer,
	struct stored_run *ret, struct error *err)
{
	struct import_file file;
	struct error why = { 0 };
	int r = import_file_open_run(path, importer, &file, &why);

	*ret = (struct stored_run){ 0 };
	if (r == 0) {
		r = open_by(ret, &file, which, importer, &why);
		import_file_close(&file);
	}
	if (r < 0) {
		error_say(err, r, "%s: %s", path, why.text);
		stored_run_done(ret);
	}
	return r;
}

int stored_run_open(const char *name, struct stored_run *ret, struct error *err)
{
	int r = stored_run_open_which(name, 0, ret, err);
	struct stored_run second;
	struct error why = { 0 };

	if (r < 0 || !ret->importer || !ret->importer->several)
		return r;
	r = stored_run_open_which(name, 1, &second, &why);
	if (r == -ENOENT)
		return 0;
	stored_run_done(ret);
	if (r < 0)
		return error_say(err, r, "%s", why.text);
	stored_run_done(&second);
	return error_say(
		err, -EINVAL, "%s holds several runs; 'assay import' makes one of each", name);
}

int64_t stored_run_count(const char *name, struct error *err)
{
	struct stored_run run;
	int r = stored_run_open_which(name, 0, &run, err);
	bool several = r == 0 && run.importer && run.importer->several;
	int64_t n = 1;

	if (r < 0)
		return r;
	stored_run_done(&run);
	while (several && stored_run_open_which(name, (size_t) n, &run, NULL) == 0) {
		stored_run_done(&run);
		n++;
	}
	return n;
}

void stored_run_done(struct stored_run *run)
{
	free(run->file);
	free(run->prefix);
	free(run->series);
	json_decref(run->info);
	*run = (struct stored_run){ 0 };
}
