/* SPDX-License-Identifier: MIT */
/*
 * Nothing is unpacked: a file is asked for by the name we know, so names in an archive are never used as paths. libzip is opened when an
 * archive is read and never linked, so that a recorder does not carry it and its own libraries.
 */
#include "record/foreign/session_files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "record/foreign/import.h"

#ifdef HAVE_LIBZIP
#include <dlfcn.h>
#include <zip.h>

#include "base/macros.h"

static struct {
	void *library;
	__typeof__(&zip_fdopen) fdopen;
	__typeof__(&zip_discard) discard;
	__typeof__(&zip_name_locate) locate;
	__typeof__(&zip_fopen_index) open;
	__typeof__(&zip_fread) read;
	__typeof__(&zip_fclose) close;
} zip;

static int load_library(struct error *err)
{
	static const char *const names[] = { "libzip.so.5", "libzip.so.4" };
	const struct {
		const char *name;
		void *to;
	} symbols[] = { { "zip_fdopen", &zip.fdopen }, { "zip_discard", &zip.discard },
		{ "zip_name_locate", &zip.locate }, { "zip_fopen_index", &zip.open },
		{ "zip_fread", &zip.read }, { "zip_fclose", &zip.close } };

	if (zip.library)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(names) && !zip.library; i++)
		zip.library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!zip.library)
		return error_say(err, -ENOTSUP,
			"it is a zip file, and libzip, which reads them, is not installed here; "
			"unpacked it can be read");
	for (size_t i = 0; i < ARRAY_SIZE(symbols); i++) {
		/* POSIX has data and functions in pointers of one size, and ISO C has no cast for it. */
		*(void **) symbols[i].to = dlsym(zip.library, symbols[i].name);
		if (*(void **) symbols[i].to)
			continue;
		dlclose(zip.library);
		zip.library = NULL;
		return error_say(err, -ENOTSUP, "the libzip that is installed here lacks %s",
			symbols[i].name);
	}
	return 0;
}

static int open_archive(struct session_files *s, struct error *err)
{
	int r = load_library(err);
	int why = 0;
	int fd;

	if (r < 0)
		return r;
	fd = dup(s->file->fd);
	if (fd < 0)
		return error_set(err, -errno, "cannot read it");
	s->archive = zip.fdopen(fd, 0, &why);
	if (s->archive)
		return 0;
	close(fd);
	return error_say(err, -EINVAL, "it begins as a zip file and is none, or it is damaged");
}

static int open_member(struct session_files *s, const char *name, struct session_file *ret)
{
	/* Somebody may have packed the folder, and not what is in it. */
	zip_int64_t at = zip.locate(s->archive, name, ZIP_FL_NODIR);

	if (at < 0)
		return -ENOENT;
	ret->member = zip.open(s->archive, (zip_uint64_t) at, 0);
	return ret->member ? 0 : -EIO;
}

static ssize_t read_member(const struct session_file *f, void *buffer, size_t n)
{
	zip_int64_t got = zip.read(f->member, buffer, n);

	if (got < 0)
		errno = EIO;
	return (ssize_t) got;
}

static void close_member(struct session_file *f)
{
	zip.close(f->member);
}

static void close_archive(struct session_files *s)
{
	zip.discard(s->archive);
}
#else
static int open_archive(struct session_files *s, struct error *err)
{
	(void) s;
	return error_say(err, -ENOTSUP,
		"it is a zip file, and this assay was built without libzip; unpacked it can be "
		"read");
}

static int open_member(struct session_files *s, const char *name, struct session_file *ret)
{
	(void) s;
	(void) name;
	(void) ret;
	return -ENOTSUP;
}

static ssize_t read_member(const struct session_file *f, void *buffer, size_t n)
{
	(void) f;
	(void) buffer;
	(void) n;
	errno = ENOTSUP;
	return -1;
}

static void close_member(struct session_file *f)
{
	(void) f;
}

static void close_archive(struct session_files *s)
{
	(void) s;
}
#endif

int session_files_open(const struct import_file *file, struct session_files *ret, struct error *err)
{
	*ret = (struct session_files){ .file = file };
	return file->is_directory ? 0 : open_archive(ret, err);
}

void session_files_close(struct session_files *s)
{
	if (s->archive)
		close_archive(s);
	*s = (struct session_files){ 0 };
}

int session_file_open(struct session_files *s, const char *name, struct session_file *ret)
{
	struct stat st;
	int r = 0;

	*ret = (struct session_file){ .fd = -1 };
	if (s->archive)
		return open_member(s, name, ret);
	ret->fd = openat(s->file->fd, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (ret->fd < 0)
		return -errno;
	if (fstat(ret->fd, &st) < 0)
		r = -errno;
	else if (!S_ISREG(st.st_mode))
		r = -EINVAL;
	if (r < 0)
		session_file_close(ret);
	return r;
}

ssize_t session_file_read(void *session_file, void *buffer, size_t n)
{
	struct session_file *f = session_file;
	ssize_t got = f->member ? read_member(f, buffer, n) : read(f->fd, buffer, n);

	if (got > 0)
		f->given += (uint64_t) got;
	if (f->member && f->given > SESSION_FILE_MAX) {
		f->too_large = true;
		errno = EFBIG;
		return -1;
	}
	return got;
}

void session_file_close(struct session_file *f)
{
	if (f->member)
		close_member(f);
	if (f->fd >= 0)
		close(f->fd);
	*f = (struct session_file){ .fd = -1 };
}
