/* SPDX-License-Identifier: MIT */
/* Judges files, directories and links by whose they are and who may write to them. */
#include "base/trust.h"

#include <unistd.h>

bool trust_owner(const struct stat *st)
{
	return st->st_uid == geteuid() || st->st_uid == 0;
}

/* In a sticky directory nobody replaces what is another's, and a link has no mode. */
bool trust_is_open_to_all(const struct stat *st)
{
	bool sticky = S_ISDIR(st->st_mode) && (st->st_mode & S_ISVTX);

	return (st->st_mode & S_IWOTH) && !sticky && !S_ISLNK(st->st_mode);
}

bool trust(const struct stat *st)
{
	return trust_owner(st) && !trust_is_open_to_all(st);
}
