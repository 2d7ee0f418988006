/* SPDX-License-Identifier: MIT */
/* Checks each header against what is left before it is believed. */
#include "linux/netlink_bytes.h"

#include <errno.h>
#include <string.h>

#define ATTRIBUTE_TYPE 0x3fff /* without the flags NLA_F_NESTED and NLA_F_NET_BYTEORDER */

size_t netlink_aligned(size_t size)
{
	return (size + 3) & ~(size_t) 3;
}

bool netlink_next_attribute(
	const char **at, const char *end, struct netlink_attribute *ret, bool *ret_bad)
{
	struct nlattr header;
	size_t left = (size_t) (end - *at);

	if (left == 0)
		return false;
	*ret_bad = true;
	if (left < sizeof(header))
		return false;
	memcpy(&header, *at, sizeof(header));
	if (header.nla_len < NETLINK_ATTRIBUTE_HEADER || header.nla_len > left)
		return false;
	*ret_bad = false;
	*ret = (struct netlink_attribute){ .type = (uint16_t) (header.nla_type & ATTRIBUTE_TYPE),
		.at = *at + NETLINK_ATTRIBUTE_HEADER,
		.size = header.nla_len - NETLINK_ATTRIBUTE_HEADER };
	size_t step = netlink_aligned(header.nla_len);
	*at += step < left ? step : left;
	return true;
}

int netlink_next_message(const char **at, const char *end, struct netlink_message *ret)
{
	struct nlmsghdr header;
	size_t left = (size_t) (end - *at);

	if (left == 0)
		return 0;
	if (left < sizeof(header))
		return -EINVAL;
	memcpy(&header, *at, sizeof(header));
	if (header.nlmsg_len < sizeof(header) || header.nlmsg_len > left)
		return -EINVAL;
	*ret = (struct netlink_message){ .type = header.nlmsg_type,
		.at = *at + NETLINK_MESSAGE_HEADER,
		.end = *at + header.nlmsg_len };
	size_t step = netlink_aligned(header.nlmsg_len);
	*at += step < left ? step : left;
	return 1;
}
