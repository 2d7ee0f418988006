/* SPDX-License-Identifier: MIT */
/* Proves the text of a record: a line of usage.jsonl and a whole info.json, to the byte. */
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "model/record.h"
#include "model/run_info.h"
#include "record/info_json.h"
#include "record/usage_json.h"

#define S 1000000000ULL

enum { RSS, RSS_TOTAL, IO, CPU, PRESSURE, STATE, UNSELECTED, N_ROWS };

static const struct measure table[N_ROWS] = {
	/* clang-format off */
	[RSS] = { .key = "proc_rss_bytes", .kind = GAUGE, .unit = BYTES, .scope = PROCESS, .reduce = MAX | LAST, .quality = SAMPLED,
	          .help = "Resident memory", .origin = "/proc/PID/stat", .quantity = "rss", .rank = 1, .otel = "process.memory.usage" },
	[RSS_TOTAL] = { .key = "proc_rss_total_bytes", .kind = GAUGE, .unit = BYTES, .scope = PROCESS, .reduce = MAX | MEAN | MIN | LAST,
	                .quality = UPPER_BOUND, .help = "Sum", .origin = "/proc/PID/stat" },
	[IO] = { .key = "proc_io_read_bytes", .kind = COUNTER, .unit = BYTES, .scope = PROCESS, .reduce = DELTA, .quality = EXACT,
	         .help = "Read", .origin = "/proc/PID/io" },
	[CPU] = { .key = "tree_cpu_seconds", .kind = COUNTER, .unit = SECONDS, .scope = SINGLE, .reduce = DELTA | LAST, .quality = EXACT,
	          .help = "CPU", .origin = "getrusage" },
	[PRESSURE] = { .key = "psi_cpu_percent", .kind = GAUGE, .unit = PERCENT, .scope = SINGLE, .reduce = MAX, .quality = SAMPLED,
	               .help = "Pressure", .origin = "pressure" },
	[STATE] = { .key = "proc_state", .kind = CATEGORICAL, .scope = PROCESS, .reduce = TALLY, .quality = SAMPLED,
	            .help = "State", .origin = "/proc/PID/stat" },
	[UNSELECTED] = { .key = "host_x", .kind = GAUGE, .scope = SINGLE, .reduce = LAST, .quality = SAMPLED, .help = "X", .origin = "x" },
	/* clang-format on */
};

static const struct measure *rows[N_ROWS] = { &table[RSS], &table[RSS_TOTAL], &table[IO],
	&table[CPU], &table[PRESSURE], &table[STATE], &table[UNSELECTED] };
static int collector[N_ROWS] = { 0, 0, 0, 1, 1, 0, 7 };
static int base[N_ROWS] = { -1, RSS, -1, -1, -1, -1, -1 };
static const struct measures measures = {
	.rows = rows, .collector = collector, .base = base, .n = N_ROWS
};
static const bool selected[N_ROWS] = { true, true, true, true, true, true, false };
static const int process_column[N_ROWS] = { 0, -1, 1, -1, -1, 2, -1 };

static const struct summary singles[N_ROWS] = {
	[RSS_TOTAL] = { .max = 9,
		.mean = 7,
		.min = 1,
		.last = 8,
		.quality = LOWER_BOUND,
		.subjects_absent = 2,
		.subjects_why = EACCES },
	[CPU] = { .delta = 500000000, .last = 3 * S, .quality = EXACT },
	[PRESSURE] = { .quality = ABSENT, .why = ENOENT },
};

static void assert_line(const struct record *record, const char *expected)
{
	struct buf out = { 0 };

	usage_json_line(record, &out);
	assert_false(out.failed);
	assert_string_equal(out.data, expected);
	buf_done(&out);
}

static struct record a_record(void)
{
	return (struct record){
		.sequence = 4,
		.start_ns = 0,
		.end_ns = 1500000000,
		.monotonic_ns = 123,
		.realtime_ns = 1795812746 * S + 500000000,
		.samples = 3,
		.measures = &measures,
		.selected = selected,
		.process_column = process_column,
		.singles = singles,
		.n_quiet = 3,
	};
}

static void a_window_without_processes_is_one_line(void **state)
{
	(void) state;
	struct record record = a_record();

	assert_line(&record,
		"{\"schema\":\"assay-usage\",\"version\":\"1.0\",\"sequence\":4,"
		"\"time\":\"2026-11-27T20:52:26.500000Z\",\"monotonic_ns\":123,\"start_seconds\":0,"
		"\"end_seconds\":1.5,\"samples\":3,\"missed_ticks\":0,"
		"\"values\":{\"proc_rss_total_bytes\":{\"max\":9,\"mean\":7,\"min\":1,\"last\":8,"
		"\"quality\":\"lower_bound\",\"absent_processes\":2,\"absent_why\":\"EACCES\"},"
		"\"tree_cpu_seconds\":{\"delta\":0.5,\"last\":3,\"quality\":\"exact\"}},"
		"\"absent\":{\"psi_cpu_percent\":\"ENOENT\"},"
		"\"processes\":[],\"quiet_processes\":3,\"omitted_processes\":0}\n");
}

static void a_process_shows_its_exact_bytes_its_absences_and_its_flags(void **state)
{
	(void) state;
	struct accumulator readings[3] = { 0 };
	struct process_record process = { .pid = 7,
		.ppid = 1,
		.start_ticks = 99,
		.uid = 1000,
		.name = "c\xff",
		.command = "cc1\0-x\0\0\xfe",
		.command_size = 9,
		.command_cut = true,
		.born = true,
		.states = { 1, 2 },
		.rows = readings };
	struct record record = a_record();

	accumulate_gauge(&readings[0], (struct value){ .n = 40, .quality = LOWER_BOUND }, S);
	accumulate_absent(&readings[1], EACCES);
	record.processes = &process;
	record.n_processes = 1;
	record.last = true;
	record.suspended_ns = 5 * S;
	record.singles = (const struct summary[N_ROWS]){ 0 };
	assert_line(&record,
		"{\"schema\":\"assay-usage\",\"version\":\"1.0\",\"sequence\":4,"
		"\"time\":\"2026-11-27T20:52:26.500000Z\",\"monotonic_ns\":123,\"start_seconds\":0,"
		"\"end_seconds\":1.5,\"samples\":3,\"missed_ticks\":0,\"suspended_seconds\":5,"
		"\"last\":true,\"values\":{},\"absent\":{\"proc_rss_total_bytes\":\"not read\","
		"\"tree_cpu_seconds\":\"not read\",\"psi_cpu_percent\":\"not read\"},"
		"\"processes\":[{\"pid\":7,\"start_time_ticks\":99,\"ppid\":1,\"uid\":1000,"
		"\"name\":\"c\xef\xbf\xbd\",\"name_hex\":\"63ff\","
		"\"command\":[\"cc1\",\"-x\",\"\",\"\xef\xbf\xbd\"],"
		"\"command_hex\":[\"636331\",\"2d78\",\"\",\"fe\"],\"command_cut\":true,\"born\":"
		"true,"
		"\"states\":{\"R\":1,\"S\":2},"
		"\"values\":{\"proc_rss_bytes\":{\"max\":40,\"last\":40,\"quality\":\"lower_"
		"bound\"}},"
		"\"absent\":{\"proc_io_read_bytes\":\"EACCES\"}}],"
		"\"quiet_processes\":3,\"omitted_processes\":0}\n");
}

static void a_device_without_a_value_in_the_window_is_not_written(void **state)
{
	(void) state;
	static const struct measure row = { .key = "netns_interface_receive_bytes",
		.kind = COUNTER,
		.unit = BYTES,
		.scope = DEVICE,
		.reduce = DELTA,
		.quality = EXACT,
		.help = "Received",
		.origin = "net/dev" };
	static const struct measure *of_device[] = { &row };
	static int none[] = { -1 }, first[] = { 0 };
	static const bool chosen[] = { true };
	const struct measures one = { .rows = of_device, .collector = first, .base = none, .n = 1 };
	struct accumulator counted = { 0 }, gone = { 0 }, refused = { 0 };
	const struct device_record devices[] = {
		{ .kind = "interface", .name = "gone", .rows = &gone },
		{ .kind = "interface", .name = "eth0", .rows = &counted },
		{ .kind = "interface", .name = "off", .rows = &refused },
	};
	struct record record = a_record();

	record.measures = &one;
	record.selected = chosen;
	record.process_column = none;
	record.device_column = first;
	record.devices = devices;
	record.n_devices = ARRAY_SIZE(devices);
	accumulate_counter(&gone, (struct value){ .n = 9, .quality = EXACT }, S);
	accumulator_next_window(&gone, 2 * S);
	accumulate_counter(&counted, (struct value){ .n = 40, .quality = EXACT }, S);
	accumulate_counter(&counted, (struct value){ .n = 42, .quality = EXACT }, 2 * S);
	accumulate_absent(&refused, ENODEV);
#define LINE_START                                                                                 \
	"{\"schema\":\"assay-usage\",\"version\":\"1.0\",\"sequence\":4,"                          \
	"\"time\":\"2026-11-27T20:52:26.500000Z\",\"monotonic_ns\":123,\"start_seconds\":0,"       \
	"\"end_seconds\":1.5,\"samples\":3,\"missed_ticks\":0,\"values\":{},"
#define LINE_END "\"processes\":[],\"quiet_processes\":3,\"omitted_processes\":0}\n"
	assert_line(&record,
		LINE_START "\"devices\":[{\"kind\":\"interface\",\"name\":\"eth0\",\"values\":{"
			   "\"netns_interface_receive_bytes\":{\"delta\":2}}},"
			   "{\"kind\":\"interface\",\"name\":\"off\",\"values\":{},"
			   "\"absent\":{\"netns_interface_receive_bytes\":\"ENODEV\"}}]," LINE_END);
	record.n_devices = 1;
	assert_line(&record, LINE_START LINE_END);
}

static char *info_text(const struct assay_run_info *info)
{
	struct buf out = { 0 };

	info_json(info, &out);
	assert_false(out.failed);
	return out.data;
}

/* The text without white space outside strings: how JSON is laid out is no part of what it says. */
static char *without_layout(const char *text)
{
	char *out = malloc(strlen(text) + 1);
	char *to = out;
	bool quoted = false;

	assert_non_null(out);
	for (const char *at = text; *at; at++) {
		if (*at == '"' && (at == text || at[-1] != '\\'))
			quoted = !quoted;
		if (quoted || !strchr(" \n", *at))
			*to++ = *at;
	}
	*to = '\0';
	return out;
}

static void assert_has(const char *text, const char *part)
{
	char *plain_text = without_layout(text ? text : "");
	char *plain_part = without_layout(part);
	bool has = strstr(plain_text, plain_part) != NULL;

	free(plain_text);
	free(plain_part);
	if (!has)
		fail_msg("the text lacks\n%s", part);
}

static void a_running_info_holds_no_results(void **state)
{
	(void) state;
	char *argv[] = { (char[]){ "make" }, (char[]){ "a b" }, NULL };
	struct assay_run_info info = { .argc = 2,
		.argv = argv,
		.id = (char[]){ "2026.11.27T20.52.26-1234" },
		.prefix = (char[]){ "runs/" },
		.program_version = (char[]){ "0.1.0" },
		.working_directory_errno = ENOENT,
		.started_realtime_ns = 1795812746 * S,
		.utc_offset = "+00:00",
		.monitor_pid = 1,
		.monitor_start_ticks = 5 };
	char *text = info_text(&info);

	assert_string_equal(text,
		"{\n  \"schema\": \"assay-run\",\n  \"version\": \"1.1\",\n  \"state\": "
		"\"running\",\n"
		"  \"id\": \"2026.11.27T20.52.26-1234\",\n"
		"  \"program\": {\n    \"name\": \"assay\",\n    \"version\": \"0.1.0\"\n  },\n"
		"  \"command\": {\n    \"text\": \"make 'a b'\",\n"
		"    \"argv\": [\n      \"make\",\n      \"a b\"\n    ]\n  },\n"
		"  \"working_directory_absent\": \"ENOENT\",\n"
		"  \"files\": {\n    \"info\": \"runs/info.json\",\n"
		"    \"usage\": \"runs/usage.jsonl\",\n    \"prefix\": \"runs/\"\n  },\n"
		"  \"time\": {\n    \"started\": \"2026-11-27T20:52:26.000000Z\",\n"
		"    \"utc_offset\": \"+00:00\",\n"
		"    \"suspended_seconds\": 0\n  },\n"
		"  \"monitor\": {\n    \"pid\": 1,\n    \"start_time_ticks\": 5\n  },\n"
		"  \"options\": {\n    \"measurements\": \"default\",\n    \"wait_all\": false\n  "
		"},\n  \"redaction\": {\n    \"usual\": false,\n    \"patterns_count\": 0,\n"
		"    \"arguments_count\": 0,\n    \"command_lines_count\": 0\n  },\n"
		"  \"measurements\": [],\n  \"collectors\": [],\n  \"headline\": {},\n  \"rungs\": "
		"{},\n  \"processes\": {\n    \"seen\": 0,\n    \"too_short\": 0,\n"
		"    \"counted\": false,\n"
		"    \"unnamed_cpu_seconds\": 0,\n    \"by_name\": [],\n    \"survivors\": [],\n"
		"    \"survivors_count\": 0\n  },\n"
		"  \"self\": {\n    \"cpu_seconds\": 0,\n"
		"    \"ticks\": 0,\n    \"missed_ticks\": 0,\n    \"windows\": 0,\n"
		"    \"records_written\": 0,\n    \"records_lost\": 0,\n    \"write_failures\": 0\n"
		"  },\n  \"notes\": []\n}\n");
	free(text);
}

static void arguments_that_are_not_text_keep_their_bytes(void **state)
{
	(void) state;
	char *argv[] = { (char[]){ "ls" }, (char[]){ "\xe9" }, NULL };
	struct assay_run_info info = {
		.argc = 2, .argv = argv, .working_directory = (char[]){ "/w\xff" }
	};
	char *text = info_text(&info);

	assert_has(text, "\"argv_hex\": [\n      \"6c73\",\n      \"e9\"\n    ]");
	assert_has(text, "\"text\": \"ls $'\\\\xe9'\"");
	assert_has(text, "\"working_directory\": \"/w\xef\xbf\xbd\",\n  \"working_directory_hex\": "
			 "\"2f77ff\"");
	free(text);
}

static void facts_are_gathered_by_section_and_group(void **state)
{
	(void) state;
	struct assay_run_info info = { 0 };

	run_info_fact(&info, "limits", "nofile", "soft", NULL, 1024);
	run_info_fact(&info, "host", NULL, "machine", "x86_64", 0);
	run_info_fact(&info, "limits", "core", "soft", NULL, 0);
	run_info_fact(&info, "limits", "nofile", "hard", "unlimited", 0);
	char *text = info_text(&info);
	assert_has(text, "  \"host\": {\n    \"machine\": \"x86_64\"\n  },\n"
			 "  \"limits\": {\n    \"nofile\": {\n      \"soft\": 1024,\n"
			 "      \"hard\": \"unlimited\"\n    },\n"
			 "    \"core\": {\n      \"soft\": 0\n    }\n  },\n  \"options\"");
	free(text);
	run_info_done(&info);
}

static struct assay_run_info done_info(void)
{
	struct assay_run_info info = {
		.state = RUN_DONE, .measures = &measures, .selected = selected
	};

	info.n_collectors = 2;
	info.collectors[0] =
		(struct collector_state){ .name = "proc_stat", .probed = true, .available = true };
	info.collectors[1] = (struct collector_state){
		.name = "tree", .why = "not asked for", .cost_ns = 10000000
	};
	return info;
}

static void the_measurements_are_the_selected_rows(void **state)
{
	(void) state;
	struct assay_run_info info = done_info();
	char *text = info_text(&info);

	assert_has(text,
		"    {\n      \"key\": \"proc_rss_bytes\",\n      \"kind\": \"gauge\",\n"
		"      \"unit\": \"bytes\",\n      \"scope\": \"process\",\n"
		"      \"reduces\": [\n        \"max\",\n        \"last\"\n      ],\n"
		"      \"quality\": \"sampled\",\n      \"origin\": \"/proc/PID/stat\",\n"
		"      \"help\": \"Resident memory\",\n      \"collector\": \"proc_stat\",\n"
		"      \"quantity\": \"rss\",\n      \"rank\": 1,\n"
		"      \"otel\": \"process.memory.usage\"\n    },");
	assert_has(text,
		"\"name\": \"tree\",\n      \"selected\": false,\n      \"why\": \"not asked "
		"for\",\n"
		"      \"cost_seconds\": 0.01,\n      \"reads\": 0,\n      \"failures\": 0\n");
	assert_null(strstr(text, "host_x"));
	free(text);
}

static void statistics_of_the_run_follow_the_source_of_the_key(void **state)
{
	(void) state;
	struct assay_run_info info = done_info();
	struct summary totals[N_ROWS];

	memcpy(totals, singles, sizeof(totals));
	info.run_totals = totals;
	char *text = info_text(&info);
	assert_has(text, "  \"summary\": {\n"
			 "    \"proc_peak_rss_total_bytes\": {\n      \"value\": 9,\n      "
			 "\"quality\": \"lower_bound\"\n    },\n"
			 "    \"proc_mean_rss_total_bytes\": {\n      \"value\": 7,\n      "
			 "\"quality\": \"lower_bound\"\n    },\n"
			 "    \"proc_min_rss_total_bytes\": {\n      \"value\": 1,\n      "
			 "\"quality\": \"lower_bound\"\n    },\n"
			 "    \"proc_last_rss_total_bytes\": {\n      \"value\": 8,\n      "
			 "\"quality\": \"lower_bound\"\n    },\n"
			 "    \"tree_cpu_seconds\": {\n      \"value\": 0.5,\n      \"quality\": "
			 "\"exact\"\n    },\n"
			 "    \"tree_last_cpu_seconds\": {\n      \"value\": 3,\n      "
			 "\"quality\": \"exact\"\n    }\n  },");
	info.state = RUN_RUNNING;
	char *running = info_text(&info);
	assert_null(strstr(running, "\"summary\""));
	free(text);
	free(running);
}

static void headline_and_rungs_leave_out_what_was_not_measured(void **state)
{
	(void) state;
	struct assay_run_info info = done_info();

	info.headline[0] = (struct headline){
		.name = "cpu_mean_cores", .unit = UNITLESS, .value = { .n = 1634, .quality = EXACT }
	};
	info.headline[1] = (struct headline){ .name = "io_read_bytes", .unit = BYTES };
	info.headline[2] = (struct headline){ .name = "memory_peak_bytes",
		.unit = BYTES,
		.value = { .n = 5, .quality = LOWER_BOUND },
		.key = "k",
		.has_lower = true,
		.lower = 5,
		.has_upper = true,
		.upper = 9,
		.why = "w" };
	info.n_headline = 3;
	info.rungs[0] = (struct rung){ .quantity = "cpu",
		.key = "a_seconds",
		.unit = SECONDS,
		.value = { .n = S / 2, .quality = EXACT },
		.in_use = true };
	info.rungs[1] = (struct rung){ .quantity = "io", .key = "c_bytes", .unit = BYTES };
	info.rungs[2] = (struct rung){
		.quantity = "cpu", .key = "b_seconds", .unit = SECONDS, .value = { .why = EPERM }
	};
	info.n_rungs = 3;
	char *text = info_text(&info);
	assert_has(text,
		"  \"headline\": {\n"
		"    \"cpu_mean_cores\": {\n      \"value\": 1.634,\n      \"quality\": "
		"\"exact\"\n    },\n"
		"    \"memory_peak_bytes\": {\n      \"value\": 5,\n      \"quality\": "
		"\"lower_bound\",\n"
		"      \"key\": \"k\",\n      \"lower\": 5,\n      \"upper\": 9,\n      \"why\": "
		"\"w\"\n    }\n  },\n"
		"  \"rungs\": {\n    \"cpu\": [\n      {\n        \"key\": \"a_seconds\",\n"
		"        \"value\": 0.5,\n        \"quality\": \"exact\",\n        \"in_use\": "
		"true\n      },\n"
		"      {\n        \"key\": \"b_seconds\",\n        \"quality\": \"absent\",\n"
		"        \"in_use\": false,\n        \"why\": \"EPERM\"\n      }\n    ],\n"
		"    \"io\": [\n      {\n        \"key\": \"c_bytes\",\n        \"quality\": "
		"\"absent\",\n"
		"        \"in_use\": false,\n        \"why\": \"not read\"\n      }\n    ]\n  },");
	free(text);
}

static void kept_outputs_name_their_files_and_what_they_lack(void **state)
{
	(void) state;
	struct assay_run_info info = done_info();
	char prefix[] = "r\xff-";

	char *text = info_text(&info);
	assert_null(strstr(text, "\"outputs\""));
	assert_null(strstr(text, "timestamps"));
	free(text);
	info.capture_option = "stdout";
	info.outputs_option = "none";
	info.timestamps = true;
	info.n_outputs = 1;
	info.outputs[0] = (struct output){ .name = "stdout",
		.times = true,
		.bytes = 12,
		.lost_bytes = 3,
		.open = true,
		.error = "the file has gaps: No space left on device" };
	char *before = info.prefix;
	info.prefix = prefix;
	text = info_text(&info);
	assert_has(text, "\"capture_outputs\": \"stdout\",\n    \"outputs\": \"none\",\n    "
			 "\"timestamps\": true");
	assert_has(text,
		"  \"outputs\": [\n    {\n      \"name\": \"stdout\",\n      \"file\": "
		"\"r\xef\xbf\xbd-stdout\",\n"
		"      \"file_hex\": \"72ff2d7374646f7574\",\n      \"times\": "
		"\"r\xef\xbf\xbd-stdout.times\",\n"
		"      \"times_hex\": \"72ff2d7374646f75742e74696d6573\",\n      \"bytes\": 12,\n  "
		"    \"lost_bytes\": 3,\n"
		"      \"open\": true,\n      \"reader_gone\": false,\n"
		"      \"error\": \"the file has gaps: No space left on device\"\n    }\n  ],");
	free(text);
	info.prefix = before;
}

static void stops_are_there_when_there_were_some(void **state)
{
	(void) state;
	struct assay_run_info info = done_info();

	char *text = info_text(&info);
	assert_null(strstr(text, "stop"));
	free(text);
	info.stops = 2;
	info.stopped_ns = 12 * (uint64_t) S + S / 2;
	text = info_text(&info);
	assert_has(text, "    \"stopped_seconds\": 12.5,\n    \"stops\": 2\n  },");
	free(text);
}

static void an_outcome_is_there_once_it_is_known(void **state)
{
	(void) state;
	struct assay_run_info info = done_info();

	char *text = info_text(&info);
	assert_null(strstr(text, "\"outcome\""));
	free(text);
	info.outcome = (struct outcome){ .known = true,
		.signal = SIGKILL,
		.words = "killed by SIGKILL",
		.evidence = "wait status" };
	info.outcome.cause = CAUSE_OOM_KILL;
	text = info_text(&info);
	assert_has(text, "  \"outcome\": {\n    \"cause\": \"oom_kill\",\n    \"signal\": 9,\n"
			 "    \"signal_name\": \"SIGKILL\",\n    \"core_dumped\": false,\n"
			 "    \"words\": \"killed by SIGKILL\",\n    \"evidence\": \"wait");
	free(text);
	info.outcome = (struct outcome){ .known = true, .exit_code = 3, .words = "exited 3" };
	text = info_text(&info);
	assert_has(text, "    \"exit_code\": 3,\n    \"words\": \"exited 3\",");
	free(text);
}

static void the_limit_that_ended_a_run_is_told_in_its_unit(void **state)
{
	(void) state;
	struct assay_run_info info = done_info();
	char asked[] = "wall=2s memory=1G";

	char *text = info_text(&info);
	assert_null(strstr(text, "limit"));
	free(text);
	info.limits_option = asked;
	info.limit_grace_ns = 10 * S;
	info.limit_hit = (struct limit_hit){ .name = "wall",
		.unit = SECONDS,
		.limit = 2 * S,
		.value = 2 * S + 1000000,
		.key = "tree_elapsed_seconds",
		.after_ns = 2 * S + 2000000,
		.soft_signal = SIGTERM,
		.emptied = true };
	text = info_text(&info);
	assert_has(
		text, "    \"limits\": \"wall=2s memory=1G\",\n    \"limit_grace_seconds\": 10\n");
	assert_has(text, "  \"limit\": {\n    \"name\": \"wall\",\n    \"unit\": \"seconds\",\n"
			 "    \"limit\": 2,\n    \"value\": 2.001,\n    \"key\": "
			 "\"tree_elapsed_seconds\",\n    \"after_seconds\": 2.002,\n"
			 "    \"soft_signal\": \"SIGTERM\",\n    \"killed\": false,\n"
			 "    \"emptied\": true\n  },");
	free(text);
	info.limit_hit.killed = true;
	info.limit_hit.unit = BYTES;
	info.limit_hit.limit = 1ULL << 30;
	snprintf(info.limit_hit.way, sizeof(info.limit_hit.way), "one by one");
	text = info_text(&info);
	assert_has(text, "\"limit\": 1073741824,");
	assert_has(text, "    \"killed\": true,\n    \"way\": \"one by one\",\n");
	free(text);
}

static void names_of_processes_and_survivors_keep_their_bytes(void **state)
{
	(void) state;
	struct assay_run_info info = done_info();
	struct name_usage names[1] = { {
		.name = "\xff",
		.processes = 3,
		.cpu_ns = 1200000000,
		.peak_rss_bytes = 1,
	} };

	info.names = names;
	info.n_names = 1;
	info.survivors[0] = (struct survivor){ .pid = 5, .name = "sleep" };
	info.n_survivors = 1;
	info.n_survivors_total = 9;
	char *text = info_text(&info);
	assert_has(text,
		"        \"name\": \"\xef\xbf\xbd\",\n        \"name_hex\": \"ff\",\n"
		"        \"processes\": 3,\n        \"cpu_seconds\": 1.2,\n"
		"        \"peak_rss_bytes\": 1\n      }\n    ],\n"
		"    \"survivors\": [\n      {\n        \"pid\": 5,\n        \"name\": \"sleep\"\n"
		"      }\n    ],\n    \"survivors_count\": 9\n");
	free(text);
}

static void a_statistic_stands_behind_the_first_word(void **state)
{
	char key[24];
	(void) state;

	assert_int_equal(statistic_key("proc_rss_bytes", "peak", key, sizeof(key)), 0);
	assert_string_equal(key, "proc_peak_rss_bytes");
	assert_int_equal(statistic_key("proc_rss_bytes", "", key, sizeof(key)), 0);
	assert_string_equal(key, "proc_rss_bytes");
	assert_int_equal(statistic_key("proc_rss_total_bytes", "peak", key, sizeof(key)), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_window_without_processes_is_one_line),
		cmocka_unit_test(a_process_shows_its_exact_bytes_its_absences_and_its_flags),
		cmocka_unit_test(a_device_without_a_value_in_the_window_is_not_written),
		cmocka_unit_test(a_running_info_holds_no_results),
		cmocka_unit_test(arguments_that_are_not_text_keep_their_bytes),
		cmocka_unit_test(facts_are_gathered_by_section_and_group),
		cmocka_unit_test(the_measurements_are_the_selected_rows),
		cmocka_unit_test(statistics_of_the_run_follow_the_source_of_the_key),
		cmocka_unit_test(headline_and_rungs_leave_out_what_was_not_measured),
		cmocka_unit_test(kept_outputs_name_their_files_and_what_they_lack),
		cmocka_unit_test(stops_are_there_when_there_were_some),
		cmocka_unit_test(an_outcome_is_there_once_it_is_known),
		cmocka_unit_test(the_limit_that_ended_a_run_is_told_in_its_unit),
		cmocka_unit_test(names_of_processes_and_survivors_keep_their_bytes),
		cmocka_unit_test(a_statistic_stands_behind_the_first_word),
	};
	return cmocka_run_group_tests_name("record_json", tests, NULL, NULL);
}
