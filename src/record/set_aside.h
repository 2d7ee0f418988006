/* SPDX-License-Identifier: MIT */
/* The record that a run replaces: out of the way at once, gone only when the run is there to stay. */
#ifndef ASSAY_RECORD_SET_ASIDE_H
#define ASSAY_RECORD_SET_ASIDE_H

#include <stddef.h>

#define N_SET_ASIDE_MAX 8
#define SET_ASIDE_NAME_SIZE 256 /* NAME_MAX and its end */

struct set_aside {
	struct {
		char *name; /* what it was called; what it is called now follows from it */
		int fd; /* holds the lock by which others see that it is somebody's; -1: none */
	} files[N_SET_ASIDE_MAX];
	size_t n;
};

/* The name under which a file waits. It is made of nothing but the old one, so that what a killed recorder left is found again. */
void set_aside_name(const char *name, char hidden[SET_ASIDE_NAME_SIZE]);
/*
 * Renames a file within its directory; none being there is fine. What is neither a file nor a link is -EEXIST, what is still being
 * written -EBUSY. Something that waits under the hidden name already is replaced.
 */
int set_aside_take(struct set_aside *s, int dirfd, const char *name);
/* Gives them their names back, the latest first, except where something else has them now. */
void set_aside_restore(struct set_aside *s, int dirfd);
/* Removes them, in the order in which they were taken. */
void set_aside_drop(struct set_aside *s, int dirfd);
/* Leaves them where they are, as nobody's. */
void set_aside_leave(struct set_aside *s);
/* Gives one that a killed recorder left its name back, unless something other than an empty file has it. */
void set_aside_return(int dirfd, const char *name);

#endif
