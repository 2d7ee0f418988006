/* SPDX-License-Identifier: MIT */
/* Walks over netlink's messages and attributes in bytes that may be cut anywhere. */
#ifndef ASSAY_LINUX_NETLINK_BYTES_H
#define ASSAY_LINUX_NETLINK_BYTES_H

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The headers' lengths as sizes: those of <linux/netlink.h> are signed. */
#define NETLINK_MESSAGE_HEADER sizeof(struct nlmsghdr)
#define NETLINK_GENERIC_HEADER sizeof(struct genlmsghdr)
#define NETLINK_ATTRIBUTE_HEADER sizeof(struct nlattr)

/* A message inside a datagram; its payload is [at, end). */
struct netlink_message {
	uint16_t type;
	const char *at, *end;
};

/* Takes the message at *at and moves on: 1, 0 at the end, -EINVAL for one that reaches beyond it. */
int netlink_next_message(const char **at, const char *end, struct netlink_message *ret);

struct netlink_attribute {
	uint16_t type;
	const char *at;
	size_t size;
};

/* Takes the attribute at *at and moves on. False at the end, and for one that reaches beyond it: then *ret_bad is true. */
bool netlink_next_attribute(
	const char **at, const char *end, struct netlink_attribute *ret, bool *ret_bad);

/* Messages and attributes are padded to four bytes. */
size_t netlink_aligned(size_t size);

#endif
