/* SPDX-License-Identifier: MIT */
/* perf clocks and process events against the running kernel, allowed and refused. */
#include "linux_test.h"
#include "live_roots.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/macros.h"
#include "linux/perf_clock.h"
#include "linux/proc_connector.h"
#include "linux/roots.h"

#define DEADLINE_MS 10000
#define FORGED_PID (1 << 30) /* past any pid */

/* What the program does when it is started as "test_linux_events burn": a child that is never waited for uses the CPU. */
static int burn_in_an_auto_reaped_child(void)
{
	signal(SIGCHLD, SIG_IGN);
	pid_t pid = fork();
	if (pid == 0) {
		burn(BURN_NS);
		_exit(0);
	}
	while (waitpid(pid, NULL, 0) >= 0 || errno == EINTR)
		;
	return 0;
}

static void the_perf_clock_sees_what_an_auto_reaped_child_used(void **state)
{
	struct gate go = make_gate();
	struct error err;
	struct rusage usage;
	uint64_t ns;
	int status;
	(void) state;

	pid_t pid = fork();
	if (pid == 0) {
		close(go.fds[1]);
		if (wait_at(&go))
			execl("/proc/self/exe", "test_linux_events", "burn", (char *) NULL);
		_exit(1);
	}
	int fd = perf_clock_open(&live, pid, &err);
	if (fd < 0) {
		end_child(pid);
		drop_gate(&go);
		SKIP_BECAUSE("no perf clock here: %s", err.text);
	}
	pass(&go);
	assert_int_equal(wait4(pid, &status, 0, &usage), pid);
	assert_int_equal(status, 0);
	assert_int_equal(perf_clock_read(fd, &ns), 0);
	assert_true(ns >= BURN_NS);
	/* The rusage lost it: nobody waited for the child that burnt it. */
	uint64_t waited_us = (uint64_t) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
			     (uint64_t) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
	assert_true(waited_us * 1000 + BURN_NS / 2 < ns);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
	drop_gate(&go);
	assert_int_equal(perf_clock_probe(&live, NULL), 0);
}

/* Makes one system call fail in this process from now on. */
static bool forbid(long number, int code)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned) number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned) code),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { ARRAY_SIZE(filter), filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Probes in a child whose perf_event_open(2) fails with `code`. False when no filter can be set. */
static bool probe_perf_under_filter(const struct roots *r, int code, struct error *ret)
{
	int report[2];
	bool filtered = true;

	assert_int_equal(pipe2(report, O_CLOEXEC), 0);
	pid_t pid = fork();
	if (pid == 0) {
		if (!forbid(SYS_perf_event_open, code))
			_exit(1);
		perf_clock_probe(r, ret);
		_exit(write(report[1], ret, sizeof(*ret)) == sizeof(*ret) ? 0 : 2);
	}
	close(report[1]);
	filtered = read(report[0], ret, sizeof(*ret)) == sizeof(*ret);
	close(report[0]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return filtered;
}

static void a_refused_perf_clock_names_the_setting_that_refuses_it(void **state)
{
	struct roots old;
	struct error err = { 0 };
	(void) state;

	assert_int_equal(roots_open(&old, FIXTURES "/old-machine", &err), 0);
	if (!probe_perf_under_filter(&old, EACCES, &err)) {
		roots_close(&old);
		SKIP_BECAUSE("no seccomp filter can be set here");
	}
	assert_int_equal(err.code, -EACCES);
	assert_non_null(strstr(err.text, "perf_event_paranoid 4"));
	assert_non_null(strstr(err.text, "sysctl kernel.perf_event_paranoid=2"));

	assert_true(probe_perf_under_filter(&old, ENOSYS, &err));
	assert_int_equal(err.code, -ENOSYS);
	assert_non_null(strstr(err.text, "seccomp"));
	roots_close(&old);

	assert_int_equal(roots_open(&old, FIXTURES "/many-children", &err), 0);
	assert_true(probe_perf_under_filter(&old, EPERM, &err));
	assert_int_equal(err.code, -EPERM);
	assert_non_null(strstr(err.text, "cannot be read"));
	roots_close(&old);
}

struct life {
	pid_t pid;
	uint64_t forked_ns, executed_ns, exited_ns;
	pid_t parent;
};

static void follow_life(const struct connector_event *event, void *context)
{
	struct life *life = context;

	if (event->tgid != life->pid)
		return;
	switch (event->kind) {
	case CONNECTOR_FORK:
		life->forked_ns = event->timestamp_ns;
		life->parent = event->parent_tgid;
		break;
	case CONNECTOR_EXEC:
		life->executed_ns = event->timestamp_ns;
		break;
	case CONNECTOR_EXIT:
		life->exited_ns = event->timestamp_ns;
		break;
	}
}

static void the_connector_sees_fork_exec_and_exit_in_order(void **state)
{
	struct error err;
	struct life life = { 0 };
	uint64_t lost = 0;
	int status;
	(void) state;

	int fd = connector_open(&err);
	if (fd < 0)
		SKIP_BECAUSE("no process events here: %s", err.text);
	assert_true(connector_ask_for_execs(fd) >= 0);
	uint64_t before = clock_monotonic_ns();
	life.pid = fork();
	if (life.pid == 0) {
		execl("/proc/self/exe", "test_linux_events", "nothing", (char *) NULL);
		_exit(1);
	}
	assert_int_equal(waitpid(life.pid, &status, 0), life.pid);
	assert_int_equal(status, 0);
	struct pollfd wanted = { .fd = fd, .events = POLLIN };
	while (life.exited_ns == 0) {
		assert_int_equal(poll(&wanted, 1, DEADLINE_MS), 1);
		assert_true(connector_drain(fd, follow_life, &life, &lost) >= 0);
	}
	assert_int_equal(life.parent, getpid());
	assert_true(before <= life.forked_ns);
	assert_true(life.forked_ns < life.executed_ns);
	assert_true(life.executed_ns < life.exited_ns);
	assert_int_equal(lost, 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
}

static void ignore_event(const struct connector_event *event, void *context)
{
	(void) event;
	(void) context;
}

static void a_connector_that_overflows_says_that_events_are_lost(void **state)
{
	struct error err;
	uint64_t lost = 0;
	int small = 2048;
	(void) state;

	int fd = connector_open(&err);
	if (fd < 0)
		SKIP_BECAUSE("no process events here: %s", err.text);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
	for (int i = 0; i < 50; i++) {
		pid_t pid = fork();
		if (pid == 0)
			_exit(0);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
	}
	int events = connector_drain(fd, ignore_event, NULL, &lost);
	assert_true(events >= 1 && events < 100);
	assert_true(lost >= 1);
	close(fd);
}

static void count_forged(const struct connector_event *event, void *context)
{
	int *count = context;

	if (event->tgid == FORGED_PID)
		(*count)++;
}

static void an_event_that_another_process_sent_is_not_believed(void **state)
{
	struct {
		struct nlmsghdr header;
		char rest[sizeof(struct cn_msg) + sizeof(struct proc_event)];
	} forged = { .header = { .nlmsg_len = sizeof(forged), .nlmsg_type = NLMSG_DONE } };
	struct cn_msg cn = { .id = { CN_IDX_PROC, CN_VAL_PROC }, .len = sizeof(struct proc_event) };
	struct proc_event exit = { .what = PROC_EVENT_EXIT };
	struct sockaddr_nl address = { 0 };
	socklen_t size = sizeof(address);
	struct error err;
	uint64_t lost = 0;
	int count = 0;
	(void) state;

	int fd = connector_open(&err);
	if (fd < 0)
		SKIP_BECAUSE("no process events here: %s", err.text);
	exit.event_data.exit.process_tgid = FORGED_PID;
	memcpy(forged.rest, &cn, sizeof(cn));
	memcpy(forged.rest + sizeof(cn), &exit, sizeof(exit));
	/* It is a good event: only its sender is not the kernel. */
	assert_int_equal(connector_parse(&forged, sizeof(forged), count_forged, &count), 1);
	assert_int_equal(count, 1);
	assert_int_equal(getsockname(fd, (struct sockaddr *) &address, &size), 0);
	int other = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_CONNECTOR);
	ssize_t sent = sendto(
		other, &forged, sizeof(forged), 0, (struct sockaddr *) &address, sizeof(address));
	close(other);
	assert_true(connector_drain(fd, count_forged, &count, &lost) >= 0);
	close(fd);
	if (sent < 0)
		SKIP_BECAUSE("the kernel lets only CAP_NET_ADMIN send to another process");
	assert_int_equal(count, 1);
}

/* Opens a connector in a child that left for new namespaces. False when it may not. */
static bool open_connector_in(int namespaces, struct error *ret)
{
	int report[2];

	assert_int_equal(pipe2(report, O_CLOEXEC), 0);
	pid_t pid = fork();
	if (pid == 0) {
		if (unshare(namespaces | (geteuid() == 0 ? 0 : CLONE_NEWUSER)) < 0)
			_exit(1);
		/* A new PID namespace begins with the next child. */
		pid_t inner = fork();
		if (inner == 0) {
			ret->code = connector_open(ret);
			_exit(write(report[1], ret, sizeof(*ret)) == sizeof(*ret) ? 0 : 2);
		}
		waitpid(inner, NULL, 0);
		_exit(0);
	}
	close(report[1]);
	bool opened = read(report[0], ret, sizeof(*ret)) == sizeof(*ret);
	close(report[0]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return opened;
}

static void a_connector_refused_in_a_namespace_names_the_namespace(void **state)
{
	struct error err = { 0 };
	(void) state;

	if (!open_connector_in(CLONE_NEWNET, &err))
		SKIP_BECAUSE("no network namespace can be made here");
	assert_int_equal(err.code, -ECONNREFUSED);
	assert_non_null(strstr(err.text, "network namespace"));
	if (!open_connector_in(CLONE_NEWPID, &err))
		SKIP_BECAUSE("no PID namespace can be made here");
	assert_true(err.code < 0);
	assert_non_null(strstr(err.text, "would help"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_perf_clock_sees_what_an_auto_reaped_child_used),
		cmocka_unit_test(a_refused_perf_clock_names_the_setting_that_refuses_it),
		cmocka_unit_test(the_connector_sees_fork_exec_and_exit_in_order),
		cmocka_unit_test(a_connector_that_overflows_says_that_events_are_lost),
		cmocka_unit_test(an_event_that_another_process_sent_is_not_believed),
		cmocka_unit_test(a_connector_refused_in_a_namespace_names_the_namespace),
	};

	if (argc == 2 && strcmp(argv[1], "burn") == 0)
		return burn_in_an_auto_reaped_child();
	if (argc == 2 && strcmp(argv[1], "nothing") == 0)
		return 0;
	return cmocka_run_group_tests_name("linux_events", tests, open_live, close_live);
}
