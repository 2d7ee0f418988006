/* SPDX-License-Identifier: MIT */
/* unshare(2), clone(2) and setns(2) to a network namespace take CAP_SYS_ADMIN, which whoever may make a user namespace has in that. */
#include "linux/namespace_rights.h"

#include <errno.h>
#include <string.h>

#include "base/macros.h"
#include "linux/key_lines.h"
#include "linux/roots.h"

#define STATUS_SIZE 4096
#define SYS_ADMIN (UINT64_C(1) << 21) /* include/uapi/linux/capability.h */

enum { INHERITABLE, PERMITTED, BOUNDING, AMBIENT, NO_NEW_PRIVILEGES, N_ROWS };

static const struct key_line rows[] = {
	[INHERITABLE] = KEY_LINE("CapInh", LINE_HEX, struct namespace_rights, inheritable),
	[PERMITTED] = KEY_LINE("CapPrm", LINE_HEX, struct namespace_rights, permitted),
	[BOUNDING] = KEY_LINE("CapBnd", LINE_HEX, struct namespace_rights, bounding),
	[AMBIENT] = KEY_LINE("CapAmb", LINE_HEX, struct namespace_rights, ambient),
	[NO_NEW_PRIVILEGES] =
		KEY_LINE("NoNewPrivs", LINE_NUMBER, struct namespace_rights, no_new_privileges),
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

/* Ambient capabilities came with Linux 4.3, the line of no_new_privs with 4.10: without it that is taken for not set. */
#define NEEDED (1u << INHERITABLE | 1u << PERMITTED | 1u << BOUNDING)

int namespace_rights_parse(const char *text, size_t n, struct namespace_rights *ret)
{
	struct namespace_rights r = { 0 };
	uint32_t seen;
	int rc = key_lines_parse(text, n, rows, ARRAY_SIZE(rows), &r, &seen);

	if (rc == 0 && (seen & NEEDED) != NEEDED)
		rc = -EINVAL;
	if (rc == 0)
		*ret = r;
	return rc;
}

/* A program of root's, or a file with capabilities, gives what the bounding set holds, unless execve(2) may add nothing. */
bool namespace_rights_are_none(const struct namespace_rights *r)
{
	uint64_t has = r->inheritable | r->permitted | r->ambient;

	if (!r->no_new_privileges)
		has |= r->bounding;
	return !(has & SYS_ADMIN);
}

static bool is_zero(const struct roots *roots, const char *path)
{
	char text[32];
	ssize_t n = read_root_file(roots->proc, path, text, sizeof(text));

	return n == 2 && memcmp(text, "0\n", 2) == 0;
}

bool may_leave_network_namespace(const struct roots *roots)
{
	/* The last one is Debian's: whether it takes CAP_SYS_ADMIN to make a user namespace. */
	static const char *const limits[] = { "sys/user/max_user_namespaces",
		"sys/user/max_net_namespaces", "sys/kernel/unprivileged_userns_clone" };
	char text[STATUS_SIZE];
	struct namespace_rights rights = { 0 };
	ssize_t n = read_root_file(roots->proc, "self/status", text, sizeof(text));

	if (n < 0 || namespace_rights_parse(text, (size_t) n, &rights) < 0 ||
		!namespace_rights_are_none(&rights))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		if (is_zero(roots, limits[i]))
			return false;
	return true;
}
