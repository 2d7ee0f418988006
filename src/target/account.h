/* SPDX-License-Identifier: MIT */
/*
 * What a target that was not started by us comes to: the growth of what its processes have used since they were first seen in it, those that ended
 * included. Each process's clock and files tell of itself; what it waited for stands in its cutime and cstime, and in its /proc/PID/io. A child that
 * ends is therefore in its parent's numbers, if that waited for it. Nobody is counted twice, and of what cannot be known the lower is taken.
 */
#ifndef ASSAY_TARGET_ACCOUNT_H
#define ASSAY_TARGET_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "linux/proc_stat.h"
#include "target/marks.h"
#include "target/pss_round.h"

struct ledger;
struct process;
struct target;

/* What is counted, in base units. */
enum counted {
	COUNTED_CPU, /* nanoseconds */
	COUNTED_READ_BYTES,
	COUNTED_WRITE_BYTES,
	COUNTED_CANCELLED_WRITE_BYTES,
	COUNTED_READ_SYSCALL_BYTES,
	COUNTED_WRITE_SYSCALL_BYTES,
	COUNTED_READ_SYSCALLS,
	COUNTED_WRITE_SYSCALLS,
	N_COUNTED
};
#define COUNTED_IO COUNTED_READ_BYTES

/* A process's part in this; all zero in the beginning. */
struct share {
	uint32_t targets; /* a bit for each it is in now */
	uint32_t were; /* and for each it has left */
	bool io_begun; /* where counting begins is known */
	bool settled; /* it ended, or nobody watches it any more, and what it used was handed on */
	bool io_spoilt; /* its files' next growth has in it what a child did before we came: it is not counted */
	bool parent_watched; /* its parent was in some target when that was looked at last */
	bool reaps_orphans; /* somebody else's child was handed to it */
	uint32_t foreign,
		foreign_before; /* a bit for each target a child was not in that ended since
		the sum before, and between that and the one before it */
	bool due; /* in this tick it is asked where it belongs */
	uint8_t looks_left; /* at where it belongs: a newborn is about to call setsid, exec or setuid */
	int64_t base_own, base_waited; /* CPU: its own, and of children it had waited for */
	int64_t base_doubt; /* by so much that base may be too low: it is told in whole clock ticks */
	uint32_t late_cpu,
		late_io; /* a bit for each target it joined whose part of these begins with the next sum */
	uint32_t late_marks; /* and for each it was not born in: its marks may be of before */
	uint64_t mark_at_joining; /* VmHWM then, or later; UINT64_MAX: not read yet */
	int64_t base_io[N_COUNTED]; /* by enum counted; [COUNTED_CPU] is not used */
	bool before_known;
	int64_t own_before; /* its CPU clock at the look before, when it surely was where it was */
	uint64_t
		joined_ticks; /* of the boot clock, when it last joined a target that it was not born in; its children of later were born there */
	uid_t file_uid; /* of its directory in /proc, which changes with its user */
	int64_t seen[N_COUNTED]; /* at the sum before: what it had waited for, and its I/O */
	int64_t ended
		[N_COUNTED]; /* of children that ended, as far as they were seen: all they used that */
	int64_t ended_mark
		[N_COUNTED]; /* its numbers will grow by from here, if it waits for them */
	int64_t ended_base[N_COUNTED]; /* what children that ended had used before we came */
};

struct account_name {
	char name[PROC_NAME_SIZE];
	uint64_t processes, cpu_ns, peak_rss_bytes;
};
#define ACCOUNT_NAMES_MAX 256
#define TARGETS_MAX 32 /* a bit each */

struct account {
	const struct target *target; /* borrowed */
	uint32_t bit;
	bool with_children; /* what a member waited for is the target's */

	uint64_t used[N_COUNTED]; /* since we came; never falls */
	uint64_t user_ns, system_ns; /* used[COUNTED_CPU], split by clock ticks */
	uint64_t before[N_COUNTED]; /* what the processes we found had used before */
	int64_t carried
		[N_COUNTED]; /* of those that are in it no more, less what members have in their numbers of others */

	uint64_t living, zombies, threads; /* at the latest look */
	uint64_t at_start, seen, ended, left;
	uint64_t started; /* by members, as the kernel told; where it does */
	uint64_t io_unreadable, smaps_unreadable; /* living ones, at the latest look */
	bool io_readable; /* of at least one, ever */
	int io_error, smaps_error; /* positive errno of one that was not */
	uint64_t unsure; /* ended ones that may be in somebody's numbers a second time */
	uint64_t
		hidden_kin; /* in a member's session when we came, and hidden from us: their past may come in when they are waited for */
	uint64_t hwm_max_bytes; /* the largest process while it was in the target */
	struct marks marks; /* of those that are in it no more */
	struct pss_round pss_round;
	uint64_t first_seen_ns, last_seen_ns; /* when anybody was in it */

	struct account_name
		*names; /* of those that are in it no more; the last takes all further ones */
	size_t n_names;
	uint64_t user_ticks, system_ticks; /* of the living, at the latest sum */
	bool lost_memory; /* a number is missing for want of memory */
};

int account_init(struct account *a, const struct target *target, uint32_t bit);
void account_done(struct account *a);

/*
 * A process was just entered: with all it ever used (from_birth), or with what it uses from now on. To be called before its parent's first look: a
 * child that ends in between brings its past to nobody then.
 */
void share_begin(const struct ledger *l, struct process *p, bool from_birth);
/* Whether it is known to adopt whose parents end: then a child of its need not have been born of it. */
bool share_reaps_orphans(const struct process *p);
/* Its CPU clock was read for the first time: where counting begins is known to the nanosecond. */
void share_first_look(const struct ledger *l, struct process *p);
/* It is in the target from now on; `newborn`: it was born in it, and all it ever used is the target's. Else that begins with what was read last of its
 * CPU time, which is from after it joined, and with the next reading of its I/O and its mark. */
void account_join(struct account *a, const struct ledger *l, struct process *p, bool newborn);
/* It is in it no more, but is still followed: for another target, or because its parent is in one and will have its numbers. */
void account_leave(struct account *a, const struct ledger *l, struct process *p);
/* It left all targets and is followed no more. */
void share_let_go(struct account *accounts, size_t n, const struct ledger *l, struct process *p);
/* What those used that have ended since the last time goes to their parents' accounts with the kernel's, or is carried on. Whoever changed targets
 * does so after it: what it has of children that ended is then known. */
void accounts_settle(struct account *accounts, size_t n, const struct ledger *l);
/* Sums up all living ones, after their files were read; settles those that ended meanwhile. */
void accounts_sum(struct account *accounts, size_t n, const struct ledger *l, uint64_t now_ns);
/* How many were there when we came: after the first look, so that who is started from then on, which the kernel tells, is counted once. */
void account_count_those_there(struct account *a, const struct ledger *l);
/* What its processes had used when we came; after the first sum. */
void account_note_before(struct account *a, const struct ledger *l);
/* What the marks of all that were in it prove. */
struct marks account_marks(const struct account *a, const struct ledger *l);
/* Adds the living to the sums by name, at the end. */
void accounts_name_living(struct account *accounts, size_t n, const struct ledger *l);

#endif
