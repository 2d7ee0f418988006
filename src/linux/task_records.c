/* SPDX-License-Identifier: MIT */
/* Parses the kernel's records of ended tasks. */
#include "linux/task_exits.h"

#include <errno.h>
#include <linux/taskstats.h>
#include <stddef.h>
#include <string.h>

#include "base/macros.h"
#include "linux/netlink_bytes.h"

#define FORKED_ONLY 0x01 /* AFORK of <linux/acct.h> */
#define LAST_OF_PROCESS 0x20 /* AGROUP of <linux/acct.h>, since version 12 */
#define VERSION_WITH_TGID 12
#define TGID_AT 368 /* offset of ac_tgid, which older headers lack */

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
	static const size_t shifts[] = { 0, (size_t) 3 * 16, (size_t) 3 * 8 };

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
	r->forked = (flags & FORKED_ONLY) != 0;
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
	const struct netlink_attribute *aggregate, size_t *shift, struct taskstats_record *ret)
{
	bool task = aggregate->type == TASKSTATS_TYPE_AGGR_PID;
	const char *at = aggregate->at;
	const char *end = at + aggregate->size;
	struct netlink_attribute attribute;
	struct stats stats = { 0 };
	uint32_t pid = 0;
	bool bad = false;

	while (netlink_next_attribute(&at, end, &attribute, &bad)) {
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
	struct netlink_attribute attribute;
	size_t shift = 0;
	bool bad = false;
	int count = 0;

	while (netlink_next_attribute(&at, end, &attribute, &bad)) {
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

int taskstats_parse(const void *bytes, uint32_t n, uint16_t family,
	void (*each)(const struct taskstats_record *record, void *context), void *context)
{
	const char *at = bytes;
	const char *end = at + n;
	struct netlink_message message;
	int count = 0;
	int rc;

	while ((rc = netlink_next_message(&at, end, &message)) > 0) {
		struct genlmsghdr generic;

		if (message.type != family)
			continue;
		if ((size_t) (message.end - message.at) < NETLINK_GENERIC_HEADER)
			return -EINVAL;
		memcpy(&generic, message.at, sizeof(generic));
		if (generic.cmd != TASKSTATS_CMD_NEW)
			continue;
		rc = parse_message(message.at + NETLINK_GENERIC_HEADER, message.end, each, context);
		if (rc < 0)
			return rc;
		count += rc;
	}
	return rc < 0 ? rc : count;
}
