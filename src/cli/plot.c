/* SPDX-License-Identifier: MIT */
/* assay plot: draws runs, on the terminal or into a file. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/units.h"
#include "cli/ending.h"
#include "cli/log.h"
#include "cli/run_list.h"
#include "cli/run_words.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/whole_file.h"
#include "page/picture_format.h"
#include "picture/picture.h"
#include "picture/picture_text.h"

#define PROCESSES_ON_TERMINAL 4

static const struct option_choice layouts[] = {
	{ "overlaid", PICTURE_OVERLAID },
	{ "stacked", PICTURE_STACKED },
	{ "beside", PICTURE_BESIDE },
	{ NULL, 0 },
};

static const struct option_row rows[] = {
	{ .group = "Where it goes",
		.name = "output",
		.letter = 'o',
		.argument = "FILE",
		.default_text = "the terminal, with characters",
		.help = "the file it is written to, in the format that its name ends in; one that "
			"is there is replaced; - is standard output, with characters" },
	{ .group = "What is drawn",
		.name = "metrics",
		.letter = 'm',
		.argument = "LIST",
		.offers = OFFERS_KEYS,
		.default_text = "what is usual",
		.help = "names of panels and keys of measurements, comma-separated, with * and ?; "
			"-NAME takes away" },
	{ .name = "from",
		.argument = "TIME",
		.offers = OFFERS_NOTHING,
		.unit = "seconds",
		.default_text = "the start",
		.help = "leaves out what came before, counted from the start of the picture" },
	{ .name = "to",
		.argument = "TIME",
		.offers = OFFERS_NOTHING,
		.unit = "seconds",
		.default_text = "the end",
		.help = "leaves out what came after" },
	{ .name = "processes",
		.argument = "N",
		.offers = OFFERS_NOTHING,
		.default_text = "8, on the terminal 4",
		.help = "how many processes are drawn one by one; the rest is one line" },
	{ .name = "unstacked",
		.help = "processes as lines of their own, not stacked one upon the other" },
	{ .name = "cores", .help = "every processor of the machine" },
	{ .name = "points",
		.argument = "N",
		.offers = OFFERS_NOTHING,
		.default_text = "1000",
		.help = "how many points a line has at most; no peak is lost" },
	{ .group = "How it is laid out",
		.name = "layout",
		.argument = "HOW",
		.choices = layouts,
		.default_text = "overlaid",
		.help = "several runs: overlaid in the same panels, stacked one run below the "
			"other, or beside each other" },
	{ .name = "relative",
		.default_text = "of runs that do not overlap in time",
		.help = "counts the time from the start of each run" },
	{ .name = "clock",
		.default_text = "of runs that overlap in time",
		.help = "draws each run where it was by the clock" },
	{ .name = "compress-idle",
		.help = "leaves long stretches out of the axis in which nothing happened" },
	{ .group = "How it looks", .name = "dark", .help = "light on dark" },
	{ .name = "width",
		.argument = "N",
		.offers = OFFERS_NOTHING,
		.default_text =
			"that of the terminal, else 80; of a picture as its format likes it",
		.help = "columns on the terminal and in text, pixels of a picture in a file" },
	{ .name = "height",
		.argument = "N",
		.offers = OFFERS_NOTHING,
		.default_text = "by the number of panels",
		.help = "pixels of a picture in a file" },
	{ .name = "font-size",
		.argument = "N",
		.offers = OFFERS_NOTHING,
		.unit = "points",
		.default_text = "by the width",
		.help = "size of the letters of a picture in a file" },
	{ .name = "title",
		.argument = "TEXT",
		.offers = OFFERS_NOTHING,
		.help = "stands above the picture in a file" },
	{ .name = "colors",
		.alias = "color",
		.default_text = "when standard output is a terminal",
		.environment = "ASSAY_COLORS",
		.help = "colors on the terminal; --colors=no: none" },
	{ .group = "Where runs are", OPTION_RUNS_PREFIX },
};

/* Options */

/* NULL: standard output. */
static const char *output_of(const struct verb *verb, const struct option_values *values)
{
	const char *path = verb_option(verb, values, "output");

	return path && strcmp(path, "-") == 0 ? NULL : path;
}

static int read_number(const struct verb *verb, const struct option_values *values,
	const char *name, const size_t range[2], size_t *ret, struct error *err)
{
	const char *text = verb_option(verb, values, name);
	unsigned long n;
	char *end;

	if (!text)
		return 0;
	n = strtoul(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || n < range[0] || n > range[1])
		return error_say(err, -EINVAL, "--%s: '%.60s' is not a number from %zu to %zu",
			name, text, range[0], range[1]);
	*ret = n;
	return 0;
}

static int read_time(const struct verb *verb, const struct option_values *values, const char *name,
	double *ret, struct error *err)
{
	const char *text = verb_option(verb, values, name);
	uint64_t ns;

	*ret = (double) NAN;
	if (!text)
		return 0;
	if (parse_duration(text, &ns, err) < 0)
		return error_wrap(err, "--%s", name);
	*ret = (double) ns / 1e9;
	return 0;
}

static int read_options(const struct verb *verb, const struct option_values *values,
	struct picture_options *o, struct error *err)
{
	static const size_t processes[] = { 1, PICTURE_PROCESSES_MAX };
	static const size_t points[] = { 16, PICTURE_POINTS_MAX };
	const struct option_value *layout = verb_value(verb, values, "layout");
	int r = read_time(verb, values, "from", &o->from, err);

	if (r == 0)
		r = read_time(verb, values, "to", &o->to, err);
	if (r == 0 && o->to <= o->from)
		r = error_say(err, -EINVAL, "--from %.60s is not before --to %.60s",
			verb_option(verb, values, "from"), verb_option(verb, values, "to"));
	if (r == 0 && o->to <= 0)
		r = error_say(err, -EINVAL, "--to 0: nothing is before the start");
	if (r == 0)
		r = read_number(verb, values, "processes", processes, &o->n_processes, err);
	if (r == 0)
		r = read_number(verb, values, "points", points, &o->points_max, err);
	o->metrics = verb_option(verb, values, "metrics");
	o->layout = layout->text ? (enum picture_layout) layout->number : PICTURE_OVERLAID;
	o->compress_idle = verb_option(verb, values, "compress-idle") != NULL;
	o->unstacked = verb_option(verb, values, "unstacked") != NULL;
	o->per_core = verb_option(verb, values, "cores") != NULL;
	if (verb_option(verb, values, "relative"))
		o->time = PICTURE_FROM_START;
	if (verb_option(verb, values, "clock"))
		o->time = PICTURE_CLOCK;
	if (r == 0 && verb_option(verb, values, "relative") && o->time == PICTURE_CLOCK)
		r = error_say(err, -EINVAL, "--relative and --clock: one of them");
	return r;
}

/* Characters are counted in columns, whatever they are written to. */
static bool is_text(const char *path)
{
	return !path || strcmp(picture_format_of(path)->name, "txt") == 0;
}

static int read_look(const struct verb *verb, const struct option_values *values,
	struct picture_look *look, struct error *err)
{
	static const size_t pixels[] = { PICTURE_PIXELS_MIN, PICTURE_PIXELS_MAX };
	static const size_t letters[] = { PICTURE_LETTERS_MIN, PICTURE_LETTERS_MAX };
	bool text = is_text(output_of(verb, values));
	int r;

	if (text)
		r = terminal_width(verb, values, &look->columns, err);
	else
		r = read_number(verb, values, "width", pixels, &look->width, err);
	if (r == 0)
		r = read_number(verb, values, "height", pixels, &look->height, err);
	if (r == 0)
		r = read_number(verb, values, "font-size", letters, &look->font_points, err);
	look->dark = verb_option(verb, values, "dark") != NULL;
	look->title = verb_option(verb, values, "title");
	look->ascii = terminal_is_ascii();
	return r;
}

/* The picture */

struct drawn {
	const struct picture *picture;
	const struct picture_format *format;
	const struct picture_look *look;
};

static int write_drawn(int fd, const void *content, struct error *err)
{
	const struct drawn *drawn = content;

	return drawn->format->write(drawn->picture, drawn->look, fd, err);
}

static int write_named(const struct picture *picture, const struct picture_look *look,
	const char *path, struct error *err)
{
	const struct drawn drawn = { picture, picture_format_of(path), look };

	return whole_file_make(path, write_drawn, &drawn, err);
}

static int print_picture(const struct verb *verb, const struct option_values *values,
	const struct picture *picture, const struct picture_look *look)
{
	struct picture_look own = *look;
	struct buf out = { 0 };
	int r;

	own.color = ending_wants_color_on(verb, values, STDOUT_FILENO);
	picture_text(picture, &own, &out);
	r = write_data(&out);
	buf_done(&out);
	/* Whoever reads has seen enough. */
	return r == -EPIPE ? 0 : close_data(r);
}

static int draw(const struct verb *verb, const struct option_values *values,
	const struct run_list *list, const struct picture_options *o)
{
	const char *path = output_of(verb, values);
	struct picture_look look = { 0 };
	struct picture picture;
	struct error err = { 0 };
	int status = 0;
	int r = read_look(verb, values, &look, &err);

	if (r < 0)
		return complain_usage(verb, err.text);
	if (path && whole_file_judge(path, list->views, list->n, &err) < 0) {
		complain("%s", err.text);
		return err.code == -EINVAL ? EXIT_USAGE : EXIT_TROUBLE;
	}
	r = picture_make(list->views, list->n, o, &picture, &err);
	if (r < 0) {
		complain("%s", err.text);
		return r == -ENOENT || r == -EINVAL ? EXIT_USAGE : EXIT_TROUBLE;
	}
	if (run_list_tell(&picture, true))
		status = EXIT_TROUBLE;
	if (!path) {
		if (print_picture(verb, values, &picture, &look) != 0)
			status = EXIT_TROUBLE;
	} else if (write_named(&picture, &look, path, &err) < 0) {
		complain("%s", err.text);
		status = err.code == -EINVAL ? EXIT_USAGE : EXIT_TROUBLE;
	}
	picture_done(&picture);
	return status;
}

static int judge_suffix(const char *path, struct error *err)
{
	struct buf names = { 0 };

	if (!path || picture_format_of(path))
		return 0;
	picture_format_names(&names);
	error_say(err, -EINVAL, "-o %.200s: the name must end in one of %s", path,
		names.data ? names.data : "");
	buf_done(&names);
	return -EINVAL;
}

static int exec(const struct verb *verb, struct option_values *values, char **words)
{
	const char *prefix = runs_prefix(verb, values);
	struct picture_options o = { 0 };
	struct run_list list = { 0 };
	struct error err = { 0 };
	int status;
	int r = read_options(verb, values, &o, &err);

	if (o.n_processes == 0 && !output_of(verb, values))
		o.n_processes = PROCESSES_ON_TERMINAL;
	if (r == 0)
		r = judge_suffix(output_of(verb, values), &err);
	if (r < 0)
		return complain_usage(verb, err.text);
	log_flush(&values->log, LOG_WARNING);
	status = run_list_open(&list, words, prefix, "picture");
	if (status == 0)
		status = draw(verb, values, &list, &o);
	if (status == 0 && list.failed)
		status = EXIT_TROUBLE;
	run_list_done(&list);
	return status;
}

const struct verb verb_plot = {
	.name = "plot",
	.mixed = true,
	.help = "draws recorded runs: CPU, memory, I/O and more over time",
	.usage = "[options] [RUN...]",
	.offers = OFFERS_RUNS,
	.text = "Draws one or several runs over one axis of time, from their records alone; "
		"without RUN the last one. " RUN_WORDS,
	.options = rows,
	.n_options = ARRAY_SIZE(rows),
	.exec = exec,
};
