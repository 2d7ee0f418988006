/* SPDX-License-Identifier: MIT */
/* Expands the braces of an output prefix. */
#include "record/run_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/format_spec.h"

#define KNOWN "known are {datetime} and {pid}"
#define OLD_DATETIME "datetime_filesafe"
#define DATETIME_SIZE 32

static void write_datetime(uint64_t realtime_ns, char text[DATETIME_SIZE])
{
	time_t seconds = (time_t) (realtime_ns / NSEC_PER_SEC);
	struct tm local;

	/* localtime_r(3) need not call tzset(3); a daemon's child may not have called it yet. */
	tzset();
	if (!localtime_r(&seconds, &local))
		gmtime_r(&seconds, &local);
	strftime(text, DATETIME_SIZE, "%Y.%m.%dT%H.%M.%S", &local);
}

static bool is_field(const char *known, const char *name, size_t n)
{
	return strlen(known) == n && strncmp(name, known, n) == 0;
}

bool run_prefix_is_old(const char *format)
{
	static const char old[] = "{" OLD_DATETIME;
	const char *at = strstr(format, old);

	return at && at[strlen(old)] && strchr("}:!", at[strlen(old)]);
}

static bool add_text(struct buf *out, const struct format_spec *of, const char *text, size_t n)
{
	struct format_spec spec = *of;

	/* A 0 before the width of a text fills it, at its end. */
	if (spec.zero)
		spec.align = 0;
	if ((spec.type && spec.type != 's') || spec.align == '=' || spec.grouping ||
		spec.alternate || spec.sign != '-')
		return false;
	if (spec.precision >= 0 && (size_t) spec.precision < n)
		n = (size_t) spec.precision;
	format_spec_pad(&spec, '<', &(struct format_body){ "", text, n, n }, out);
	return true;
}

static bool add_number(struct buf *out, const struct format_spec *spec, uint64_t number)
{
	struct buf digits = { 0 };
	struct buf body = { 0 };
	bool good = format_spec_digits(spec, number, &digits);

	if (good && !digits.failed)
		format_spec_group(spec, digits.data, &body);
	if (digits.failed || body.failed)
		out->failed = true;
	else if (good)
		format_spec_pad(spec, '>',
			&(struct format_body){
				format_spec_sign(spec, false), body.data, body.len, body.len },
			out);
	buf_done(&digits);
	buf_done(&body);
	return good;
}

/* What may stand behind the name, as in Python: "!r", ":>20", ":06d". `number`: what the text says, or NULL. False: it is none of these. */
static bool add_formatted(
	struct buf *out, const char *text, const uint64_t *number, const char *format, size_t n)
{
	struct format_spec spec = FORMAT_SPEC_PLAIN;
	char quoted[DATETIME_SIZE + 2];

	if (n > 0 && format[0] == '!') {
		if (n < 2 || !strchr("rsa", format[1]))
			return false;
		if (format[1] == 's' || number)
			snprintf(quoted, sizeof(quoted), "%s", text);
		else
			snprintf(quoted, sizeof(quoted), "'%s'", text);
		text = quoted;
		number = NULL;
		format += 2;
		n -= 2;
	}
	if (n > 0 && (format[0] != ':' || !format_spec_parse(format + 1, n - 1, &spec)))
		return false;
	return number ? add_number(out, &spec, *number) : add_text(out, &spec, text, strlen(text));
}

/* Expands the field that begins at `at` ("{name}...") and returns what follows it, or NULL. */
static const char *add_field(
	struct buf *out, const char *at, uint64_t realtime_ns, long pid, struct error *err)
{
	const char *name = at + 1;
	size_t all = strcspn(name, "{}");
	size_t n = strcspn(name, "{}:!");
	uint64_t number = (uint64_t) pid;
	char text[DATETIME_SIZE];
	bool is_pid = is_field("pid", name, n);

	if (name[all] != '}') {
		error_say(err, -EINVAL, "prefix: '%.60s' has no closing brace; " KNOWN, at);
		return NULL;
	}
	if (!is_pid && !is_field("datetime", name, n) && !is_field(OLD_DATETIME, name, n)) {
		error_say(err, -EINVAL, "prefix: '%.*s' is not known; " KNOWN,
			(int) (all < 60 ? all + 2 : 60), at);
		return NULL;
	}
	if (is_pid)
		snprintf(text, sizeof(text), "%ld", pid);
	else
		write_datetime(realtime_ns, text);
	if (!add_formatted(out, text, is_pid ? &number : NULL, name + n, all - n)) {
		error_say(err, -EINVAL, "prefix: '%.*s' is no format for {%.*s}",
			(int) (all - n < 60 ? all - n : 60), name + n, (int) n, name);
		return NULL;
	}
	return name + all + 1;
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
