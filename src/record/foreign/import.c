/* SPDX-License-Identifier: MIT */
/* Opens a file of another tool and finds who can read it. */
#include "record/foreign/import.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd_read.h"
#include "record/foreign/cells.h"
#include "record/stored_run.h"

const struct importer *importer_find(const char *name)
{
	for (size_t i = 0; i < n_importers; i++)
		if (strcmp(importers[i]->name, name) == 0)
			return importers[i];
	return NULL;
}

const struct importer *importer_for(const struct import_file *file)
{
	const struct importer *best = NULL;
	int surest = 0;

	for (size_t i = 0; i < n_importers; i++) {
		int sure = importers[i]->probe(file);

		if (sure > surest) {
			best = importers[i];
			surest = sure;
		}
	}
	return best;
}

bool import_name_is_of_session(const char *name)
{
	for (size_t i = 0; i < n_importers; i++)
		if (importers[i] && importers[i]->has_name && importers[i]->has_name(name))
			return true;
	return false;
}

static int read_head(struct import_file *file, struct error *err)
{
	char *head = calloc(1, file->is_directory ? 1 : IMPORT_HEAD_SIZE + 1);
	ssize_t got = 0;

	file->head = head;
	file->head_bytes = head;
	if (!head)
		return error_set(err, -ENOMEM, "cannot read it");
	while (!file->is_directory && file->n_head < IMPORT_HEAD_SIZE) {
		got = pread(file->fd, head + file->n_head, IMPORT_HEAD_SIZE - file->n_head,
			(off_t) file->n_head);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		file->n_head += (size_t) got;
	}
	if (got < 0)
		return error_set(err, -errno, "cannot read it");
	/* What a file begins with is told without the mark that an editor may have put before it. */
	size_t mark = byte_order_mark(head, file->n_head);
	memmove(head, head + mark, file->n_head + 1 - mark);
	file->n_head -= mark;
	return 0;
}

int import_file_open(const char *path, struct import_file *ret, struct error *err)
{
	const char *slash = strrchr(path, '/');
	struct stat st;
	int r = 0;

	memset(ret, 0, sizeof(*ret));
	ret->path = path;
	ret->name = slash ? slash + 1 : path;
	ret->fd = fd_open_regular(path, &st);
	if (ret->fd == -EISDIR) {
		ret->fd = open(path, O_RDONLY | O_DIRECTORY | O_NOCTTY | O_CLOEXEC);
		ret->is_directory = ret->fd >= 0;
		r = ret->fd < 0 ? error_set(err, -errno, "cannot read it") : 0;
	} else if (ret->fd == -ENXIO) {
		r = error_say(err, -EINVAL, "it is neither a file nor a directory");
	} else if (ret->fd < 0) {
		r = error_set(err, ret->fd, "cannot read it");
	} else if ((uint64_t) st.st_size > STORED_SERIES_MAX) {
		r = error_say(err, -EFBIG, "it is larger than %llu GiB, which no record is",
			(unsigned long long) (STORED_SERIES_MAX >> 30));
	} else {
		ret->size = (uint64_t) st.st_size;
	}
	if (r == 0)
		r = read_head(ret, err);
	if (r < 0)
		import_file_close(ret);
	return r;
}

void import_file_close(struct import_file *file)
{
	free(file->head_bytes);
	file->head_bytes = NULL;
	if (file->fd >= 0)
		close(file->fd);
	free(file->session);
	memset(file, 0, sizeof(*file));
	file->fd = -1;
}

char *import_session_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct import_file directory;
	const struct importer *importer;
	char *session;

	if (!import_name_is_of_session(slash ? slash + 1 : path))
		return NULL;
	session = slash ? strndup(path, (size_t) (slash - path) + (slash == path)) : strdup(".");
	if (!session || import_file_open(session, &directory, NULL) < 0) {
		free(session);
		return NULL;
	}
	importer = directory.is_directory ? importer_for(&directory) : NULL;
	import_file_close(&directory);
	if (importer)
		return session;
	free(session);
	return NULL;
}

int import_file_open_run(
	const char *path, const struct importer *as, struct import_file *ret, struct error *err)
{
	char *session;
	int r = import_file_open(path, ret, err);

	if (r < 0 || ret->is_directory || (as ? !as->has_name : importer_for(ret) != NULL))
		return r;
	session = import_session_of(path);
	if (!session)
		return 0;
	import_file_close(ret);
	r = import_file_open(session, ret, err);
	if (r < 0)
		free(session);
	else
		ret->session = session;
	return r;
}
