/* SPDX-License-Identifier: MIT */
/* Interfaces: the table of the kernel, and counters followed through wraps, resets and namespaces. */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/macros.h"
#include "collect/interfaces.h"
#include "linux/net_dev.h"
#include "linux/roots.h"
#include "target/own_namespace.h"

#define HEADER                                                                                     \
	"Inter-|   Receive                                                |  Transmit\n"           \
	" face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs " \
	"drop fifo colls carrier compressed\n"

struct seen {
	size_t n;
	struct net_interface list[8];
};

static void keep(const struct net_interface *interface, void *context)
{
	struct seen *s = context;

	assert_true(s->n < ARRAY_SIZE(s->list));
	s->list[s->n++] = *interface;
}

static int parse(const char *text, struct seen *ret)
{
	*ret = (struct seen){ 0 };
	return net_dev_parse(text, strlen(text), keep, ret);
}

static void each_counter_is_taken_from_its_own_column(void **state)
{
	static const uint64_t expected[] = { 11, 12, 13, 14, 21, 22, 23, 24 };
	struct seen s;
	(void) state;

	assert_int_equal(
		parse(HEADER "  eth0: 11 12 13 14 15 16 17 18 21 22 23 24 25 26 27 28\n", &s), 1);
	assert_string_equal(s.list[0].name, "eth0");
	assert_memory_equal(s.list[0].counters, expected, sizeof(expected));
}

static void columns_are_found_by_the_header_not_by_their_place(void **state)
{
	struct seen s;
	(void) state;

	assert_int_equal(parse("Inter-| Receive | Transmit\n"
			       " face |packets bytes|drop bytes packets\n"
			       "eth0: 1 2 3 4 5\n",
				 &s),
		1);
	assert_int_equal(s.list[0].counters[RECEIVE_PACKETS], 1);
	assert_int_equal(s.list[0].counters[RECEIVE_BYTES], 2);
	assert_int_equal(s.list[0].counters[TRANSMIT_DROPS], 3);
	assert_int_equal(s.list[0].counters[TRANSMIT_BYTES], 4);
	assert_int_equal(s.list[0].counters[TRANSMIT_PACKETS], 5);
	assert_int_equal(s.list[0].counters[RECEIVE_ERRORS], 0);
}

static void names_may_hold_colons_and_touch_their_number(void **state)
{
	struct seen s;
	(void) state;

	assert_int_equal(parse(HEADER "eth0:1:18446744073709551615 2 0 0 0 0 0 0 4 5 0 0 0 0 0 0\n"
				      " a:b: 7 2 0 0 0 0 0 0 4 5 0 0 0 0 0 0\n"
				      "wlan0:9 2 0 0 0 0 0 0 4 5 0 0 0 0 0 0\n",
				 &s),
		3);
	assert_string_equal(s.list[0].name, "eth0:1");
	assert_true(s.list[0].counters[RECEIVE_BYTES] == UINT64_MAX);
	assert_string_equal(s.list[1].name, "a:b");
	assert_int_equal(s.list[1].counters[RECEIVE_BYTES], 7);
	assert_string_equal(s.list[2].name, "wlan0");
	assert_int_equal(s.list[2].counters[RECEIVE_BYTES], 9);
}

static void what_is_no_such_table_or_was_cut_is_refused(void **state)
{
	struct seen s;
	(void) state;

	assert_int_equal(parse(HEADER, &s), 0);
	assert_int_equal(parse("", &s), -EINVAL);
	assert_int_equal(parse(HEADER "eth0: 1 2 0 0 0 0 0 0 4 5 0 0 0 0 0 0", &s), -EINVAL);
	assert_int_equal(parse(HEADER "eth0: 1 2 0 0 0 0 0 0 4 5 0 0 0 0 0\n", &s), -EINVAL);
	assert_int_equal(parse(HEADER "eth0: 1 x 0 0 0 0 0 0 4 5 0 0 0 0 0 0\n", &s), -EINVAL);
	assert_int_equal(
		parse(HEADER "eth0: 18446744073709551616 2 0 0 0 0 0 0 4 5 0 0 0 0 0 0\n", &s),
		-EINVAL);
	assert_int_equal(
		parse("Inter-|Receive|Transmit\nface |packets errs|packets errs\n", &s), -ENODATA);
}

/* One look at interfaces given as "name rx_bytes rx_packets tx_bytes tx_packets" lines. */
static void look(struct interfaces *s, const char *lines)
{
	char text[1024];
	int n = snprintf(text, sizeof(text),
		"Inter-|Receive|Transmit\n"
		"face |bytes packets|bytes packets\n%s",
		lines);

	assert_int_equal(interfaces_take(s, text, (size_t) n), 0);
}

static const struct interface *named(const struct interfaces *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->list[i].name, name) == 0)
			return &s->list[i];
	fail_msg("no interface %s", name);
	return NULL;
}

static void what_was_counted_before_the_first_look_is_not_counted(void **state)
{
	struct interfaces s = { 0 };
	(void) state;

	look(&s, "eth0: 1000 10 2000 20\n");
	assert_int_equal(named(&s, "eth0")->grown[RECEIVE_BYTES], 0);
	look(&s, "eth0: 1100 11 2500 21\n");
	assert_int_equal(named(&s, "eth0")->grown[RECEIVE_BYTES], 100);
	assert_int_equal(named(&s, "eth0")->grown[TRANSMIT_BYTES], 500);
	assert_int_equal(named(&s, "eth0")->grown[TRANSMIT_PACKETS], 1);
	interfaces_done(&s);
}

static void a_counter_of_32_bits_that_goes_round_neither_jumps_nor_falls(void **state)
{
	struct interfaces s = { 0 };
	(void) state;

	look(&s, "eth0: 4294967000 100 5 1\n");
	look(&s, "eth0: 704 101 6 2\n");
	assert_int_equal(named(&s, "eth0")->grown[RECEIVE_BYTES], 1000);
	assert_int_equal(named(&s, "eth0")->grown[RECEIVE_PACKETS], 1);
	assert_int_equal(named(&s, "eth0")->grown[TRANSMIT_BYTES], 1);
	assert_int_equal(s.wraps, 1);
	assert_int_equal(s.resets, 0);
	interfaces_done(&s);
}

static void a_driver_that_counts_anew_adds_what_it_counted_since(void **state)
{
	struct interfaces s = { 0 };
	(void) state;

	look(&s, "eth0: 4294967000 100 9000000000 50\n");
	look(&s, "eth0: 704 3 500 2\n");
	assert_int_equal(named(&s, "eth0")->grown[RECEIVE_BYTES], 704);
	assert_int_equal(named(&s, "eth0")->grown[RECEIVE_PACKETS], 3);
	assert_int_equal(named(&s, "eth0")->grown[TRANSMIT_BYTES], 500);
	assert_int_equal(s.wraps, 0);
	assert_int_equal(s.resets, 2); /* one a direction */
	interfaces_done(&s);
}

static void an_interface_that_goes_and_comes_keeps_what_it_had_and_adds_the_new(void **state)
{
	struct interfaces s = { 0 };
	(void) state;

	look(&s, "lo: 0 0 0 0\nveth1: 1000 10 0 0\n");
	look(&s, "lo: 0 0 0 0\nveth1: 1500 15 0 0\n");
	look(&s, "lo: 0 0 0 0\n");
	assert_int_equal(s.resets, 1);
	assert_int_equal(named(&s, "veth1")->grown[RECEIVE_BYTES], 500);
	/* Its successor may have counted more already than it ever had. */
	look(&s, "veth1: 7000 70 0 0\nlo: 0 0 0 0\n");
	assert_int_equal(named(&s, "veth1")->grown[RECEIVE_BYTES], 7500);
	assert_int_equal(s.arrivals, 1);
	look(&s, "veth1: 7001 71 0 0\nlo: 0 0 0 0\n");
	assert_int_equal(named(&s, "veth1")->grown[RECEIVE_BYTES], 7501);
	assert_int_equal(s.resets, 1);
	interfaces_done(&s);
}

static void interfaces_that_come_and_go_by_the_hundred_stay_in_the_sums_and_give_their_place_back(
	void **state)
{
	struct interfaces s = { 0 };
	uint64_t sum[N_INTERFACE_COUNTERS];
	(void) state;

	look(&s, "lo: 5 1 5 1\neth0: 1000 10 0 0\n");
	for (int i = 0; i < 1000; i++) {
		char text[128];

		snprintf(text, sizeof(text), "lo: 5 1 5 1\nveth%d: 7 1 3 1\neth0: %d 10 0 0\n", i,
			1001 + i);
		look(&s, text);
	}
	assert_true(s.n <= N_INTERFACES_GONE_MAX + 3);
	assert_true(s.capacity <= 128);
	interfaces_sum(&s, false, sum);
	assert_int_equal(sum[RECEIVE_BYTES], 1000 * 7 + 1000);
	assert_int_equal(sum[TRANSMIT_BYTES], 1000 * 3);
	interfaces_sum(&s, true, sum);
	assert_int_equal(sum[RECEIVE_BYTES], 0);
	assert_int_equal(s.n_folded, 1000 - 1 - N_INTERFACES_GONE_MAX);
	assert_int_equal(named(&s, "eth0")->grown[RECEIVE_BYTES], 1000);
	assert_true(interfaces_find(&s, "veth998") != NULL);
	assert_true(interfaces_find(&s, "veth1") == NULL);
	interfaces_done(&s);
}

static void more_interfaces_than_there_is_place_for_are_said_to_be_missing(void **state)
{
	enum { N = N_INTERFACES_MAX + 3 };
	struct interfaces s = { 0 };
	size_t size = 256 + (size_t) N * 32;
	char *text = malloc(size);
	(void) state;

	size_t n = (size_t) snprintf(text, size,
		"Inter-|Receive|Transmit\n"
		"face |bytes packets|bytes packets\n");
	for (int i = 0; i < N; i++)
		n += (size_t) snprintf(text + n, size - n, "v%d: 1 1 1 1\n", i);
	assert_int_equal(interfaces_take(&s, text, n), 0);
	assert_int_equal(s.n, N_INTERFACES_MAX);
	assert_int_equal(s.refused, 3);
	free(text);
	interfaces_done(&s);
}

static void the_index_is_the_first_line_of_its_file(void **state)
{
	uint64_t index = 0;
	(void) state;

	assert_int_equal(
		net_interface_index_parse("ifIndex \t12\nIp6InReceives 3\n", 29, &index), 0);
	assert_int_equal(index, 12);
	assert_int_equal(net_interface_index_parse("ifIndex \t12", 11, &index), -EINVAL);
	assert_int_equal(net_interface_index_parse("ifIndexes 1\n", 12, &index), -EINVAL);
	assert_int_equal(net_interface_index_parse("ifIndex", 7, &index), -EINVAL);
	assert_int_equal(net_interface_index_parse("", 0, &index), -EINVAL);
}

static void only_lo_is_loopback(void **state)
{
	struct interfaces s = { 0 };
	(void) state;

	look(&s, "lo: 0 0 0 0\nlo0: 1000 10 0 0\n");
	assert_true(interface_is_loopback(named(&s, "lo")));
	assert_false(interface_is_loopback(named(&s, "lo0")));
	interfaces_done(&s);
}

static void the_live_table_shows_loopback_and_our_own_namespace(void **state)
{
	struct roots roots;
	struct interfaces s = { 0 };
	uint64_t ours, of_parent;
	(void) state;

	assert_int_equal(roots_open(&roots, "", NULL), 0);
	assert_int_equal(interfaces_look(&s, &roots, getpid(), getpid(), 1), 0);
	assert_true(named(&s, "lo")->there);
	assert_int_equal(net_namespace(&roots, getpid(), &ours), 0);
	assert_int_equal(net_namespace(&roots, getppid(), &of_parent), 0);
	assert_int_equal(ours, of_parent);
	assert_int_equal(s.network_namespace, ours);
	/* Our parent is in it as well, and no child of ours. */
	assert_false(namespace_is_the_jobs(&roots, ours, getpid()));
	assert_false(interfaces_met_no_stranger(&s));
	interfaces_done(&s);
	roots_close(&roots);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_counter_is_taken_from_its_own_column),
		cmocka_unit_test(columns_are_found_by_the_header_not_by_their_place),
		cmocka_unit_test(names_may_hold_colons_and_touch_their_number),
		cmocka_unit_test(what_is_no_such_table_or_was_cut_is_refused),
		cmocka_unit_test(what_was_counted_before_the_first_look_is_not_counted),
		cmocka_unit_test(a_counter_of_32_bits_that_goes_round_neither_jumps_nor_falls),
		cmocka_unit_test(a_driver_that_counts_anew_adds_what_it_counted_since),
		cmocka_unit_test(
			an_interface_that_goes_and_comes_keeps_what_it_had_and_adds_the_new),
		cmocka_unit_test(
			interfaces_that_come_and_go_by_the_hundred_stay_in_the_sums_and_give_their_place_back),
		cmocka_unit_test(more_interfaces_than_there_is_place_for_are_said_to_be_missing),
		cmocka_unit_test(the_index_is_the_first_line_of_its_file),
		cmocka_unit_test(only_lo_is_loopback),
		cmocka_unit_test(the_live_table_shows_loopback_and_our_own_namespace),
	};

	return cmocka_run_group_tests_name("network", tests, NULL, NULL);
}
