/* SPDX-License-Identifier: MIT */
/* Checks and fills in a summary template. */
#include "show/template.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/units.h"
#include "record/info_json.h"
#include "show/template_spec.h"
#include "show/template_value.h"

#define CONVERSIONS "SEXNPTDrsa"
#define CONVERSIONS_IN_WORDS "S E X N P T D r s a"
/* Those that make a text of a number. */
#define OF_NUMBERS "SPTD"
/* Those of Python itself: what repr(), str() and ascii() make. */
#define OF_PYTHON "rsa"
#define NAME_SIZE 200
#define GREEN "\033[32m"
#define RED "\033[31m"
#define PLAIN "\033[0m"

/* What stands between braces: name, spec, conversion. */
struct field {
	char name[NAME_SIZE];
	const char *spec; /* within the template */
	size_t spec_n;
	char conversion; /* of CONVERSIONS, or 0 */
};

/* Reads the field whose brace is at `at`; returns what follows it, NULL and a line when it is none. */
static const char *read_field(const char *at, struct field *ret, struct error *err)
{
	size_t n = strcspn(at + 1, "{}");
	const char *inside = at + 1;
	const char *end = inside + n;

	*ret = (struct field){ 0 };
	if (*end != '}') {
		error_say(err, -EINVAL, "'%.40s' has no closing brace", at);
		return NULL;
	}
	size_t name_n = strcspn(inside, ":!}");
	if (name_n == 0 || name_n >= NAME_SIZE) {
		error_say(err, -EINVAL, "'%.*s' has no name", (int) (n < 40 ? n + 2 : 40), at);
		return NULL;
	}
	memcpy(ret->name, inside, name_n);
	const char *next = inside + name_n;
	while (next < end) {
		size_t part = 1 + strcspn(next + 1, next[0] == '!' ? ":}" : "!}");

		if (next[0] == ':' && !ret->spec) {
			ret->spec = next + 1;
			ret->spec_n = part - 1;
		} else if (next[0] == '!' && !ret->conversion && part == 2 &&
			   strchr(CONVERSIONS, next[1])) {
			ret->conversion = next[1];
		} else {
			error_say(err, -EINVAL,
				"'%.*s' of {%.60s} is none of " CONVERSIONS_IN_WORDS,
				(int) (part < 20 ? part : 20), next, ret->name);
			return NULL;
		}
		next += part;
	}
	return end + 1;
}

static bool names_statistic(const char *name, const char *key, const char *reduces)
{
	static const char *const words[] = { "max", "mean", "min", "last", "delta" };
	static const char *const statistics[] = { "peak", "mean", "min", "last", "" };
	char full[NAME_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strstr(reduces, words[i]) &&
			statistic_key(key, statistics[i], full, sizeof(full)) == 0 &&
			strcmp(full, name) == 0)
			return true;
	return false;
}

static bool is_measured(const char *name, template_measurement *measurement)
{
	const char *key;
	const char *reduces;

	for (size_t i = 0; measurement && measurement(i, &key, &reduces); i++)
		if (names_statistic(name, key, reduces))
			return true;
	return false;
}

static int unknown_name(const char *name, struct error *err)
{
	const char *meant = template_name_like(name);

	if (meant)
		return error_say(err, -EINVAL, "{%.60s} is not known; is {%s} meant?", name, meant);
	return error_say(err, -EINVAL, "{%.60s} is not known; assay-run(1) lists the names", name);
}

int template_check(const char *text, template_measurement *measurement, struct error *err)
{
	struct field f;

	for (const char *at = text; *at;) {
		if (at[0] == at[1] && (at[0] == '{' || at[0] == '}')) {
			at += 2;
			continue;
		}
		if (at[0] == '}')
			return error_say(err, -EINVAL,
				"'%.40s' has no opening brace; a brace itself is "
				"{{ or }}",
				at);
		if (at[0] != '{') {
			at++;
			continue;
		}
		at = read_field(at, &f, err);
		if (!at)
			return -EINVAL;
		if (!template_name_is_known(f.name) && !is_measured(f.name, measurement))
			return unknown_name(f.name, err);
	}
	return 0;
}

/* "1h 2m 5.2s", "2m 5.0s", "3.40s" */
static void add_duration(double seconds, struct buf *out)
{
	double whole = seconds < 0 ? 0 : seconds;
	unsigned long long minutes = (unsigned long long) (whole / 60.0);
	double rest = whole - (double) minutes * 60.0;

	/* What would be shown as 60.0 belongs to the next minute. */
	if (minutes > 0 && rest >= 59.95) {
		minutes++;
		rest = 0;
	}
	if (minutes >= 60)
		buf_addf(out, "%lluh %llum %.1fs", minutes / 60, minutes % 60, rest);
	else if (minutes > 0)
		buf_addf(out, "%llum %.1fs", minutes, rest);
	else
		buf_addf(out, "%.2fs", rest);
}

/* "Jan 01, 1970 12:00 AM", local. The names of the months are not the locale's: a template is read by scripts too. */
static void add_date(double unix_seconds, struct buf *out)
{
	static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul",
		"Aug", "Sep", "Oct", "Nov", "Dec" };
	time_t seconds = (time_t) unix_seconds;
	struct tm local;

	if (!localtime_r(&seconds, &local) || local.tm_mon < 0 || local.tm_mon > 11) {
		buf_add_char(out, '-');
		return;
	}
	buf_addf(out, "%s %02d, %d %02d:%02d %s", months[local.tm_mon], local.tm_mday,
		local.tm_year + 1900, local.tm_hour % 12 ? local.tm_hour % 12 : 12, local.tm_min,
		local.tm_hour < 12 ? "AM" : "PM");
}

static bool is_number(const struct template_value *v)
{
	return v->kind == TEMPLATE_INTEGER || v->kind == TEMPLATE_DECIMAL;
}

/* A text in quotation marks, in double ones when that saves a backslash; a number as it is. */
static bool convert_python(char conversion, struct template_value *v)
{
	struct format_spec plain = FORMAT_SPEC_PLAIN;
	struct buf text = { 0 };

	if (v->kind != TEMPLATE_TEXT) {
		template_spec_apply(&plain, v, &text);
	} else if (conversion == 's') {
		return true;
	} else {
		const char *bytes = v->text.data ? v->text.data : "";
		char quote = memchr(bytes, '\'', v->text.len) && !memchr(bytes, '"', v->text.len)
				     ? '"'
				     : '\'';

		buf_add_char(&text, quote);
		for (size_t i = 0; i < v->text.len; i++) {
			/* What may not be shown is escaped there already. */
			if (bytes[i] == quote)
				buf_add_char(&text, '\\');
			buf_add_char(&text, bytes[i]);
		}
		buf_add_char(&text, quote);
		buf_done(&v->text);
	}
	v->kind = TEMPLATE_TEXT;
	v->text = text;
	return true;
}

/* Makes a number the text that people read; other conversions only colour. Returns false when it is not for this value. */
static bool convert(char conversion, struct template_value *v)
{
	char bytes[UNITS_TEXT_SIZE];
	struct buf text = { 0 };

	if (v->kind != TEMPLATE_NONE && strchr(OF_PYTHON, conversion))
		return convert_python(conversion, v);
	if (!strchr(OF_NUMBERS, conversion) || v->kind == TEMPLATE_NONE)
		return true;
	if (!is_number(v))
		return false;
	if (conversion == 'S') {
		format_bytes(v->number < 0 ? 0 : (uint64_t) v->number, bytes);
		buf_add_text(&text, bytes);
	} else if (conversion == 'P') {
		buf_addf(&text, "%.2f%%", v->number);
	} else if (conversion == 'T') {
		add_duration(v->number, &text);
	} else {
		add_date(v->number, &text);
	}
	v->kind = TEMPLATE_TEXT;
	v->text = text;
	return true;
}

static bool is_true(const struct template_value *v)
{
	return v->kind == TEMPLATE_TEXT ? v->text.len > 0 : is_number(v) && v->number != 0;
}

/* As con-duct colours them: what is not there red, what is there green where it is a size or asked for. */
static const char *color_of(char conversion, const struct template_value *v)
{
	bool there = v->kind != TEMPLATE_NONE;

	switch (conversion) {
	case 'E':
		return is_number(v) && v->number == 0 ? GREEN : RED;
	case 'X':
		return is_true(v) ? GREEN : RED;
	case 'S':
	case 'N':
		return there ? GREEN : RED;
	case 'P':
	case 'T':
	case 'D':
		return there ? "" : RED;
	default:
		return "";
	}
}

/* A spec for numbers has done its work when the number has become a text: its width and alignment hold, its digits do not. */
static void suit_text(struct format_spec *s, const struct template_value *v)
{
	if (v->kind != TEMPLATE_TEXT)
		return;
	s->type = 0;
	s->precision = -1;
	s->grouping = 0;
	s->sign = '-';
	s->alternate = s->zero = false;
	if (s->align == '=') {
		s->align = '>';
		memcpy(s->fill, " ", 2);
	}
}

static void fill_field(const struct field *f, const struct assay_run_info *info, bool color,
	void (*warn)(const char *line), struct buf *out)
{
	const struct format_spec plain = FORMAT_SPEC_PLAIN;
	struct template_value v = template_value_of(info, f->name);
	struct format_spec spec = plain;
	const char *paint = color && f->conversion ? color_of(f->conversion, &v) : "";
	bool suits = !f->spec || format_spec_parse(f->spec, f->spec_n, &spec);
	char line[NAME_SIZE + 160];

	if (f->conversion) {
		bool was_number = is_number(&v);
		suits = convert(f->conversion, &v) && suits;
		if (was_number)
			suit_text(&spec, &v);
	}
	buf_add_text(out, paint);
	if (!suits || !template_spec_apply(&spec, &v, out)) {
		template_spec_apply(&plain, &v, out);
		char shown[41] = "";
		if (f->spec)
			memcpy(shown, f->spec, f->spec_n < 40 ? f->spec_n : 40);
		snprintf(line, sizeof(line),
			"summary format: '%s' does not suit {%s}; the plain value is shown", shown,
			f->name);
		if (warn)
			warn(line);
	}
	buf_add_text(out, paint[0] ? PLAIN : "");
	buf_done(&v.text);
}

void template_fill(const char *text, const struct assay_run_info *info, bool color,
	void (*warn)(const char *line), struct buf *out)
{
	struct field f;

	for (const char *at = text; *at;) {
		if (at[0] == at[1] && (at[0] == '{' || at[0] == '}')) {
			buf_add_char(out, at[0]);
			at += 2;
			continue;
		}
		const char *next = at[0] == '{' ? read_field(at, &f, NULL) : NULL;
		if (!next) {
			buf_add_char(out, *at++);
			continue;
		}
		fill_field(&f, info, color, warn, out);
		at = next;
	}
}
