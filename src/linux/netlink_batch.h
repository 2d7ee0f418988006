/* SPDX-License-Identifier: MIT */
/* Receives what waits on a netlink socket to which the kernel tells events. */
#ifndef ASSAY_LINUX_NETLINK_BATCH_H
#define ASSAY_LINUX_NETLINK_BATCH_H

#include <stddef.h>
#include <stdint.h>

/*
 * One batch of datagrams of at most `datagram_size` bytes, each handed to `take`, which returns how many events it held or a negative errno.
 * What the kernel had no room for, what is longer and what cannot be understood is counted in *lost; what a process sent is left out.
 * Returns how many datagrams came, 0 when nothing waits, a negative errno. *events is raised; NULL: not wanted. Does not block. The room is one a
 * thread.
 */
int netlink_take_batch(int fd, size_t datagram_size,
	int (*take)(const char *bytes, size_t n, void *context), void *context, uint64_t *lost,
	int *events);

#endif
