/* SPDX-License-Identifier: MIT */
/* The interfaces of the job's network namespace: how much each has counted since the run began, whatever became of its counter. */
#ifndef ASSAY_COLLECT_INTERFACES_H
#define ASSAY_COLLECT_INTERFACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "linux/net_dev.h"

struct roots;

struct interface {
	char name[INTERFACE_NAME_SIZE];
	bool there; /* in the latest look */
	bool seen; /* in the present one */
	bool shown; /* to the loop, at least once */
	uint64_t last[N_INTERFACE_COUNTERS]; /* as the kernel showed them */
	uint64_t grown[N_INTERFACE_COUNTERS];
};

struct interfaces {
	struct interface *list;
	size_t n, capacity;
	size_t found; /* where the latest was: the file's order seldom changes */
	char *text;
	size_t text_size;
	int fd; /* net/dev of `network_namespace`; meaningful when `open` */
	bool open;
	bool looked; /* at least once: what comes now was not there before */
	uint64_t network_namespace; /* 0: not known */
	bool moved; /* the job entered a namespace other than the one it began in */
	bool alone; /* nobody else was seen in it so far */
	bool named; /* it may be older than the job */
	uint64_t alone_looked_ns;
	/* counters that went round at 2^32; interfaces that began anew or went away, and with them what they counted since the look before;
	 * interfaces that came with something counted */
	uint64_t wraps, resets, arrivals;
};

/*
 * One look at the namespace of `job`; when that process is gone, at the keeper's as long as it is the same one. The first look is where counting
 * begins. A namespace entered later counts whole. 0 or a negative errno. Allocates only for more interfaces than ever before.
 */
int interfaces_look(
	struct interfaces *s, const struct roots *roots, pid_t job, pid_t keeper, uint64_t now_ns);
/* The text of net/dev, as interfaces_look() takes it in; for tests. */
int interfaces_take(struct interfaces *s, const char *text, size_t n);
void interfaces_done(struct interfaces *s);

bool interface_is_loopback(const struct interface *i);
/* The namespace is the job's alone: what it counts, the job did. */
bool interfaces_are_the_jobs(const struct interfaces *s);

#endif
