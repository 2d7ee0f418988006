/* SPDX-License-Identifier: MIT */
/* Judges whether a record may be continued, and takes over what it says. */
#include "api/appending.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/joining_lost.h"
#include "api/watching.h"
#include "api/watching_parts.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/utf8.h"
#include "linux/proc_stat.h"
#include "linux/roots.h"
#include "record/earlier.h"

int appending_check_prefix(const char *prefix, struct error *err)
{
	if (prefix && !strstr(prefix, "{datetime}") && !strstr(prefix, "{pid}"))
		return 0;
	return error_say(
		err, -EINVAL, "--append needs --output-prefix, without {datetime} and {pid}");
}

/* Words of a file, fit for a terminal. */
static void printable(const char *text, char *ret, size_t size)
{
	struct buf out = { 0 };

	text_add_printable(&out, text, strlen(text));
	snprintf(ret, size, "%s", out.failed || !out.data ? "something else" : out.data);
	buf_done(&out);
}

static int is_of_another(
	const struct assay_run_info *info, const struct read_info *old, struct error *err)
{
	char theirs[160];
	char ours[160];

	if (strcmp(old->kind, info->watched.kind) == 0 &&
		strcmp(old->text, info->watched.text) == 0)
		return 0;
	printable(old->text, theirs, sizeof(theirs));
	printable(info->watched.text, ours, sizeof(ours));
	return error_say(err, -EINVAL, "%sinfo.json is of %s, not of %s: it is not continued",
		info->prefix, theirs, ours);
}

/* A pid is given again; what it named then may be another process now. */
static int is_another_process(
	const struct assay_run_info *info, const struct read_info *old, struct error *err)
{
	const struct segment *last = &old->joined.list[old->joined.n - 1];
	uint64_t now = info->watched.first_start_ticks;

	if (now == 0 || last->first_start_ticks == 0 ||
		(now == last->first_start_ticks && strcmp(last->boot_id, info->boot_id) == 0))
		return 0;
	return error_say(err, -EINVAL,
		"%sinfo.json is of an earlier process %ld: it is not continued", info->prefix,
		(long) info->watched.first_pid);
}

/* Where locks do not tell (some file systems have none). */
static int is_being_recorded(const struct watching *w, const struct assay_run_info *info,
	const struct read_info *old, struct error *err)
{
	char path[32];
	char text[1024];
	struct proc_stat stat;

	if (!old->running || strcmp(old->boot_id, info->boot_id) != 0)
		return 0;
	snprintf(path, sizeof(path), "%ld/stat", (long) old->monitor_pid);
	ssize_t n = read_root_file(w->roots->proc, path, text, sizeof(text));
	if (n <= 0 || proc_stat_parse(text, (size_t) n, &stat) < 0 ||
		stat.start_ticks != old->monitor_start_ticks || stat.state == 'Z')
		return 0;
	return error_say(err, -EBUSY, "%sinfo.json is still being written by process %ld",
		info->prefix, (long) old->monitor_pid);
}

static char *take(char **from)
{
	char *text = *from;

	*from = NULL;
	return text;
}

/* What the user called the run stays unless it is said anew. */
static int take_labels(struct assay_run_info *info, struct read_info *old)
{
	if (!info->name)
		info->name = take(&old->name);
	if (!info->message)
		info->message = take(&old->message);
	char **tags = calloc(info->n_tags + old->n_tags + 1, sizeof(*tags));
	if (!tags)
		return -ENOMEM;
	size_t n = 0;
	for (size_t i = 0; i < old->n_tags; i++) {
		size_t key = strcspn(old->tags[i], "=") + 1;
		bool anew = false;

		for (size_t k = 0; k < info->n_tags; k++)
			anew = anew || strncmp(info->tags[k], old->tags[i], key) == 0;
		if (!anew)
			tags[n++] = take(&old->tags[i]);
	}
	for (size_t i = 0; i < info->n_tags; i++)
		tags[n++] = info->tags[i];
	free(info->tags);
	info->tags = tags;
	info->n_tags = n;
	return 0;
}

static int take_over(struct assay_run_info *info, struct earlier *e, struct error *err)
{
	struct joined *j = &e->info.joined;
	struct segment *list = realloc(j->list, (j->n + 1) * sizeof(*list));

	if (list)
		j->list = list;
	if (!list || take_labels(info, &e->info) < 0)
		return error_set(err, -ENOMEM, "cannot continue a record");
	if (e->info.running || list[j->n - 1].ended_realtime_ns == 0)
		joining_lost(j, e);
	memset(&list[j->n++], 0, sizeof(*list));
	info->joined = *j;
	*j = (struct joined){ 0 };
	info->started_realtime_ns = info->joined.list[0].started_realtime_ns;
	info->started_boottime_ns = info->joined.list[0].boottime_ns;
	if (e->info.id) {
		free(info->id);
		info->id = take(&e->info.id);
	}
	return 0;
}

/* What is not in the series any more, in words; "" when all is there. */
static void what_is_damaged(const struct earlier *e, size_t joinings, char *ret, size_t size)
{
	const struct usage_survey *s = &e->survey;
	struct buf text = { 0 };
	char words[80];

	if (e->series_missing)
		buf_add_text(&text, ", it is missing");
	if (s->missing > 0) {
		snprintf(words, sizeof(words), ", %llu line%s lost",
			(unsigned long long) s->missing, s->missing == 1 ? " is" : "s are");
		buf_add_text(&text, words);
	}
	if (s->damaged > 0) {
		snprintf(words, sizeof(words), ", %llu %s no line%s of a window",
			(unsigned long long) s->damaged, s->damaged == 1 ? "is" : "are",
			s->damaged == 1 ? "" : "s");
		buf_add_text(&text, words);
	}
	if (e->last.torn > 0 && !e->last.torn_is_whole && !e->last.torn_is_foreign)
		buf_add_text(&text, ", half a line at its end is cut off");
	if (e->last.found && e->last.segment > joinings)
		buf_add_text(&text, ", it ends with a joining that info.json does not tell of");
	snprintf(ret, size, "%s", text.failed || !text.data ? "" : text.data + strlen(", "));
	buf_done(&text);
}

static void tell_damage(struct watching *w, size_t i, const struct earlier *e)
{
	struct assay_run_info *info = w->each[i].info;
	char words[256];
	struct buf line = { 0 };

	what_is_damaged(e, info->joined.n - 1, words, sizeof(words));
	if (!words[0])
		return;
	run_info_note(info, "usage.jsonl: of what was there before joining %zu, %s", info->joined.n,
		words);
	text_add_printable(&line, info->prefix, strlen(info->prefix));
	buf_add_text(&line, "usage.jsonl: ");
	buf_add_text(&line, words);
	if (!line.failed)
		watching_warn(w, line.data);
	buf_done(&line);
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text);
	size_t n_end = strlen(end);

	return n >= n_end && strcmp(text + n - n_end, end) == 0;
}

/* The first record's files of further targets are named by it and a word for the target, which is all that counts: a record may be renamed. */
static bool is_beside(const struct watching *w, const char *old)
{
	size_t n_first = strlen(w->each[0].info->prefix);

	for (size_t k = 1; k < w->n; k++) {
		const char *prefix = w->each[k].info->prefix;
		char name[256];

		snprintf(name, sizeof(name), "%sinfo.json", prefix ? prefix + n_first : "");
		if (prefix && ends_with(old, name))
			return true;
	}
	return false;
}

int appending_check_beside(struct watching *w, struct error *err)
{
	const struct earlier *e = w->each[0].files ? run_files_earlier(w->each[0].files) : NULL;
	char name[160];

	for (size_t i = 0; e && i < e->info.n_beside; i++) {
		if (is_beside(w, e->info.beside[i]))
			continue;
		printable(e->info.beside[i], name, sizeof(name));
		return error_say(err, -EINVAL,
			"%sinfo.json is of a recording of more targets, and the one of %s is not "
			"named now: it is not continued",
			w->each[0].info->prefix, name);
	}
	return 0;
}

int appending_take(struct watching *w, size_t i, struct error *err)
{
	struct assay_run_info *info = w->each[i].info;
	struct earlier *e = run_files_earlier(w->each[i].files);

	if (!e)
		return 0;
	int r = is_of_another(info, &e->info, err);
	if (r == 0)
		r = is_another_process(info, &e->info, err);
	if (r == 0)
		r = is_being_recorded(w, info, &e->info, err);
	if (r == 0)
		r = take_over(info, e, err);
	if (r == 0)
		tell_damage(w, i, e);
	return r;
}

/* The time since the first joining began, gaps included. The wall clock may have been set meanwhile; while the machine runs another tells it. */
static uint64_t since_the_first(const struct assay_run_info *info, const struct segment *now)
{
	const struct segment *first = &info->joined.list[0];

	if (first->boottime_ns > 0 && first->boottime_ns <= now->boottime_ns &&
		strcmp(first->boot_id, now->boot_id) == 0)
		return now->boottime_ns - first->boottime_ns;
	return now->started_realtime_ns > first->started_realtime_ns
		       ? now->started_realtime_ns - first->started_realtime_ns
		       : 0;
}

void appending_begin(struct watching *w, size_t i)
{
	struct assay_run_info *info = w->each[i].info;
	struct earlier *e = w->each[i].files ? run_files_earlier(w->each[i].files) : NULL;

	if (!e)
		return;
	struct segment *now = &info->joined.list[info->joined.n - 1];
	uint64_t ago_ns = clock_monotonic_ns() - w->start_ns;
	now->started_realtime_ns = clock_realtime_ns() - ago_ns;
	now->boottime_ns = clock_boottime_ns() - ago_ns;
	memcpy(now->boot_id, info->boot_id, sizeof(now->boot_id));
	now->first_start_ticks = info->watched.first_start_ticks;
	uint64_t before_ns = since_the_first(info, now);
	/* The series never goes back. */
	if (e->last.found && before_ns < e->last.end_ns)
		before_ns = e->last.end_ns;
	run_files_go_on(w->each[i].files, before_ns, info->joined.n);
	/* The first version of the info file already says what the one that it replaces did. */
	segments_merge(info);
}
