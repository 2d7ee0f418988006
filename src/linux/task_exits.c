/* SPDX-License-Identifier: MIT */
/* Listens to the kernel's records of tasks that end. */
#include "linux/task_exits.h"

#include <errno.h>
#include <linux/taskstats.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "linux/netlink_batch.h"
#include "linux/netlink_bytes.h"
#include "linux/roots.h"

#define RECEIVE_BUFFER_BYTES                                                                       \
	(16 << 20) /* measured: about 14 000 records, half a second of the fastest forking */
#define ANSWER_MS 1000
#define DATAGRAM_SIZE 4096 /* two records of 560 bytes at most so far */

struct each_record {
	uint16_t family;
	void (*each)(const struct taskstats_record *record, void *context);
	void *context;
};

static int take_records(const char *bytes, size_t n, void *context)
{
	const struct each_record *e = context;

	return taskstats_parse(bytes, (uint32_t) n, e->family, e->each, e->context);
}

int taskstats_take(const struct taskstats_listener *t,
	void (*each)(const struct taskstats_record *record, void *context), void *context,
	uint64_t *lost)
{
	struct each_record e = { t->family, each, context };

	return netlink_take_batch(t->fd, DATAGRAM_SIZE, take_records, &e, lost, NULL);
}

#define QUESTION_TEXT_SIZE 1024
#define QUESTION_SIZE                                                                              \
	(NETLINK_MESSAGE_HEADER + NETLINK_GENERIC_HEADER + NETLINK_ATTRIBUTE_HEADER +              \
		QUESTION_TEXT_SIZE)

/* A message with one attribute, a text: its length, or -E2BIG. */
static ssize_t make_question(uint16_t family, uint8_t command, uint16_t attribute, const char *text,
	char request[QUESTION_SIZE])
{
	size_t length = strlen(text) + 1;
	if (length > QUESTION_TEXT_SIZE)
		return -E2BIG;
	const struct nlattr option = { .nla_len = (uint16_t) (NETLINK_ATTRIBUTE_HEADER + length),
		.nla_type = attribute };
	const struct genlmsghdr generic = { .cmd = command, .version = 1 };
	const struct nlmsghdr header = {
		.nlmsg_len = (uint32_t) (NETLINK_MESSAGE_HEADER + NETLINK_GENERIC_HEADER +
					 netlink_aligned(option.nla_len)),
		.nlmsg_type = family,
		/* of a question that is answered anyway no second answer is wanted */
		.nlmsg_flags = (uint16_t) (NLM_F_REQUEST | (family == GENL_ID_CTRL ? 0 : NLM_F_ACK))
	};

	memset(request, 0, QUESTION_SIZE);
	memcpy(request, &header, sizeof(header));
	request += NETLINK_MESSAGE_HEADER;
	memcpy(request, &generic, sizeof(generic));
	request += NETLINK_GENERIC_HEADER;
	memcpy(request, &option, sizeof(option));
	memcpy(request + NETLINK_ATTRIBUTE_HEADER, text, length);
	return header.nlmsg_len;
}

/* Asks with one attribute and waits for the kernel's answer, the one message that comes first. Returns its length in `answer`, or -errno. */
static ssize_t ask(int fd, uint16_t family, uint8_t command, uint16_t attribute, const char *text,
	char answer[DATAGRAM_SIZE])
{
	_Alignas(struct nlmsghdr) char request[QUESTION_SIZE];
	ssize_t length = make_question(family, command, attribute, text, request);

	if (length < 0)
		return length;
	if (send(fd, request, (size_t) length, 0) < 0)
		return -errno;
	/* The kernel answers before send(2) returns; the wait is for a kernel that does not. */
	struct pollfd wanted = { .fd = fd, .events = POLLIN };
	if (poll(&wanted, 1, ANSWER_MS) <= 0)
		return -ETIMEDOUT;
	ssize_t n = recv(fd, answer, DATAGRAM_SIZE, MSG_DONTWAIT);
	return n < 0 ? -errno : n;
}

/* The errno in NLMSG_ERROR, 0 for an acknowledgement; -EPROTO when it is something else. */
static int error_in(const struct netlink_message *m)
{
	int code;

	if (m->type != NLMSG_ERROR || (size_t) (m->end - m->at) < sizeof(code))
		return -EPROTO;
	memcpy(&code, m->at, sizeof(code));
	return code <= 0 ? code : -EPROTO;
}

/* The number the kernel gave the family. */
static int find_family(int fd, uint16_t *ret)
{
	char answer[DATAGRAM_SIZE];
	struct netlink_message message;
	struct netlink_attribute attribute;
	bool bad = false;

	ssize_t n = ask(fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME,
		TASKSTATS_GENL_NAME, answer);
	if (n < 0)
		return (int) n;
	const char *at = answer;
	if (netlink_next_message(&at, answer + n, &message) <= 0)
		return -EPROTO;
	if (message.type != GENL_ID_CTRL)
		return error_in(&message);
	if ((size_t) (message.end - message.at) < NETLINK_GENERIC_HEADER)
		return -EPROTO;
	at = message.at + NETLINK_GENERIC_HEADER;
	while (netlink_next_attribute(&at, message.end, &attribute, &bad))
		if (attribute.type == CTRL_ATTR_FAMILY_ID && attribute.size >= sizeof(*ret)) {
			memcpy(ret, attribute.at, sizeof(*ret));
			return 0;
		}
	return -EPROTO;
}

/* Registers or deregisters for the exits on these processors. */
static int ask_for_exits(const struct taskstats_listener *t, uint16_t attribute)
{
	char answer[DATAGRAM_SIZE];
	struct netlink_message message = { 0 };

	ssize_t n = ask(t->fd, t->family, TASKSTATS_CMD_GET, attribute, t->cpus, answer);
	if (n < 0)
		return (int) n;
	/* From the moment of registering records come, perhaps before the acknowledgement. */
	const char *at = answer;
	if (netlink_next_message(&at, answer + n, &message) <= 0)
		return -EPROTO;
	return message.type == t->family ? 0 : error_in(&message);
}

/* Names the cause of a refusal as far as its errno tells it. */
static int explain(int code, struct error *err)
{
	switch (code) {
	case -ENOENT:
		return error_say(err, code,
			"this kernel keeps no records of ended tasks; one built with "
			"CONFIG_TASKSTATS "
			"would help");
	case -EPERM:
	case -EACCES:
		return error_say(err, code,
			"records of ended tasks are given only with CAP_NET_ADMIN in the machine's "
			"first user namespace; root, or that capability on the program, would "
			"unlock "
			"them");
	case -EINVAL:
		return error_say(err, code,
			"records of ended tasks are not given in a PID or user namespace (a "
			"container); running outside would unlock them");
	default:
		return error_set(err, code, "cannot have records of ended tasks");
	}
}

/* Their pids are those of the machine's first PID namespace, whose inode number is fixed (PROC_PID_INIT_INO). */
static bool in_first_pid_namespace(const struct roots *roots)
{
	struct stat ns;

	return fstatat(roots->proc, "self/ns/pid", &ns, 0) == 0 && ns.st_ino == 0xEFFFFFFCU;
}

static void read_possible_cpus(const struct roots *roots, char *ret, size_t size)
{
	ssize_t n = roots->sys < 0
			    ? -1
			    : read_root_file(roots->sys, "devices/system/cpu/possible", ret, size);

	if (n <= 0)
		snprintf(ret, size, "0-%ld", sysconf(_SC_NPROCESSORS_CONF) - 1);
	ret[strcspn(ret, "\n")] = '\0';
}

/* A socket and the family's number, nothing asked for yet. */
static int prepare(struct taskstats_listener *t, const struct roots *roots)
{
	t->fd = -1;
	if (!in_first_pid_namespace(roots))
		return -EINVAL;
	read_possible_cpus(roots, t->cpus, sizeof(t->cpus));
	t->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_GENERIC);
	if (t->fd < 0)
		return -errno;
	int rc = find_family(t->fd, &t->family);
	if (rc < 0) {
		close(t->fd);
		t->fd = -1;
	}
	return rc;
}

int taskstats_probe(const struct roots *roots, struct error *err)
{
	struct taskstats_listener t;
	int rc = prepare(&t, roots);

	if (rc < 0)
		return explain(rc, err);
	/* Needs the same rights as registering, and nobody's exit is slowed down by it. */
	rc = ask_for_exits(&t, TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK);
	close(t.fd);
	return rc < 0 ? explain(rc, err) : 0;
}

int taskstats_open(struct taskstats_listener *t, const struct roots *roots, struct error *err)
{
	int size = RECEIVE_BUFFER_BYTES;
	int rc = prepare(t, roots);

	if (rc < 0)
		return explain(rc, err);
	if (setsockopt(t->fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0)
		(void) setsockopt(t->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	rc = ask_for_exits(t, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK);
	if (rc < 0) {
		taskstats_close(t);
		return explain(rc, err);
	}
	return 0;
}

void taskstats_close(struct taskstats_listener *t)
{
	if (t->fd < 0)
		return;
	/* A socket that is closed is forgotten at the next exit on each processor; asked for, it is at once. */
	(void) ask_for_exits(t, TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK);
	close(t->fd);
	t->fd = -1;
}
