/* SPDX-License-Identifier: MIT */
/* Listens to the kernel's records of tasks that end and parses them. */
#include "linux/task_exits.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "linux/roots.h"

#define RECEIVE_BUFFER_BYTES                                                                       \
	(16 << 20) /* measured: about 14 000 records, half a second of the fastest forking */
#define ANSWER_MS 1000
#define DATAGRAMS 16
#define DATAGRAM_SIZE 4096 /* two records of 560 bytes at most so far */
#define LAST_OF_PROCESS 0x20 /* AGROUP of <linux/acct.h>, since version 12 */
#define VERSION_WITH_TGID 12
#define TGID_AT 368 /* offset of ac_tgid, which older headers lack */

/* The headers' lengths and the mask, as sizes: those of <linux/netlink.h> are signed. */
#define MESSAGE_HEADER sizeof(struct nlmsghdr)
#define GENERIC_HEADER sizeof(struct genlmsghdr)
#define ATTRIBUTE_HEADER sizeof(struct nlattr)
#define ATTRIBUTE_TYPE 0x3fff

/* Netlink pads messages and attributes to four bytes. */
static size_t aligned(size_t size)
{
	return (size + 3) & ~(size_t) 3;
}

/* Attributes of netlink: a header, then its payload, then padding to four bytes. */
struct attribute {
	uint16_t type;
	const char *at;
	size_t size;
};

/* Takes the attribute at *at and moves on. False at the end, and for one that reaches beyond it (*ret_bad). */
static bool next_attribute(const char **at, const char *end, struct attribute *ret, bool *ret_bad)
{
	struct nlattr header;
	size_t left = (size_t) (end - *at);

	if (left == 0)
		return false;
	*ret_bad = true;
	if (left < sizeof(header))
		return false;
	memcpy(&header, *at, sizeof(header));
	if (header.nla_len < ATTRIBUTE_HEADER || header.nla_len > left)
		return false;
	*ret_bad = false;
	*ret = (struct attribute){ .type = (uint16_t) (header.nla_type & ATTRIBUTE_TYPE),
		.at = *at + ATTRIBUTE_HEADER,
		.size = header.nla_len - ATTRIBUTE_HEADER };
	size_t step = aligned(header.nla_len);
	*at += step < left ? step : left;
	return true;
}

/* struct taskstats as far as the kernel's one reaches; what is beyond reads as 0. */
struct stats {
	const char *at;
	size_t size;
	size_t shift; /* see find_shift() */
};

static void copy_at(const struct stats *s, size_t offset, void *ret, size_t size)
{
	memset(ret, 0, size);
	if (offset <= s->size && size <= s->size - offset)
		memcpy(ret, s->at + offset, size);
}

static uint64_t u64_at(const struct stats *s, size_t offset)
{
	uint64_t n;

	copy_at(s, offset, &n, sizeof(n));
	return n;
}

static uint32_t u32_at(const struct stats *s, size_t offset)
{
	uint32_t n;

	copy_at(s, offset, &n, sizeof(n));
	return n;
}

#define MEMBER(name) offsetof(struct taskstats, name)

/*
 * The struct grows at its end, but Linux 6.14 put the longest (and then the shortest) of eight delays in between, without always telling
 * by the version; Linux 6.17 moved them to the end. Three of them lie before the clocks, three more before ac_tgid.
 * The right layout is the one in which the record's own pid stands where it belongs. False: in none.
 */
static bool find_shift(struct stats *s, uint32_t pid)
{
	static const size_t shifts[] = { 0, 3 * 16, 3 * 8 };

	for (size_t i = 0; i < ARRAY_SIZE(shifts); i++) {
		s->shift = shifts[i];
		if (u32_at(s, MEMBER(ac_pid) + s->shift) == pid)
			return true;
	}
	s->shift = 0;
	return s->size <= MEMBER(ac_comm); /* version 1 has no accounting */
}

static uint64_t usec_at(const struct stats *s, size_t offset)
{
	uint64_t usec = u64_at(s, offset);

	return usec < UINT64_MAX / 1000 ? usec * 1000 : 0;
}

static void parse_task(const struct stats *s, struct taskstats_record *r)
{
	uint16_t version;
	uint8_t flags;

	copy_at(s, MEMBER(version), &version, sizeof(version));
	copy_at(s, MEMBER(ac_flag), &flags, sizeof(flags));
	copy_at(s, MEMBER(ac_comm) + s->shift, r->name, sizeof(r->name) - 1);
	r->exit_status = u32_at(s, MEMBER(ac_exitcode));
	r->parent_tgid = (pid_t) u32_at(s, MEMBER(ac_ppid) + s->shift);
	r->user_ns = usec_at(s, MEMBER(ac_utime) + s->shift);
	r->system_ns = usec_at(s, MEMBER(ac_stime) + s->shift);
	uint64_t peak_kib = u64_at(s, MEMBER(hiwater_rss) + s->shift);
	r->peak_rss_bytes = peak_kib < UINT64_MAX / 1024 ? peak_kib * 1024 : 0;
	uint64_t cancelled = u64_at(s, MEMBER(cancelled_write_bytes) + s->shift);
	r->read_bytes = u64_at(s, MEMBER(read_bytes) + s->shift);
	r->write_bytes = u64_at(s, MEMBER(write_bytes) + s->shift);
	/* A thread may cancel what another one wrote. */
	r->write_bytes = r->write_bytes > cancelled ? r->write_bytes - cancelled : 0;
	if (version < VERSION_WITH_TGID)
		return;
	r->tgid = (pid_t) u32_at(s, TGID_AT + 2 * s->shift);
	r->last_known = r->tgid != 0;
	r->last = flags & LAST_OF_PROCESS;
}

/* Parses TASKSTATS_TYPE_AGGR_PID or _TGID. The sums of a process have no pid by which to find the layout: `shift` is that of the task
 * before it. 1: a record; 0: nothing known in it; -EINVAL. */
static int parse_record(
	const struct attribute *aggregate, size_t *shift, struct taskstats_record *ret)
{
	bool task = aggregate->type == TASKSTATS_TYPE_AGGR_PID;
	const char *at = aggregate->at;
	const char *end = at + aggregate->size;
	struct attribute attribute;
	struct stats stats = { 0 };
	uint32_t pid = 0;
	bool bad = false;

	while (next_attribute(&at, end, &attribute, &bad)) {
		bool is_pid = attribute.type == TASKSTATS_TYPE_PID ||
			      attribute.type == TASKSTATS_TYPE_TGID;
		if (is_pid && attribute.size >= sizeof(pid))
			memcpy(&pid, attribute.at, sizeof(pid));
		else if (attribute.type == TASKSTATS_TYPE_STATS)
			stats = (struct stats){ .at = attribute.at, .size = attribute.size };
	}
	if (bad || pid == 0 || pid > INT32_MAX || stats.size < MEMBER(ac_comm))
		return -EINVAL;
	*ret = (struct taskstats_record){ .kind = task ? TASKSTATS_TASK : TASKSTATS_PROCESS,
		.pid = (pid_t) pid };
	stats.shift = *shift;
	if (task) {
		if (!find_shift(&stats, pid))
			return -EINVAL;
		parse_task(&stats, ret);
		*shift = stats.shift;
	}
	ret->clock_ns = u64_at(&stats, MEMBER(cpu_run_virtual_total) + stats.shift);
	return 1;
}

/* Hands on the records of one message. */
static int parse_message(const char *at, const char *end,
	void (*each)(const struct taskstats_record *record, void *context), void *context)
{
	struct attribute attribute;
	size_t shift = 0;
	bool bad = false;
	int count = 0;

	while (next_attribute(&at, end, &attribute, &bad)) {
		struct taskstats_record record;

		if (attribute.type != TASKSTATS_TYPE_AGGR_PID &&
			attribute.type != TASKSTATS_TYPE_AGGR_TGID)
			continue;
		int rc = parse_record(&attribute, &shift, &record);
		if (rc < 0)
			return rc;
		each(&record, context);
		count++;
	}
	return bad ? -EINVAL : count;
}

/* A message inside a datagram; its payload is [at, end). */
struct message {
	uint16_t type;
	const char *at, *end;
};

/* 1: a message, *at moved on; 0: the end; -EINVAL. */
static int next_message(const char **at, const char *end, struct message *ret)
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
	*ret = (struct message){
		.type = header.nlmsg_type, .at = *at + MESSAGE_HEADER, .end = *at + header.nlmsg_len
	};
	size_t step = aligned(header.nlmsg_len);
	*at += step < left ? step : left;
	return 1;
}

int taskstats_parse(const void *bytes, uint32_t n, uint16_t family,
	void (*each)(const struct taskstats_record *record, void *context), void *context)
{
	const char *at = bytes;
	const char *end = at + n;
	struct message message;
	int count = 0;
	int rc;

	while ((rc = next_message(&at, end, &message)) > 0) {
		struct genlmsghdr generic;

		if (message.type != family)
			continue;
		if ((size_t) (message.end - message.at) < GENERIC_HEADER)
			return -EINVAL;
		memcpy(&generic, message.at, sizeof(generic));
		if (generic.cmd != TASKSTATS_CMD_NEW)
			continue;
		rc = parse_message(message.at + GENERIC_HEADER, message.end, each, context);
		if (rc < 0)
			return rc;
		count += rc;
	}
	return rc < 0 ? rc : count;
}

int taskstats_take(const struct taskstats_listener *t,
	void (*each)(const struct taskstats_record *record, void *context), void *context,
	uint64_t *lost)
{
	char datagrams[DATAGRAMS][DATAGRAM_SIZE];
	struct sockaddr_nl senders[DATAGRAMS];
	struct iovec parts[DATAGRAMS];
	struct mmsghdr headers[DATAGRAMS] = { 0 };

	for (size_t i = 0; i < DATAGRAMS; i++) {
		parts[i] = (struct iovec){ datagrams[i], sizeof(datagrams[i]) };
		senders[i].nl_pid = UINT32_MAX; /* believed only when the kernel filled it in */
		headers[i].msg_hdr = (struct msghdr){ .msg_iov = &parts[i],
			.msg_iovlen = 1,
			.msg_name = &senders[i],
			.msg_namelen = sizeof(senders[i]) };
	}
	int n = recvmmsg(t->fd, headers, DATAGRAMS, MSG_DONTWAIT, NULL);
	while (n < 0 && (errno == ENOBUFS || errno == EINTR)) {
		*lost += errno == ENOBUFS;
		n = recvmmsg(t->fd, headers, DATAGRAMS, MSG_DONTWAIT, NULL);
	}
	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	for (int i = 0; i < n; i++) {
		bool cut = headers[i].msg_hdr.msg_flags & MSG_TRUNC;

		/* Port 0 is the kernel; a process may send to us too. */
		if (senders[i].nl_pid == 0 &&
			(cut || taskstats_parse(datagrams[i], headers[i].msg_len, t->family, each,
					context) < 0))
			(*lost)++;
	}
	return n;
}

/* Asks with one attribute and waits for the kernel's answer, the one message that comes first. Returns its length in `answer`, or -errno. */
static ssize_t ask(int fd, uint16_t family, uint8_t command, uint16_t attribute, const char *text,
	char *answer, size_t answer_size)
{
	_Alignas(struct nlmsghdr) char
		request[MESSAGE_HEADER + GENERIC_HEADER + ATTRIBUTE_HEADER + 1024] = { 0 };
	size_t length = strlen(text) + 1;
	if (length > 1024)
		return -E2BIG;
	const struct nlattr option = { .nla_len = (uint16_t) (ATTRIBUTE_HEADER + length),
		.nla_type = attribute };
	const struct genlmsghdr generic = { .cmd = command, .version = 1 };
	const struct nlmsghdr header = {
		.nlmsg_len = (uint32_t) (MESSAGE_HEADER + GENERIC_HEADER + aligned(option.nla_len)),
		.nlmsg_type = family,
		/* of a question that is answered anyway no second answer is wanted */
		.nlmsg_flags = (uint16_t) (NLM_F_REQUEST | (family == GENL_ID_CTRL ? 0 : NLM_F_ACK))
	};

	memcpy(request, &header, sizeof(header));
	memcpy(request + MESSAGE_HEADER, &generic, sizeof(generic));
	memcpy(request + MESSAGE_HEADER + GENERIC_HEADER, &option, sizeof(option));
	memcpy(request + MESSAGE_HEADER + GENERIC_HEADER + ATTRIBUTE_HEADER, text, length);
	if (send(fd, request, header.nlmsg_len, 0) < 0)
		return -errno;
	/* The kernel answers before send(2) returns; the wait is for a kernel that does not. */
	struct pollfd wanted = { .fd = fd, .events = POLLIN };
	if (poll(&wanted, 1, ANSWER_MS) <= 0)
		return -ETIMEDOUT;
	ssize_t n = recv(fd, answer, answer_size, MSG_DONTWAIT);
	return n < 0 ? -errno : n;
}

/* The errno in NLMSG_ERROR, 0 for an acknowledgement; -EPROTO when it is something else. */
static int error_in(const struct message *m)
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
	struct message message;
	struct attribute attribute;
	bool bad = false;

	ssize_t n = ask(fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME,
		TASKSTATS_GENL_NAME, answer, sizeof(answer));
	if (n < 0)
		return (int) n;
	const char *at = answer;
	if (next_message(&at, answer + n, &message) <= 0)
		return -EPROTO;
	if (message.type != GENL_ID_CTRL)
		return error_in(&message);
	if ((size_t) (message.end - message.at) < GENERIC_HEADER)
		return -EPROTO;
	at = message.at + GENERIC_HEADER;
	while (next_attribute(&at, message.end, &attribute, &bad))
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
	struct message message = { 0 };

	ssize_t n = ask(
		t->fd, t->family, TASKSTATS_CMD_GET, attribute, t->cpus, answer, sizeof(answer));
	if (n < 0)
		return (int) n;
	/* From the moment of registering records come, perhaps before the acknowledgement. */
	const char *at = answer;
	if (next_message(&at, answer + n, &message) <= 0)
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
