/* SPDX-License-Identifier: MIT */
/* Energy domains in trees of powercap that the tests write: no machine here has any. */
#include "made_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "collect/collect.h"
#include "collect/energy_domains.h"
#include "linux/powercap.h"

#define SECOND_NS NSEC_PER_SEC

static struct made_tree tree;

static void put_file(const char *zone, const char *file, const char *text)
{
	tree_put_at(&tree, text, "sys/class/powercap/%s/%s", zone, file);
}

static void put_zone(const char *zone, const char *name, const char *energy, const char *range)
{
	put_file(zone, "name", name);
	put_file(zone, "energy_uj", energy);
	put_file(zone, "max_energy_range_uj", range);
}

static int begin(void **state)
{
	(void) state;
	tree_open_empty(&tree);
	tree_path(&tree, "sys/class/powercap/");
	return 0;
}

static int end(void **state)
{
	(void) state;
	tree_close(&tree);
	return 0;
}

static uint64_t used(const struct energy_domains *e, const char *label)
{
	for (size_t i = 0; i < e->n; i++)
		if (strcmp(e->domains[i].label, label) == 0)
			return e->domains[i].used_uj;
	fail_msg("no domain %s", label);
	return 0;
}

static bool counts(const struct energy_domains *e, const char *label)
{
	for (size_t i = 0; i < e->n; i++)
		if (strcmp(e->domains[i].label, label) == 0)
			return e->domains[i].counts;
	fail_msg("no domain %s", label);
	return false;
}

static void zones_without_a_counter_are_no_domains(void **state)
{
	struct powercap_domain list[8];
	(void) state;

	assert_int_equal(powercap_list(&tree.roots, list, ARRAY_SIZE(list)), -ENOENT);
	put_file("intel-rapl", "enabled", "1\n");
	put_file("dtpm:0", "name", "cpu0-3\n");
	put_zone("intel-rapl:0", "package-0\n", "5\n", "262143328850\n");
	put_zone("intel-rapl:0:0", "dram\n", "7\n", "65712999613\n");
	assert_int_equal(powercap_list(&tree.roots, list, ARRAY_SIZE(list)), 2);
	assert_string_equal(list[0].zone, "intel-rapl:0");
	assert_string_equal(list[0].name, "package-0");
	assert_string_equal(list[0].parent, "");
	assert_int_equal(list[0].range_uj, 262143328850);
	assert_string_equal(list[1].name, "dram");
	assert_string_equal(list[1].parent, "package-0");
	assert_int_equal(list[1].range_uj, 65712999613);
}

static void every_domain_goes_round_at_its_own_range(void **state)
{
	struct energy_domains *e = calloc(1, sizeof(*e));
	(void) state;

	put_zone("intel-rapl:0", "package-0\n", "262143328000\n", "262143328850\n");
	put_zone("intel-rapl:0:0", "dram\n", "65712999000\n", "65712999613\n");
	assert_int_equal(energy_look(e, &tree.roots, SECOND_NS), 0);
	assert_int_equal(used(e, "package-0"), 0);
	put_file("intel-rapl:0", "energy_uj", "150\n");
	put_file("intel-rapl:0:0", "energy_uj", "87\n");
	assert_int_equal(energy_look(e, &tree.roots, 2 * SECOND_NS), 0);
	assert_int_equal(used(e, "package-0"), 1000);
	assert_int_equal(used(e, "package-0/dram"), 700);
	assert_int_equal(e->wraps, 2);
	assert_int_equal(e->doubtful, 0);
	free(e);
}

static void a_pause_in_which_a_counter_may_have_gone_round_twice_is_told(void **state)
{
	struct energy_domains *e = calloc(1, sizeof(*e));
	(void) state;

	put_zone("intel-rapl:0", "package-0\n", "0\n", "1000000000\n"); /* 1 kJ */
	energy_look(e, &tree.roots, SECOND_NS);
	put_file("intel-rapl:0", "energy_uj", "100000000\n"); /* 100 W */
	energy_look(e, &tree.roots, 2 * SECOND_NS);
	assert_int_equal(e->doubtful, 0);
	/* 60 s at 100 W are six rounds; one of them at most is seen. */
	put_file("intel-rapl:0", "energy_uj", "50000000\n");
	energy_look(e, &tree.roots, 62 * SECOND_NS);
	assert_int_equal(used(e, "package-0"), 1050000000);
	assert_int_equal(e->doubtful, 1);
	free(e);
}

static void a_counter_without_a_range_that_falls_is_doubtful_and_does_not_jump(void **state)
{
	struct energy_domains *e = calloc(1, sizeof(*e));
	(void) state;

	put_file("intel-rapl:0", "name", "package-0\n");
	put_file("intel-rapl:0", "energy_uj", "5000\n");
	energy_look(e, &tree.roots, SECOND_NS);
	put_file("intel-rapl:0", "energy_uj", "300\n");
	energy_look(e, &tree.roots, 2 * SECOND_NS);
	assert_int_equal(used(e, "package-0"), 300);
	assert_int_equal(e->doubtful, 1);
	free(e);
}

static void the_memory_mapped_way_counts_only_where_the_other_cannot_be_read(void **state)
{
	struct energy_domains *e = calloc(1, sizeof(*e));
	(void) state;

	put_zone("intel-rapl:0", "package-0\n", "10\n", "1000\n");
	put_zone("intel-rapl-mmio:0", "package-0\n", "20\n", "1000\n");
	energy_look(e, &tree.roots, SECOND_NS);
	assert_true(counts(e, "package-0"));
	assert_false(counts(e, "package-0/mmio"));

	*e = (struct energy_domains){ 0 };
	put_file("intel-rapl:0", "energy_uj", "garbage\n");
	energy_look(e, &tree.roots, SECOND_NS);
	assert_false(counts(e, "package-0"));
	assert_true(counts(e, "package-0/mmio"));
	free(e);
}

static void two_packages_have_domains_of_their_own_and_psys_stands_apart(void **state)
{
	struct energy_domains *e = calloc(1, sizeof(*e));
	(void) state;

	put_zone("intel-rapl:0", "package-0\n", "1\n", "1000\n");
	put_zone("intel-rapl:0:0", "core\n", "1\n", "1000\n");
	put_zone("intel-rapl:1", "package-1\n", "1\n", "1000\n");
	put_zone("intel-rapl:1:0", "core\n", "1\n", "1000\n");
	put_zone("intel-rapl:2", "psys\n", "1\n", "1000\n");
	energy_look(e, &tree.roots, SECOND_NS);
	put_file("intel-rapl:0:0", "energy_uj", "4\n");
	put_file("intel-rapl:1:0", "energy_uj", "11\n");
	energy_look(e, &tree.roots, 2 * SECOND_NS);
	assert_int_equal(e->n, 5);
	assert_int_equal(used(e, "package-0/core"), 3);
	assert_int_equal(used(e, "package-1/core"), 10);
	assert_int_equal(used(e, "psys"), 0);
	assert_int_equal(e->domains[4].kind, ENERGY_PSYS);
	assert_int_equal(e->domains[0].kind, ENERGY_PACKAGE);
	free(e);
}

static void a_machine_without_counters_says_what_would_help(void **state)
{
	struct error err = { 0 };
	(void) state;

	assert_int_equal(powercap_probe(&tree.roots, &err), -ENOENT);
	assert_non_null(strstr(err.text, "intel_rapl_msr"));
}

static void counters_for_root_only_are_absent_with_what_would_unlock_them(void **state)
{
	struct error err = { 0 };
	struct energy_domains *e = calloc(1, sizeof(*e));
	struct made_path path = tree_path(&tree, "sys/class/powercap/intel-rapl:0/energy_uj");
	(void) state;

	put_zone("intel-rapl:0", "package-0\n", "1\n", "1000\n");
	assert_int_equal(chmod(path.text, 0400), 0);
	assert_int_equal(chmod(tree.root, 0755), 0);
	bool privileged = geteuid() == 0;
	if (privileged)
		assert_int_equal(seteuid(65534), 0);
	else
		assert_int_equal(chmod(path.text, 0), 0);
	int r = powercap_probe(&tree.roots, &err);
	int look = energy_look(e, &tree.roots, SECOND_NS);
	if (privileged)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(r, -EACCES);
	assert_non_null(strstr(err.text, "chmod a+r"));
	assert_int_equal(look, 0);
	assert_int_equal(e->n, 1);
	assert_int_equal(e->domains[0].error, EACCES);
	free(e);
}

static void numbers_must_be_whole_lines(void **state)
{
	uint64_t n = 0;
	(void) state;

	assert_int_equal(powercap_number_parse("262143328850\n", 13, &n), 0);
	assert_int_equal(n, 262143328850);
	assert_int_equal(powercap_number_parse("26214332885", 11, &n), -EINVAL);
	assert_int_equal(powercap_number_parse("1 \n", 3, &n), -EINVAL);
	assert_int_equal(powercap_number_parse("", 0, &n), -EINVAL);
	assert_int_equal(powercap_number_parse("18446744073709551616\n", 21, &n), -EINVAL);
}

#define IN_A_TREE(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_A_TREE(zones_without_a_counter_are_no_domains),
		IN_A_TREE(every_domain_goes_round_at_its_own_range),
		IN_A_TREE(a_pause_in_which_a_counter_may_have_gone_round_twice_is_told),
		IN_A_TREE(a_counter_without_a_range_that_falls_is_doubtful_and_does_not_jump),
		IN_A_TREE(the_memory_mapped_way_counts_only_where_the_other_cannot_be_read),
		IN_A_TREE(two_packages_have_domains_of_their_own_and_psys_stands_apart),
		IN_A_TREE(a_machine_without_counters_says_what_would_help),
		IN_A_TREE(counters_for_root_only_are_absent_with_what_would_unlock_them),
		cmocka_unit_test(numbers_must_be_whole_lines),
	};

	return cmocka_run_group_tests_name("energy", tests, NULL, NULL);
}
