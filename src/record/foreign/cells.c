/* SPDX-License-Identifier: MIT */
/* Splits lines and reads what stands in a cell; nothing here depends on the locale. */
#include "record/foreign/cells.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define BLANKS " \t"

static int add(struct cells *cells, char *cell)
{
	if (cells->n == CELLS_MAX)
		return -EFBIG;
	if (cells->n == cells->capacity) {
		size_t capacity = cells->capacity ? cells->capacity * 2 : 64;
		char **at = realloc(cells->at, capacity * sizeof(*at));

		if (!at)
			return -ENOMEM;
		cells->at = at;
		cells->capacity = capacity;
	}
	cells->at[cells->n++] = cell;
	return 0;
}

/* Takes the blanks off both ends of what ends at `end`. */
static char *trimmed(char *begin, char *end)
{
	begin += strspn(begin, BLANKS);
	while (end > begin && strchr(BLANKS, end[-1]))
		end--;
	*end = '\0';
	return begin;
}

static int split_at_blanks(struct cells *cells, char *line)
{
	int r = 0;

	while (r == 0) {
		char *begin = line + strspn(line, BLANKS ",");
		size_t n = strcspn(begin, BLANKS ",");
		bool last = begin[n] == '\0';

		if (n == 0)
			break;
		begin[n] = '\0';
		r = add(cells, begin);
		line = begin + n + !last;
	}
	return r;
}

int cells_split(struct cells *cells, char *line, char separator)
{
	cells->n = 0;
	if (separator == ' ')
		return split_at_blanks(cells, line);
	while (true) {
		char *end = strchr(line, separator);
		char *stop = end ? end : line + strlen(line);
		int r = add(cells, trimmed(line, stop));

		if (r < 0 || !end)
			return r;
		line = end + 1;
	}
}

/* Undoes the quotation in place; returns what follows the closing mark. */
static char *unquote(char *cell, char **ret_end)
{
	char *from = cell + 1;
	char *to = cell;

	while (*from) {
		if (*from == '"' && from[1] != '"')
			break;
		from += *from == '"';
		*to++ = *from++;
	}
	*ret_end = to;
	return *from ? from + 1 : from;
}

int cells_split_quoted(struct cells *cells, char *line)
{
	cells->n = 0;
	while (true) {
		char *cell_end = NULL;
		char *rest = *line == '"' ? unquote(line, &cell_end) : line;
		char *comma = strchr(rest, ',');
		int r;

		if (cell_end)
			*cell_end = '\0';
		else
			line = trimmed(line, comma ? comma : line + strlen(line));
		r = add(cells, line);
		if (r < 0 || !comma)
			return r;
		line = comma + 1;
	}
}

int cells_find(const struct cells *cells, const char *text)
{
	for (size_t i = 0; i < cells->n; i++)
		if (strcasecmp(cells->at[i], text) == 0)
			return (int) i;
	return -1;
}

void cells_done(struct cells *cells)
{
	free(cells->at);
	*cells = (struct cells){ 0 };
}

size_t byte_order_mark(const char *text, size_t n)
{
	return n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

char *first_line(const char *text)
{
	text += strspn(text, BLANKS "\r\n");
	return strndup(text, strcspn(text, "\r\n"));
}

const char *number_begin(const char *text, double *ret)
{
	static const char digits[] = "0123456789";
	size_t sign = text[0] == '-' || text[0] == '+';
	size_t whole = strspn(text + sign, digits);
	size_t point = sign + whole;
	char *end;
	double number;

	/* Neither hexadecimal, "nan" nor "inf", which strtod() would take. */
	if (whole == 0 && !(text[point] == '.' && strspn(text + point + 1, digits) > 0))
		return NULL;
	if (whole == 1 && text[sign] == '0' && (text[point] == 'x' || text[point] == 'X'))
		return NULL;
	number = strtod(text, &end);
	if (!isfinite(number))
		return NULL;
	*ret = number;
	return end;
}

bool number_is(const char *text, double *ret)
{
	double number;
	const char *end = number_begin(text, &number);

	if (!end || *end)
		return false;
	*ret = number;
	return true;
}

/* So many digits as one number. */
static bool take_digits(const char **at, size_t n, int *ret)
{
	int number = 0;

	for (size_t i = 0; i < n; i++) {
		char c = (*at)[i];

		if (c < '0' || c > '9')
			return false;
		number = number * 10 + (c - '0');
	}
	*at += n;
	*ret = number;
	return true;
}

static bool take_date(const char **at, struct tm *tm)
{
	char between;

	if (!take_digits(at, 4, &tm->tm_year))
		return false;
	between = **at;
	if (between != '-' && between != '/')
		return false;
	(*at)++;
	if (!take_digits(at, 2, &tm->tm_mon) || **at != between)
		return false;
	(*at)++;
	if (!take_digits(at, 2, &tm->tm_mday))
		return false;
	tm->tm_year -= 1900;
	tm->tm_mon--;
	return tm->tm_year >= 70 && tm->tm_mon >= 0 && tm->tm_mon < 12 && tm->tm_mday >= 1 &&
	       tm->tm_mday <= 31;
}

static bool take_time(const char **at, struct tm *tm, double *ret_fraction)
{
	*ret_fraction = 0;
	if (!take_digits(at, 2, &tm->tm_hour) || *(*at)++ != ':' ||
		!take_digits(at, 2, &tm->tm_min) || *(*at)++ != ':' ||
		!take_digits(at, 2, &tm->tm_sec))
		return false;
	if (**at == '.') {
		size_t n = strspn(*at + 1, "0123456789");

		for (size_t i = n; i > 0; i--)
			*ret_fraction = (*ret_fraction + ((*at)[i] - '0')) / 10;
		*at += n + 1;
	}
	return tm->tm_hour < 24 && tm->tm_min < 60 && tm->tm_sec <= 60;
}

/* "", "Z", "+0100", "+01:00" */
static bool take_zone(const char *at, double *ret_offset, bool *ret_zoned)
{
	int sign = *at == '-' ? -1 : 1;
	int hours;
	int minutes;

	*ret_offset = 0;
	*ret_zoned = *at != '\0';
	if (*at == '\0' || strcmp(at, "Z") == 0)
		return true;
	if (*at != '+' && *at != '-')
		return false;
	at++;
	if (!take_digits(&at, 2, &hours))
		return false;
	at += *at == ':';
	if (!take_digits(&at, 2, &minutes) || *at || hours > 14 || minutes > 59)
		return false;
	*ret_offset = sign * (hours * 3600.0 + minutes * 60.0);
	return true;
}

bool stamp_read(const char *text, double *ret_seconds, bool *ret_zoned)
{
	struct tm tm = { 0 };
	double fraction;
	double offset;

	if (!take_date(&text, &tm) || (*text != ' ' && *text != 'T'))
		return false;
	text++;
	if (!take_time(&text, &tm, &fraction) || !take_zone(text, &offset, ret_zoned))
		return false;
	*ret_seconds = (double) timegm(&tm) + fraction - offset;
	return true;
}
