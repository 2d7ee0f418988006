/* SPDX-License-Identifier: MIT */
/* One process of the target: identity, kept descriptors, last readings. */
#ifndef ASSAY_TARGET_PROCESS_H
#define ASSAY_TARGET_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "linux/proc_files.h"
#include "linux/proc_stat.h"
#include "model/window.h"
#include "target/account.h"
#include "target/marks.h"

struct process {
	/* identity: pid and start time together */
	pid_t pid;
	uint64_t start_ticks;
	uint32_t slot;

	/* Whose files are read: the pid's, or another thread's when the main thread is gone. Its own memory files are empty then and its state
	 * is Z, although the process lives on. */
	pid_t reader;

	bool alive; /* still in /proc at the last look (a zombie is) */
	bool zombie;
	bool ending; /* when last asked at the end of a run: a zombie, or within its exit */
	bool quiet; /* its CPU clock has not moved since the last tick: nothing it does itself can have changed */
	bool born_in_run;
	bool sigchld_ignored; /* SigIgn: the kernel reaps its children without counting them */
	bool had_children;

	/* for the record: a process has a line when something came of it since its last one; what came meanwhile is in the next line */
	bool listed; /* in the window just written */
	bool listed_zombie;
	uint64_t listed_ns, listed_cpu_ns,
		listed_rss_pages; /* at its last line; listed_ns 0: it had none */
	bool born_since_line, ended_since_line, changed_since_line;
	bool left; /* the last target it was in: it did not end */
	uint32_t states[N_STATES];
	size_t command_offset,
		command_size; /* in the ledger's command bytes; size 0: none in this window */
	bool command_cut;
	uint8_t command_checks; /* how often it is still to be looked at: a fresh fork shows its parent's until it execs */
	bool command_stale; /* it ran since that was read, and may have written itself another one */
	uint64_t
		command_hash; /* of the one that was kept last; 0: none, or it went with a window that had no place for it */

	uint64_t handed_cpu_ns; /* its CPU clock in the sample that was handed on last */

	uid_t uid;
	uint64_t birth_ns; /* monotonic, from start_ticks */
	uint64_t first_seen_ns, last_seen_ns;

	int fd_stat, fd_statm,
		fd_io; /* kept open, or -1: a kept descriptor never shows a pid's successor */

	struct proc_stat stat;
	uint64_t cpu_ns; /* its CPU clock */
	uint64_t cpu_stamp_ns;
	bool walked; /* its children were listed, and it is not known to have forked since */
	bool has_final; /* the kernel's record of its end was taken */
	uint64_t final_cpu_ns; /* in it: beside cpu_ns, which the totals are made of */
	bool summed; /* it was entered by name before it was seen, with final_cpu_ns */
	bool cpu_final; /* cpu_ns was read by the keeper from the zombie: exact */

	uint8_t steady_looks; /* in which its memory did not change; no more than is needed to say that it rests */
	struct proc_statm statm;
	struct proc_io io;
	struct proc_status status;
	struct smaps_rollup smaps;
	int statm_error, io_error, status_error,
		smaps_error; /* 0 or a positive errno of the last attempt */
	bool has_statm, has_io, has_status, has_smaps;
	bool io_asked_dead; /* its file was asked for when it was a zombie; */
	bool io_final; /* and told: nothing can come to it any more */
	bool memory_gone; /* at the latest reading of its status: it is ending, or never had any */
	uint32_t network_samples; /* in which its network namespace could have been looked at */
	/* In the latest round of PSS: the slot of the first process that has the same address space, its own when that is nobody else's; whether that is
	 * only not ruled out; of such a first one: in which targets its memory is in the sum. */
	uint32_t space, space_counted;
	bool space_doubted;
	bool passed_over; /* in that round: its memory is in the sum by another one */
	uint64_t status_tick, status_rss_pages, smaps_cost_ns;
	uint64_t status_cpu_ns,
		status_stamp_ns; /* its CPU clock, and the time of the look, when status was read */
	uint64_t status_resident, status_size; /* pages of statm then */
	uint64_t smaps_tick, smaps_stamp_ns; /* of the latest reading out of rounds; 0: none */
	bool in_round;
	uint64_t rss_pages_before; /* at the last round of PSS readings */
	uint64_t fds;
	int fds_error;
	bool fds_known;
	struct share share; /* of targets that were not started by us */
	uint64_t
		hwm_before; /* its mark when we came, if it is older: what it stands at until it rises is from before */
	uint64_t
		once_bytes; /* of mapped files and shared memory, each page once, or else of memory of its own: so much at least */
	struct memory_parts
		held; /* the largest reading of PSS, with what was swapped out and huge pages */
	uint64_t outside_max_bytes; /* of these two, the most */
	uint64_t huge_shared_bytes; /* huge pages that it does not have alone, each once */
	uint64_t
		repeated_bytes; /* the most that its resident set was seen to hold more than once */
	uint64_t maps_excess_bytes,
		maps_stack_start; /* how far that was above PSS, and in which image, when its mappings were looked at last */
	uint64_t maps_repeated_bytes; /* what they repeat; UINT64_MAX: they could not be listed */
	uint64_t hwm_bytes; /* the largest VmHWM seen; survives an exec, which resets the file's */

	struct accumulator *rows; /* one per per-process measurement */
};

#endif
