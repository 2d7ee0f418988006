/* SPDX-License-Identifier: MIT */
/* How /proc is mounted, from the text of mountinfo and from recorded trees. */
#include "linux_test.h"

#include <string.h>

#include "linux/proc_mount.h"

#define ROOT "26 0 253:0 / / rw - ext4 /dev/sda1 rw\n"

static struct proc_mount parsed(const char *text)
{
	struct proc_mount m;

	assert_int_equal(proc_mount_parse(text, strlen(text), &m), 0);
	return m;
}

static void assert_hides(const char *text, const char *hidepid, bool hides)
{
	struct proc_mount m = parsed(text);

	assert_string_equal(m.hidepid, hidepid);
	assert_int_equal(m.hides, hides);
}

static void hidepid_is_read_by_number_and_by_name(void **state)
{
	(void) state;
	assert_hides(ROOT "22 26 0:4 / /proc rw - proc proc rw\n", "", false);
	assert_hides("22 26 0:4 / /proc rw - proc proc rw,gid=30,hidepid=2\n" ROOT, "2", true);
	assert_hides("22 26 0:4 / /proc rw - proc proc rw,hidepid=1\n", "1", false);
	assert_hides("22 26 0:4 / /proc rw - proc proc rw,hidepid=noaccess\n", "noaccess", false);
	assert_hides("22 26 0:4 / /proc rw shared:12 master:3 - proc proc hidepid=invisible,rw\n",
		"invisible", true);
	assert_hides("22 26 0:4 / /proc rw - proc x rw,hidepid=ptraceable\n", "ptraceable", true);
}

static void only_the_mount_on_top_counts(void **state)
{
	(void) state;
	assert_hides("22 26 0:4 / /proc rw - proc proc rw,hidepid=2\n"
		     "90 22 0:9 / /proc rw - proc proc rw\n",
		"", false);
	assert_hides("22 26 0:4 / /proc rw - proc proc rw\n"
		     "91 26 0:9 / /chroot/proc rw - proc proc rw,hidepid=2\n"
		     "92 22 0:9 / /proc/sys/fs/binfmt_misc rw - binfmt_misc b rw,hidepid=2\n",
		"", false);
}

static void text_without_proc_or_without_its_end_is_refused(void **state)
{
	struct proc_mount m;
	static const char cut[] = "22 26 0:4 / /proc rw - proc proc rw,hide";
	(void) state;

	assert_int_equal(proc_mount_parse(ROOT, strlen(ROOT), &m), -ENOENT);
	assert_int_equal(proc_mount_parse("", 0, &m), -ENOENT);
	assert_int_equal(proc_mount_parse(cut, strlen(cut), &m), -EINVAL);
	assert_int_equal(proc_mount_parse("\n", 1, &m), -ENOENT);
	assert_int_equal(proc_mount_parse("22 26 0:4 / /proc\n", 18, &m), -ENOENT);
}

static void a_recorded_tree_says_it_too(void **state)
{
	struct roots r = open_fixture("hidepid");
	struct proc_mount m;
	(void) state;

	assert_int_equal(proc_mount_read(&r, &m), 0);
	assert_string_equal(m.hidepid, "2");
	assert_true(proc_mount_hides_from_us(&r));
	roots_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hidepid_is_read_by_number_and_by_name),
		cmocka_unit_test(only_the_mount_on_top_counts),
		cmocka_unit_test(text_without_proc_or_without_its_end_is_refused),
		cmocka_unit_test(a_recorded_tree_says_it_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
