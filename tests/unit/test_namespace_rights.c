/* SPDX-License-Identifier: MIT */
/* Whether anybody could ever be in another network namespace, by the rights and limits of made trees. */
#include "made_tree.h"

#include "base/macros.h"
#include "linux/namespace_rights.h"

#define NONE "0000000000000000"
#define ADMIN "0000000000200000" /* CAP_SYS_ADMIN alone */
#define OTHERS "000001ffffdfffff" /* all but that */
#define STATUS(inheritable, permitted, bounding, ambient, no_new)                                  \
	"Name:\tassay\nSeccomp:\t0\nCapInh:\t" inheritable "\nCapPrm:\t" permitted                 \
	"\nCapEff:\t" NONE "\nCapBnd:\t" bounding "\nCapAmb:\t" ambient "\nNoNewPrivs:\t" no_new   \
	"\n"

static void rights_are_none_without_cap_sys_admin_in_any_set_that_counts(void **state)
{
	static const struct {
		const char *status;
		bool none;
	} cases[] = {
		{ STATUS(NONE, NONE, OTHERS, NONE, "0"), true },
		{ STATUS(OTHERS, OTHERS, OTHERS, OTHERS, "0"), true },
		/* a program of root's would give it */
		{ STATUS(NONE, NONE, ADMIN, NONE, "0"), false },
		{ STATUS(NONE, NONE, ADMIN, NONE, "1"), true },
		{ STATUS(ADMIN, NONE, NONE, NONE, "1"), false },
		{ STATUS(NONE, ADMIN, NONE, NONE, "1"), false },
		{ STATUS(NONE, NONE, NONE, ADMIN, "1"), false },
		/* older kernels lack the last lines */
		{ "CapInh:\t" NONE "\nCapPrm:\t" NONE "\nCapBnd:\t" NONE "\n", true },
		{ "CapInh:\t" NONE "\nCapPrm:\t" NONE "\nCapBnd:\t" ADMIN "\n", false },
	};
	struct namespace_rights rights;
	(void) state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *text = cases[i].status;

		assert_int_equal(namespace_rights_parse(text, strlen(text), &rights), 0);
		assert_int_equal(namespace_rights_are_none(&rights), cases[i].none);
	}
}

static void a_text_without_all_sets_or_cut_is_refused(void **state)
{
	static const char *const texts[] = { "", "CapInh:\t" NONE "\nCapPrm:\t" NONE "\n",
		"CapInh:\t" NONE "\nCapPrm:\t" NONE "\nCapBnd:\t000",
		"CapInh:\t" NONE "\nCapPrm:\tx\nCapBnd:\t" NONE "\n" };
	struct namespace_rights rights;
	(void) state;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_int_equal(
			namespace_rights_parse(texts[i], strlen(texts[i]), &rights), -EINVAL);
}

static void nobody_leaves_only_where_no_rights_meet_no_namespaces(void **state)
{
	static const char *const limits[] = { "proc/sys/user/max_user_namespaces",
		"proc/sys/user/max_net_namespaces", "proc/sys/kernel/unprivileged_userns_clone" };
	struct made_tree t;
	(void) state;

	tree_open_empty(&t);
	assert_true(may_leave_network_namespace(&t.roots));
	tree_put(&t, "proc/self/status", STATUS(NONE, NONE, ADMIN, NONE, "1"));
	assert_true(may_leave_network_namespace(&t.roots));
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		tree_put(&t, limits[i], "10\n");
		assert_true(may_leave_network_namespace(&t.roots));
		tree_put(&t, limits[i], "0\n");
		assert_false(may_leave_network_namespace(&t.roots));
		tree_put(&t, limits[i], "1\n");
	}
	tree_put(&t, limits[0], "0\n");
	tree_put(&t, "proc/self/status", STATUS(NONE, ADMIN, ADMIN, NONE, "0"));
	assert_true(may_leave_network_namespace(&t.roots));
	tree_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rights_are_none_without_cap_sys_admin_in_any_set_that_counts),
		cmocka_unit_test(a_text_without_all_sets_or_cut_is_refused),
		cmocka_unit_test(nobody_leaves_only_where_no_rights_meet_no_namespaces),
	};

	return cmocka_run_group_tests_name("namespace_rights", tests, NULL, NULL);
}
