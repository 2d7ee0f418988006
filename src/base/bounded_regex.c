/* SPDX-License-Identifier: MIT */
/* Compiles extended regular expressions that anybody may have written, within bounds of memory and of the time of a match. */
#include "base/bounded_regex.h"

#include <errno.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/*
 * regcomp(3) of the C library copies what is repeated, "a+" as "aa*" too: "((a{99}){99}){99}" and "a++++++++++++++++++++" take all memory. So
 * the copies are counted first, as it would make them.
 */
#define NODES_MAX 1000
/* And the third power of the length for "a*****". */
#define REPEATED_NODES 40
/* It takes exponential time to compile anchors that may be passed over, "()*{30}", "(a*|\\b)" 22 times: there may be 8, copies too. An empty group is like one, and so
 * is what repeats what may be empty: "a*+*+*+*+*" takes minutes. */
#define ANCHOR_NODES 120
#define DEPTH_MAX 40

struct estimate {
	unsigned depth; /* of open parentheses */
	unsigned long before[DEPTH_MAX + 1]; /* at each depth: all but the last piece */
	char previous; /* byte */
	unsigned long last; /* the piece a repetition would be of */
	bool last_empty; /* it may be empty */
	bool all_empty[DEPTH_MAX +
		       1]; /* at each depth: all pieces of the alternative but the last */
	bool any_empty[DEPTH_MAX + 1]; /* one of the alternatives before it */
};

static void add_piece(struct estimate *e, unsigned long nodes, bool empty)
{
	e->before[e->depth] += e->last;
	e->all_empty[e->depth] = e->all_empty[e->depth] && e->last_empty;
	e->last = nodes;
	e->last_empty = empty;
}

static void begin_group(struct estimate *e)
{
	add_piece(e, 0, true);
	e->before[++e->depth] = 0;
	e->all_empty[e->depth] = true;
	e->any_empty[e->depth] = false;
}

static void end_group(struct estimate *e)
{
	unsigned long group = e->before[e->depth] + e->last;

	e->last_empty = e->any_empty[e->depth] || (e->all_empty[e->depth] && e->last_empty);
	e->depth--;
	e->last = group > 0 ? group + 1 : ANCHOR_NODES;
}

static void begin_alternative(struct estimate *e)
{
	add_piece(e, 1, true);
	e->any_empty[e->depth] = e->any_empty[e->depth] || e->all_empty[e->depth];
	e->all_empty[e->depth] = true;
}

/* The closing one, or the end of the text, which regcomp refuses. */
static const char *end_of_bracket(const char *at)
{
	at++;
	at += *at == '^';
	at += *at == ']';
	while (*at && *at != ']') {
		char inner = '\0';

		if (*at == '[')
			inner = at[1];
		if (inner == ':' || inner == '.' || inner == '=') {
			const char close[] = { inner, ']', '\0' };
			const char *end = strstr(at + 2, close);

			if (!end)
				return at + strlen(at);
			at = end + 1;
		}
		at++;
	}
	return at;
}

/* The greatest number in the braces at `at`, as far as it matters; what is no repetition is for regcomp to judge. It takes "{3\\0}" for "{30}". */
static unsigned long repetitions(const char *at)
{
	unsigned long most = 1;
	unsigned long n = 0;

	while (*++at && *at != '}') {
		if (*at == '\\')
			continue;
		n = *at >= '0' && *at <= '9' ? 10 * n + (unsigned long) (*at - '0') : 0;
		if (n > NODES_MAX)
			n = NODES_MAX;
		most = n > most ? n : most;
	}
	return most + 1;
}

static bool is_repetition(char c)
{
	return c == '*' || c == '?' || c == '+';
}

static void repeat(struct estimate *e, const char *at)
{
	e->last += e->last_empty ? ANCHOR_NODES : 0;
	if (*at == '+') {
		e->last = 2 * e->last + 1;
	} else if (*at == '{') {
		e->last = (e->last + 1) * repetitions(at);
		e->last_empty = e->last_empty || at[1] < '1' || at[1] > '9';
	} else {
		e->last += is_repetition(e->previous) ? REPEATED_NODES : 1;
		e->last_empty = true;
	}
}

/* One character, or what belongs to it; returns its last byte. NULL: too deep. */
static const char *take(struct estimate *e, const char *at)
{
	if (*at == '(') {
		if (e->depth == DEPTH_MAX)
			return NULL;
		begin_group(e);
	} else if (*at == ')') {
		end_group(e);
	} else if (*at == '|') {
		begin_alternative(e);
	} else if (is_repetition(*at) || *at == '{') {
		repeat(e, at);
	} else if (*at == '^' || *at == '$' || (*at == '\\' && at[1] && strchr("bB<>`'", at[1]))) {
		add_piece(e, ANCHOR_NODES, true);
		at += *at == '\\';
	} else {
		add_piece(e, 1, false);
		if (*at == '[')
			at = end_of_bracket(at);
		else if (*at == '\\' && at[1])
			at++;
	}
	return at;
}

static const char *why_not(const char *text)
{
	struct estimate e = { .last_empty = true, .all_empty = { true } };

	if (strlen(text) > BOUNDED_REGEX_MAX)
		return "it is longer than 1024 bytes";
	for (const char *at = text; at && *at; at += *at != '\0') {
		if (*at == '\\' && at[1] >= '1' && at[1] <= '9')
			return "references back (\\1) are not taken, a match could take for ever";
		/* the C library takes it for a character; in our parentheses it would close them */
		if (*at == ')' && e.depth == 0)
			return "a ) has no ( before it; the character is \\)";
		const char *begin = at;
		at = take(&e, at);
		if (!at)
			return "its parentheses are more than 40 deep";
		e.previous = 'x';
		if (at == begin)
			e.previous = *at;
		unsigned long nodes = e.last;

		for (unsigned i = 0; i <= e.depth; i++)
			nodes += e.before[i];
		if (nodes > NODES_MAX)
			return "its repetitions and anchors make it too large";
	}
	return NULL;
}

/*
 * By bytes, whatever locale the program has: a command line may hold any. regexec(3) tries one beginning after the other, which takes the square of
 * the length: minutes for 64 KiB. Bound to the first byte it goes over them once.
 */
static int compile_bytes(regex_t *ret, const char *text, bool places)
{
	char bound[BOUNDED_REGEX_MAX + 8];
	locale_t bytes = newlocale(LC_ALL_MASK, "C", (locale_t) 0);

	if (!bytes)
		return REG_ESPACE;
	locale_t before = uselocale(bytes);
	/* first as it stands, for what is wrong with it: "*a" is none, though it would be one in parentheses */
	int code = regcomp(ret, text, places ? REG_EXTENDED : REG_EXTENDED | REG_NOSUB);

	if (code == 0 && !places) {
		regfree(ret);
		(void) snprintf(bound, sizeof(bound), "^.*(%s)", text);
		code = regcomp(ret, bound, REG_EXTENDED | REG_NOSUB);
	}
	(void) uselocale(before);
	freelocale(bytes);
	return code;
}

static int compile(regex_t *ret, const char *text, bool places, char why[BOUNDED_REGEX_WHY_SIZE])
{
	const char *not_taken = why_not(text);
	int code;

	why[0] = '\0';
	if (not_taken) {
		(void) snprintf(why, BOUNDED_REGEX_WHY_SIZE, "is not taken: %s", not_taken);
		return -EINVAL;
	}
	code = compile_bytes(ret, text, places);
	if (code == 0)
		return 0;
	if (code == REG_ESPACE)
		return -ENOMEM;
	char reason[BOUNDED_REGEX_WHY_SIZE - 32];
	(void) regerror(code, NULL, reason, sizeof(reason));
	(void) snprintf(why, BOUNDED_REGEX_WHY_SIZE, "is no regular expression: %s", reason);
	return -EINVAL;
}

int bounded_regex_compile(regex_t *ret, const char *text, char why[BOUNDED_REGEX_WHY_SIZE])
{
	return compile(ret, text, false, why);
}

int bounded_regex_compile_places(regex_t *ret, const char *text, char why[BOUNDED_REGEX_WHY_SIZE])
{
	return compile(ret, text, true, why);
}
