/* SPDX-License-Identifier: MIT */
/* The rows of network and energy, read from trees that the tests write, up to what a run's summary says. */
#include "made_tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/macros.h"
#include "collect/collect.h"
#include "collect/net_dev.h"
#include "model/run_info.h"
#include "target/ledger.h"

#define JOB 77
#define KEEPER 76
#define TABLE_HEAD "Inter-|Receive|Transmit\nface |bytes packets|bytes packets\n"

struct tree {
	struct made_tree made;
	struct measures measures;
	bool *selected;
	struct batch batch;
	struct devices devices;
	struct ledger ledger;
	struct collect collect;
	bool opened[N_COLLECTORS_MAX];
	void *own[N_COLLECTORS_MAX];
};

/* By its rights nobody of the job can go to another namespace, where it is 0 how many may be made. */
static void put_rights(const struct tree *t, const char *namespaces)
{
	tree_put(&t->made, "proc/self/status",
		"Name:\tassay\nCapInh:\t0000000000000000\nCapPrm:\t0000000000000000\n"
		"CapEff:\t0000000000000000\nCapBnd:\t00000000a80425fb\n"
		"CapAmb:\t0000000000000000\nNoNewPrivs:\t0\n");
	tree_put(&t->made, "proc/self/mountinfo", "");
	tree_put(&t->made, "proc/sys/user/max_user_namespaces", namespaces);
}

static int begin(void **state)
{
	struct tree *t = calloc(1, sizeof(*t));
	struct error err;

	tree_open_empty(&t->made);
	put_rights(t, "0\n");
	assert_int_equal(measures_build(&t->measures, &err), 0);
	size_t n = t->measures.n;
	t->selected = malloc(n * sizeof(*t->selected));
	memset(t->selected, true, n * sizeof(*t->selected));
	assert_int_equal(devices_init(&t->devices, &t->measures, collectors_count()), 0);
	t->batch = (struct batch){ .measures = &t->measures,
		.selected = t->selected,
		.singles = calloc(n, sizeof(*t->batch.singles)),
		.run_singles = calloc(n, sizeof(*t->batch.run_singles)),
		.totals = calloc(n, sizeof(*t->batch.totals)),
		.devices = &t->devices };
	t->ledger.job_pid = JOB;
	t->ledger.keeper_pid = KEEPER;
	t->collect =
		(struct collect){ .roots = &t->made.roots, .ledger = &t->ledger, .states = t->own };
	*state = t;
	return 0;
}

static int end(void **state)
{
	struct tree *t = *state;

	for (size_t i = 0; collectors[i]; i++)
		if (t->opened[i])
			collector_close(collectors[i], &t->collect, t->own[i]);
	devices_done(&t->devices);
	free(t->batch.singles);
	free(t->batch.run_singles);
	free(t->batch.totals);
	free(t->selected);
	measures_done(&t->measures);
	tree_close(&t->made);
	free(t);
	return 0;
}

/* One read of the collector, so many seconds after boot. */
static void read_at(struct tree *t, const char *collector, unsigned seconds)
{
	for (int row = 0; row < (int) t->measures.n; row++) {
		int i = t->measures.collector[row];
		const struct collector *c = collectors[i];
		if (strcmp(c->name, collector) != 0)
			continue;
		if (!t->opened[i])
			assert_int_equal(collector_open(c, &t->collect, &t->own[i], NULL), 0);
		t->opened[i] = true;
		batch_begin(&t->batch, row, seconds * NSEC_PER_SEC);
		assert_int_equal(collector_read(c, &t->collect, t->own[i], &t->batch), 0);
		batch_end(&t->batch);
		return;
	}
	fail_msg("no collector %s", collector);
}

/* What the collector of interfaces keeps. */
static struct interfaces *followed(struct tree *t)
{
	for (size_t i = 0; collectors[i]; i++)
		if (strcmp(collectors[i]->name, "net_dev") == 0)
			return t->own[i];
	fail_msg("no interfaces are followed");
	return NULL;
}

static struct summary result(const struct tree *t, const char *key)
{
	int row = measures_find(&t->measures, key);

	assert_true(row >= 0);
	return accumulator_summary(&t->batch.run_singles[row], t->measures.rows[row]);
}

static struct summary device_summary(
	const struct tree *t, const char *kind, const char *name, const char *key)
{
	int row = measures_find(&t->measures, key);

	assert_true(row >= 0);
	for (size_t i = 0; i < t->devices.n; i++) {
		const struct device_record *d = &t->devices.list[i];
		if (d->collector == t->measures.collector[row] && strcmp(d->kind, kind) == 0 &&
			strcmp(d->name, name) == 0)
			return accumulator_summary(
				&d->run_rows[t->devices.column[row]], t->measures.rows[row]);
	}
	fail_msg("no %s %s", kind, name);
	return (struct summary){ 0 };
}

static uint64_t of_device(const struct tree *t, const char *kind, const char *name, const char *key)
{
	return device_summary(t, kind, name, key).delta;
}

static void put_table(const struct tree *t, int pid, const char *lines)
{
	char text[512];

	snprintf(text, sizeof(text), TABLE_HEAD "%s", lines);
	tree_put_at(&t->made, text, "proc/%d/net/dev", pid);
}

static void put_namespace(const struct tree *t, int pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "proc/%d/ns/net", pid);
	tree_link(&t->made, path, name);
}

static void sums_are_of_all_interfaces_but_loopback(void **state)
{
	struct tree *t = *state;

	put_namespace(t, JOB, "net:[4026531840]");
	put_table(t, JOB, "lo: 100 1 100 1\neth0: 1000 10 2000 20\neth1: 5 1 6 1\n");
	read_at(t, "net_dev", 1);
	put_table(t, JOB, "lo: 900 2 900 2\neth0: 1300 13 2070 21\neth1: 9 2 8 2\n");
	read_at(t, "net_dev", 2);

	struct summary s = result(t, "netns_receive_bytes");
	assert_int_equal(s.delta, 304);
	assert_int_equal(s.quality, UPPER_BOUND);
	assert_int_equal(result(t, "netns_transmit_bytes").delta, 72);
	assert_int_equal(result(t, "netns_receive_packets_count").delta, 4);
	assert_int_equal(result(t, "netns_loopback_receive_bytes").delta, 800);
	assert_int_equal(of_device(t, "interface", "eth0", "netns_interface_receive_bytes"), 300);
	assert_int_equal(of_device(t, "interface", "lo", "netns_interface_transmit_bytes"), 800);
}

static void where_nothing_moved_the_job_moved_nothing(void **state)
{
	struct tree *t = *state;

	put_namespace(t, JOB, "net:[4026531840]");
	put_table(t, JOB, "lo: 100 1 100 1\neth0: 1000 10 2000 20\n");
	read_at(t, "net_dev", 1);
	read_at(t, "net_dev", 2);
	assert_int_equal(result(t, "netns_receive_bytes").delta, 0);
	assert_int_equal(result(t, "netns_receive_bytes").quality, EXACT);
}

/* What a process of the job moved in another one is in no counter of this one. */
static void who_could_leave_between_two_looks_makes_the_sum_no_bound(void **state)
{
	struct tree *t = *state;

	put_rights(t, "95853\n");
	put_namespace(t, JOB, "net:[4026531840]");
	put_table(t, JOB, "lo: 100 1 100 1\neth0: 1000 10 2000 20\n");
	read_at(t, "net_dev", 1);
	put_table(t, JOB, "lo: 100 1 100 1\neth0: 1000 10 2003 21\n");
	read_at(t, "net_dev", 2);
	assert_int_equal(result(t, "netns_receive_bytes").delta, 0);
	assert_int_equal(result(t, "netns_receive_bytes").quality, ESTIMATE);
	assert_int_equal(result(t, "netns_transmit_bytes").delta, 3);
	assert_int_equal(result(t, "netns_transmit_bytes").quality, ESTIMATE);
	assert_int_equal(result(t, "netns_loopback_receive_bytes").quality, ESTIMATE);
}

/* Somebody may have been in it between two looks (nsenter), and was not met. */
static void in_a_namespace_where_nobody_else_was_met_the_sum_is_an_upper_bound(void **state)
{
	struct tree *t = *state;

	tree_link(&t->made, "proc/self/ns/pid", "pid:[4026531836]");
	put_namespace(t, 1, "net:[4026531840]");
	put_namespace(t, KEEPER, "net:[4026531840]");
	put_namespace(t, JOB, "net:[4026532500]");
	tree_put(&t->made, "proc/77/stat",
		"77 (job) S 76 77 77 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
		"0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
	put_table(t, JOB, "lo: 0 0 0 0\nveth0: 0 0 0 0\nveth1: 0 0 0 0\n");
	read_at(t, "net_dev", 20);
	assert_int_equal(result(t, "netns_transmit_bytes").quality, EXACT);
	put_table(t, JOB, "lo: 0 0 0 0\nveth0: 0 0 1440 20\nveth1: 1440 20 0 0\n");
	read_at(t, "net_dev", 28);
	assert_true(interfaces_met_no_stranger(net_dev_interfaces(&t->collect)));
	assert_int_equal(result(t, "netns_transmit_bytes").delta, 1440);
	assert_int_equal(result(t, "netns_transmit_bytes").quality, UPPER_BOUND);
	assert_int_equal(result(t, "netns_loopback_transmit_bytes").quality, EXACT);
	/* What went away took along what it moved since the look before: not even a bound. */
	put_table(t, JOB, "lo: 0 0 0 0\nveth0: 0 0 1440 20\n");
	int row = measures_find(&t->measures, "netns_receive_bytes");
	accumulator_next_window(&t->batch.singles[row], 28 * NSEC_PER_SEC);
	read_at(t, "net_dev", 29);
	assert_int_equal(t->batch.singles[row].quality, ESTIMATE);
}

static void what_an_interface_took_along_makes_an_estimate(void **state)
{
	struct tree *t = *state;

	put_namespace(t, JOB, "net:[4026531840]");
	put_table(t, JOB, "eth0: 1000 10 2000 20\nveth7: 70 1 0 0\n");
	read_at(t, "net_dev", 1);
	put_table(t, JOB, "eth0: 1001 11 2000 20\n");
	read_at(t, "net_dev", 2);
	put_table(t, JOB, "eth0: 1002 12 2000 20\nveth7: 4 1 0 0\n");
	read_at(t, "net_dev", 3);

	struct summary s = result(t, "netns_receive_bytes");
	assert_int_equal(s.delta, 6);
	assert_int_equal(s.quality, ESTIMATE);
	assert_false(s.backwards);
	assert_int_equal(result(t, "netns_resets_count").delta, 1);
	assert_int_equal(of_device(t, "interface", "veth7", "netns_interface_receive_bytes"), 4);
}

/* Of an interface alone more is known than of all together, unless it is itself the one that counted anew. */
static void an_interface_that_counted_anew_has_an_estimate_and_the_others_are_exact(void **state)
{
	struct tree *t = *state;
	static const struct {
		const char *name;
		enum quality quality;
	} expected[] = { { "eth0", EXACT }, { "eth1", ESTIMATE }, { "eth2", ESTIMATE },
		{ "veth7", ESTIMATE }, { "veth8", ESTIMATE }, { "veth9", ESTIMATE } };

	put_namespace(t, JOB, "net:[4026531840]");
	put_table(t, JOB,
		"eth0: 1000 10 2000 20\neth1: 1000 10 2000 20\neth2: 4294967000 10 2000 20\n"
		"veth7: 70 1 0 0\nveth9: 70 1 0 0\n");
	read_at(t, "net_dev", 1);
	/* counts anew, goes round at 32 bits, goes away and comes back, or for good; and one that comes with a past */
	put_table(t, JOB, "eth0: 1001 11 2000 20\neth1: 5 1 2000 20\neth2: 4 11 2000 20\n");
	read_at(t, "net_dev", 2);
	put_table(t, JOB,
		"eth0: 1001 11 2000 20\neth1: 5 1 2000 20\neth2: 4 11 2000 20\nveth7: 4 1 0 "
		"0\nveth8: 9 1 0 0\n");
	read_at(t, "net_dev", 3);
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		assert_int_equal(device_summary(t, "interface", expected[i].name,
					 "netns_interface_receive_bytes")
					 .quality,
			expected[i].quality);
}

static void put_index(const struct tree *t, const char *name, const char *index)
{
	char text[64];

	snprintf(text, sizeof(text), "ifIndex                         \t%s\nIp6InReceives \t0\n",
		index);
	tree_put_at(&t->made, text, "proc/%d/net/dev_snmp6/%s", JOB, name);
}

/* One look at the job's table, in a second of its own. */
static void look_at_table(struct tree *t, unsigned second, const char *lines)
{
	put_table(t, JOB, lines);
	read_at(t, "net_dev", second);
}

static void a_renamed_interface_does_not_bring_its_past_again(void **state)
{
	struct tree *t = *state;

	put_namespace(t, JOB, "net:[4026531840]");
	put_index(t, "eth0", "2");
	look_at_table(t, 1, "eth0: 7000000 10 2000 20\neth1: 7000000 1 100 1\n");
	look_at_table(t, 2, "eth0: 7000010 11 2000 20\neth1: 7000000 1 100 1\n");
	put_index(t, "wan0", "2");
	look_at_table(t, 3, "wan0: 7000014 12 2000 20\neth1: 7000000 1 100 1\n");
	assert_int_equal(result(t, "netns_receive_bytes").delta, 10 + 4);
	assert_int_equal(result(t, "netns_receive_bytes").quality, UPPER_BOUND);
	assert_int_equal(result(t, "netns_resets_count").delta, 0);
	assert_int_equal(of_device(t, "interface", "wan0", "netns_interface_receive_bytes"), 4);
	assert_int_equal(of_device(t, "interface", "eth0", "netns_interface_receive_bytes"), 10);
	/* And back, to a name that is still kept. */
	put_table(t, JOB, "eth0: 7000015 12 2000 20\neth1: 7000000 1 100 1\n");
	read_at(t, "net_dev", 4);
	assert_int_equal(result(t, "netns_receive_bytes").delta, 10 + 4 + 1);
	assert_int_equal(of_device(t, "interface", "eth0", "netns_interface_receive_bytes"), 11);
}

/* Interfaces that nobody could follow moved what they moved: the sum of the others bounds nothing. */
static void interfaces_that_could_not_be_followed_leave_an_estimate(void **state)
{
	struct tree *t = *state;

	put_namespace(t, JOB, "net:[4026531840]");
	look_at_table(t, 1, "eth0: 7000000 10 2000 20\n");
	look_at_table(t, 2, "eth0: 7000010 11 2000 20\n");
	assert_int_equal(result(t, "netns_receive_bytes").quality, UPPER_BOUND);
	followed(t)->refused = 1;
	look_at_table(t, 3, "eth0: 7000011 12 2000 20\n");
	assert_int_equal(result(t, "netns_receive_bytes").delta, 11);
	assert_int_equal(result(t, "netns_receive_bytes").quality, ESTIMATE);
	assert_int_equal(result(t, "netns_transmit_bytes").quality, ESTIMATE);
}

/* Renamed again while we looked, its index is asked for under a name that is not its own any more. */
static void an_interface_that_may_be_a_renamed_one_does_not_bring_its_past(void **state)
{
	struct tree *t = *state;

	put_namespace(t, JOB, "net:[4026531840]");
	put_index(t, "eth0", "2");
	look_at_table(t, 1, "eth0: 7000000 10 2000 20\n");
	look_at_table(t, 2, "wan0: 7000010 11 2000 20\n");
	look_at_table(t, 3, "lan0: 7000013 12 2000 20\n");
	put_index(t, "lan0", "2");
	look_at_table(t, 4, "lan0: 7000014 12 2000 20\n");
	put_index(t, "dmz0", "2");
	look_at_table(t, 5, "dmz0: 7000016 12 2000 20\n");
	assert_int_equal(result(t, "netns_receive_bytes").delta, 1 + 2);
	assert_int_equal(result(t, "netns_receive_bytes").quality, ESTIMATE);
	assert_int_equal(result(t, "netns_resets_count").delta, 2);
}

/* Of another index it is another one, however alike the counters: its own counts whole, and what the old one took along is not known. */
static void a_successor_under_another_name_counts_whole(void **state)
{
	struct tree *t = *state;

	put_namespace(t, JOB, "net:[4026531840]");
	put_index(t, "veth1", "7");
	put_table(t, JOB, "veth1: 70 1 0 0\n");
	read_at(t, "net_dev", 1);
	put_index(t, "veth2", "8");
	put_table(t, JOB, "veth2: 70 1 0 0\n");
	read_at(t, "net_dev", 2);
	assert_int_equal(result(t, "netns_receive_bytes").delta, 70);
	assert_int_equal(result(t, "netns_receive_bytes").quality, ESTIMATE);
	assert_int_equal(result(t, "netns_resets_count").delta, 1);
}

static void devices_of_interfaces_long_gone_give_their_place_back(void **state)
{
	struct tree *t = *state;

	put_namespace(t, JOB, "net:[4026531840]");
	put_table(t, JOB, "eth0: 1000 10 2000 20\n");
	read_at(t, "net_dev", 1);
	for (int i = 0; i < 300; i++) {
		char text[64];

		snprintf(
			text, sizeof(text), "veth%d: 70 1 0 0\neth0: %d 10 2000 20\n", i, 1001 + i);
		put_table(t, JOB, text);
		read_at(t, "net_dev", 2 + (unsigned) i);
	}
	assert_int_equal(result(t, "netns_receive_bytes").delta, 300 * 70 + 300);
	assert_int_equal(t->devices.n, net_dev_interfaces(&t->collect)->n);
	assert_int_equal(t->devices.n, N_INTERFACES_GONE_MAX + 2);
	assert_int_equal(of_device(t, "interface", "eth0", "netns_interface_receive_bytes"), 300);
	assert_int_equal(of_device(t, "interface", "veth299", "netns_interface_receive_bytes"), 70);
	/* One whose place was given away begins anew. */
	put_table(t, JOB, "veth0: 9 1 0 0\neth0: 1300 10 2000 20\n");
	read_at(t, "net_dev", 400);
	assert_int_equal(of_device(t, "interface", "veth0", "netns_interface_receive_bytes"), 9);
	assert_int_equal(result(t, "netns_receive_bytes").delta, 300 * 70 + 300 + 9);
}

static void the_namespace_that_the_job_enters_counts_whole_and_the_old_one_no_more(void **state)
{
	struct tree *t = *state;

	put_namespace(t, JOB, "net:[4026531840]");
	put_table(t, JOB, "lo: 100 1 100 1\neth0: 1000 10 2000 20\n");
	read_at(t, "net_dev", 1);
	/* The file that is open goes on to show the old one: 5 bytes more before the job left it. */
	put_table(t, JOB, "lo: 100 1 100 1\neth0: 1005 11 2000 20\n");
	tree_remove(&t->made, "proc/77/net/dev");
	put_namespace(t, JOB, "net:[4026532500]");
	put_table(t, JOB, "lo: 40 1 40 1\neth0: 7 1 3 1\n");
	read_at(t, "net_dev", 2);
	assert_int_equal(result(t, "netns_receive_bytes").delta, 5 + 7);
	/* so it can go elsewhere, and may have been */
	assert_int_equal(result(t, "netns_receive_bytes").quality, ESTIMATE);
	assert_int_equal(result(t, "netns_loopback_receive_bytes").delta, 40);
	assert_int_equal(result(t, "netns_resets_count").delta, 0);
}

/* A file that is open goes on to show the old one. */
static void enter_namespace(const struct tree *t, const char *name)
{
	tree_remove(&t->made, "proc/77/net/dev");
	put_namespace(t, JOB, name);
}

/* Its past is no growth: of a namespace with a name, or with somebody else in it, or where the job was before. */
static void an_older_namespace_counts_from_the_first_look_at_it(void **state)
{
	struct tree *t = *state;

	put_namespace(t, KEEPER, "net:[4026531840]");
	put_namespace(t, JOB, "net:[4026531840]");
	put_table(t, JOB, "eth0: 1000 10 2000 20\n");
	read_at(t, "net_dev", 1);
	tree_put(&t->made, "proc/self/mountinfo",
		"40 30 0:4 net:[4026532500] /run/netns/old rw shared:9 - nsfs nsfs rw\n");
	enter_namespace(t, "net:[4026532500]");
	put_table(t, JOB, "eth0: 700000 1 3 1\n");
	read_at(t, "net_dev", 2);
	assert_int_equal(result(t, "netns_receive_bytes").delta, 0);
	put_table(t, JOB, "eth0: 700009 1 3 1\nveth0: 5 1 0 0\n");
	read_at(t, "net_dev", 3);
	assert_int_equal(result(t, "netns_receive_bytes").delta, 9 + 5);
	assert_int_equal(result(t, "netns_receive_bytes").quality, ESTIMATE);
	/* One where a stranger is. */
	put_namespace(t, 99, "net:[4026532600]");
	tree_put(&t->made, "proc/99/stat",
		"99 (other) S 1 99 99 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0 0 0 0 0 0 0 0 0 0 0 0 "
		"0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
	enter_namespace(t, "net:[4026532600]");
	put_table(t, JOB, "eth0: 800000 1 3 1\n");
	read_at(t, "net_dev", 4);
	assert_int_equal(result(t, "netns_receive_bytes").delta, 9 + 5);
	/* And back to where it began. */
	enter_namespace(t, "net:[4026531840]");
	put_table(t, JOB, "eth0: 900000 10 2000 20\n");
	read_at(t, "net_dev", 5);
	assert_int_equal(result(t, "netns_receive_bytes").delta, 9 + 5);
	put_table(t, JOB, "eth0: 900001 10 2000 20\n");
	read_at(t, "net_dev", 6);
	assert_int_equal(result(t, "netns_receive_bytes").delta, 9 + 5 + 1);
	assert_int_equal(of_device(t, "interface", "eth0", "netns_interface_receive_bytes"), 10);
}

static void the_keeper_stands_in_only_while_it_is_in_the_jobs_namespace(void **state)
{
	struct tree *t = *state;

	put_namespace(t, JOB, "net:[4026531840]");
	put_namespace(t, KEEPER, "net:[4026531840]");
	put_table(t, JOB, "eth0: 1000 10 2000 20\n");
	read_at(t, "net_dev", 1);
	/* The job is gone; first its open file is read once more, then the keeper's. */
	put_namespace(t, JOB, "gone");
	put_table(t, JOB, "eth0: 1001 11 2000 20\n");
	put_table(t, KEEPER, "eth0: 1004 14 2000 20\n");
	read_at(t, "net_dev", 2);
	assert_int_equal(result(t, "netns_receive_bytes").delta, 1);
	read_at(t, "net_dev", 3);
	assert_int_equal(result(t, "netns_receive_bytes").delta, 4);
	put_namespace(t, KEEPER, "net:[4026532500]");
	put_table(t, KEEPER, "eth0: 9999 99 9999 99\n");
	read_at(t, "net_dev", 4);
	assert_int_equal(result(t, "netns_receive_bytes").delta, 4);
	assert_int_equal(result(t, "netns_receive_bytes").why, ESRCH);
}

static void put_zone(const struct tree *t, const char *zone, const char *name, const char *energy)
{
	tree_put_at(&t->made, name, "sys/class/powercap/%s/name", zone);
	tree_put_at(&t->made, "262143328850\n", "sys/class/powercap/%s/max_energy_range_uj", zone);
	tree_put_at(&t->made, energy, "sys/class/powercap/%s/energy_uj", zone);
}

static void energy_is_summed_by_kind_in_nanojoules_and_power_follows(void **state)
{
	struct tree *t = *state;

	put_zone(t, "intel-rapl:0", "package-0\n", "1000000\n");
	put_zone(t, "intel-rapl:0:0", "dram\n", "0\n");
	put_zone(t, "intel-rapl:1", "package-1\n", "262143000000\n");
	put_zone(t, "intel-rapl-mmio:0", "package-0\n", "5\n");
	put_zone(t, "intel-rapl:2", "psys\n", "0\n");
	read_at(t, "rapl", 10);
	put_zone(t, "intel-rapl:0", "package-0\n", "101000000\n"); /* 100 J */
	put_zone(t, "intel-rapl:0:0", "dram\n", "7000000\n");
	put_zone(t, "intel-rapl:1", "package-1\n", "19671150\n"); /* round: 20 J */
	put_zone(t, "intel-rapl-mmio:0", "package-0\n", "100000005\n"); /* package-0 again */
	put_zone(t, "intel-rapl:2", "psys\n", "200000000\n");
	read_at(t, "rapl", 12);

	assert_int_equal(result(t, "rapl_package_energy_joules").delta, 120000000000);
	assert_int_equal(result(t, "rapl_package_energy_joules").quality, EXACT);
	assert_int_equal(result(t, "rapl_package_power_watts").max, 6000000); /* 60 W */
	assert_int_equal(result(t, "rapl_dram_energy_joules").delta, 7000000000);
	assert_int_equal(result(t, "rapl_psys_energy_joules").delta, 200000000000);
	assert_int_equal(result(t, "rapl_core_energy_joules").quality, ABSENT);
	assert_int_equal(result(t, "rapl_core_energy_joules").why, ENOENT);
	assert_int_equal(result(t, "rapl_wraps_count").delta, 1);
	assert_int_equal(of_device(t, "energy_domain", "package-1", "rapl_domain_energy_joules"),
		20000000000);
	assert_int_equal(
		of_device(t, "energy_domain", "package-0/dram", "rapl_domain_energy_joules"),
		7000000000);
	assert_int_equal(
		of_device(t, "energy_domain", "package-0/mmio", "rapl_domain_energy_joules"),
		100000000000);
}

static void a_package_that_cannot_be_read_makes_a_lower_bound(void **state)
{
	struct tree *t = *state;

	put_zone(t, "intel-rapl:0", "package-0\n", "1000000\n");
	put_zone(t, "intel-rapl:1", "package-1\n", "broken\n");
	read_at(t, "rapl", 10);
	put_zone(t, "intel-rapl:0", "package-0\n", "2000000\n");
	read_at(t, "rapl", 11);
	assert_int_equal(result(t, "rapl_package_energy_joules").delta, 1000000000);
	assert_int_equal(result(t, "rapl_package_energy_joules").quality, LOWER_BOUND);
}

#define IN_A_TREE(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_A_TREE(sums_are_of_all_interfaces_but_loopback),
		IN_A_TREE(where_nothing_moved_the_job_moved_nothing),
		IN_A_TREE(who_could_leave_between_two_looks_makes_the_sum_no_bound),
		IN_A_TREE(in_a_namespace_where_nobody_else_was_met_the_sum_is_an_upper_bound),
		IN_A_TREE(what_an_interface_took_along_makes_an_estimate),
		IN_A_TREE(an_interface_that_counted_anew_has_an_estimate_and_the_others_are_exact),
		IN_A_TREE(a_renamed_interface_does_not_bring_its_past_again),
		IN_A_TREE(interfaces_that_could_not_be_followed_leave_an_estimate),
		IN_A_TREE(an_interface_that_may_be_a_renamed_one_does_not_bring_its_past),
		IN_A_TREE(a_successor_under_another_name_counts_whole),
		IN_A_TREE(devices_of_interfaces_long_gone_give_their_place_back),
		IN_A_TREE(the_namespace_that_the_job_enters_counts_whole_and_the_old_one_no_more),
		IN_A_TREE(an_older_namespace_counts_from_the_first_look_at_it),
		IN_A_TREE(the_keeper_stands_in_only_while_it_is_in_the_jobs_namespace),
		IN_A_TREE(energy_is_summed_by_kind_in_nanojoules_and_power_follows),
		IN_A_TREE(a_package_that_cannot_be_read_makes_a_lower_bound),
	};

	return cmocka_run_group_tests_name("network_rows", tests, NULL, NULL);
}
