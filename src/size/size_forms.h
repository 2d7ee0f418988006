/* SPDX-License-Identifier: MIT */
/* A request in the words of those who are asked: Slurm, PBS, HTCondor, Kubernetes, Nextflow, Snakemake. */
#ifndef ASSAY_SIZE_FORMS_H
#define ASSAY_SIZE_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

/* 0: nothing is asked for of that, and nothing is written. Already rounded up. */
struct size_ask {
	uint64_t memory_bytes;
	uint64_t seconds;
	uint64_t cpus;
	/* What is asked for the second time and later, when the first was too little: NULL, or n_memory and n_seconds values, rising; the first is the one above. */
	const uint64_t *memory_steps;
	size_t n_memory_steps;
	const uint64_t *seconds_steps;
	size_t n_seconds_steps;
};

struct size_form {
	const char *name; /* "slurm" */
	const char *help; /* "#SBATCH lines" */
	void (*write)(const struct size_ask *ask, struct buf *out);
};
/* Ends with a name of NULL. */
extern const struct size_form size_forms[];
const struct size_form *size_form_find(const char *name);

/* The amount as the next one that sbatch takes, never less: "--mem=4600M" is in MiB, --time in minutes or [D-]HH:MM:SS. */
#define SIZE_SLURM_TEXT 40
void size_slurm_memory(uint64_t bytes, char text[SIZE_SLURM_TEXT]);
void size_slurm_time(uint64_t seconds, char text[SIZE_SLURM_TEXT]);

#endif
