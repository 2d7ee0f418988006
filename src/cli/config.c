/* SPDX-License-Identifier: MIT */
/* Finds the configuration files, decides whether they count and reads them. */
#include "cli/config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd_read.h"
#include "base/trust.h"
#include "cli/config_expand.h"
#include "cli/config_text.h"
#include "cli/log.h"

#define FILE_BYTES_MAX ((size_t) 1 << 20)
#define N_FILES_MAX 100

/* The list being taken apart. */
struct paths {
	const char *at;
	struct buf path;
	bool unknown; /* the path in turn begins at a home that is not known */
};

static void add_home(struct paths *p)
{
	const char *home = getenv("HOME");

	if (home && *home)
		buf_add_text(&p->path, home);
	else
		p->unknown = true;
}

/* Adds ${NAME} or ${NAME:-default}, which begins at p->at; false when it is neither. */
static bool add_variable(struct paths *p)
{
	const char *name = p->at + 2;
	size_t n = strcspn(name, ":}");
	size_t n_all = strcspn(name, "}");
	const char *standby = name + n;
	char copy[64];

	if (name[n_all] != '}' || n == 0 || n >= sizeof(copy) ||
		(*standby == ':' && standby[1] != '-'))
		return false;
	memcpy(copy, name, n);
	copy[n] = '\0';
	const char *text = getenv(copy);

	if (text && *text) {
		buf_add_text(&p->path, text);
	} else if (*standby == ':') {
		standby += 2;
		if (*standby == '~' && p->path.len == 0) {
			add_home(p);
			standby++;
		}
		buf_add(&p->path, standby, (size_t) (name + n_all - standby));
	}
	p->at = name + n_all + 1;
	return true;
}

/* Takes the next path off the list; false at its end. */
static bool next_path(struct paths *p)
{
	if (!*p->at)
		return false;
	buf_clear(&p->path);
	buf_add_text(&p->path, "");
	p->unknown = false;
	while (*p->at && *p->at != ':') {
		if (p->at[0] == '$' && p->at[1] == '{' && add_variable(p))
			continue;
		if (*p->at == '~' && p->path.len == 0 && (p->at[1] == '/' || p->at[1] == '\0'))
			add_home(p);
		else
			buf_add_char(&p->path, *p->at);
		p->at++;
	}
	p->at += *p->at == ':';
	return true;
}

/* In /tmp anybody can make a directory or a link that leads to a file of ours: each on the way must be ours too. */
static bool way_is_trusted(const char *path)
{
	bool trusted = true;

	for (size_t n = 1; trusted && path[n - 1]; n++) {
		struct stat st;

		if (path[n] != '/' && path[n] != '\0')
			continue;
		char *part = strndup(path, n);
		trusted = part && lstat(part, &st) == 0 && trust(&st);
		free(part);
	}
	return trusted;
}

/* Why an open file does not count, or NULL. */
static const char *refusal(const char *path, const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "it is not a regular file";
	if ((size_t) st->st_size > FILE_BYTES_MAX)
		return "it is longer than 1 MiB";
	if (path[0] == '/')
		return NULL;
	if (!trust_owner(st))
		return "it belongs to somebody else";
	if (trust_is_open_to_all(st))
		return "everybody may write to it";
	if (!way_is_trusted(path))
		return "what leads to it belongs to somebody else, or everybody may write there";
	return NULL;
}

/* Opens and reads a file; false when it does not count, and the log says why. */
static bool load(const char *path, struct buf *text, struct log_lines *log)
{
	/* O_NONBLOCK: a FIFO without a writer must not stop us here. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	const char *why = NULL;
	struct stat st;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) {
		log_later(log, LOG_DEBUG, "no configuration in %s", path);
		return false;
	}
	if (fd < 0 || fstat(fd, &st) < 0)
		why = strerror(errno);
	else
		why = refusal(path, &st);
	if (!why) {
		int r = fd_read_all(fd, FILE_BYTES_MAX, text);
		why = r < 0 ? strerror(-r) : NULL;
	}
	if (fd >= 0)
		close(fd);
	if (why)
		log_later(log, LOG_WARNING, "the configuration file %s is ignored: %s", path, why);
	else
		log_later(log, LOG_DEBUG, "read the configuration file %s", path);
	return why == NULL;
}

static int take_line(const struct config_reader *reader, int rank, const char *path,
	const struct config_line *line, const char *value, struct error *err)
{
	struct buf text = { 0 };
	int r;

	buf_add(&text, line->name, line->n);
	buf_add_char(&text, '\0');
	size_t place = text.len;
	buf_addf(&text, "%s:%zu", path, line->line);
	if (text.failed)
		r = error_set(err, -ENOMEM, "cannot read the setting");
	else
		r = reader->take(reader->context, text.data, value, text.data + place, rank, err);
	buf_done(&text);
	return r;
}

/* Later lines may name what this one sets. */
static int take_expanded(const struct config_reader *reader, int rank, const char *path,
	const struct config_line *line, struct config_names *names, struct error *err)
{
	struct buf value = { 0 };
	int r = -ENOMEM;

	buf_add_text(&value, "");
	if (line->quote == '\'')
		buf_add_text(&value, line->value.data);
	else
		config_expand(line->value.data, names, &value);
	if (!value.failed)
		r = config_names_add(names, line->name, line->n, value.data);
	if (r < 0)
		error_set(err, r, "cannot read the setting");
	else
		r = take_line(reader, rank, path, line, value.data, err);
	buf_done(&value);
	return r;
}

static int read_text(const struct config_reader *reader, int rank, const char *path,
	const struct buf *text, struct error *err)
{
	struct config_text t = { .at = text->data, .end = text->data + text->len, .line = 1 };
	struct config_line line = { 0 };
	struct config_names names = { 0 };
	int r;

	/* A mark that some editors of other systems leave at the start of UTF-8. */
	if (text->len >= 3 && memcmp(t.at, "\xef\xbb\xbf", 3) == 0)
		t.at += 3;
	while ((r = config_text_next(&t, &line, err)) > 0) {
		r = reader->expands ? take_expanded(reader, rank, path, &line, &names, err)
				    : take_line(reader, rank, path, &line, line.value.data, err);
		if (r < 0)
			break;
	}
	if (r < 0)
		error_wrap(err, "%s:%zu", path, line.line);
	buf_done(&line.value);
	config_names_done(&names);
	return r;
}

static int read_file(
	const struct config_reader *reader, int rank, const char *path, struct error *err)
{
	struct buf text = { 0 };
	struct error why = { 0 };
	int r = 0;

	if (load(path, &text, reader->log) && text.len > 0)
		r = read_text(reader, rank, path, &text, &why);
	buf_done(&text);
	if (r < 0 && reader->lenient) {
		log_later(
			reader->log, LOG_WARNING, "%s; the rest of the file is ignored", why.text);
		return 0;
	}
	return r < 0 ? error_say(err, r, "%s", why.text) : 0;
}

int config_read(const char *paths, const struct config_reader *reader, struct error *err)
{
	struct paths p = { .at = paths };
	int r = 0;

	for (int i = 0; r == 0 && i < N_FILES_MAX && next_path(&p); i++) {
		if (p.path.failed)
			r = error_set(err, -ENOMEM, "cannot read the configuration");
		else if (!p.unknown && p.path.len > 0)
			r = read_file(reader, reader->rank + i, p.path.data, err);
	}
	buf_done(&p.path);
	return r;
}
