/* SPDX-License-Identifier: MIT */
/* Which Slurm job and step a process is of: by the path of its cgroup, or by the environment it was started with. Slurm's cgroups and cgroup_v2
 * pages, srun(1). */
#ifndef ASSAY_LINUX_SLURM_NAMES_H
#define ASSAY_LINUX_SLURM_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct roots;

#define SLURM_STEP_SIZE 32
/* Slurm's ids have 32 bits; the greatest ones stand for "none", "all" and for steps that have a word (slurm.h). */
#define SLURM_ID_MAX 0xfffffeffULL

struct slurm_place {
	uint64_t job; /* 0: none */
	char step
		[SLURM_STEP_SIZE]; /* "0", "batch", "extern", "interactive"; "": of the job, of no step */
	size_t n_job,
		n_step; /* where it was a path: so many bytes of it are the job's cgroup, the step's */
};

/* A job's number; a step as people and Slurm write it, "4294967291" is "batch". False: it is none. */
bool slurm_job_parse(const char *text, size_t n, uint64_t *ret);
/* The word of a step that has one, by its number; or NULL. */
const char *slurm_step_word(uint64_t number);
bool slurm_step_parse(const char *text, size_t n, char ret[SLURM_STEP_SIZE]);

/* "/slurm/uid_1000/job_7/step_0/task_0", "/system.slice/slurmstepd.scope/job_7/step_0/user/task_0"; false: no job is named. */
bool slurm_place_in_path(const char *path, size_t n, struct slurm_place *ret);
/* By the text of /proc/PID/cgroup: the line that names a step before one that names a job only. */
bool slurm_place_in_cgroups(const char *membership, struct slurm_place *ret);

/* By pieces of /proc/PID/environ: "NAME=value", each ended by a NUL. Begin with { 0 }. */
struct slurm_environ {
	struct slurm_place place;
	size_t n; /* of the variable that is coming in; what is longer than the space is none of ours */
	char variable[48];
};
void slurm_environ_add(struct slurm_environ *e, const char *bytes, size_t n);
/* 0, with job 0 where the environment names none; -EACCES for a process that is not ours to read. It is what the process was started with: one that
 * changed its own later does not show. */
int slurm_environ_read(const struct roots *roots, pid_t pid, struct slurm_place *ret);

#endif
