/* SPDX-License-Identifier: MIT */
/* Proves what is drawn of processes one by one: what each did, what the rest did, and for how long. */
#include "test.h"

#include "picture_scene.h"

#define PROCESS(pid, more, cpu, pss)                                                               \
	"{\"pid\":" #pid ",\"start_time_ticks\":" #pid ",\"name\":\"p" #pid "\"" more              \
	",\"values\":{\"proc_cpu_seconds\":{\"delta\":" #cpu "},\"proc_pss_bytes\":{\"max\":" #pss \
	"}}}"

static void processes_beyond_the_first_are_one_line(void **state)
{
	const struct picture_options o = { ALL, .n_processes = 1 };
	struct made m;
	struct picture p;
	const struct picture_panel *cpu;
	const struct picture_panel *memory;

	(void) state;
	begin(&m);
	window(&m, 0, 1, "",
		",\"processes\":[" PROCESS(11, "", 0.9, 1000) "," PROCESS(
			12, "", 0.3, 5000) "," PROCESS(13, "", 0.2, 2000) "]");
	/* 13 is quiet, and holds its memory; 11 is born again under the same number. */
	window(&m, 1, 2, "",
		",\"quiet_processes\":1,\"processes\":[" PROCESS(11, "", 0.5, 1000) "," PROCESS(
			12, ",\"ended\":true", 0.1, 5000) "]");
	window(&m, 2, 3, "", ",\"processes\":[" PROCESS(13, ",\"since_seconds\":1", 0.2, 2000) "]");
	/* Two that live for a tenth of the window each: of their rates it has a tenth. */
	window(&m, 3, 4, "",
		",\"processes\":[" PROCESS(14, ",\"ended\":true,\"since_seconds\":3.9", 0.08,
			0) "," PROCESS(15, ",\"ended\":true,\"since_seconds\":3.9", 0.04, 0) "]");
	draw(finish(&m, NOON, 4, ""), &o, &p);
	cpu = picture_panel_of(&p, "process_cpu", 0);
	assert_true(cpu->stacked);
	assert_int_equal(cpu->n_lines, 2);
	assert_string_equal(cpu->lines[0].label, "11 p11");
	assert_string_equal(cpu->lines[1].key, "rest");
	assert_int_equal(cpu->lines[0].n, 4);
	assert_int_equal(cpu->lines[1].n, 4);
	near(cpu->lines[0].points[0].mean, 0.9, 1e-9);
	near(cpu->lines[1].points[0].mean, 0.5, 1e-9);
	assert_true(isnan(cpu->lines[0].points[2].mean));
	/* 0.2 s of CPU in the two seconds since its last line. */
	near(cpu->lines[1].points[2].mean, 0.1, 1e-9);
	near(cpu->lines[1].points[3].mean, 0.12, 1e-9);
	near(cpu->highest, 1.4, 1e-9);
	memory = picture_panel_of(&p, "process_memory", 0);
	assert_string_equal(memory->lines[0].label, "12 p12");
	near(memory->lines[1].points[0].mean, 3000, 1e-9);
	near(memory->lines[1].points[1].mean, 3000, 1e-9);
	picture_done(&p);
	end(&m);
}

static void memory_of_a_process_lasts_as_long_as_the_process(void **state)
{
	struct picture_options o = { ALL, .n_processes = 1 };
	const struct stored_run *run;
	struct made m;
	struct picture p;
	const struct picture_panel *memory;
	const struct picture_line *first;
	const struct picture_line *rest;

	(void) state;
	begin(&m);
	/* Of ten samples one met 12, born with the window, and five 13, born in its middle. */
	buf_addf(&m.series,
		"{\"schema\":\"assay-usage\",\"version\":\"1.0\",\"sequence\":0,"
		"\"start_seconds\":0,\"end_seconds\":1,\"samples\":10,\"missed_ticks\":0,"
		"\"values\":{},\"processes\":[" PROCESS(11, "", 0.9, 9000) "," PROCESS(12,
			",\"ended\":true,\"born\":true,\"states\":{\"R\":1}", 0.1,
			4000) "," PROCESS(13, ",\"since_seconds\":0.5,\"born\":true", 0.1,
			2000) "]}\n");
	m.sequence = 1;
	/* Of all that are quiet nothing is said; one that is there and was not read has what it had. */
	window(&m, 1, 2, "", ",\"quiet_processes\":2,\"processes\":[]");
	window(&m, 2, 3, "",
		",\"quiet_processes\":1,\"processes\":[{\"pid\":13,\"start_time_ticks\":13,"
		"\"values\":{"
		"\"proc_cpu_seconds\":{\"delta\":0.1}}}," PROCESS(
			11, ",\"since_seconds\":1", 0.9, 9000) "]");
	run = finish(&m, NOON, 3, "");
	draw(run, &o, &p);
	memory = picture_panel_of(&p, "process_memory", 0);
	assert_int_equal(memory->n_lines, 2);
	first = &memory->lines[0];
	rest = &memory->lines[1];
	assert_string_equal(first->label, "11 p11");
	near(first->points[0].mean, 9000, 1e-9);
	near(first->points[first->n - 1].mean, 9000, 1e-9);
	near(first->points[first->n - 1].end, 3, 1e-9);
	near(rest->points[0].mean, 0.1 * 4000 + 0.5 * 2000, 1e-6);
	near(rest->points[1].mean, 2000, 1e-9);
	near(rest->points[rest->n - 1].mean, 2000, 1e-9);
	assert_int_equal(rest->quality, ESTIMATE);
	near(memory->highest, 11000, 1e-6);
	picture_done(&p);
	/* What is drawn begins and ends between two lines of a process that is quiet. */
	o.from = 1.2;
	draw(run, &o, &p);
	memory = picture_panel_of(&p, "process_memory", 0);
	assert_int_equal(memory->n_lines, 2);
	near(memory->lines[0].points[0].mean, 9000, 1e-9);
	near(memory->lines[1].points[0].start, 1.2, 1e-9);
	near(memory->lines[1].points[0].mean, 2000, 1e-9);
	picture_done(&p);
	o.from = 0.9;
	o.to = 1.8;
	draw(run, &o, &p);
	first = &picture_panel_of(&p, "process_memory", 0)->lines[0];
	near(first->points[first->n - 1].mean, 9000, 1e-9);
	near(first->points[first->n - 1].end, 1.8, 1e-9);
	picture_done(&p);
	end(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_beyond_the_first_are_one_line),
		cmocka_unit_test(memory_of_a_process_lasts_as_long_as_the_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
