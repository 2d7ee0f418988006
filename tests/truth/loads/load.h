/* SPDX-License-Identifier: MIT */
/* What the loads share: a ledger in shared memory that every process of a load books into, so that the whole knows what it
 * truly used however its processes end. */
#ifndef ASSAY_TESTS_LOAD_H
#define ASSAY_TESTS_LOAD_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MIB ((size_t) 1 << 20)
#define UNKNOWN UINT64_MAX /* a truth this load does not state; it is left out of the line */
#define LEDGER_FD_MIN 128 /* out of the way of descriptors that a load may be started without */
#define EXIT_REFUSED 77 /* the system cannot do what the load needs; stderr says what */

/* Lives in a memfd: fork shares it, and an image started by exec maps the inherited descriptor again. */
struct ledger {
	uint64_t cpu_before_ns; /* of the first process, before its main */
	_Atomic uint64_t cpu_ns; /* booked by processes that no ancestor waits for */
	_Atomic uint64_t
		unfolded; /* how many did so: their teardown is in no clock they can read */
	_Atomic uint64_t threads; /* that ended: each loses some microseconds of its own end */
	_Atomic uint64_t processes; /* ever made, the first one included */
	_Atomic uint32_t arrived; /* a meeting point: counts who has come */
	_Atomic int32_t pid; /* of the one process that others must find */
	uint64_t
		memory_peak_bytes; /* touched at the same time by all processes, pages counted once */
	uint64_t memory_process_bytes; /* of the largest process */
	uint64_t io_read_syscall_bytes, io_write_syscall_bytes;
	uint64_t io_read_bytes, io_write_bytes; /* storage */
	uint64_t end_ns; /* what the end of a small process costs here and now */
	char truth_path[512];
};
extern struct ledger *ledger;

struct load {
	const char *name;
	const char *arguments; /* for the list that a wrong call prints */
	int n_arguments;
	int (*run)(char **arguments);
};
extern const struct load cpu_loads[], family_loads[], memory_loads[], io_loads[], manners_loads[],
	stubborn_loads[], tree_loads[], actor_loads[], title_loads[], endings_loads[],
	memory_view_loads[], unseen_loads[], known_io_loads[], known_ends_loads[],
	known_cpu_loads[], known_cpu_ends_loads[], known_memory_loads[];

/* Ends the whole load with status 99 and the errno in words: a load that fails must not pass for a small one. */
_Noreturn void die(const char *what);

uint64_t number(const char *text);
uint64_t process_cpu_ns(void);
/* Spins until the CPU clock of the process has advanced by `ns`. */
void burn(uint64_t ns);
/* The same for the calling thread alone. */
void burn_thread(uint64_t ns);
void idle_ms(uint64_t ms);
/* Sleeps in small steps until `*counter` is at least `wanted`; dies after 20 s. */
void await_count(_Atomic uint32_t *counter, uint32_t wanted);
/* Until the process is gone, reaped by whoever has it. */
void await_gone(pid_t pid);

/* fork() that books the new process. */
pid_t fork_counted(void);
void reap(pid_t pid);
/* Until there is no child left; works with automatic reaping too. */
void reap_all(void);
/* For a process that nobody of the load waits for: books its own and its waited children's CPU, then ends. */
_Noreturn void leave_unfolded(void);

/* Anonymous memory, every page of it written once. */
char *touched(size_t size);
void touch(char *memory, size_t size);

/* Runs this program again as load `name` with the ledger kept; returns only by dying. */
_Noreturn void exec_load(const char *image, const char *argv0, const char *name, char **arguments);
/* Appends the line of truth. Call it in the process that ends last, right before it ends. */
void truth_write(void);

#endif
