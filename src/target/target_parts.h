/* SPDX-License-Identifier: MIT */
/* What the files about a target's words, their meaning and their texts need of each other; for src/target/target*.c only. */
#ifndef ASSAY_TARGET_TARGET_PARTS_H
#define ASSAY_TARGET_TARGET_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "linux/proc_stat.h"

struct buf;
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

/* Compiles the expression; -EINVAL with regerror(3)'s text. */
int target_compile(struct target_term *term, const char *text, struct error *err);

/* The number of a kind's word, or -1. */
int target_kind_of(const char *word, size_t n);

/* Finds the cgroups (CGROUP, SLURM) or the container that the term means. */
int target_find_cgroup(struct target_term *term, const struct roots *roots, struct error *err);
int target_find_slurm(struct target_term *term, const struct roots *roots, struct error *err);
int target_find_container(struct target_term *term, const struct roots *roots, struct error *err);
/* The process of that number now; its start goes into `id` of the term's list. */
int target_find_process(
	const struct roots *roots, pid_t pid, struct proc_stat *ret, struct error *err);

/* Writes the target's text, its word for a file's name and what people read, from the terms. `first` is the process of a tree, or NULL. */
int target_write_texts(struct target *t, const struct proc_stat *first);

#endif
