/* SPDX-License-Identifier: MIT */
/* Whether what stands under a relative path can be somebody else's doing. */
#ifndef ASSAY_BASE_TRUST_H
#define ASSAY_BASE_TRUST_H

#include <stdbool.h>
#include <sys/stat.h>

/* It belongs to the user or to root. */
bool trust_owner(const struct stat *st);
/* Everybody may write to it, or put something else in the place of what is in it. */
bool trust_is_open_to_all(const struct stat *st);
/* The one and not the other. */
bool trust(const struct stat *st);

#endif
