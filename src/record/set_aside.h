/* SPDX-License-Identifier: MIT */
/* The record that a run replaces: out of the way at once, gone only when the run is there to stay. */
#ifndef ASSAY_RECORD_SET_ASIDE_H
#define ASSAY_RECORD_SET_ASIDE_H

#include <stddef.h>

#define N_SET_ASIDE_MAX 8

struct set_aside {
	struct {
		char *name; /* what it was called */
		char hidden[48]; /* what it is called now */
	} files[N_SET_ASIDE_MAX];
	size_t n;
	int number; /* of the next hidden name */
};

/* Renames a file within its directory; none being there is fine. What is neither a file nor a link is -EEXIST. */
int set_aside_take(struct set_aside *s, int dirfd, const char *name);
/* Gives them their names back, except where something else has them now. */
void set_aside_restore(struct set_aside *s, int dirfd);
/* Removes them. */
void set_aside_drop(struct set_aside *s, int dirfd);

#endif
