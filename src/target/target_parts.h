/* SPDX-License-Identifier: MIT */
/* What the files about a target's words, their meaning and their texts need of each other; for src/target/target*.c only. */
#ifndef ASSAY_TARGET_TARGET_PARTS_H
#define ASSAY_TARGET_TARGET_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "linux/proc_stat.h"

struct error;
struct roots;
struct target;
struct target_term;

#define TARGET_MATCH_MAX 1024 /* bytes of a regular expression */

/* What a line of error shows of a word or a name: no control character of it reaches the terminal, and it is never long. */
struct shown {
	char text[100];
};
struct shown shown(const char *text);

/* Takes what follows the colon; `text` is NULL where the word stands alone, which this kind allows. -EINVAL with a line. */
int target_take_argument(struct target_term *term, const char *text, struct error *err);
/* Compiles the expression; -EINVAL with regerror(3)'s text. */
int target_compile(struct target_term *term, const char *text, struct error *err);

/* Finds the cgroups (CGROUP, SLURM) or the container that the term means. */
int target_find_cgroup(struct target_term *term, const struct roots *roots, struct error *err);
int target_find_slurm(struct target_term *term, const struct roots *roots, struct error *err);
int target_find_container(struct target_term *term, const struct roots *roots, struct error *err);
/* The process of that number now, which is no thread of one or of the kernel and has not ended; a line says why it is not. */
int target_find_process(
	const struct roots *roots, pid_t pid, struct proc_stat *ret, struct error *err);

/* Writes the target's text, its word for a file's name and what people read, from the terms. `first` is the process of a tree, or NULL. */
int target_write_texts(struct target *t, const struct proc_stat *first);

#endif
