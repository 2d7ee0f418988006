/* SPDX-License-Identifier: MIT */
/* TCP sockets as the kernel describes them, in made messages and in its own. */
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/macros.h"
#include "linux/roots.h"
#include "linux/socket_files.h"
#include "linux/tcp_sockets.h"

#define ESTABLISHED 1
#define LISTEN 10

struct message {
	struct nlmsghdr header;
	struct inet_diag_msg socket;
	struct rtattr attribute;
	char info[sizeof(struct tcp_info)]; /* not aligned to its eight bytes */
};

static struct message make(int family, uint8_t state, uint64_t received, uint64_t acknowledged)
{
	const struct tcp_info info = { .tcpi_bytes_received = received,
		.tcpi_bytes_acked = acknowledged };
	struct message m = {
		.header = { .nlmsg_len = sizeof(m), .nlmsg_type = SOCK_DIAG_BY_FAMILY },
		.socket = { .idiag_family = (uint8_t) family,
			.idiag_state = state,
			.idiag_inode = 77,
			.idiag_uid = 1000,
			.id = { .idiag_cookie = { 5, 6 },
				.idiag_sport = htons(8080),
				.idiag_dport = htons(443) } },
		.attribute = { .rta_len = RTA_LENGTH(sizeof(m.info)), .rta_type = INET_DIAG_INFO },
	};

	memcpy(m.info, &info, sizeof(info));
	return m;
}

static void set_address(struct message *m, bool local, const char *text)
{
	void *to = local ? m->socket.id.idiag_src : m->socket.id.idiag_dst;

	assert_int_equal(inet_pton(m->socket.idiag_family, text, to), 1);
}

static void keep(const struct tcp_socket *socket, void *context)
{
	*(struct tcp_socket *) context = *socket;
}

static struct tcp_socket parsed(const struct message *m)
{
	struct tcp_socket s = { 0 };
	bool done;

	assert_int_equal(tcp_sockets_parse(m, m->header.nlmsg_len, keep, &s, &done), 1);
	assert_false(done);
	return s;
}

static void a_socket_is_told_with_its_identity_and_bytes(void **state)
{
	struct message m = make(AF_INET, ESTABLISHED, 5000, 7001);
	(void) state;

	struct tcp_socket s = parsed(&m);
	assert_true(s.cookie == (UINT64_C(6) << 32 | 5));
	assert_int_equal(s.inode, 77);
	assert_int_equal(s.uid, 1000);
	assert_int_equal(s.local.port, 8080);
	assert_int_equal(s.remote_port, 443);
	assert_true(s.has_bytes);
	assert_false(s.listens);
	assert_int_equal(s.received, 4999); /* a FIN may be one */
	assert_int_equal(s.acknowledged, 6999); /* and a SYN another */
}

static void bytes_of_connecting_and_ending_are_no_payload(void **state)
{
	struct message open = make(AF_INET, ESTABLISHED, 0, 1);
	struct message ended = make(AF_INET, 7, 101, 52);
	(void) state;

	assert_int_equal(parsed(&open).received, 0);
	assert_int_equal(parsed(&open).acknowledged, 0);
	assert_int_equal(parsed(&ended).received, 100);
	assert_int_equal(parsed(&ended).acknowledged, 50);
}

static void a_kernel_without_byte_counters_gives_none(void **state)
{
	struct message m = make(AF_INET, ESTABLISHED, 5000, 7001);
	(void) state;

	m.attribute.rta_len = RTA_LENGTH(104); /* struct tcp_info of Linux 3.10 */
	m.header.nlmsg_len = (uint32_t) (offsetof(struct message, info) + 104);
	assert_false(parsed(&m).has_bytes);
}

static void both_ends_on_this_machine_are_loopback(void **state)
{
	static const struct {
		int family;
		const char *local, *remote;
		bool loopback;
	} cases[] = {
		{ AF_INET, "127.0.0.1", "127.0.0.1", true },
		{ AF_INET, "127.1.2.3", "127.0.0.1", true },
		{ AF_INET, "192.0.2.1", "192.0.2.1", true },
		{ AF_INET, "192.0.2.1", "192.0.2.2", false },
		{ AF_INET, "10.0.0.127", "10.0.0.1", false },
		{ AF_INET6, "::1", "::1", true },
		{ AF_INET6, "::ffff:127.0.0.1", "::ffff:127.0.0.1", true },
		{ AF_INET6, "::ffff:192.0.2.1", "::ffff:192.0.2.2", false },
		{ AF_INET6, "2001:db8::1", "2001:db8::1", true },
		{ AF_INET6, "2001:db8::1", "2001:db8::2", false },
	};
	(void) state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct message m = make(cases[i].family, ESTABLISHED, 1, 1);
		set_address(&m, true, cases[i].local);
		set_address(&m, false, cases[i].remote);
		if (parsed(&m).loopback != cases[i].loopback)
			fail_msg("%s to %s", cases[i].local, cases[i].remote);
	}
}

static struct tcp_end end_at(int family, const char *address, uint16_t port)
{
	struct message m = make(family, LISTEN, 0, 0);

	set_address(&m, true, address);
	m.socket.id.idiag_sport = htons(port);
	return parsed(&m).local;
}

static void a_connection_is_a_listeners_by_port_and_address(void **state)
{
	struct tcp_end any_4 = end_at(AF_INET, "0.0.0.0", 80);
	struct tcp_end any_6 = end_at(AF_INET6, "::", 80);
	struct tcp_end one_4 = end_at(AF_INET, "127.0.0.1", 80);
	struct tcp_end other = end_at(AF_INET, "127.0.0.2", 80);
	struct tcp_end mapped = end_at(AF_INET6, "::ffff:127.0.0.1", 80);
	struct tcp_end far_port = end_at(AF_INET, "127.0.0.1", 8080);
	(void) state;

	assert_true(tcp_end_was_taken_by(&one_4, &any_4));
	assert_true(tcp_end_was_taken_by(&one_4, &one_4));
	assert_true(tcp_end_was_taken_by(&mapped, &any_6));
	assert_true(tcp_end_was_taken_by(&mapped, &one_4));
	assert_false(tcp_end_was_taken_by(&one_4, &other));
	assert_false(tcp_end_was_taken_by(&mapped, &other));
	assert_false(tcp_end_was_taken_by(&far_port, &any_4));
}

static void answers_end_refuse_or_are_malformed(void **state)
{
	struct message m = make(AF_INET, ESTABLISHED, 1, 1);
	struct {
		struct nlmsghdr header;
		int code;
	} end = { { .nlmsg_len = sizeof(end), .nlmsg_type = NLMSG_DONE }, 0 },
	  refusal = { { .nlmsg_len = sizeof(refusal), .nlmsg_type = NLMSG_ERROR }, -ENOENT };
	struct tcp_socket s;
	bool done;
	(void) state;

	assert_int_equal(tcp_sockets_parse(&end, sizeof(end), keep, &s, &done), 0);
	assert_true(done);
	assert_int_equal(tcp_sockets_parse(&refusal, sizeof(refusal), keep, &s, &done), -ENOENT);
	assert_int_equal(tcp_sockets_parse(&m, 10, keep, &s, &done), -EINVAL);
	assert_int_equal(tcp_sockets_parse(&m, sizeof(m) - 1, keep, &s, &done), -EINVAL);
	m.attribute.rta_len += 8;
	assert_int_equal(tcp_sockets_parse(&m, sizeof(m), keep, &s, &done), -EINVAL);
	m.attribute.rta_len = 2;
	assert_int_equal(tcp_sockets_parse(&m, sizeof(m), keep, &s, &done), -EINVAL);
}

struct sought {
	uint32_t inode;
	struct tcp_socket found;
	unsigned times;
};

static void seek(const struct tcp_socket *socket, void *context)
{
	struct sought *s = context;

	if (socket->inode == s->inode) {
		s->found = *socket;
		s->times++;
	}
}

static void count_inode(uint32_t inode, void *context)
{
	struct sought *s = context;

	s->times += inode == s->inode;
}

static uint32_t inode_of(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return (uint32_t) st.st_ino;
}

/* A connection over loopback; gives both ends. */
static void connect_to_self(int *ret_client, int *ret_server)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(listener, (struct sockaddr *) &address, sizeof(address)), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *) &address, &size), 0);
	*ret_client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(*ret_client, (struct sockaddr *) &address, sizeof(address)), 0);
	*ret_server = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	assert_true(*ret_server >= 0);
	close(listener);
}

static void the_kernel_shows_what_our_own_sockets_moved(void **state)
{
	char bytes[3000] = "x";
	struct sought sender = { 0 }, receiver = { 0 };
	int client, server;
	int fd = tcp_sockets_open(NULL);
	(void) state;

	assert_true(fd >= 0);
	connect_to_self(&client, &server);
	assert_int_equal(send(client, bytes, sizeof(bytes), 0), sizeof(bytes));
	assert_int_equal(recv(server, bytes, sizeof(bytes), MSG_WAITALL), sizeof(bytes));
	sender.inode = inode_of(client);
	receiver.inode = inode_of(server);
	int rc = tcp_sockets_dump(fd, seek, &sender);
	if (rc == -ENOENT) {
		print_message("# this kernel has no tcp_diag\n");
		skip();
	}
	assert_int_equal(rc, 0);
	assert_int_equal(tcp_sockets_dump(fd, seek, &receiver), 0);
	assert_int_equal(sender.times, 1);
	assert_int_equal(receiver.times, 1);
	assert_true(sender.found.loopback);
	assert_int_equal(sender.found.uid, getuid());
	assert_int_equal(receiver.found.received, 2999);
	assert_int_equal(sender.found.received, 0);
	close(client);
	close(server);
	close(fd);
}

static void the_sockets_among_our_files_are_found_descriptor_0_too(void **state)
{
	struct roots roots;
	struct sought s = { 0 };
	int client, server;
	int kept = dup(0);
	(void) state;

	assert_int_equal(roots_open(&roots, "", NULL), 0);
	connect_to_self(&client, &server);
	s.inode = inode_of(client);
	assert_int_equal(process_sockets_each(&roots, getpid(), count_inode, &s), 0);
	assert_int_equal(s.times, 1);
	assert_int_equal(dup2(client, 0), 0);
	s.times = 0;
	int rc = process_sockets_each(&roots, getpid(), count_inode, &s);
	dup2(kept, 0);
	assert_int_equal(rc, 0);
	assert_int_equal(s.times, 2);
	assert_int_equal(process_sockets_each(&roots, 0x7ffffff0, count_inode, &s), -ENOENT);
	close(kept);
	close(client);
	close(server);
	roots_close(&roots);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_socket_is_told_with_its_identity_and_bytes),
		cmocka_unit_test(bytes_of_connecting_and_ending_are_no_payload),
		cmocka_unit_test(a_kernel_without_byte_counters_gives_none),
		cmocka_unit_test(both_ends_on_this_machine_are_loopback),
		cmocka_unit_test(a_connection_is_a_listeners_by_port_and_address),
		cmocka_unit_test(answers_end_refuse_or_are_malformed),
		cmocka_unit_test(the_kernel_shows_what_our_own_sockets_moved),
		cmocka_unit_test(the_sockets_among_our_files_are_found_descriptor_0_too),
	};

	return cmocka_run_group_tests_name("tcp_sockets", tests, NULL, NULL);
}
