/* SPDX-License-Identifier: MIT */
/* Reads the script, writes its copy whole or not at all, and shows what differs. */
#include "cli/size_apply.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "cli/verb.h"
#include "cli/whole_file.h"
#include "size/size_script.h"

#define SCRIPT_MAX ((size_t) 1024 * 1024)

/* What goes into the copy: its bytes, and who may do what with it, as with the script. */
struct content {
	const struct buf *text;
	mode_t mode;
};

static int read_script(const char *path, struct buf *ret, mode_t *ret_mode, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	char part[16384];
	struct stat st;
	ssize_t n = 0;

	if (fd < 0)
		return error_say(err, -errno, "%s: %s", path, strerror(errno));
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return error_say(err, -EINVAL, "%s: it is no file", path);
	}
	*ret_mode = st.st_mode & 0777;
	while (ret->len <= SCRIPT_MAX && (n = read(fd, part, sizeof(part))) > 0)
		buf_add(ret, part, (size_t) n);
	if (n < 0)
		error_say(err, -errno, "%s: %s", path, strerror(errno));
	else if (ret->len > SCRIPT_MAX)
		error_say(err, -EFBIG, "%s: a batch script of more than 1 MiB is not read", path);
	else if (ret->failed)
		error_say(err, -ENOMEM, "there is not enough memory for the script");
	close(fd);
	return err->code;
}

static int fill(int fd, const void *content, struct error *err)
{
	const struct content *c = content;
	size_t written = 0;

	while (written < c->text->len) {
		ssize_t n = write(fd, c->text->data + written, c->text->len - written);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_say(err, -errno, "%s", strerror(errno));
		written += (size_t) n;
	}
	if (fchmod(fd, c->mode) < 0)
		return error_say(err, -errno, "%s", strerror(errno));
	return 0;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x;
	struct stat y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static bool is_standard_output(const char *path)
{
	struct stat x;
	struct stat y;

	return strcmp(path, "-") == 0 || (stat(path, &x) == 0 && fstat(STDOUT_FILENO, &y) == 0 &&
						 x.st_dev == y.st_dev && x.st_ino == y.st_ino);
}

static int judge_copy(const char *script, const char *copy, bool named, struct error *err)
{
	if (is_same_file(script, copy))
		return error_say(err, -EINVAL,
			"%s: it is the script itself; the request goes into a copy", copy);
	if (named && is_standard_output(copy))
		return error_say(err, -EINVAL,
			"%s: standard output has the difference; name a file for the copy", copy);
	if (!named && access(copy, F_OK) == 0)
		return error_say(err, -EEXIST,
			"%s is there already; --output FILE replaces it, or names another", copy);
	return whole_file_judge(copy, NULL, 0, err);
}

static void say_notes(const char *script, const struct buf *notes)
{
	const char *at = notes->data;

	while (at && *at) {
		size_t n = strcspn(at, "\n");

		complain("%s: %.*s", script, (int) n, at);
		at += n + (at[n] == '\n');
	}
}

static int write_copy(const char *script, const char *copy, const struct buf *old,
	const struct buf *changed, mode_t mode, struct error *err)
{
	const struct content content = { .text = changed, .mode = mode };
	struct buf out = { 0 };
	int r;

	if (old->len == changed->len &&
		(old->len == 0 || memcmp(old->data, changed->data, old->len) == 0)) {
		complain("%s asks for just that: no copy is written", script);
		return 0;
	}
	r = whole_file_make(copy, fill, &content, err);
	if (r == 0 && size_script_difference(script, old, changed, &out) < 0)
		r = error_say(err, -ENOMEM, "there is not enough memory for the difference");
	if (r == 0 && print_data(&out) != 0)
		r = -EIO;
	if (r == 0)
		complain("%s is written; %s is as it was", copy, script);
	buf_done(&out);
	return r;
}

int size_apply(const char *script, const char *copy, const struct size_ask *ask)
{
	struct buf old = { 0 };
	struct buf changed = { 0 };
	struct buf notes = { 0 };
	struct buf name = { 0 };
	struct error err = { 0 };
	mode_t mode = 0;
	int r;

	buf_addf(&name, "%s%s", copy ? copy : script, copy ? "" : ".sized");
	buf_add_text(&notes, "");
	r = name.failed ? error_say(&err, -ENOMEM, "there is not enough memory")
			: read_script(script, &old, &mode, &err);
	if (r == 0)
		r = judge_copy(script, name.data, copy != NULL, &err);
	if (r == 0 && size_script_change(
			      old.data ? old.data : "", old.len, ask, &changed, &notes, &err) < 0)
		r = error_wrap(&err, "%s", script);
	if (r == 0) {
		say_notes(script, &notes);
		r = write_copy(script, name.data, &old, &changed, mode, &err);
	}
	if (r < 0 && err.text[0])
		complain("%s", err.text);
	buf_done(&old);
	buf_done(&changed);
	buf_done(&notes);
	buf_done(&name);
	if (r == 0)
		return 0;
	return r == -EINVAL || r == -ENOENT || r == -EEXIST ? EXIT_USAGE : EXIT_TROUBLE;
}
