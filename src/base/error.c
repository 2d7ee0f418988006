/* SPDX-License-Identifier: MIT */
/* Error texts, built in place: the caller's struct is the only memory used. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

/* Ends a formatted text (`formatted` as vsnprintf returned it) with the suffix and puts it into `err`. It was formed elsewhere, so
 * that an argument may be the text of the very error that is filled. */
static int finish(
	struct error *err, int code, char text[ERROR_TEXT_SIZE], int formatted, const char *suffix)
{
	size_t suffix_len = strnlen(suffix, ERROR_TEXT_SIZE - 1);
	size_t len = formatted < 0 ? 0 : (size_t) formatted;

	/* Where it does not fit the front is cut: the reason at the end is worth more than a long path. */
	if (len > ERROR_TEXT_SIZE - 1 - suffix_len)
		len = ERROR_TEXT_SIZE - 1 - suffix_len;
	memcpy(text + len, suffix, suffix_len);
	text[len + suffix_len] = '\0';

	err->code = code;
	memcpy(err->text, text, len + suffix_len + 1);
	return code;
}

int error_set(struct error *err, int code, const char *format, ...)
{
	char text[ERROR_TEXT_SIZE];
	char suffix[128] = ": ";
	char scratch[100];
	va_list args;

	if (!err)
		return code;
	va_start(args, format);
	int n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	const char *reason = strerror_r(code < 0 ? -code : code, scratch, sizeof(scratch));
	strncat(suffix, reason, sizeof(suffix) - 3);
	return finish(err, code, text, n, suffix);
}

int error_say(struct error *err, int code, const char *format, ...)
{
	char text[ERROR_TEXT_SIZE];
	va_list args;

	if (!err)
		return code;
	va_start(args, format);
	int n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return finish(err, code, text, n, "");
}

int error_wrap(struct error *err, const char *format, ...)
{
	char text[ERROR_TEXT_SIZE];
	char suffix[ERROR_TEXT_SIZE + 2] = ": ";
	va_list args;

	if (!err)
		return -EIO;
	va_start(args, format);
	int n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	memcpy(suffix + 2, err->text, strnlen(err->text, sizeof(err->text) - 1));
	return finish(err, err->code, text, n, suffix);
}

const char *errno_name(int number)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 32)
	const char *name = number > 0 ? strerrorname_np(number) : NULL;
	return name ? name : "E?";
#else
	static const struct {
		int number;
		const char *name;
	} names[] = {
		/* clang-format off */
		{ EPERM, "EPERM" }, { ENOENT, "ENOENT" }, { ESRCH, "ESRCH" }, { EINTR, "EINTR" }, { EIO, "EIO" },
		{ ENXIO, "ENXIO" }, { E2BIG, "E2BIG" }, { ENOEXEC, "ENOEXEC" }, { EBADF, "EBADF" },
		{ ECHILD, "ECHILD" }, { EAGAIN, "EAGAIN" }, { ENOMEM, "ENOMEM" }, { EACCES, "EACCES" },
		{ EFAULT, "EFAULT" }, { EBUSY, "EBUSY" }, { EEXIST, "EEXIST" }, { ENODEV, "ENODEV" },
		{ ENOTDIR, "ENOTDIR" }, { EISDIR, "EISDIR" }, { EINVAL, "EINVAL" }, { ENFILE, "ENFILE" },
		{ EMFILE, "EMFILE" }, { ENOTTY, "ENOTTY" }, { ETXTBSY, "ETXTBSY" }, { EFBIG, "EFBIG" },
		{ ENOSPC, "ENOSPC" }, { ESPIPE, "ESPIPE" }, { EROFS, "EROFS" }, { EPIPE, "EPIPE" },
		{ ERANGE, "ERANGE" }, { ENAMETOOLONG, "ENAMETOOLONG" }, { ENOSYS, "ENOSYS" }, { ELOOP, "ELOOP" },
		{ ENODATA, "ENODATA" }, { EOVERFLOW, "EOVERFLOW" }, { EOPNOTSUPP, "EOPNOTSUPP" },
		{ ETIMEDOUT, "ETIMEDOUT" }, { ESTALE, "ESTALE" }, { EDQUOT, "EDQUOT" },
		/* clang-format on */
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].number == number)
			return names[i].name;
	return "E?";
#endif
}
