/* SPDX-License-Identifier: MIT */
/* TCP sockets of our network namespace, all users', with the bytes each has moved: sock_diag(7). */
#ifndef ASSAY_LINUX_TCP_SOCKETS_H
#define ASSAY_LINUX_TCP_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

struct tcp_end {
	uint16_t port;
	uint32_t address[4]; /* in network order; one of IPv4 in the first word; all 0: any */
};

struct tcp_socket {
	uint64_t cookie; /* its identity: never given twice while the machine runs */
	/* of the file that holds it, as in "socket:[INODE]"; 0: none, it was closed or not accepted yet. Never told of one that has ended. */
	uint32_t inode;
	uint32_t uid; /* of its maker; not told of one that has ended */
	uint8_t state; /* TCP_ESTABLISHED ... of <netinet/tcp.h> */
	bool loopback; /* both ends are on this machine */
	bool listens;
	struct tcp_end local;
	uint16_t remote_port; /* 0: it listens, or listened */
	bool has_bytes; /* false before Linux 4.1 */
	/* Payload: the kernel counts a SYN and a FIN as one byte each, and what may be theirs is taken off. So up to two bytes too few, never too
	 * many. */
	uint64_t received, acknowledged;
};

typedef void tcp_socket_each(const struct tcp_socket *socket, void *context);

/* A descriptor to ask by. */
int tcp_sockets_open(struct error *err);
/* A descriptor that is told of every TCP socket that ends; its kernel buffer takes some thousands. */
int tcp_sockets_listen(struct error *err);

/* Whether a connection at this local end was taken by that listener: the address is its own, or it takes any. */
bool tcp_end_was_taken_by(const struct tcp_end *connection, const struct tcp_end *listener);

/* Calls `each` for every TCP socket that listens or has or had a connection. 0, or a negative errno: -ENOENT where the kernel lacks tcp_diag. */
int tcp_sockets_dump(int fd, tcp_socket_each *each, void *context);
/* Calls `each` for every socket that ended since. The number, or a negative errno; *lost counts the times the kernel had no room for more. */
int tcp_sockets_drain(int fd, tcp_socket_each *each, void *context, uint64_t *lost);
/* Waits until a socket has ended, at most so long. */
void tcp_sockets_wait(int fd, int timeout_ms);

/*
 * Ends a socket of our own on every processor we may run on and gives their cookies, at most `size`. The kernel tells of ends by a queue on each
 * processor: once these were told of, so was all that ended there before. The number.
 */
size_t tcp_sockets_mark(uint64_t *cookies, size_t size);

/* Takes a datagram apart. The number of sockets; -EINVAL for malformed bytes, another negative errno when
 * the kernel answered with one. *ret_done: the answer is complete. */
int tcp_sockets_parse(
	const void *bytes, size_t n, tcp_socket_each *each, void *context, bool *ret_done);

#endif
