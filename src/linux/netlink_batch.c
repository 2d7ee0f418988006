/* SPDX-License-Identifier: MIT */
/* Many datagrams by one call: a busy machine has thousands of events a second. */
#include "linux/netlink_batch.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

#define BATCH_MAX 64
#define ROOM_SIZE 32768

/* Not on the stack, which may be small (ulimit -s), and not allocated by those who read. */
static _Thread_local _Alignas(struct nlmsghdr) char room[ROOM_SIZE];

int netlink_take_batch(int fd, size_t datagram_size,
	int (*take)(const char *bytes, size_t n, void *context), void *context, uint64_t *lost,
	int *events)
{
	struct sockaddr_nl senders[BATCH_MAX];
	struct iovec parts[BATCH_MAX];
	struct mmsghdr headers[BATCH_MAX];
	size_t size = ROOM_SIZE / datagram_size < BATCH_MAX ? ROOM_SIZE / datagram_size : BATCH_MAX;
	int n;

	memset(headers, 0, sizeof(headers));
	memset(parts, 0, sizeof(parts));
	memset(senders, 0xff, sizeof(senders)); /* believed only when the kernel filled it in */
	for (size_t i = 0; i < size; i++) {
		parts[i] = (struct iovec){ room + i * datagram_size, datagram_size };
		headers[i].msg_hdr.msg_iov = &parts[i];
		headers[i].msg_hdr.msg_iovlen = 1;
		headers[i].msg_hdr.msg_name = &senders[i];
		headers[i].msg_hdr.msg_namelen = sizeof(senders[i]);
	}
	do {
		n = recvmmsg(fd, headers, (unsigned) size, MSG_DONTWAIT, NULL);
		*lost += n < 0 && errno == ENOBUFS;
	} while (n < 0 && (errno == ENOBUFS || errno == EINTR));
	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	for (int i = 0; i < n; i++) {
		/* Port 0 is the kernel; a process may send to us too. */
		if (senders[i].nl_pid != 0)
			continue;
		int rc = headers[i].msg_hdr.msg_flags & MSG_TRUNC
				 ? -EMSGSIZE
				 : take(parts[i].iov_base, headers[i].msg_len, context);
		*lost += rc < 0;
		if (events && rc > 0)
			*events += rc;
	}
	return n;
}
