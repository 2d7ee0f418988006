/* SPDX-License-Identifier: MIT */
/* Expands the braces of an output prefix. */
#include "record/run_files.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/error.h"

#define KNOWN "known are {datetime} and {pid}"
#define OLD_DATETIME "datetime_filesafe"

static void add_datetime(struct buf *out, uint64_t realtime_ns)
{
	time_t seconds = (time_t) (realtime_ns / NSEC_PER_SEC);
	struct tm local;
	char text[32];

	/* localtime_r(3) need not call tzset(3); a daemon's child may not have called it yet. */
	tzset();
	if (!localtime_r(&seconds, &local))
		gmtime_r(&seconds, &local);
	strftime(text, sizeof(text), "%Y.%m.%dT%H.%M.%S", &local);
	buf_add_text(out, text);
}

static bool is_field(const char *known, const char *name, size_t n)
{
	return strlen(known) == n && strncmp(name, known, n) == 0;
}

bool run_prefix_is_old(const char *format)
{
	return strstr(format, "{" OLD_DATETIME "}") != NULL;
}

/* Expands the field that begins at `at` ("{name}...") and returns what follows it, or NULL. */
static const char *add_field(
	struct buf *out, const char *at, uint64_t realtime_ns, long pid, struct error *err)
{
	const char *name = at + 1;
	size_t n = strcspn(name, "{}");

	if (name[n] != '}') {
		error_say(err, -EINVAL, "prefix: '%.60s' has no closing brace; " KNOWN, at);
		return NULL;
	}
	if (is_field("datetime", name, n) || is_field(OLD_DATETIME, name, n)) {
		add_datetime(out, realtime_ns);
	} else if (is_field("pid", name, n)) {
		buf_addf(out, "%ld", pid);
	} else {
		error_say(err, -EINVAL, "prefix: '%.*s' is not known; " KNOWN,
			(int) (n < 60 ? n + 2 : 60), at);
		return NULL;
	}
	return name + n + 1;
}

int run_prefix_expand(
	const char *format, uint64_t realtime_ns, long pid, char **ret, struct error *err)
{
	struct buf out = { 0 };
	const char *at = format;

	buf_add_text(&out, "");
	while (at && *at) {
		if (at[0] == at[1] && (at[0] == '{' || at[0] == '}')) {
			buf_add_char(&out, at[0]);
			at += 2;
		} else if (at[0] == '{') {
			at = add_field(&out, at, realtime_ns, pid, err);
		} else if (at[0] == '}') {
			error_say(err, -EINVAL, "prefix: '%.60s' has no opening brace; " KNOWN, at);
			at = NULL;
		} else {
			buf_add_char(&out, *at++);
		}
	}
	if (!at) {
		buf_done(&out);
		return -EINVAL;
	}
	if (out.failed || !out.data) {
		buf_done(&out);
		return error_set(err, -ENOMEM, "output prefix");
	}
	*ret = out.data;
	return 0;
}
