/* SPDX-License-Identifier: MIT */
/* Subscribes to the kernel's process events and hands them on. */
#include "linux/proc_connector.h"

#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/macros.h"
#include "linux/netlink_batch.h"

#define RECEIVE_BUFFER_BYTES (4 << 20)
#define ANSWER_MS 100
#define BATCHES_MAX 1024 /* one drain ends even while the machine forks faster than we read */
#define DATAGRAM_SIZE 256 /* an event takes 76 bytes */

/* What PROC_CN_MCAST_LISTEN sends. The mask is struct proc_input of <linux/cn_proc.h> since Linux 6.6. */
struct listen_request {
	uint32_t operation;
	uint32_t event_mask;
};

/* Where the payload of a datagram with one message begins. */
#define PAYLOAD_AT (NLMSG_HDRLEN + sizeof(struct cn_msg))

static uint32_t word_at(const char *bytes)
{
	uint32_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

static pid_t pid_at(const char *bytes)
{
	pid_t pid;

	memcpy(&pid, bytes, sizeof(pid));
	return pid;
}

/* A connector message inside a datagram. */
struct message {
	uint32_t ack;
	const char *
		event; /* struct proc_event, perhaps not aligned and perhaps without its last members */
	size_t event_size;
};

/* Takes the message at *at and moves on. 1: a message; 0: another kind, skipped; -EINVAL. */
static int next_message(const char **at, const char *end, struct message *ret)
{
	struct nlmsghdr header;
	struct cn_msg cn;
	size_t left = (size_t) (end - *at);
	const char *start = *at;

	if (left < sizeof(header))
		return -EINVAL;
	memcpy(&header, start, sizeof(header));
	if (header.nlmsg_len < sizeof(header) || header.nlmsg_len > left)
		return -EINVAL;
	size_t step = NLMSG_ALIGN((size_t) header.nlmsg_len);
	*at = start + (step < left ? step : left);
	if (header.nlmsg_type != NLMSG_DONE) /* the connector's type for its own messages */
		return 0;
	if (header.nlmsg_len < PAYLOAD_AT)
		return -EINVAL;

	memcpy(&cn, start + NLMSG_HDRLEN, sizeof(cn));
	if (cn.id.idx != CN_IDX_PROC || cn.id.val != CN_VAL_PROC)
		return 0;
	if (cn.len > header.nlmsg_len - PAYLOAD_AT ||
		cn.len < offsetof(struct proc_event, event_data))
		return -EINVAL;
	ret->ack = cn.ack;
	ret->event = start + PAYLOAD_AT;
	ret->event_size = cn.len;
	return 1;
}

#define EVENT_MEMBER(member) (offsetof(struct proc_event, event_data.member))

/* 1: an event to hand on; 0: one of no interest; -EINVAL: shorter than its kind needs. */
static int parse_event(const struct message *m, struct connector_event *ret)
{
	const char *e = m->event;
	struct connector_event event = { 0 };

	memcpy(&event.timestamp_ns, e + offsetof(struct proc_event, timestamp_ns),
		sizeof(event.timestamp_ns));
	switch (word_at(e + offsetof(struct proc_event, what))) {
	case PROC_EVENT_FORK:
		if (m->event_size < EVENT_MEMBER(fork) + sizeof(struct fork_proc_event))
			return -EINVAL;
		event.kind = CONNECTOR_FORK;
		event.tid = pid_at(e + EVENT_MEMBER(fork.child_pid));
		event.tgid = pid_at(e + EVENT_MEMBER(fork.child_tgid));
		/* The kernel names the new task's real parent: of a new thread that is the parent of its process. */
		event.parent_tid = pid_at(e + EVENT_MEMBER(fork.parent_pid));
		event.parent_tgid = pid_at(e + EVENT_MEMBER(fork.parent_tgid));
		break;
	case PROC_EVENT_EXIT:
		if (m->event_size < EVENT_MEMBER(exit.parent_pid))
			return -EINVAL;
		event.kind = CONNECTOR_EXIT;
		event.tid = pid_at(e + EVENT_MEMBER(exit.process_pid));
		event.tgid = pid_at(e + EVENT_MEMBER(exit.process_tgid));
		/* Since Linux 4.18; before, these bytes are 0 or not there. */
		if (m->event_size >= EVENT_MEMBER(exit) + sizeof(struct exit_proc_event)) {
			event.parent_tid = pid_at(e + EVENT_MEMBER(exit.parent_pid));
			event.parent_tgid = pid_at(e + EVENT_MEMBER(exit.parent_tgid));
		}
		break;
	case PROC_EVENT_EXEC:
		if (m->event_size < EVENT_MEMBER(exec) + sizeof(struct exec_proc_event))
			return -EINVAL;
		event.kind = CONNECTOR_EXEC;
		event.tid = pid_at(e + EVENT_MEMBER(exec.process_pid));
		event.tgid = pid_at(e + EVENT_MEMBER(exec.process_tgid));
		break;
	default:
		return 0;
	}
	*ret = event;
	return 1;
}

int connector_parse(const void *bytes, uint32_t n,
	void (*each)(const struct connector_event *event, void *context), void *context)
{
	const char *at = bytes;
	const char *end = at + n;
	int count = 0;

	while (at < end) {
		struct message message;
		struct connector_event event;
		int rc = next_message(&at, end, &message);
		if (rc > 0)
			rc = parse_event(&message, &event);
		if (rc < 0)
			return rc;
		if (rc > 0) {
			each(&event, context);
			count++;
		}
	}
	return count;
}

struct each_event {
	void (*each)(const struct connector_event *event, void *context);
	void *context;
};

static int take_events(const char *bytes, size_t n, void *context)
{
	const struct each_event *e = context;

	return connector_parse(bytes, (uint32_t) n, e->each, e->context);
}

int connector_drain(int fd, void (*each)(const struct connector_event *event, void *context),
	void *context, uint64_t *lost)
{
	struct each_event e = { each, context };
	int events = 0;
	int n = 1;

	for (int batch = 0; batch < BATCHES_MAX && n > 0; batch++)
		n = netlink_take_batch(fd, DATAGRAM_SIZE, take_events, &e, lost, &events);
	return n < 0 ? n : events;
}

/* Sends a request of `size` bytes; the kernel's answer carries `number` + 1. */
static int send_request(int fd, const struct listen_request *request, size_t size, uint32_t number)
{
	_Alignas(struct nlmsghdr) char bytes[PAYLOAD_AT + sizeof(*request)];
	struct nlmsghdr header = { .nlmsg_len = (uint32_t) (PAYLOAD_AT + size),
		.nlmsg_type = NLMSG_DONE };
	struct cn_msg cn = { .id = { CN_IDX_PROC, CN_VAL_PROC }, .ack = number };

	cn.len = (uint16_t) size;
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + NLMSG_HDRLEN, &cn, sizeof(cn));
	memcpy(bytes + PAYLOAD_AT, request, size);
	return send(fd, bytes, header.nlmsg_len, 0) < 0 ? -errno : 0;
}

/* Takes one datagram: 1 when it is the answer to our request, with the kernel's errno in *ret_code. */
static int take_answer(int fd, uint32_t number, int *ret_code)
{
	char bytes[DATAGRAM_SIZE];
	struct sockaddr_nl sender = { 0 };
	socklen_t sender_size = sizeof(sender);
	struct message message;

	ssize_t n = recvfrom(
		fd, bytes, sizeof(bytes), MSG_DONTWAIT, (struct sockaddr *) &sender, &sender_size);
	if (n < 0)
		return errno == ENOBUFS || errno == EAGAIN || errno == EINTR ? 0 : -errno;

	const char *at = bytes;
	if (sender.nl_pid != 0 || next_message(&at, bytes + n, &message) <= 0)
		return 0;
	/* Every listener sees every answer; `seq` comes back changed since Linux 4.x, `ack` does not. */
	if (word_at(message.event + offsetof(struct proc_event, what)) != PROC_EVENT_NONE ||
		message.event_size < EVENT_MEMBER(ack.err) + sizeof(uint32_t) ||
		message.ack != number + 1)
		return 0;
	*ret_code = -(int) (word_at(message.event + EVENT_MEMBER(ack.err)) & 0xfff);
	return 1;
}

/* Waits for the kernel's answer: 0, its negative errno, or -ETIMEDOUT. */
static int wait_for_answer(int fd, uint32_t number)
{
	uint64_t now = clock_monotonic_ns();
	uint64_t end = now + ANSWER_MS * (NSEC_PER_SEC / 1000);

	for (; now < end; now = clock_monotonic_ns()) {
		struct pollfd wanted = { .fd = fd, .events = POLLIN };
		int left_ms = (int) ((end - now) / (NSEC_PER_SEC / 1000)) + 1;
		int code = 0;
		if (poll(&wanted, 1, left_ms) <= 0)
			continue;
		int rc = take_answer(fd, number, &code);
		if (rc != 0)
			return rc > 0 ? code : rc;
	}
	return -ETIMEDOUT;
}

/* Names the cause of a refusal as far as its errno tells it. */
static int explain(int code, struct error *err)
{
	switch (code) {
	case -EPROTONOSUPPORT:
		return error_say(err, code,
			"this kernel has no process events connector; one built with "
			"CONFIG_PROC_EVENTS would help");
	case -ECONNREFUSED:
		return error_say(err, code,
			"process events are given only in the machine's first network namespace; "
			"running outside the container, or with the host's network, would help");
	case -EPERM:
	case -EACCES:
		return error_set(err, code,
			"may not listen to process events: before Linux 6.6 that takes "
			"CAP_NET_ADMIN, and a sandbox may forbid it; the capability or a newer "
			"kernel would help");
	case -ETIMEDOUT:
		return error_say(err, code,
			"the kernel does not answer a request for process events from a PID "
			"namespace (a container), nor, before Linux 6.6, from a user namespace; "
			"running outside would help");
	default:
		return error_set(err, code, "cannot listen to process events");
	}
}

/* As large a receive buffer as may be had: past net.core.rmem_max with CAP_NET_ADMIN, else cut to it by the kernel. */
static void enlarge_receive_buffer(int fd)
{
	int size = RECEIVE_BUFFER_BYTES;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0)
		(void) setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
}

static int subscribe(int fd)
{
	const struct sockaddr_nl group = { .nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC };
	const struct listen_request request = { PROC_CN_MCAST_LISTEN,
		PROC_EVENT_FORK | PROC_EVENT_EXIT };
	uint32_t number = (uint32_t) clock_monotonic_ns();

	if (bind(fd, (const struct sockaddr *) &group, sizeof(group)) < 0)
		return -errno;

	/* First without the mask, as all kernels understand it: the answer to a request with a mask is itself masked
	 * out (an answer has no event bit), so nothing would tell that it was heard. */
	int rc = send_request(fd, &request, sizeof(request.operation), number);
	if (rc == 0)
		rc = wait_for_answer(fd, number);
	if (rc < 0)
		return rc;

	/* Then with it, so that Linux 6.6 and later spare us, and every exec on the machine, the other events; older ones ignore a request of this
	 * size, and the parser skips what it does not want. */
	return send_request(fd, &request, sizeof(request), number);
}

int connector_ask_for_execs(int fd)
{
	const struct listen_request request = { PROC_CN_MCAST_LISTEN,
		PROC_EVENT_FORK | PROC_EVENT_EXIT | PROC_EVENT_EXEC };

	return send_request(fd, &request, sizeof(request), (uint32_t) clock_monotonic_ns());
}

/* The kernel keeps silent towards other PID namespaces than the first one, whose inode number is fixed
 * (include/linux/proc_ns.h, PROC_PID_INIT_INO): better known at once than after a wait. */
static bool in_first_pid_namespace(void)
{
	struct stat ns;

	return stat("/proc/self/ns/pid", &ns) == 0 && ns.st_ino == 0xEFFFFFFCU;
}

int connector_open(struct error *err)
{
	if (!in_first_pid_namespace())
		return explain(-ETIMEDOUT, err);
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR);
	if (fd < 0)
		return explain(-errno, err);

	enlarge_receive_buffer(fd);
	int rc = subscribe(fd);
	if (rc < 0) {
		close(fd);
		return explain(rc, err);
	}
	return fd;
}

/* Measured on Linux 6.18: an event occupies 832 bytes of the buffer, bookkeeping included. */
#define BUFFER_BYTES_PER_EVENT 832

uint64_t connector_capacity(int fd)
{
	int size = 0;
	socklen_t length = sizeof(size);

	if (getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, &length) < 0 || size < 0)
		return 0;
	return (uint64_t) size / BUFFER_BYTES_PER_EVENT;
}
