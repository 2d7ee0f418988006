/* SPDX-License-Identifier: MIT */
/* The directory of a run's files: found, or made with what leads to it, and taken back. */
#ifndef ASSAY_RECORD_RUN_DIRECTORY_H
#define ASSAY_RECORD_RUN_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

struct error;

/* Somebody else could have made what leads to a place that nobody chose: it is not used. */
#define RUN_PLACE_NOT_TRUSTED (-EKEYREJECTED)

struct made_directory {
	int parent; /* AT_FDCWD or a descriptor, ours to close */
	char *name;
};

struct run_directory {
	int fd; /* O_PATH; -1: not open. A directory that is moved during the run is still found */
	char *path; /* "./", or it ends in a slash */
	struct made_directory *made; /* here, outermost first */
	size_t n_made;
};

struct run_directory_options {
	/* The place is nobody's choice. Each directory and link on the way must belong to the user or to root, and not everybody may write to it: each is
	 * opened from the one before, without following links, and a link that counts is followed by these rules. What is made here not everybody may
	 * write to, whatever the umask says. */
	bool guarded;
	bool fresh; /* guarded: the last directory is made here; -EEXIST when its name is taken */
};

/* Opens d->path, which is set by the caller on the heap; parents that are missing are made. */
int run_directory_open(
	struct run_directory *d, const struct run_directory_options *options, struct error *err);
/* Removes the directories that were made here, unless somebody has put something there. */
void run_directory_take_back(struct run_directory *d);
void run_directory_close(struct run_directory *d);

#endif
