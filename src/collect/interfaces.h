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

/* Interfaces that went away and may come back under their name keep their place, so many of them; the growth of others is kept in a sum. */
#define N_INTERFACES_GONE_MAX 64
/* More at one time are not followed. */
#define N_INTERFACES_MAX 4096

struct interface {
	char name[INTERFACE_NAME_SIZE];
	uint64_t index; /* stays when it is renamed; 0: not known */
	bool unsure; /* it may be one that was there under another name: its index could not be read */
	bool there; /* in the latest look */
	bool seen; /* in the present one */
	bool shown; /* to the loop, at least once */
	bool gone_told; /* so, the last time, that it is not there any more */
	bool doubtful; /* it counted anew or went round, went away with what it had moved since, or came with a past that may be another's */
	uint64_t last[N_INTERFACE_COUNTERS]; /* as the kernel showed them */
	uint64_t grown[N_INTERFACE_COUNTERS];
};

struct interfaces {
	struct interface *list;
	size_t n, capacity;
	uint64_t folded
		[2]
		[N_INTERFACE_COUNTERS]; /* growth of those no longer in the list: of others, of loopback */
	uint64_t n_folded; /* how many those are */
	size_t found; /* where the latest was: the file's order seldom changes */
	char *text;
	size_t text_size;
	int fd; /* net/dev of `network_namespace`; meaningful when `open` */
	bool open;
	const struct roots *roots; /* where indices are asked for; NULL: nowhere */
	pid_t shown_by; /* the process of whose namespace `fd` is */
	size_t n_asked; /* in this look */
	bool looked; /* at least once: what comes now was not there before */
	uint64_t network_namespace; /* 0: not known */
	bool of_target; /* what runs already: who has been in its namespaces, and since when, is not known */
	bool rights_known,
		may_leave; /* a process of the job could be in another one between two looks */
	bool moved; /* the job entered a namespace other than the one it began in */
	bool alone; /* nobody else was seen in it so far */
	bool older; /* the one that it entered may be older than the job: what it had counted when it was seen first is from before */
	bool begins_anew; /* it was not read yet */
	bool members_elsewhere; /* a process of the job was met in another one, whose traffic is not in the sums */
	uint64_t alone_looked_ns;
	/* counters that went round at 2^32; interfaces that began anew or went away, and with them what they counted since the look before;
	 * interfaces that came with something counted */
	uint64_t wraps, resets, arrivals;
	uint64_t refused; /* looks at interfaces for which there was no place */
};

/*
 * One look at the namespace of `job`; when that process is gone, at the keeper's as long as it is the same one. The first look is where counting
 * begins. A namespace entered later counts whole if it was made by the job as far as can be seen, else from the first look. 0 or a negative errno. Allocates only for more interfaces at one time than ever before.
 */
int interfaces_look(
	struct interfaces *s, const struct roots *roots, pid_t job, pid_t keeper, uint64_t now_ns);
/* The text of net/dev, as interfaces_look() takes it in; for tests. */
int interfaces_take(struct interfaces *s, const char *text, size_t n);
void interfaces_done(struct interfaces *s);

/* What all have grown by, also those that are gone: `loopback` alone or all others. */
void interfaces_sum(const struct interfaces *s, bool loopback, uint64_t ret[N_INTERFACE_COUNTERS]);
/* The one of that name which is there, or was and is still kept; else NULL. */
struct interface *interfaces_find(struct interfaces *s, const char *name);

bool interface_is_loopback(const struct interface *i);
/* No look met anybody else in the namespace, nor anything older than the job. Who came and went between two looks was not met. */
bool interfaces_met_no_stranger(const struct interfaces *s);

#endif
