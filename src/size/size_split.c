/* SPDX-License-Identifier: MIT */
/* Takes the text of a command apart into words, as a POSIX shell does with quotes: other tools store no argv. */
#include "size/size_shape.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct words {
	char **argv; /* into `bytes` */
	size_t argc, room;
	char *bytes; /* all words, each with its NUL; never longer than the text */
	size_t used;
};

static bool begin_word(struct words *w)
{
	if (w->argc == w->room) {
		size_t room = w->room ? 2 * w->room : 16;
		char **argv = realloc(w->argv, room * sizeof(*argv));

		if (!argv)
			return false;
		w->argv = argv;
		w->room = room;
	}
	w->argv[w->argc++] = w->bytes + w->used;
	return true;
}

/* What is behind the quote; a quote that is not closed holds all that is left. In '...' a backslash is one; in $'...' and "..." it takes the next byte as it is, so
 * that "\n" is an n there: what has a line break is a value or code, and no name that has to be kept. */
static const char *take_quoted(struct words *w, const char *at, char quote, bool escapes)
{
	while (*at && *at != quote) {
		at += escapes && *at == '\\' && at[1] != '\0';
		w->bytes[w->used++] = *at++;
	}
	return at + (*at == quote);
}

static const char *take_word(struct words *w, const char *at)
{
	while (*at && !strchr(" \t\n", *at)) {
		if (*at == '\'' || *at == '"') {
			at = take_quoted(w, at + 1, *at, *at == '"');
		} else if (*at == '$' && at[1] == '\'') {
			at = take_quoted(w, at + 2, '\'', true);
		} else {
			at += *at == '\\' && at[1] != '\0';
			w->bytes[w->used++] = *at++;
		}
	}
	w->bytes[w->used++] = '\0';
	return at;
}

char *size_shape_of_text(const char *command)
{
	/* A word of no bytes has two quotes, and each other one a blank behind it or the NUL. */
	struct words w = { .bytes = malloc(strlen(command) + 1) };
	const char *at = command + strspn(command, " \t\n");
	bool failed = !w.bytes;
	char *shape = NULL;

	while (!failed && *at) {
		failed = !begin_word(&w);
		if (failed)
			break;
		at = take_word(&w, at);
		at += strspn(at, " \t\n");
	}
	if (!failed)
		shape = w.argc > 0 ? size_shape_of(w.argv, w.argc) : strdup("");
	free(w.argv);
	free(w.bytes);
	return shape;
}
