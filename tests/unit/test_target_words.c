/* SPDX-License-Identifier: MIT */
/* The words that name a target: what is taken, how it is written in full, what is refused and how that is said. */
#include "target_test.h"

#include <unistd.h>

static void assert_words(const char *words, const char *text, const char *file, const char *people)
{
	struct target t = parsed(words);

	assert_string_equal(t.text, text);
	assert_string_equal(t.file_word, file);
	assert_string_equal(t.people, people);
	target_done(&t);
}

static void every_kind_is_written_in_full_words(void **state)
{
	(void) state;
	assert_words("1234", "tree:1234", "tree-1234", "process 1234 and its descendants");
	assert_words("tree:0012", "tree:12", "tree-12", "process 12 and its descendants");
	assert_words("session:77", "session:77", "session-77", "session 77");
	assert_words("group:2147483647", "group:2147483647", "group-2147483647",
		"process group 2147483647");
	assert_words("user:alice", "user:alice", "user-alice", "user alice");
	assert_words(
		"slurm:12.batch", "slurm:12.batch", "slurm-12.batch", "Slurm job 12, step batch");
	assert_words("slurm:12", "slurm:12", "slurm-12", "Slurm job 12");
	assert_words("cgroup:/a/b c/", "cgroup:/a/b c", "cgroup-a_b_c", "cgroup /a/b c");
	assert_words(
		"cgroup:memory:/a", "cgroup:memory:/a", "cgroup-memory-a", "cgroup /a (memory)");
	assert_words("cgroup::/a:b", "cgroup::/a:b", "cgroup-a-b", "cgroup /a:b (version 2)");
	assert_words("container:web_1", "container:web_1", "container-web_1", "container web_1");
	assert_words("pids:30,4,5", "pids:4,5,30", "pids-4_5_30", "3 processes by their ids");
	assert_words("name:python3", "name:python3", "name-python3", "processes named python3");
	assert_words("match:^/bin/sh +-c", "match:^/bin/sh +-c", "match-bin_sh_c",
		"command lines that match ^/bin/sh +-c");
	assert_words("system", "system", "system", "all processes of the machine");
}

static void what_is_left_out_is_our_own(void **state)
{
	struct target t;
	(void) state;

	t = parsed("session");
	assert_int_equal(t.terms[0].id, getsid(0));
	target_done(&t);
	t = parsed("group");
	assert_int_equal(t.terms[0].id, getpgrp());
	target_done(&t);
	t = parsed("user");
	assert_int_equal(t.terms[0].uid, getuid());
	target_done(&t);
	setenv("SLURM_JOB_ID", "4242", 1);
	setenv("SLURM_JOBID", "1", 1);
	assert_words("slurm", "slurm:4242", "slurm-4242", "Slurm job 4242");
	unsetenv("SLURM_JOB_ID");
	assert_words("slurm", "slurm:1", "slurm-1", "Slurm job 1");
	setenv("SLURM_JOBID", "12.3", 1);
	assert_no_parse("slurm", "'12.3' is no Slurm job (SLURM_JOB_ID)");
	unsetenv("SLURM_JOBID");
	assert_no_parse("slurm", "no Slurm job here: SLURM_JOB_ID is not set; name one, slurm:JOB");
}

static void a_plus_joins_only_before_a_known_word(void **state)
{
	struct target t = parsed("user:alice+name:python3+session:9");
	(void) state;

	assert_int_equal(t.n_terms, 3);
	assert_int_equal(t.terms[1].kind, TARGET_NAME);
	assert_string_equal(t.terms[1].text, "python3");
	assert_string_equal(t.text, "user:alice+name:python3+session:9");
	assert_string_equal(t.file_word, "user-alice_name-python3_session-9");
	assert_string_equal(t.people, "user alice, processes named python3, session 9");
	target_done(&t);

	t = parsed("name:g+++user:0");
	assert_int_equal(t.n_terms, 2);
	assert_string_equal(t.terms[0].text, "g++");
	target_done(&t);
	t = parsed("match:a+(b)+users:x+names");
	assert_int_equal(t.n_terms, 1);
	target_done(&t);
	t = parsed("match:a+b+match:c");
	assert_int_equal(t.n_terms, 2);
	assert_string_equal(t.terms[0].text, "a+b");
	target_done(&t);
}

static void wrong_words_are_refused_in_one_line(void **state)
{
	(void) state;
	assert_no_parse("", "an empty target: there are tree session");
	assert_no_parse("frob", "'frob' is no target; there are tree session group user");
	assert_no_parse("frob:12", "'frob:12' is no target");
	assert_no_parse("User:alice", "'User:alice' is no target");
	assert_no_parse("job", "'job' is no target");
	assert_no_parse(":12", "':12' is no target");
	assert_no_parse("tree:", "nothing follows the colon of 'tree:'");
	assert_no_parse("user:", "nothing follows the colon");
	assert_no_parse("match:", "nothing follows the colon");
	assert_no_parse("tree", "'tree' needs to be told which");
	assert_no_parse("name", "'name' needs to be told which");
	assert_no_parse("pids", "'pids' needs to be told which");
	assert_no_parse("container", "'container' needs to be told which");
	assert_no_parse("system:1", "'system' is the whole machine");
	assert_no_parse("user:a+user:b", "two conditions of the same kind, 'user'");
	assert_no_parse("match:a+match:a", "two conditions of the same kind, 'match'");
	assert_no_parse("tree:1+name:a", "a tree takes no further condition");
	assert_no_parse("12+name:a", "a tree takes no further condition");
	assert_no_parse("user:a+system", "'system' holds everybody");
	assert_no_parse("user:a+name:b+session:1+group:2+cgroup:/x",
		"more than 4 conditions in one target");
}

static void a_number_of_a_process_is_one(void **state)
{
	(void) state;
	assert_no_parse("0", "'0' is no process id: a number from 1 to 2147483647");
	assert_no_parse("tree:0", "'0' is no process id");
	assert_no_parse("tree:-5", "'-5' is no process id");
	assert_no_parse("-5", "'-5' is no target");
	assert_no_parse("tree:2147483648", "'2147483648' is no process id");
	assert_no_parse("99999999999999999999999999", "is no process id");
	assert_no_parse("18446744073709551617", "is no process id"); /* 2^64 + 1 */
	assert_no_parse("tree:12x", "'12x' is no process id");
	assert_no_parse("tree: 12", "' 12' is no process id");
	assert_no_parse("session:x", "'x' is no session");
	assert_no_parse("group:0", "'0' is no process group");
	assert_no_parse("pids:1,,2", "'' is no process id");
	assert_no_parse("pids:1,2,", "'' is no process id");
	assert_no_parse("pids:1,b", "'b' is no process id");
	assert_no_parse("pids:7,1,7", "process 7 is named twice");
}

static void slurm_cgroups_names_and_expressions_are_checked(void **state)
{
	(void) state;
	assert_no_parse("slurm:abc", "'abc' is no Slurm job");
	assert_no_parse("slurm:0", "'0' is no Slurm job");
	assert_no_parse("slurm:4294967295", "'4294967295' is no Slurm job");
	assert_no_parse("slurm:12_3", "'12_3' is no Slurm job");
	assert_no_parse("slurm:12.", "'' is no step of a Slurm job");
	assert_no_parse("slurm:12.x", "'x' is no step of a Slurm job");
	assert_no_parse("cgroup:user.slice", "'user.slice' is no path of a cgroup");
	assert_no_parse("container:../../etc", "'../../etc' is no name or id of a container");
	assert_no_parse("container:.hidden", "is no name or id of a container");
	assert_no_parse("container:a/b", "is no name or id of a container");
	assert_no_parse("name:a-name-of-16-byt", "take name:a-name-of-16-by, or match:REGEX");
	assert_no_parse("match:a(b", "match:a(b is no regular expression: Unmatched ( or \\(");
	assert_no_parse("match:a)|b", "a ) has no ( before it; the character is \\)");
	assert_no_parse("match:(a))", "a ) has no ( before it");
	assert_no_parse("match:[z-a]", "is no regular expression: Invalid range end");
	assert_no_parse("match:(a)\\1", "references back");
	assert_no_parse("match:((a{99}){99}){99}", "its repetitions and anchors make it too large");
	assert_no_parse("match:([)]a{99}){99}", "its repetitions and anchors make it too large");
	assert_no_parse("match:a+++++++++++++++++", "its repetitions and anchors make it too large");
	assert_no_parse("match:((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)", "its repetitions and anchors make it");
	assert_words("match:([[:alpha:]]+ +)+\\(a{2,9}[]({]+",
		"match:([[:alpha:]]+ +)+\\(a{2,9}[]({]+", "match-alpha-a_2_9",
		"command lines that match ([[:alpha:]]+ +)+\\(a{2,9}[]({]+");
	assert_no_parse("match:a{2}b{9223372036854775808}", "its repetitions and anchors make it");
	assert_words(
		"slurm:7.4294967291", "slurm:7.batch", "slurm-7.batch", "Slurm job 7, step batch");
	assert_words("name:fifteen-letters", "name:fifteen-letters", "name-fifteen-letters",
		"processes named fifteen-letters");
}

static void hostile_words_stay_what_they_are(void **state)
{
	char many[3000];
	struct target t;
	(void) state;

	assert_no_parse("\x1b[2J\n", "'\x1b[2J\n' is no target");
	assert_no_parse("cgroup:\x1b]0;x\a", "is no path of a cgroup");
	assert_no_parse("slurm:\n\n\n", "is no Slurm job");
	memset(many, 'x', sizeof(many) - 1);
	many[sizeof(many) - 1] = '\0';
	assert_no_parse(many, "xxx...' is no target");
	memcpy(many, "match:", 6);
	assert_no_parse(many, "longer than 1024 bytes");
	memset(many + 6, '(', 100);
	many[106] = '\0';
	assert_no_parse(many, "more than 40 deep");

	t = parsed("name:../\x1b[1m\n;$(x)");
	assert_string_equal(t.file_word, "name-.._1m_x");
	assert_string_equal(t.people, "processes named ../\x1b[1m\n;$(x)");
	target_done(&t);
	memset(many, 'x', sizeof(many) - 1);
	memcpy(many, "cgroup:/", 8);
	t = parsed(many);
	assert_int_equal(strlen(t.file_word), sizeof(t.file_word) - 1);
	assert_int_equal(strlen(t.text), strlen(many));
	target_done(&t);
	t = parsed("pids:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20");
	assert_int_equal(t.terms[0].n_pids, 20);
	target_done(&t);
}

static void who_can_leave_and_who_ends_it(void **state)
{
	static const struct {
		const char *words;
		bool can_be_left;
		pid_t first;
	} all[] = {
		{ "5", false, 5 },
		{ "pids:3,2", false, 0 },
		{ "system", false, 0 },
		{ "session:1", true, 0 },
		{ "group:1", true, 0 },
		{ "user:x", true, 0 },
		{ "slurm:1", true, 0 },
		{ "cgroup:/", true, 0 },
		{ "container:x", true, 0 },
		{ "name:x", true, 0 },
		{ "match:x", true, 0 },
		{ "pids:3+name:x", true, 0 },
	};
	(void) state;

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct target t = parsed(all[i].words);

		assert_int_equal(target_can_be_left(&t), all[i].can_be_left);
		assert_int_equal(target_first_pid(&t), all[i].first);
		target_done(&t);
	}
	assert_string_equal(target_kind_name(TARGET_JOB), "job");
	assert_string_equal(target_kind_name(TARGET_SYSTEM), "system");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_is_written_in_full_words),
		cmocka_unit_test(what_is_left_out_is_our_own),
		cmocka_unit_test(a_plus_joins_only_before_a_known_word),
		cmocka_unit_test(wrong_words_are_refused_in_one_line),
		cmocka_unit_test(a_number_of_a_process_is_one),
		cmocka_unit_test(slurm_cgroups_names_and_expressions_are_checked),
		cmocka_unit_test(hostile_words_stay_what_they_are),
		cmocka_unit_test(who_can_leave_and_who_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
