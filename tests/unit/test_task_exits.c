/* SPDX-License-Identifier: MIT */
/* Records of ended tasks: recorded datagrams, those of older kernels, cut ones, and the kernel's own as far as it gives them. */
#include "linux_test.h"
#include "live_roots.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "linux/roots.h"
#include "linux/task_exits.h"

#define MS UINT64_C(1000000)
/* In a datagram of one record: the headers of message, family, aggregate, pid (with it) and stats. */
#define MESSAGE sizeof(struct nlmsghdr)
#define GENERIC sizeof(struct genlmsghdr)
#define ATTRIBUTE sizeof(struct nlattr)
#define STATS_AT (MESSAGE + GENERIC + ATTRIBUTE + ATTRIBUTE + 4 + ATTRIBUTE)
#define STATS_VERSION_14 432

struct list {
	size_t n;
	struct taskstats_record records[8];
};

static void keep(const struct taskstats_record *record, void *context)
{
	struct list *list = context;

	if (list->n < ARRAY_SIZE(list->records))
		list->records[list->n] = *record;
	list->n++;
}

static uint32_t read_fixture(const char *name, char *bytes, size_t size)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/taskstats/%s", FIXTURES, name);
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	size_t n = fread(bytes, 1, size, file);
	fclose(file);
	assert_in_range(n, 1, size - 1);
	return (uint32_t) n;
}

static uint16_t family_of(const char *bytes)
{
	struct nlmsghdr header;

	memcpy(&header, bytes, sizeof(header));
	return header.nlmsg_type;
}

/* A datagram with one record whose struct has `size` bytes. Returns its length. */
static uint32_t make_datagram(
	char *bytes, uint16_t kind, uint32_t pid, const void *stats, size_t size)
{
	uint32_t n = (uint32_t) (STATS_AT + ((size + 3) & ~(size_t) 3));
	const struct nlmsghdr message = { .nlmsg_len = n, .nlmsg_type = 31 };
	const struct genlmsghdr generic = { .cmd = TASKSTATS_CMD_NEW };
	const struct nlattr aggregate = { .nla_len = (uint16_t) (n - MESSAGE - GENERIC),
		.nla_type = kind };
	const struct nlattr pid_header = { .nla_len = ATTRIBUTE + 4,
		.nla_type = TASKSTATS_TYPE_PID };
	const struct nlattr stats_header = { .nla_len = (uint16_t) (ATTRIBUTE + size),
		.nla_type = TASKSTATS_TYPE_STATS };
	char *at = bytes;

	memset(bytes, 0, n);
	at = mempcpy(at, &message, sizeof(message));
	at = mempcpy(at, &generic, sizeof(generic));
	at = mempcpy(at, &aggregate, sizeof(aggregate));
	at = mempcpy(at, &pid_header, sizeof(pid_header));
	at = mempcpy(at, &pid, sizeof(pid));
	at = mempcpy(at, &stats_header, sizeof(stats_header));
	memcpy(at, stats, size);
	return n;
}

static struct taskstats some_stats(uint16_t version)
{
	struct taskstats s = {
		.version = version, .ac_exitcode = 9, .ac_pid = 501, .ac_ppid = 400
	};

	s.cpu_run_virtual_total = 7 * MS;
	s.ac_utime = 6000;
	s.hiwater_rss = 2048;
	s.write_bytes = 8192;
	s.cancelled_write_bytes = 4096;
	memcpy(s.ac_comm, "short", sizeof("short"));
	return s;
}

static void a_recorded_exit_of_one_thread_is_read_whole(void **state)
{
	char bytes[4096];
	struct list list = { 0 };
	(void) state;

	uint32_t n = read_fixture("one-thread", bytes, sizeof(bytes));
	assert_int_equal(taskstats_parse(bytes, n, family_of(bytes), keep, &list), 1);
	const struct taskstats_record *r = &list.records[0];
	assert_int_equal(r->kind, TASKSTATS_TASK);
	assert_int_equal(r->pid, 0x3f63);
	assert_int_equal(r->tgid, 0x3f63);
	assert_int_equal(r->parent_tgid, 0x3f62);
	assert_true(r->last_known && r->last);
	assert_string_equal(r->name, "lone) one");
	assert_int_equal(r->exit_status, 3 << 8);
	assert_int_equal(r->clock_ns, 0x944d37);
	assert_int_equal(r->user_ns + r->system_ns, 8 * MS);
	assert_in_range(r->peak_rss_bytes, 3 << 20, 4 << 20);
	assert_int_equal(r->write_bytes, 0);
}

static void a_main_thread_that_ends_first_does_not_end_the_process(void **state)
{
	char bytes[4096];
	struct list list = { 0 };
	(void) state;

	uint32_t n = read_fixture("leader-first", bytes, sizeof(bytes));
	assert_int_equal(taskstats_parse(bytes, n, family_of(bytes), keep, &list), 4);
	const struct taskstats_record *r = list.records;
	assert_string_equal(r[0].name, "worker");
	assert_string_equal(r[1].name, "leader");
	assert_true(r[1].last_known && !r[1].last && r[1].pid == r[1].tgid);
	assert_string_equal(r[2].name, "worker");
	assert_true(r[2].last && r[2].pid != r[2].tgid && r[2].tgid == r[1].pid);
	assert_int_equal(r[3].kind, TASKSTATS_PROCESS);
	assert_int_equal(r[3].pid, r[1].pid);
	assert_int_equal(r[3].clock_ns, r[0].clock_ns + r[1].clock_ns + r[2].clock_ns);
	assert_in_range(r[3].clock_ns, 35 * MS, 80 * MS);
}

static void structs_of_older_kernels_are_read_as_far_as_they_reach(void **state)
{
	static const struct {
		uint16_t version;
		size_t size;
		bool named, has_peak, has_io;
	} kernels[] = { { 1, offsetof(struct taskstats, ac_comm), false, false, false },
		{ 2, offsetof(struct taskstats, coremem), true, false, false },
		{ 3, offsetof(struct taskstats, read_bytes), true, true, false },
		{ 8, offsetof(struct taskstats, freepages_count), true, true, true },
		{ 10, offsetof(struct taskstats, compact_count), true, true, true } };
	(void) state;

	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct taskstats stats = some_stats(kernels[i].version);
		struct list list = { 0 };
		char bytes[1024];
		uint32_t n =
			make_datagram(bytes, TASKSTATS_TYPE_AGGR_PID, 501, &stats, kernels[i].size);

		assert_int_equal(taskstats_parse(bytes, n, 31, keep, &list), 1);
		const struct taskstats_record *r = &list.records[0];
		assert_int_equal(r->clock_ns, 7 * MS);
		assert_int_equal(r->tgid, 0);
		assert_false(r->last_known);
		assert_string_equal(r->name, kernels[i].named ? "short" : "");
		assert_int_equal(r->parent_tgid, kernels[i].named ? 400 : 0);
		assert_int_equal(r->peak_rss_bytes, kernels[i].has_peak ? 2 << 20 : 0);
		assert_int_equal(r->write_bytes, kernels[i].has_io ? 4096 : 0);
	}
}

/* Puts `extra` bytes of another member behind each of the first `n` members at the offsets given, last one first. */
static size_t widen(char *struct_bytes, size_t size, size_t extra)
{
	static const size_t behind[] = { offsetof(struct taskstats, cpu_delay_total),
		offsetof(struct taskstats, blkio_delay_total),
		offsetof(struct taskstats, swapin_delay_total),
		offsetof(struct taskstats, freepages_delay_total),
		offsetof(struct taskstats, thrashing_delay_total),
		offsetof(struct taskstats, compact_delay_total), 408 /* wpcopy_delay_total */,
		424 /* irq_delay_total */ };

	for (size_t i = ARRAY_SIZE(behind); i-- > 0;) {
		char *at = struct_bytes + behind[i] + 8;

		memmove(at + extra, at, size - (behind[i] + 8));
		memset(at, 0xee, extra);
		size += extra;
	}
	return size;
}

static void the_struct_that_grew_in_the_middle_is_read_all_the_same(void **state)
{
	(void) state;
	for (size_t extra = 8; extra <= 16; extra += 8) {
		char grown[STATS_VERSION_14 + 128] = { 0 };
		char bytes[1024];
		struct taskstats stats = some_stats(15);
		struct list list = { 0 };

		stats.ac_flag = 0x20;
		memcpy(grown, &stats, offsetof(struct taskstats, compact_count));
		memcpy(grown + 368, &(uint32_t){ 500 }, 4); /* ac_tgid */
		size_t size = widen(grown, STATS_VERSION_14, extra);
		uint32_t n = make_datagram(bytes, TASKSTATS_TYPE_AGGR_PID, 501, grown, size);
		assert_int_equal(taskstats_parse(bytes, n, 31, keep, &list), 1);
		const struct taskstats_record *r = &list.records[0];
		assert_int_equal(r->clock_ns, 7 * MS);
		assert_int_equal(r->tgid, 500);
		assert_int_equal(r->parent_tgid, 400);
		assert_true(r->last);
		assert_string_equal(r->name, "short");
		assert_int_equal(r->peak_rss_bytes, 2 << 20);
	}
}

static void a_record_whose_layout_is_unknown_is_refused(void **state)
{
	struct taskstats stats = some_stats(20);
	struct list list = { 0 };
	char bytes[1024];
	(void) state;

	uint32_t n = make_datagram(bytes, TASKSTATS_TYPE_AGGR_PID, 502, &stats, sizeof(stats));
	assert_int_equal(taskstats_parse(bytes, n, 31, keep, &list), -EINVAL);
	n = make_datagram(bytes, TASKSTATS_TYPE_AGGR_PID, 501, &stats, 79);
	assert_int_equal(taskstats_parse(bytes, n, 31, keep, &list), -EINVAL);
	assert_int_equal(list.n, 0);
}

static void cut_datagrams_are_refused_and_never_read_past_their_end(void **state)
{
	char bytes[4096];
	(void) state;

	uint32_t n = read_fixture("one-thread", bytes, sizeof(bytes));
	for (uint32_t cut = 1; cut < n; cut++) {
		struct list list = { 0 };
		char *block = malloc(cut);

		assert_non_null(block);
		memcpy(block, bytes, cut);
		assert_int_equal(
			taskstats_parse(block, cut, family_of(bytes), keep, &list), -EINVAL);
		free(block);
		assert_int_equal(list.n, 0);
	}
}

static void messages_of_other_families_are_skipped(void **state)
{
	char bytes[4096];
	struct list list = { 0 };
	(void) state;

	uint32_t n = read_fixture("leader-first", bytes, sizeof(bytes));
	assert_int_equal(
		taskstats_parse(bytes, n, (uint16_t) (family_of(bytes) + 1), keep, &list), 0);
	assert_int_equal(taskstats_parse(bytes, 0, family_of(bytes), keep, &list), 0);
	assert_int_equal(list.n, 0);
}

/* A listener, or a skipped test where the machine gives none. */
static void open_or_skip(struct taskstats_listener *t)
{
	struct error err = { 0 };

	if (taskstats_probe(&live, &err) == 0)
		assert_int_equal(taskstats_open(t, &live, &err), 0);
	else
		SKIP_BECAUSE("no records of ended tasks here");
}

static void a_listener_that_reads_too_late_says_that_records_are_lost(void **state)
{
	struct taskstats_listener t;
	struct list list = { 0 };
	uint64_t lost = 0;
	int small = 4096;
	(void) state;

	open_or_skip(&t);
	assert_int_equal(setsockopt(t.fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
	for (int i = 0; i < 100; i++) {
		pid_t pid = fork();
		if (pid == 0)
			_exit(0);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
	}
	while (taskstats_take(&t, keep, &list, &lost) > 0)
		;
	assert_in_range(lost, 1, 100);
	assert_in_range(list.n, 1, 99);
	taskstats_close(&t);
}

/* Probes in a child that gave up what it needs. */
static int probe_in_child(int namespaces, uid_t uid, struct error *ret)
{
	int fds[2];
	struct error err = { 0 };

	assert_int_equal(pipe(fds), 0);
	pid_t pid = fork();
	if (pid == 0) {
		bool changed = namespaces ? unshare(namespaces) == 0 : setuid(uid) == 0;
		err.code = changed ? taskstats_probe(&live, &err) : -ENOSYS;
		_exit(write(fds[1], &err, sizeof(err)) != sizeof(err));
	}
	assert_int_equal(read(fds[0], &err, sizeof(err)), sizeof(err));
	waitpid(pid, NULL, 0);
	close(fds[0]);
	close(fds[1]);
	*ret = err;
	return err.code;
}

static void without_the_right_the_probe_says_what_would_unlock_it(void **state)
{
	struct error err;
	(void) state;

	if (geteuid() != 0)
		SKIP_BECAUSE("needs root, to give it up");
	assert_int_equal(probe_in_child(0, 65534, &err), -EPERM);
	assert_non_null(strstr(err.text, "CAP_NET_ADMIN"));
	if (probe_in_child(CLONE_NEWUSER, 0, &err) == -ENOSYS)
		SKIP_BECAUSE("user namespaces are not allowed here");
	assert_int_equal(err.code, -EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recorded_exit_of_one_thread_is_read_whole),
		cmocka_unit_test(a_main_thread_that_ends_first_does_not_end_the_process),
		cmocka_unit_test(structs_of_older_kernels_are_read_as_far_as_they_reach),
		cmocka_unit_test(the_struct_that_grew_in_the_middle_is_read_all_the_same),
		cmocka_unit_test(a_record_whose_layout_is_unknown_is_refused),
		cmocka_unit_test(cut_datagrams_are_refused_and_never_read_past_their_end),
		cmocka_unit_test(messages_of_other_families_are_skipped),
		cmocka_unit_test(a_listener_that_reads_too_late_says_that_records_are_lost),
		cmocka_unit_test(without_the_right_the_probe_says_what_would_unlock_it),
	};

	return cmocka_run_group_tests(tests, open_live, close_live);
}
