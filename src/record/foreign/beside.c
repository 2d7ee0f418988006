/* SPDX-License-Identifier: MIT */
/* Looks for files, and loads them. */
#include "record/foreign/beside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd_read.h"
#include "record/foreign/import.h"
#include "record/stored_run.h"

char *file_with_content(const char *name, size_t n, const char *end)
{
	char *path = NULL;
	struct stat st;

	if (asprintf(&path, "%.*s%s", (int) n, name, end) < 0)
		return NULL;
	if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
		return path;
	free(path);
	return NULL;
}

char *file_with_other_end(const char *path, const char *end, const char *other,
	bool (*is_wanted)(const struct import_file *file))
{
	size_t n = strlen(path);
	size_t n_end = strlen(end);
	struct import_file file;
	char *found = NULL;

	if (n >= n_end && strcmp(path + n - n_end, end) == 0)
		found = file_with_content(path, n - n_end, other);
	if (!found)
		return NULL;
	if (import_file_open(found, &file, NULL) == 0) {
		bool wanted = is_wanted(&file);

		import_file_close(&file);
		if (wanted)
			return found;
	}
	free(found);
	return NULL;
}

int json_file_load(const char *path, json_t **ret, struct error *err)
{
	int fd = fd_open_regular(path, NULL);
	struct buf bytes = { 0 };
	struct error why = { 0 };
	int r = fd < 0 ? fd : fd_read_all(fd, STORED_INFO_MAX, &bytes);

	*ret = NULL;
	if (fd >= 0)
		close(fd);
	if (r == -EFBIG)
		error_say(err, r, "%s is larger than any such file", path);
	else if (r < 0)
		error_set(err, r, "cannot read %s", path);
	else if (bytes.len > 0 && !(*ret = stored_json(bytes.data, bytes.len, &why)))
		r = error_say(err, why.code, "%s", why.text);
	else if (bytes.len > 0 && !json_is_object(*ret))
		r = error_say(err, -EINVAL, "it is no object of JSON");
	buf_done(&bytes);
	if (r < 0) {
		json_decref(*ret);
		*ret = NULL;
	}
	return r;
}

int json_fd_load(int fd, size_t limit, json_t **ret, struct error *err)
{
	struct buf bytes = { 0 };
	struct error why = { 0 };
	int r = lseek(fd, 0, SEEK_SET) < 0 ? -errno : fd_read_all(fd, limit, &bytes);

	*ret = NULL;
	if (r == -EFBIG)
		error_say(err, r, "it is larger than %zu MiB", limit >> 20);
	else if (r < 0)
		error_set(err, r, "cannot read it");
	else if (!(*ret = stored_json(bytes.data ? bytes.data : "", bytes.len, &why)))
		r = error_say(err, why.code, "%s", why.text);
	buf_done(&bytes);
	return r;
}

bool head_holds(const struct import_file *file, const char *text)
{
	return memmem(file->head, file->n_head, text, strlen(text)) != NULL;
}

bool head_begins(const struct import_file *file, const char *text)
{
	size_t n = strlen(text);

	return file->n_head >= n && memcmp(file->head, text, n) == 0;
}
