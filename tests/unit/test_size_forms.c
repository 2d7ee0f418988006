/* SPDX-License-Identifier: MIT */
/* Requests in the words of schedulers, and in the #SBATCH lines of a script, by their exact texts. */
#include "test.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/macros.h"
#include "size/size_forms.h"
#include "size/size_script.h"

#define MIB ((uint64_t) 1024 * 1024)
#define GIB (1024 * MIB)

static const struct size_ask plain = { .memory_bytes = 4600 * MIB, .seconds = 5400, .cpus = 4 };

static void assert_form(const char *name, const struct size_ask *ask, const char *expected)
{
	struct buf out = { 0 };

	buf_add_text(&out, "");
	size_form_find(name)->write(ask, &out);
	assert_string_equal(out.data ? out.data : "", expected);
	buf_done(&out);
}

static void each_scheduler_has_its_own_words_and_units(void **state)
{
	(void) state;
	assert_form("slurm", &plain,
		"#SBATCH --mem=4600M\n#SBATCH --cpus-per-task=4\n#SBATCH --time=01:30:00\n");
	assert_form(
		"pbs", &plain, "#PBS -l select=1:ncpus=4:mem=4600mb\n#PBS -l walltime=01:30:00\n");
	assert_form("htcondor", &plain,
		"request_cpus = 4\nrequest_memory = 4600 MB\nallowed_job_duration = 5400\n");
	assert_form("kubernetes", &plain,
		"# of the Job:\nactiveDeadlineSeconds: 5400\n# of its container:\nresources:\n  "
		"requests:\n    cpu: \"4\"\n    memory: "
		"4600Mi\n  limits:\n    memory: 4600Mi\n");
	assert_form("nextflow", &plain, "cpus 4\nmemory '4600 MB'\ntime '90 min'\n");
	/* 4600 MiB are 4823.4496 MB */
	assert_form(
		"snakemake", &plain, "threads: 4\nresources:\n    mem_mb=4824,\n    runtime=90,\n");
	assert_null(size_form_find("lsf"));
}

static void what_is_not_asked_for_is_not_written(void **state)
{
	static const struct size_ask nothing = { 0 };

	(void) state;
	for (const struct size_form *form = size_forms; form->name; form++)
		assert_form(form->name, &nothing, "");
}

static void amounts_are_rounded_up_and_never_down(void **state)
{
	static const struct size_ask odd = { .memory_bytes = 1, .seconds = 1 };
	char text[SIZE_SLURM_TEXT];

	(void) state;
	assert_form("slurm", &odd, "#SBATCH --mem=1M\n#SBATCH --time=00:01:00\n");
	assert_form("pbs", &odd, "#PBS -l select=1:mem=1mb\n#PBS -l walltime=00:00:01\n");
	assert_form("snakemake", &odd, "resources:\n    mem_mb=1,\n    runtime=1,\n");
	size_slurm_memory(4 * GIB, text);
	assert_string_equal(text, "4G");
	size_slurm_memory(4 * GIB + 1, text);
	assert_string_equal(text, "4097M");
	size_slurm_memory(UINT64_MAX, text);
	assert_string_equal(text, "17592186044416M");
	size_slurm_time(86399, text);
	assert_string_equal(text, "1-00:00:00");
	size_slurm_time(86400 * 100 + 3600 * 5 + 61, text);
	assert_string_equal(text, "100-05:02:00");
}

static void steps_become_what_each_knows_of_retries(void **state)
{
	static const uint64_t steps[] = { 2 * GIB, 4 * GIB, 10 * GIB };
	const struct size_ask ask = {
		.memory_bytes = 2 * GIB, .memory_steps = steps, .n_memory_steps = 3
	};

	(void) state;
	assert_form("slurm", &ask,
		"#SBATCH --mem=2G\n# when that is not enough: --mem=4G, then --mem=10G\n");
	assert_form("pbs", &ask,
		"#PBS -l select=1:mem=2048mb\n# when that is not enough: mem=4096mb, then "
		"mem=10240mb\n");
	assert_form("htcondor", &ask,
		"request_memory = 2048 MB\nretry_request_memory = 4096 MB, 10240 MB\n");
	assert_form("kubernetes", &ask,
		"# of its container:\nresources:\n  requests:\n    memory: 2048Mi\n  limits:\n    "
		"memory: 2048Mi\n# when that is not enough: memory: 4096Mi, then memory: "
		"10240Mi\n");
	assert_form("nextflow", &ask,
		"memory { 1.MB * [2048, 4096, 10240][Math.min(task.attempt, 3) - 1] }\n"
		"errorStrategy { task.exitStatus in 137..140 ? 'retry' : 'finish' }\nmaxRetries "
		"2\n");
	assert_form("snakemake", &ask,
		"retries: 2\nresources:\n    mem_mb=lambda wildcards, attempt: [2148, 4295, "
		"10738][min(attempt, 3) - 1],\n");
}

static void one_step_is_no_retry_and_equal_ones_are_asked_for_once(void **state)
{
	static const uint64_t steps[] = { GIB - 1, GIB, GIB + 1, 2 * GIB };
	struct size_ask ask = {
		.memory_bytes = GIB - 1, .memory_steps = steps, .n_memory_steps = 1
	};

	(void) state;
	assert_form("slurm", &ask, "#SBATCH --mem=1024M\n");
	assert_form("htcondor", &ask, "request_memory = 1024 MB\n");
	assert_form("nextflow", &ask, "memory '1024 MB'\n");
	assert_form("snakemake", &ask, "resources:\n    mem_mb=1074,\n");
	/* HTCondor takes none that is not more than the one before. */
	ask.n_memory_steps = 4;
	assert_form("htcondor", &ask,
		"request_memory = 1024 MB\nretry_request_memory = 1025 MB, 2048 MB\n");
	assert_form("nextflow", &ask,
		"memory { 1.MB * [1024, 1024, 1025, 2048][Math.min(task.attempt, 4) - 1] }\n"
		"errorStrategy { task.exitStatus in 137..140 ? 'retry' : 'finish' }\nmaxRetries "
		"3\n");
}

static void the_largest_amounts_are_not_cut(void **state)
{
	static const struct size_ask most = {
		.memory_bytes = UINT64_MAX, .seconds = UINT64_MAX, .cpus = UINT64_MAX
	};
	static const struct size_ask days = { .seconds = 100 * 86400 };

	(void) state;
	assert_form("slurm", &most,
		"#SBATCH --mem=17592186044416M\n#SBATCH --cpus-per-task=18446744073709551615\n"
		"#SBATCH --time=213503982334601-07:01:00\n");
	assert_form("pbs", &most,
		"#PBS -l select=1:ncpus=18446744073709551615:mem=17592186044416mb\n"
		"#PBS -l walltime=5124095576030431:00:15\n");
	assert_form("htcondor", &most,
		"request_cpus = 18446744073709551615\nrequest_memory = 17592186044416 MB\n"
		"allowed_job_duration = 18446744073709551615\n");
	assert_form("snakemake", &most,
		"threads: 18446744073709551615\nresources:\n    mem_mb=18446744073710,\n    "
		"runtime=307445734561825861,\n");
	assert_form("slurm", &days, "#SBATCH --time=100-00:00:00\n");
	assert_form("pbs", &days, "#PBS -l walltime=2400:00:00\n");
	assert_form("htcondor", &days, "allowed_job_duration = 8640000\n");
	assert_form("kubernetes", &days, "# of the Job:\nactiveDeadlineSeconds: 8640000\n");
	assert_form("nextflow", &days, "time '144000 min'\n");
	assert_form("snakemake", &days, "resources:\n    runtime=144000,\n");
}

static int change(
	const char *script, const struct size_ask *ask, struct buf *out, struct buf *notes)
{
	struct error err = { 0 };

	buf_clear(out);
	buf_clear(notes);
	buf_add_text(notes, "");
	return size_script_change(script, strlen(script), ask, out, notes, &err);
}

static void assert_changed(const char *script, const char *expected, const char *about)
{
	struct buf out = { 0 };
	struct buf notes = { 0 };

	assert_int_equal(change(script, &plain, &out, &notes), 0);
	assert_string_equal(out.data, expected);
	if (about)
		assert_non_null(strstr(notes.data, about));
	else
		assert_true(notes.len == 0);
	buf_done(&out);
	buf_done(&notes);
}

#define ALL "#SBATCH --mem=4600M\n#SBATCH --cpus-per-task=4\n#SBATCH --time=01:30:00\n"

static void lines_are_changed_in_their_own_way_of_writing(void **state)
{
	(void) state;
	assert_changed("#!/bin/sh\n#SBATCH --mem=64G\n#SBATCH -c 8\n#SBATCH -t 1-00:00\nsrun x\n",
		"#!/bin/sh\n#SBATCH --mem=4600M\n#SBATCH -c 4\n#SBATCH -t 01:30:00\nsrun x\n",
		NULL);
	assert_changed("#!/bin/sh\n#SBATCH -J a -c8 --mem 64G -t10\nsrun x\n",
		"#!/bin/sh\n#SBATCH -J a -c4 --mem 4600M -t01:30:00\nsrun x\n", NULL);
	assert_changed("#!/bin/sh\n#SBATCH --mem=\"64G\" # much\n#SBATCH --time=10 -c 1\n\n",
		"#!/bin/sh\n#SBATCH --mem=4600M # much\n#SBATCH --time=01:30:00 -c 4\n\n", NULL);
}

static void what_is_missing_is_added_behind_the_last_directive_or_the_first_line(void **state)
{
	(void) state;
	assert_changed("#!/bin/sh\n# about\n#SBATCH -J a\n\nsrun x\n",
		"#!/bin/sh\n# about\n#SBATCH -J a\n" ALL "\nsrun x\n", NULL);
	assert_changed("#!/bin/sh\nsrun x\n", "#!/bin/sh\n" ALL "srun x\n", NULL);
	assert_changed("#!/bin/sh", "#!/bin/sh\n" ALL, NULL);
	assert_changed("#!/bin/sh\n#SBATCH --mem=1G",
		"#!/bin/sh\n#SBATCH --mem=4600M\n#SBATCH --cpus-per-task=4\n#SBATCH "
		"--time=01:30:00\n",
		NULL);
}

static void words_are_those_that_sbatch_sees(void **state)
{
	(void) state;
	/* An unquoted "#" ends a line in the middle of a word: what follows is no request. */
	assert_changed("#!/bin/sh\n#SBATCH --mem=64G# --mem=1G\n#SBATCH -c1 -t1\n",
		"#!/bin/sh\n#SBATCH --mem=4600M# --mem=1G\n#SBATCH -c4 -t01:30:00\n", NULL);
	assert_changed("#!/bin/sh\n#SBATCH -J run#1 --mem=64G -c1 -t1\n",
		"#!/bin/sh\n#SBATCH -J run#1 --mem=64G -c1 -t1\n" ALL, NULL);
	assert_changed("#!/bin/sh\n#SBATCH -J \"a # b\" --mem=64G -c1 -t1\n",
		"#!/bin/sh\n#SBATCH -J \"a # b\" --mem=4600M -c4 -t01:30:00\n", NULL);
	assert_changed("#!/bin/sh\n#SBATCH -J it\\'s --mem=64G -c1 -t1\n",
		"#!/bin/sh\n#SBATCH -J it\\'s --mem=4600M -c4 -t01:30:00\n", NULL);
	assert_changed("#!/bin/sh\n#SBATCH -J \"a\\ -c9\" --mem=64G -c1 -t1\n",
		"#!/bin/sh\n#SBATCH -J \"a\\ -c9\" --mem=4600M -c4 -t01:30:00\n", NULL);
	/* The old magic word is read as well, and of an option that is given twice the last counts. */
	assert_changed("#!/bin/sh\n#SBATCH --mem=64G -t1\n#SLURM -c 1\n",
		"#!/bin/sh\n#SBATCH --mem=4600M -t01:30:00\n#SLURM -c 4\n", NULL);
	assert_changed("#!/bin/sh\n#SBATCH \"--mem=64G\" '-c1' --ti\"me=1\"0\n",
		"#!/bin/sh\n#SBATCH \"--mem=4600M\" '-c4' --ti\"me=01:30:00\"\n", NULL);
	/* No blank is needed behind #SBATCH; with one before it, it is a comment. */
	assert_changed("#!/bin/sh\n#SBATCH--mem=64G -c1 -t1\n",
		"#!/bin/sh\n#SBATCH--mem=4600M -c4 -t01:30:00\n", NULL);
	assert_changed("#!/bin/sh\n #SBATCH --mem=64G\n##SBATCH -c1\nx\n",
		"#!/bin/sh\n" ALL " #SBATCH --mem=64G\n##SBATCH -c1\nx\n", NULL);
}

static void options_are_those_that_sbatch_sees(void **state)
{
	(void) state;
	/* The value of another option is no option; letters without a value may stand before one. */
	assert_changed("#!/bin/sh\n#SBATCH -J -c8 --comment --mem=1 --mem=64G -Hc1 -t1\n",
		"#!/bin/sh\n#SBATCH -J -c8 --comment --mem=1 --mem=4600M -Hc4 -t01:30:00\n", NULL);
	assert_changed("#!/bin/sh\n#SBATCH --cpus-per-t=1 --mem-per-c 2G --time 5\n",
		"#!/bin/sh\n#SBATCH --cpus-per-t=4 --mem=4600M --time 01:30:00\n", "--mem-per-cpu");
	assert_changed("#!/bin/sh\n#SBATCH --plugin on --other --mem=1 -c1 -t1 -N 1-1\n",
		"#!/bin/sh\n#SBATCH --plugin on --other --mem=4600M -c4 -t01:30:00 -N 1-1\n", NULL);
	assert_changed("#!/bin/sh\n#SBATCH --exclusive --mem=0G -c1 -t1\n",
		"#!/bin/sh\n#SBATCH --exclusive --mem=4600M -c4 -t01:30:00\n",
		"with --exclusive all CPUs");
	assert_changed("#!/bin/sh\n#SBATCH --exclusive=user --mem=1 -c1 -t1\n",
		"#!/bin/sh\n#SBATCH --exclusive=user --mem=4600M -c4 -t01:30:00\n", NULL);
	assert_changed("#!/bin/sh\n#PBS -l mem=1gb\n#SBATCH --ignore-pbs --mem=1 -c1 -t1\n",
		"#!/bin/sh\n#PBS -l mem=1gb\n#SBATCH --ignore-pbs --mem=4600M -c4 "
		"-t01:30:00\n",
		NULL);
}

static void a_refusal_names_what_is_in_doubt(void **state)
{
	static const struct {
		const char *script, *about;
	} cases[] = {
		{ "#!/bin/sh\n#SBATCH -J \"a\n", "line 2: a quote is not closed" },
		{ "#!/bin/sh\n#SBATCH --mem=1G too much\n", "line 2: too: no option" },
		{ "#!/bin/sh\n#SBATCH --exclusive user\n", "line 2: user: no option" },
		{ "#!/bin/sh\n\n#SBATCH -- --mem=1G\n", "line 3: --: no option" },
		{ "#!/bin/sh\n#SBATCH --mem\n#SBATCH 4G\n", "line 2: --mem: its value" },
		{ "#!/bin/sh\n#SBATCH -c1 -J\nx\n", "line 2: -J: its value" },
		{ "#!/bin/sh\n#SBATCH -c1 --mem=\n", "line 2: --mem=: its value" },
		{ "#!/bin/sh\n#SBATCH --cpus-per-task=", "line 2: --cpus-per-task=: its value" },
		{ "#!/bin/sh\n#PBS -l mem=1gb\n", "a script for PBS" },
		{ "#!/bin/sh\n#SBATCH --mem=1G\n#PBS -l mem=1gb\n", "--ignore-pbs" },
		{ "#!/bin/sh\n#SBATCH --tres-per-task=cpu:4\n", "--tres-per-task" },
		{ "#!/bin/sh\n#SBATCH -Hn4\n", "several tasks" },
		{ "#!/bin/sh\n#SBATCH HetJob\n", "heterogeneous" },
	};

	(void) state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf out = { 0 };
		struct buf notes = { 0 };
		struct error err = { 0 };

		assert_int_equal(size_script_change(cases[i].script, strlen(cases[i].script),
					 &plain, &out, &notes, &err),
			-EINVAL);
		assert_non_null(strstr(err.text, cases[i].about));
		assert_int_equal(out.len, 0);
		buf_done(&out);
		buf_done(&notes);
	}
}

static void what_changes_the_meaning_is_said(void **state)
{
	(void) state;
	assert_changed("#!/bin/sh\n#SBATCH --mem-per-cpu=2G -c 8 -t 5\n",
		"#!/bin/sh\n#SBATCH --mem=4600M -c 4 -t 01:30:00\n", "--mem-per-cpu");
	assert_changed("#!/bin/sh\n#SBATCH --mem=0 -c 8 -t 5\n",
		"#!/bin/sh\n#SBATCH --mem=4600M -c 4 -t 01:30:00\n", "all memory");
	assert_changed("#!/bin/sh\n#SBATCH --ntasks=1 --mem=1 -c 8 -t 5\n",
		"#!/bin/sh\n#SBATCH --ntasks=1 --mem=4600M -c 4 -t 01:30:00\n", NULL);
	assert_changed("#!/bin/sh\n#SBATCH --mem=1 -c 8 -t 5\nx\n#SBATCH --mem=3\n",
		"#!/bin/sh\n#SBATCH --mem=4600M -c 4 -t 01:30:00\nx\n#SBATCH --mem=3\n",
		"behind the first command");
}

static void numbers_of_the_commands_are_told(void **state)
{
	(void) state;
	assert_changed(
		"#!/bin/sh\n#SBATCH --mem=1G -c8 -t1\nexport OMP_NUM_THREADS=8\nsrun -n1 --mem=2G "
		"-c 4 ./x\nsrun -c16 ./x\n",
		"#!/bin/sh\n#SBATCH --mem=4600M -c4 -t01:30:00\nexport OMP_NUM_THREADS=8\nsrun -n1 "
		"--mem=2G -c 4 ./x\nsrun -c16 ./x\n",
		"line 3 has a number of its own, which stays: OMP_NUM_THREADS=8\nline 4 has a "
		"number of its "
		"own, which stays: --mem=2G\nline 5 has a number of its own, which stays: -c16\n");
	/* What follows the request, is no number, or is another program's. */
	assert_changed("#!/bin/sh\n#SBATCH --mem=1G -c8 -t1\nexport "
		       "OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK\n#OMP_NUM_THREADS=8\n"
		       "sh -c 8\nsrun -c $N x--mem=1\n",
		"#!/bin/sh\n#SBATCH --mem=4600M -c4 -t01:30:00\nexport "
		"OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK\n#OMP_NUM_THREADS=8\n"
		"sh -c 8\nsrun -c $N x--mem=1\n",
		NULL);
}

static void what_is_in_doubt_is_refused(void **state)
{
	static const char *const scripts[] = { "", "#", "srun x\n", "#SBATCH --mem=1\n",
		"#!/bin/sh\n#SBATCH --mem=1\n#SBATCH --mem=2\n",
		"#!/bin/sh\n#SBATCH --mem=1 --mem-per-cpu=2\n", "#!/bin/sh\n#SBATCH -n 8\n",
		"#!/bin/sh\n#SBATCH --nodes=2\n", "#!/bin/sh\n#SBATCH -N2\n",
		"#!/bin/sh\n#SBATCH --mem-per-gpu=3G\n", "#!/bin/sh\n#SBATCH --cpus-per-gpu 3\n",
		"#!/bin/sh\n#SBATCH --time-min=5\n", "#!/bin/sh\r\n#SBATCH --mem=1G\r\nx\r\n",
		"#!/bin/sh\r", "#!/bin/sh\n#SBATCH --mem=1G\ncat <<E\na\r\nE\n",
		"\xef\xbb\xbf#!/bin/sh\n#SBATCH --mem=1G\n",
		"#!/bin/sh\n#SBATCH -J a\\ -c9 --mem=64G -t1\n",
		"#!/bin/sh\n#SBATCH --mem=1\n#SBATCH hetjob\n#SBATCH --mem=2\n" };
	struct buf out = { 0 };
	struct buf notes = { 0 };

	(void) state;
	for (size_t i = 0; i < ARRAY_SIZE(scripts); i++) {
		assert_int_equal(change(scripts[i], &plain, &out, &notes), -EINVAL);
		assert_int_equal(out.len, 0);
	}
	buf_done(&out);
	buf_done(&notes);
}

static void an_amount_that_is_not_known_leaves_its_line(void **state)
{
	static const struct size_ask time_alone = { .seconds = 60 };
	struct buf out = { 0 };
	struct buf notes = { 0 };

	(void) state;
	assert_int_equal(
		change("#!/bin/sh\n#SBATCH --mem=64G --time=9\n", &time_alone, &out, &notes), 0);
	assert_string_equal(out.data, "#!/bin/sh\n#SBATCH --mem=64G --time=00:01:00\n");
	buf_done(&out);
	buf_done(&notes);
}

static void the_difference_is_one_that_patch_takes(void **state)
{
	struct buf a = { 0 };
	struct buf b = { 0 };
	struct buf out = { 0 };

	(void) state;
	buf_add_text(&a, "1\n2\n3\n4\nold\n5\n6\n7\n8");
	buf_add_text(&b, "1\n2\n3\n4\nnew\n5\nmore\n6\n7\n8");
	assert_int_equal(size_script_difference("job.sh", &a, &b, &out), 0);
	assert_string_equal(out.data,
		"--- job.sh\n+++ job.sh\n@@ -2,8 +2,9 @@\n 2\n 3\n 4\n-old\n+new\n "
		"5\n+more\n 6\n 7\n 8\n\\ No newline at end of file\n");
	buf_clear(&out);
	assert_int_equal(size_script_difference("job.sh", &a, &a, &out), 0);
	assert_int_equal(out.len, 0);
	buf_done(&a);
	buf_done(&b);
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_scheduler_has_its_own_words_and_units),
		cmocka_unit_test(what_is_not_asked_for_is_not_written),
		cmocka_unit_test(amounts_are_rounded_up_and_never_down),
		cmocka_unit_test(steps_become_what_each_knows_of_retries),
		cmocka_unit_test(lines_are_changed_in_their_own_way_of_writing),
		cmocka_unit_test(
			what_is_missing_is_added_behind_the_last_directive_or_the_first_line),
		cmocka_unit_test(one_step_is_no_retry_and_equal_ones_are_asked_for_once),
		cmocka_unit_test(the_largest_amounts_are_not_cut),
		cmocka_unit_test(words_are_those_that_sbatch_sees),
		cmocka_unit_test(options_are_those_that_sbatch_sees),
		cmocka_unit_test(a_refusal_names_what_is_in_doubt),
		cmocka_unit_test(what_changes_the_meaning_is_said),
		cmocka_unit_test(numbers_of_the_commands_are_told),
		cmocka_unit_test(what_is_in_doubt_is_refused),
		cmocka_unit_test(an_amount_that_is_not_known_leaves_its_line),
		cmocka_unit_test(the_difference_is_one_that_patch_takes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
