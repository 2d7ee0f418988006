/* SPDX-License-Identifier: MIT */
/* Asks the kernel for TCP sockets, and is told of those that end. */
#include "linux/tcp_sockets.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "linux/netlink_batch.h"

/* The kernel fills up to 32 KiB a call when it is offered so much. */
#define ANSWER_SIZE 32768
#define EVENT_SIZE 1024 /* 380 bytes on Linux 6.18 */
#define EVENT_BATCHES_MAX 1024
#define RECEIVE_BUFFER_BYTES (4 << 20)

/* include/net/tcp_states.h; <netinet/tcp.h> and <linux/tcp.h> cannot be had together. */
enum tcp_state {
	STATE_SYN_RECV = 3,
	STATE_TIME_WAIT = 6,
	STATE_CLOSE = 7,
	STATE_LISTEN = 10,
	STATE_NEW_SYN_RECV = 12
};
/* Those that have no byte counters. */
#define STATES_WITHOUT_BYTES                                                                       \
	(1u << STATE_SYN_RECV | 1u << STATE_TIME_WAIT | 1u << STATE_CLOSE |                        \
		1u << STATE_NEW_SYN_RECV)
#define ALL_STATES 0xfffu

static bool is_loopback_4(uint32_t address)
{
	return (ntohl(address) >> 24) == 127;
}

static bool is_mapped(const uint32_t *a)
{
	return a[0] == 0 && a[1] == 0 && a[2] == htonl(0xffff);
}

static bool is_loopback_6(const uint32_t *a)
{
	if (is_mapped(a))
		return is_loopback_4(a[3]);
	return a[0] == 0 && a[1] == 0 && a[2] == 0 && a[3] == htonl(1);
}

/* A machine talks to its own outer addresses over loopback as well. */
static bool is_loopback(const struct inet_diag_msg *m)
{
	const struct inet_diag_sockid *id = &m->id;
	uint32_t source[4];
	uint32_t target[4];

	memcpy(source, id->idiag_src, sizeof(source));
	memcpy(target, id->idiag_dst, sizeof(target));
	if (m->idiag_family == AF_INET)
		return is_loopback_4(source[0]) || is_loopback_4(target[0]) ||
		       source[0] == target[0];
	return is_loopback_6(source) || is_loopback_6(target) ||
	       memcmp(source, target, sizeof(source)) == 0;
}

static uint64_t less(uint64_t n, uint64_t by)
{
	return n > by ? n - by : 0;
}

static void take_bytes(const char *info, size_t size, struct tcp_socket *ret)
{
	uint64_t acknowledged;
	uint64_t received;

	if (size < offsetof(struct tcp_info, tcpi_bytes_received) + sizeof(received))
		return;
	memcpy(&acknowledged, info + offsetof(struct tcp_info, tcpi_bytes_acked),
		sizeof(acknowledged));
	memcpy(&received, info + offsetof(struct tcp_info, tcpi_bytes_received), sizeof(received));
	/* The state in the message was read before these, and may be an older one: it does not tell whether a FIN is among them. */
	ret->received = less(received, 1);
	ret->acknowledged = less(acknowledged, 2);
	ret->has_bytes = true;
}

/* The attributes after the message; -EINVAL when one reaches past the end. */
static int take_attributes(const char *at, const char *end, struct tcp_socket *ret)
{
	while ((size_t) (end - at) >= sizeof(struct rtattr)) {
		struct rtattr attribute;

		memcpy(&attribute, at, sizeof(attribute));
		if (attribute.rta_len < sizeof(attribute) || attribute.rta_len > end - at)
			return -EINVAL;
		if (attribute.rta_type == INET_DIAG_INFO)
			take_bytes(at + RTA_LENGTH(0), attribute.rta_len - RTA_LENGTH(0), ret);
		size_t step = RTA_ALIGN((size_t) attribute.rta_len);
		at += step < (size_t) (end - at) ? step : (size_t) (end - at);
	}
	return 0;
}

static int take_socket(const char *at, const char *end, struct tcp_socket *ret)
{
	struct inet_diag_msg m;

	if ((size_t) (end - at) < sizeof(m))
		return -EINVAL;
	memcpy(&m, at, sizeof(m));
	*ret = (struct tcp_socket){
		.cookie = (uint64_t) m.id.idiag_cookie[1] << 32 | m.id.idiag_cookie[0],
		.inode = m.idiag_inode,
		.uid = m.idiag_uid,
		.state = m.idiag_state,
		.loopback = is_loopback(&m),
		.listens = m.idiag_state == STATE_LISTEN,
		.local.port = ntohs(m.id.idiag_sport),
		.remote_port = ntohs(m.id.idiag_dport),
	};
	memcpy(ret->local.address, m.id.idiag_src, sizeof(ret->local.address));
	return take_attributes(
		at + NLMSG_ALIGN(sizeof(m)) < end ? at + NLMSG_ALIGN(sizeof(m)) : end, end, ret);
}

/* The errno that the kernel answers with, negative; 0 for a plain confirmation. */
static int take_error(const char *at, const char *end)
{
	int code;

	if ((size_t) (end - at) < sizeof(code))
		return -EINVAL;
	memcpy(&code, at, sizeof(code));
	return code < 0 && code >= -4095 ? code : code == 0 ? 0 : -EINVAL;
}

bool tcp_end_was_taken_by(const struct tcp_end *connection, const struct tcp_end *listener)
{
	static const uint32_t any[4];
	const uint32_t *address = connection->address;
	const uint32_t of_4[4] = { address[3] };

	if (connection->port != listener->port)
		return false;
	return memcmp(listener->address, any, sizeof(any)) == 0 ||
	       memcmp(listener->address, address, sizeof(any)) == 0 ||
	       /* an address of IPv4 in a socket of IPv6 */
	       (is_mapped(address) && memcmp(listener->address, of_4, sizeof(of_4)) == 0);
}

int tcp_sockets_parse(
	const void *bytes, size_t n, tcp_socket_each *each, void *context, bool *ret_done)
{
	const char *at = bytes;
	const char *end = at + n;
	int count = 0;

	*ret_done = false;
	while (at < end) {
		struct nlmsghdr header;
		struct tcp_socket socket;
		int rc = 0;

		if ((size_t) (end - at) < sizeof(header))
			return -EINVAL;
		memcpy(&header, at, sizeof(header));
		if (header.nlmsg_len < NLMSG_HDRLEN || header.nlmsg_len > (size_t) (end - at))
			return -EINVAL;
		const char *body = at + NLMSG_HDRLEN;
		const char *body_end = at + header.nlmsg_len;
		if (header.nlmsg_type == NLMSG_DONE) {
			*ret_done = true;
			return count;
		}
		if (header.nlmsg_type == NLMSG_ERROR)
			rc = take_error(body, body_end);
		else if (header.nlmsg_type == SOCK_DIAG_BY_FAMILY)
			rc = take_socket(body, body_end, &socket);
		if (rc < 0)
			return rc;
		if (header.nlmsg_type == SOCK_DIAG_BY_FAMILY) {
			each(&socket, context);
			count++;
		}
		size_t step = NLMSG_ALIGN((size_t) header.nlmsg_len);
		at += step < (size_t) (end - at) ? step : (size_t) (end - at);
	}
	return count;
}

int tcp_sockets_open(struct error *err)
{
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG);

	if (fd < 0)
		return error_set(err, -errno,
			"cannot ask the kernel for sockets (sock_diag): a sandbox may forbid it");
	return fd;
}

int tcp_sockets_listen(struct error *err)
{
	static const int groups[] = { SKNLGRP_INET_TCP_DESTROY, SKNLGRP_INET6_TCP_DESTROY };
	const struct sockaddr_nl ours = { .nl_family = AF_NETLINK };
	int size = RECEIVE_BUFFER_BYTES;
	int fd = tcp_sockets_open(err);

	if (fd < 0)
		return fd;
	/* Past net.core.rmem_max with CAP_NET_ADMIN, else cut to it. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0)
		(void) setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	/* Without a port of its own it would have the kernel's, 0, and be passed over. */
	int rc = bind(fd, (const struct sockaddr *) &ours, sizeof(ours));
	for (size_t i = 0; i < ARRAY_SIZE(groups) && rc == 0; i++)
		rc = setsockopt(
			fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &groups[i], sizeof(groups[i]));
	if (rc < 0) {
		rc = error_set(err, -errno, "the kernel does not tell of sockets that end");
		close(fd);
		return rc;
	}
	return fd;
}

static int ask(int fd, uint8_t family)
{
	struct {
		struct nlmsghdr header;
		struct inet_diag_req_v2 request;
	} message = {
		.header = { .nlmsg_len = sizeof(message),
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.request = { .sdiag_family = family,
			.sdiag_protocol = IPPROTO_TCP,
			.idiag_ext = 1u << (INET_DIAG_INFO - 1),
			.idiag_states = ALL_STATES & ~STATES_WITHOUT_BYTES },
	};

	return send(fd, &message, sizeof(message), 0) < 0 ? -errno : 0;
}

/* The kernel makes each part of its answer within the call that takes the one before: there is nothing to wait for. */
static int take_answer(int fd, char *bytes, tcp_socket_each *each, void *context)
{
	for (;;) {
		bool done;
		ssize_t n = recv(fd, bytes, ANSWER_SIZE, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		int rc = tcp_sockets_parse(bytes, (size_t) n, each, context, &done);
		if (rc < 0 || done)
			return rc < 0 ? rc : 0;
	}
}

int tcp_sockets_dump(int fd, tcp_socket_each *each, void *context)
{
	static const uint8_t families[] = { AF_INET, AF_INET6 };
	/* Not on the stack, which may be small (ulimit -s). */
	static _Thread_local _Alignas(struct nlmsghdr) char bytes[ANSWER_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
		int rc = ask(fd, families[i]);
		if (rc == 0)
			rc = take_answer(fd, bytes, each, context);
		/* A kernel without IPv6 has no such sockets. */
		if (rc < 0 && !(rc == -ENOENT && families[i] == AF_INET6))
			return rc;
	}
	return 0;
}

struct each_socket {
	tcp_socket_each *each;
	void *context;
};

static int take_ends(const char *bytes, size_t n, void *context)
{
	const struct each_socket *e = context;
	bool done;

	return tcp_sockets_parse(bytes, n, e->each, e->context, &done);
}

int tcp_sockets_drain(int fd, tcp_socket_each *each, void *context, uint64_t *lost)
{
	struct each_socket e = { each, context };
	int events = 0;
	int n = 1;

	for (int batch = 0; batch < EVENT_BATCHES_MAX && n > 0; batch++)
		n = netlink_take_batch(fd, EVENT_SIZE, take_ends, &e, lost, &events);
	return n < 0 ? n : events;
}

static bool end_one(uint64_t *ret_cookie)
{
	socklen_t size = sizeof(*ret_cookie);
	AUTO_CLOSE int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);

	return fd >= 0 && getsockopt(fd, SOL_SOCKET, SO_COOKIE, ret_cookie, &size) == 0;
}

size_t tcp_sockets_mark(uint64_t *cookies, size_t size)
{
	cpu_set_t all;
	cpu_set_t one;
	size_t n = 0;

	if (sched_getaffinity(0, sizeof(all), &all) < 0)
		return end_one(cookies);
	for (size_t cpu = 0; cpu < CPU_SETSIZE && n < size; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (sched_setaffinity(0, sizeof(one), &one) == 0)
			n += end_one(&cookies[n]);
	}
	(void) sched_setaffinity(0, sizeof(all), &all);
	return n;
}

void tcp_sockets_wait(int fd, int timeout_ms)
{
	struct pollfd wanted = { .fd = fd, .events = POLLIN };

	(void) poll(&wanted, 1, timeout_ms);
}
