/* SPDX-License-Identifier: MIT */
/* Replaces in the words of a command what must not be kept. All is looked for in the words as they are, so that no rule hides it from another. */
#include "base/redaction.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounded_regex.h"
#include "base/error.h"
#include "base/secrets.h"

/* To find where a match begins takes the square of the length: of longer words all is replaced. */
#define PLACES_MAX 512

static int add_pattern(struct redaction *r, const char *text, struct error *err)
{
	char why[BOUNDED_REGEX_WHY_SIZE];
	struct redaction_pattern *p = &r->patterns[r->n];
	int code = bounded_regex_compile(&p->found, text, why);

	if (code == 0) {
		code = bounded_regex_compile_places(&p->places, text, why);
		if (code < 0)
			regfree(&p->found);
	}
	if (code == -ENOMEM)
		return error_set(err, code, "cannot prepare to redact");
	if (code < 0)
		return error_say(err, code, "--redact: '%.60s' %s", text, why);
	r->n++;
	if (regexec(&p->found, "", 0, NULL, 0) == 0)
		return error_say(err, -EINVAL,
			"--redact: '%.60s' is not taken: it matches where there is nothing, too",
			text);
	return 0;
}

int redaction_begin(struct redaction *ret, const char *const *words, struct error *err)
{
	size_t n = 0;
	int r = 0;

	*ret = (struct redaction){ .usual_too = true };
	while (words && words[n])
		n++;
	if (n == 0)
		return 0;
	ret->patterns = calloc(n, sizeof(*ret->patterns));
	if (!ret->patterns)
		return error_set(err, -ENOMEM, "cannot prepare to redact");
	for (; r == 0 && *words; words++) {
		if (strcmp(*words, "no") == 0 || strcmp(*words, "yes") == 0)
			ret->usual_too = **words == 'y';
		else
			r = add_pattern(ret, *words, err);
	}
	return r;
}

static void mark_pattern(const struct redaction_pattern *p, const char *word, size_t n, char *marks)
{
	size_t at = 0;
	regmatch_t match;

	if (n > PLACES_MAX) {
		if (regexec(&p->found, word, 0, NULL, 0) == 0)
			memset(marks, 1, n);
		return;
	}
	while (at < n && regexec(&p->places, word + at, 1, &match, at > 0 ? REG_NOTBOL : 0) == 0) {
		size_t begin = at + (size_t) match.rm_so;
		size_t end = at + (size_t) match.rm_eo;

		memset(marks + begin, 1, end - begin);
		at = end > begin ? end : begin + 1;
	}
}

/* Whether anything of the word is to be replaced. */
static bool mark_word(
	const struct redaction *r, const char *word, size_t n, bool *next, char *marks)
{
	if (r->usual_too)
		secrets_mark(word, n, next, marks);
	for (size_t i = 0; i < r->n; i++)
		mark_pattern(&r->patterns[i], word, n, marks);
	return memchr(marks, 1, n) != NULL;
}

static void add_marked(struct buf *out, const char *bytes, const char *marks, size_t n)
{
	size_t end;

	for (size_t at = 0; at < n; at = end) {
		for (end = at + 1; end < n && marks[end] == marks[at];)
			end++;
		if (marks[at])
			buf_add_text(out, REDACTED);
		else
			buf_add(out, bytes + at, end - at);
	}
}

size_t redaction_apply(struct redaction *r, const char *bytes, size_t n)
{
	size_t count = 0;
	bool next = false;
	size_t length;

	buf_clear(&r->text);
	buf_clear(&r->marks);
	if (!buf_reserve(&r->marks, n + 1)) {
		r->text.failed = true;
		return 1;
	}
	memset(r->marks.data, 0, n + 1);
	for (size_t at = 0; at < n; at += length + 1) {
		length = strlen(bytes + at);
		count += mark_word(r, bytes + at, length, &next, r->marks.data + at);
	}
	if (count > 0)
		add_marked(&r->text, bytes, r->marks.data, n);
	return count;
}

/* The words stand behind the pointers to them. */
static char **split(const char *bytes, size_t size, size_t n)
{
	char **list = malloc((n + 1) * sizeof(*list) + size + 1);

	if (!list)
		return NULL;
	char *at = (char *) (list + n + 1);
	memcpy(at, bytes, size);
	at[size] = '\0';
	for (size_t i = 0; i < n; i++) {
		list[i] = at;
		at += strlen(at) + 1;
	}
	list[n] = NULL;
	return list;
}

char **redaction_of_words(struct redaction *r, char *const *words, uint64_t *ret_count)
{
	struct buf joined = { 0 };
	char **list = NULL;
	size_t n = 0;

	for (; words[n]; n++)
		buf_add(&joined, words[n], strlen(words[n]) + 1);
	buf_add_char(&joined, '\0');
	if (!joined.failed) {
		*ret_count = redaction_apply(r, joined.data, joined.len - 1);
		const struct buf *from = *ret_count > 0 ? &r->text : &joined;

		list = from->failed ? NULL : split(from->data, from->len, n);
	}
	buf_done(&joined);
	return list;
}

void redaction_done(struct redaction *r)
{
	for (size_t i = 0; i < r->n; i++) {
		regfree(&r->patterns[i].found);
		regfree(&r->patterns[i].places);
	}
	free(r->patterns);
	buf_done(&r->marks);
	buf_done(&r->text);
	*r = (struct redaction){ .patterns = NULL };
}
