/* SPDX-License-Identifier: MIT */
/* /proc/PID/net/dev: the counters of every interface of a process's network namespace. proc(5). */
#ifndef ASSAY_LINUX_NET_DEV_H
#define ASSAY_LINUX_NET_DEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct roots;

#define INTERFACE_NAME_SIZE 64 /* IFNAMSIZ is 16; an alias of an old kernel may be longer */

enum interface_counter {
	RECEIVE_BYTES,
	RECEIVE_PACKETS,
	RECEIVE_ERRORS,
	RECEIVE_DROPS,
	TRANSMIT_BYTES,
	TRANSMIT_PACKETS,
	TRANSMIT_ERRORS,
	TRANSMIT_DROPS,
	N_INTERFACE_COUNTERS
};

struct net_interface {
	char name[INTERFACE_NAME_SIZE];
	uint64_t counters[N_INTERFACE_COUNTERS];
};

/* Calls `each` for every interface, in the file's order. Which column holds what is read from the header. The number of interfaces, or -EINVAL
 * for text that is no such file or was cut, -ENODATA where the header names no bytes (before Linux 2.2). */
int net_dev_parse(const char *text, size_t n,
	void (*each)(const struct net_interface *interface, void *context), void *context);

/*
 * The number under which the kernel knows the interface, whatever its name, as /proc/PID/net/dev_snmp6/NAME has it: sysfs shows only the namespace of
 * who mounted it. -ENOENT where the kernel has no IPv6 (ipv6.disable=1), or none for this interface. 0 or a negative errno.
 */
int net_interface_index(const struct roots *roots, pid_t pid, const char *name, uint64_t *ret);
/* The text of that file. 0 or -EINVAL. */
int net_interface_index_parse(const char *text, size_t n, uint64_t *ret);

/* An open file of the namespace in which that process is now. It goes on to show that namespace, and keeps it from ending, until it is closed.
 * -EINVAL for a zombie, which is in none. */
int net_dev_open(const struct roots *roots, pid_t pid);

/* The same of this very process. */
int net_dev_open_own(const struct roots *roots);

/*
 * What tells the process's network namespace from others: the inode of its net/dev, which every namespace has of its own and which, unlike the link
 * ns/net, takes no right to learn. In a recorded tree the number in that link. -ENOENT for a zombie, which is in no namespace any more.
 */
int net_namespace(const struct roots *roots, pid_t pid, uint64_t *ret);
/* Whether it is mounted somewhere, as `ip netns` does to name one: then it may be older than the processes in it. True also when that cannot
 * be told. */
bool net_namespace_is_named(const struct roots *roots, pid_t pid);

/* Whether the processes shown are all there are: our PID namespace is the machine's first, and /proc hides nobody (hidepid). */
bool sees_all_processes(const struct roots *roots);

#endif
