/* SPDX-License-Identifier: MIT */
/* A process that writes a title over its arguments, as servers do: setproctitle(3bsd). */
#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARGUMENTS_BEGIN 48 /* fields of /proc/self/stat */
#define ARGUMENTS_END 49

static uintptr_t field(int wanted)
{
	char text[1024];
	FILE *file = fopen("/proc/self/stat", "r");
	size_t n = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	if (n == 0)
		die("/proc/self/stat");
	(void) fclose(file);
	text[n] = '\0';
	char *at = strrchr(text, ')');
	for (int i = 2; at && i < wanted; i++)
		at = strchr(at + 1, ' ');
	if (!at)
		die("fields of /proc/self/stat");
	return (uintptr_t) strtoull(at, NULL, 10);
}

static void await_file(const char *path)
{
	while (access(path, F_OK) < 0) {
		if (errno != ENOENT)
			die(path);
		idle_ms(5);
	}
}

/* Runs until it may give itself the title, zeros behind it, and then until it may end. */
static int title(char **arguments)
{
	/* The title goes over all of them. */
	char *text = strdup(arguments[0]);
	char *go = strdup(arguments[1]);
	char *end = strdup(arguments[2]);
	char *first = (char *) field(ARGUMENTS_BEGIN); // NOLINT(performance-no-int-to-ptr)
	size_t size = field(ARGUMENTS_END) - field(ARGUMENTS_BEGIN);

	if (!text || !go || !end || strlen(text) >= size)
		die("length of the title");
	await_file(go);
	memset(first, 0, size);
	memcpy(first, text, strlen(text) + 1);
	await_file(end);
	truth_write();
	free(text);
	free(go);
	free(end);
	return 0;
}

const struct load title_loads[] = {
	{ "title", "TITLE GO_FILE END_FILE", 3, title },
	{ 0 },
};
