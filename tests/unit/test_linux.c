/* SPDX-License-Identifier: MIT */
/* The parsers of src/linux on texts and recorded trees: nothing here depends on the machine the tests run on. */
#include "linux_test.h"

#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/macros.h"
#include "linux/proc_connector.h"
#include "linux/proc_files.h"
#include "linux/proc_stat.h"
#include "linux/roots.h"

#define ODD_NAME "a b) R 1 2\n\xff)"
#define STAT_NUMBERS                                                                               \
	" R 12992 12991 2862 -5 -1 4194304 2988 6561 1 7 3 1 30 2 20 -19 4 0 146650 17281024 3452"
#define STAT_TAIL STAT_NUMBERS " 18446744073709551615 1 1 0\n"

static size_t read_fixture(const struct roots *r, const char *path, char *text, size_t size)
{
	ssize_t n = read_root_file(r->proc, path, text, size);

	assert_true(n >= 0);
	return (size_t) n;
}

static int parse_stat(const char *text, struct proc_stat *st)
{
	return proc_stat_parse(text, strlen(text), st);
}

static void stat_fields_are_counted_from_the_last_parenthesis(void **state)
{
	struct proc_stat st;
	(void) state;

	assert_int_equal(parse_stat("7 (" ODD_NAME ")" STAT_TAIL, &st), 0);
	assert_string_equal(st.name, ODD_NAME);
	assert_int_equal(st.pid, 7);
	assert_int_equal(st.state, 'R');
	assert_int_equal(st.ppid, 12992);
	assert_int_equal(st.pgrp, 12991);
	assert_int_equal(st.session, 2862);
	assert_int_equal(st.tty_nr, -5);
	assert_int_equal(st.flags, 4194304);
	assert_int_equal(st.minor_faults, 2988);
	assert_int_equal(st.children_minor_faults, 6561);
	assert_int_equal(st.major_faults, 1);
	assert_int_equal(st.children_major_faults, 7);
	assert_int_equal(st.user_ticks, 3);
	assert_int_equal(st.system_ticks, 1);
	assert_int_equal(st.children_user_ticks, 30);
	assert_int_equal(st.children_system_ticks, 2);
	assert_int_equal(st.threads, 4);
	assert_int_equal(st.start_ticks, 146650);
	assert_int_equal(st.vsize_bytes, 17281024);
	assert_int_equal(st.rss_pages, 3452);
}

static void stat_names_may_be_empty_or_too_long_to_keep(void **state)
{
	char text[512], name[100];
	struct proc_stat st;
	(void) state;

	assert_int_equal(parse_stat("7 ()" STAT_TAIL, &st), 0);
	assert_string_equal(st.name, "");

	memset(name, 'k', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	snprintf(text, sizeof(text), "7 (%s)%s", name, STAT_TAIL);
	assert_int_equal(parse_stat(text, &st), 0);
	assert_int_equal(strlen(st.name), PROC_NAME_SIZE - 1);
	assert_int_equal(st.rss_pages, 3452);
}

static void stat_takes_the_largest_number_and_refuses_one_more(void **state)
{
	const char *before = "7 (x) S 1 1 1 0 -1 0 0 0 0 0 ", *after = " 0 0 0 20 0 1 0 9 0 0 0\n";
	char text[256];
	struct proc_stat st;
	(void) state;

	snprintf(text, sizeof(text), "%s18446744073709551615%s", before, after);
	assert_int_equal(parse_stat(text, &st), 0);
	assert_true(st.user_ticks == UINT64_MAX);
	snprintf(text, sizeof(text), "%s18446744073709551616%s", before, after);
	assert_int_equal(parse_stat(text, &st), -EINVAL);
	assert_int_equal(parse_stat("2147483648 (x)" STAT_TAIL, &st), -EINVAL);
}

static void a_stat_line_cut_anywhere_is_refused(void **state)
{
	const char *text = "7 (a) b" STAT_TAIL, *whole = "7 (a b)" STAT_TAIL;
	struct proc_stat st;
	(void) state;

	assert_int_equal(parse_stat(text, &st), -EINVAL);
	for (size_t n = 0; n < strlen(whole); n++)
		assert_int_equal(proc_stat_parse(whole, n, &st), -EINVAL);
	assert_int_equal(parse_stat(whole, &st), 0);
}

static void stat_garbage_is_refused(void **state)
{
	static const char *const texts[] = {
		"\n",
		"7 (x)\n",
		"(x)" STAT_TAIL,
		"-7 (x)" STAT_TAIL,
		"0 (x)" STAT_TAIL,
		"7 x)" STAT_TAIL,
		"7  (x)" STAT_TAIL,
		"7 (x) 1 1 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 9 0 0 0\n",
		"7 (x) S 1 1 1 0 -1 0 0 0 0 0 -1 1 0 0 20 0 1 0 9 0 0 0\n",
		"7 (x) S 1 1 1 0 -1 0 0 0 0 0 1,5 1 0 0 20 0 1 0 9 0 0 0\n",
		"7 (x) S 1 1 1 0 -1 0 0 0 0 0 1  1 0 0 20 0 1 0 9 0 0 0\n",
		"7 (x) S 1 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 9 0 0x0 0\n",
	};
	static const char with_nul[] = "7 (a\0b)" STAT_TAIL;
	struct proc_stat st;
	(void) state;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (parse_stat(texts[i], &st) != -EINVAL)
			fail_msg("accepted: %s", texts[i]);
	assert_int_equal(proc_stat_parse(with_nul, sizeof(with_nul) - 1, &st), -EINVAL);
}

static void recorded_stat_lines_of_living_zombie_and_kernel_tasks_are_read(void **state)
{
	struct roots r = open_fixture("odd-names");
	char text[1024];
	struct proc_stat st;
	(void) state;

	size_t n = read_fixture(&r, "13001/stat", text, sizeof(text));
	assert_int_equal(proc_stat_parse(text, n, &st), 0);
	assert_string_equal(st.name, ODD_NAME);
	assert_int_equal(st.start_ticks, 146650);

	n = read_fixture(&r, "13042/stat", text, sizeof(text));
	assert_int_equal(proc_stat_parse(text, n, &st), 0);
	assert_int_equal(st.state, 'Z');
	assert_int_equal(st.ppid, 13001);
	assert_int_equal(st.rss_pages, 0);

	n = read_fixture(&r, "2/stat", text, sizeof(text));
	assert_int_equal(proc_stat_parse(text, n, &st), 0);
	assert_true(st.flags & 0x00200000);
	roots_close(&r);
}

static void statm_gives_its_first_three_numbers(void **state)
{
	static const char *const bad[] = { "", "\n", "1 2 3", "1 2\n", "1 2 3x\n", " 1 2 3\n",
		"1 -2 3\n", "1 2 99999999999999999999\n" };
	struct proc_statm m;
	(void) state;

	assert_int_equal(proc_statm_parse("4219 3473 1692 1 0 2057 0\n", 26, &m), 0);
	assert_int_equal(m.size, 4219);
	assert_int_equal(m.resident, 3473);
	assert_int_equal(m.shared, 1692);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(proc_statm_parse(bad[i], strlen(bad[i]), &m), -EINVAL);
}

static void io_counters_land_in_their_fields(void **state)
{
	struct roots r = open_fixture("odd-names");
	char text[512];
	struct proc_io io;
	(void) state;

	size_t n = read_fixture(&r, "13001/io", text, sizeof(text));
	assert_int_equal(proc_io_parse(text, n, &io), 0);
	assert_int_equal(io.rchar, 1722371);
	assert_int_equal(io.wchar, 3640);
	assert_int_equal(io.syscr, 684);
	assert_int_equal(io.syscw, 41);
	assert_int_equal(io.read_bytes, 905216);
	assert_int_equal(io.write_bytes, 8192);
	assert_int_equal(io.cancelled_write_bytes, 4096);
	for (size_t cut = 0; cut < n; cut++)
		assert_int_equal(proc_io_parse(text, cut, &io), -EINVAL);
	roots_close(&r);
}

static int parse_io(const char *text)
{
	struct proc_io io;

	return proc_io_parse(text, strlen(text), &io);
}

static void io_lines_may_come_in_any_order_but_only_once(void **state)
{
	(void) state;

#define IO_REST "syscr: 1\nsyscw: 1\nread_bytes: 1\nwrite_bytes: 1\ncancelled_write_bytes: 1\n"
	assert_int_equal(parse_io(IO_REST "wchar: 2\nnew_in_9.0: x\n\nrchar: 3\n"), 0);
	assert_int_equal(parse_io("rchar: 1\nrchar: 1\nwchar: 1\n" IO_REST), -EINVAL);
	assert_int_equal(parse_io("rchar: 1\n" IO_REST), -EINVAL);
	assert_int_equal(parse_io("rchar: -1\nwchar: 1\n" IO_REST), -EINVAL);
	assert_int_equal(parse_io("rchar: 1 kB\nwchar: 1\n" IO_REST), -EINVAL);
	assert_int_equal(parse_io("rchar:\nwchar: 1\n" IO_REST), -EINVAL);
}

static void status_of_a_living_process_is_read_whole(void **state)
{
	struct roots r = open_fixture("odd-names");
	char text[4096];
	struct proc_status s;
	(void) state;

	size_t n = read_fixture(&r, "13001/status", text, sizeof(text));
	assert_int_equal(proc_status_parse(text, n, &s), 0);
	assert_true(s.has_memory);
	assert_int_equal(s.uid, 1000);
	assert_int_equal(s.euid, 0);
	assert_int_equal(s.hwm_bytes, 13892 * 1024);
	assert_int_equal(s.swap_bytes, 12 * 1024);
	assert_int_equal(s.rss_anon_bytes, 7124 * 1024);
	assert_int_equal(s.rss_file_bytes, 6768 * 1024);
	assert_int_equal(s.rss_shmem_bytes, 0);
	assert_int_equal(s.threads, 2);
	assert_true(s.has_signals_blocked);
	assert_int_equal(s.signals_blocked, 0);
	assert_int_equal(s.signals_ignored, 0x1001000);
	assert_int_equal(s.signals_caught, 2);
	assert_int_equal(s.cpus_allowed_count, 2);
	assert_int_equal(s.voluntary_switches, 23);
	assert_int_equal(s.involuntary_switches, 4);
	for (size_t cut = 0; cut < n; cut++)
		assert_int_equal(proc_status_parse(text, cut, &s), -EINVAL);
	roots_close(&r);
}

static void status_without_memory_lines_says_so(void **state)
{
	struct roots r = open_fixture("odd-names");
	char text[4096];
	struct proc_status s;
	(void) state;

	size_t n = read_fixture(&r, "2/status", text, sizeof(text));
	assert_int_equal(proc_status_parse(text, n, &s), 0);
	assert_false(s.has_memory);
	assert_true(s.signals_ignored == UINT64_MAX);

	n = read_fixture(&r, "13042/status", text, sizeof(text));
	assert_int_equal(proc_status_parse(text, n, &s), 0);
	assert_false(s.has_memory);
	assert_int_equal(s.voluntary_switches, 1);
	roots_close(&r);
}

static void an_older_status_and_wide_masks_are_read(void **state)
{
	struct roots r = open_fixture("old-machine");
	char text[4096];
	struct proc_status s;
	(void) state;

	size_t n = read_fixture(&r, "77/status", text, sizeof(text));
	assert_int_equal(proc_status_parse(text, n, &s), 0);
	assert_int_equal(s.cpus_allowed_count, 8 + 32 + 1);
	assert_int_equal(s.hugetlb_bytes, 0);
	assert_true(s.signals_ignored >> 16 & 1);
	roots_close(&r);
}

static int parse_status(const char *ids, const char *memory, const char *ignored, const char *cpus)
{
	char text[1024];
	struct proc_status s;

	snprintf(text, sizeof(text),
		"Uid:\t%s\n%sThreads:\t1\nSigIgn:\t%s\nSigCgt:\t0\nCpus_allowed:\t%s\n"
		"voluntary_ctxt_switches:\t1\nnonvoluntary_ctxt_switches:\t1\n",
		ids, memory, ignored, cpus);
	return proc_status_parse(text, strlen(text), &s);
}

static void malformed_status_values_are_refused(void **state)
{
	const char *ids = "0\t0\t0\t0";
	(void) state;

	assert_int_equal(parse_status(ids, "", "0", "1"), 0);
	assert_int_equal(parse_status("4294967295\t1\t1\t1", "", "0", "1"), 0);
	assert_int_equal(parse_status("4294967296\t1\t1\t1", "", "0", "1"), -EINVAL);
	assert_int_equal(parse_status("0\t0\t0", "", "0", "1"), -EINVAL);
	assert_int_equal(parse_status(ids, "", "10000000000000000", "1"), -EINVAL);
	assert_int_equal(parse_status(ids, "", "0x1", "1"), -EINVAL);
	assert_int_equal(parse_status(ids, "", "0", "ff,"), -EINVAL);
	assert_int_equal(parse_status(ids, "", "0", ""), -EINVAL);
	assert_int_equal(parse_status(ids, "", "0", "fg"), -EINVAL);
	assert_int_equal(parse_status(ids, "VmHWM:\t1 kB\n", "0", "1"), -EINVAL);
	assert_int_equal(parse_status(ids, "HugetlbPages:\t1\n", "0", "1"), -EINVAL);
	assert_int_equal(parse_status(ids, "HugetlbPages:\t1 MB\n", "0", "1"), -EINVAL);
	assert_int_equal(parse_status(ids, "HugetlbPages:\t18014398509481983 kB\n", "0", "1"), 0);
	assert_int_equal(
		parse_status(ids, "HugetlbPages:\t18014398509481984 kB\n", "0", "1"), -EINVAL);
}

static void smaps_rollup_sums_land_in_their_fields(void **state)
{
	struct roots r = open_fixture("odd-names");
	char text[4096];
	struct smaps_rollup s;
	(void) state;

	size_t n = read_fixture(&r, "13001/smaps_rollup", text, sizeof(text));
	assert_int_equal(smaps_rollup_parse(text, n, &s), 0);
	assert_int_equal(s.rss, 1728 * 1024);
	assert_int_equal(s.pss, 405 * 1024);
	assert_true(s.has_pss_split);
	assert_int_equal(s.pss_anon, 112 * 1024);
	assert_int_equal(s.pss_file, 293 * 1024);
	assert_int_equal(s.pss_shmem, 0);
	assert_int_equal(s.private_clean, 88 * 1024);
	assert_int_equal(s.private_dirty, 112 * 1024);
	assert_int_equal(s.shared_hugetlb, 2048 * 1024);
	assert_int_equal(s.private_hugetlb, 4096 * 1024);
	assert_int_equal(s.swap, 16 * 1024);
	assert_int_equal(s.swap_pss, 8 * 1024);
	assert_int_equal(smaps_rollup_parse(text, n - 1, &s), -EINVAL);
	roots_close(&r);
}

static void smaps_rollup_may_lack_the_split_or_everything(void **state)
{
	struct roots r = open_fixture("old-machine");
	char text[4096];
	struct smaps_rollup s;
	(void) state;

	size_t n = read_fixture(&r, "77/smaps_rollup", text, sizeof(text));
	assert_int_equal(smaps_rollup_parse(text, n, &s), 0);
	assert_false(s.has_pss_split);
	assert_int_equal(s.pss, 385 * 1024);
	assert_int_equal(smaps_rollup_parse("", 0, &s), -ENODATA);
	assert_int_equal(smaps_rollup_parse("Rss: 1 kB\n", 10, &s), -EINVAL);
	roots_close(&r);
}

/* A datagram with one process event, as the kernel sends it. */
static uint32_t make_datagram(char *bytes, const struct proc_event *event, size_t event_size)
{
	struct nlmsghdr header = { .nlmsg_type = NLMSG_DONE };
	struct cn_msg cn = { .id = { CN_IDX_PROC, CN_VAL_PROC } };

	header.nlmsg_len = (uint32_t) (NLMSG_HDRLEN + sizeof(cn) + event_size);
	cn.len = (uint16_t) event_size;
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + NLMSG_HDRLEN, &cn, sizeof(cn));
	memcpy(bytes + NLMSG_HDRLEN + sizeof(cn), event, event_size);
	return header.nlmsg_len;
}

struct event_list {
	size_t n;
	struct connector_event events[4];
};

static void keep_event(const struct connector_event *event, void *context)
{
	struct event_list *list = context;

	if (list->n < ARRAY_SIZE(list->events))
		list->events[list->n++] = *event;
}

static void connector_events_are_parsed_one_after_another(void **state)
{
	struct proc_event fork = { .what = PROC_EVENT_FORK, .timestamp_ns = 99 };
	struct proc_event exit = { .what = PROC_EVENT_EXIT, .timestamp_ns = 100 };
	struct event_list list = { 0 };
	char bytes[256];
	(void) state;

	fork.event_data.fork.parent_pid = 11;
	fork.event_data.fork.parent_tgid = 10;
	fork.event_data.fork.child_pid = 21;
	fork.event_data.fork.child_tgid = 20;
	exit.event_data.exit.process_pid = 21;
	exit.event_data.exit.process_tgid = 20;
	exit.event_data.exit.parent_tgid = 10;
	uint32_t n = make_datagram(bytes, &fork, sizeof(fork));
	n += make_datagram(bytes + n, &exit, sizeof(exit));

	assert_int_equal(connector_parse(bytes, n, keep_event, &list), 2);
	assert_int_equal(list.events[0].kind, CONNECTOR_FORK);
	assert_int_equal(list.events[0].parent_tid, 11);
	assert_int_equal(list.events[0].parent_tgid, 10);
	assert_int_equal(list.events[0].tid, 21);
	assert_int_equal(list.events[0].tgid, 20);
	assert_int_equal(list.events[0].timestamp_ns, 99);
	assert_int_equal(list.events[1].kind, CONNECTOR_EXIT);
	assert_int_equal(list.events[1].tgid, 20);
	assert_int_equal(list.events[1].parent_tgid, 10);
}

static void an_exec_event_names_the_process(void **state)
{
	struct proc_event exec = { .what = PROC_EVENT_EXEC };
	struct event_list list = { 0 };
	char bytes[256];
	(void) state;

	exec.event_data.exec.process_pid = 21;
	exec.event_data.exec.process_tgid = 20;
	uint32_t n = make_datagram(bytes, &exec, sizeof(exec));
	assert_int_equal(connector_parse(bytes, n, keep_event, &list), 1);
	assert_int_equal(list.events[0].kind, CONNECTOR_EXEC);
	assert_int_equal(list.events[0].tgid, 20);
}

static void an_old_kernels_exit_event_has_no_parent(void **state)
{
	struct proc_event exit = { .what = PROC_EVENT_EXIT };
	struct event_list list = { 0 };
	char bytes[256];
	size_t old_size = offsetof(struct proc_event, event_data.exit.parent_pid);
	(void) state;

	exit.event_data.exit.process_tgid = 20;
	exit.event_data.exit.parent_tgid = 10;
	uint32_t n = make_datagram(bytes, &exit, old_size);
	assert_int_equal(connector_parse(bytes, n, keep_event, &list), 1);
	assert_int_equal(list.events[0].tgid, 20);
	assert_int_equal(list.events[0].parent_tgid, 0);
}

static void other_connector_messages_are_skipped_and_cut_ones_refused(void **state)
{
	struct proc_event event = { .what = PROC_EVENT_SID };
	struct event_list list = { 0 };
	char bytes[256];
	(void) state;

	uint32_t n = make_datagram(bytes, &event, sizeof(event));
	assert_int_equal(connector_parse(bytes, n, keep_event, &list), 0);
	assert_int_equal(connector_parse(bytes, 0, keep_event, &list), 0);
	event.what = PROC_EVENT_FORK;
	n = make_datagram(bytes, &event, sizeof(event));
	for (uint32_t cut = 1; cut < n; cut++)
		assert_int_equal(connector_parse(bytes, cut, keep_event, &list), -EINVAL);
	n = make_datagram(bytes, &event, offsetof(struct proc_event, event_data) + 12);
	assert_int_equal(connector_parse(bytes, n, keep_event, &list), -EINVAL);
	assert_int_equal(list.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stat_fields_are_counted_from_the_last_parenthesis),
		cmocka_unit_test(stat_names_may_be_empty_or_too_long_to_keep),
		cmocka_unit_test(stat_takes_the_largest_number_and_refuses_one_more),
		cmocka_unit_test(a_stat_line_cut_anywhere_is_refused),
		cmocka_unit_test(stat_garbage_is_refused),
		cmocka_unit_test(recorded_stat_lines_of_living_zombie_and_kernel_tasks_are_read),
		cmocka_unit_test(statm_gives_its_first_three_numbers),
		cmocka_unit_test(io_counters_land_in_their_fields),
		cmocka_unit_test(io_lines_may_come_in_any_order_but_only_once),
		cmocka_unit_test(status_of_a_living_process_is_read_whole),
		cmocka_unit_test(status_without_memory_lines_says_so),
		cmocka_unit_test(an_older_status_and_wide_masks_are_read),
		cmocka_unit_test(malformed_status_values_are_refused),
		cmocka_unit_test(smaps_rollup_sums_land_in_their_fields),
		cmocka_unit_test(smaps_rollup_may_lack_the_split_or_everything),
		cmocka_unit_test(connector_events_are_parsed_one_after_another),
		cmocka_unit_test(an_exec_event_names_the_process),
		cmocka_unit_test(an_old_kernels_exit_event_has_no_parent),
		cmocka_unit_test(other_connector_messages_are_skipped_and_cut_ones_refused),
	};

	return cmocka_run_group_tests_name("linux", tests, NULL, NULL);
}
