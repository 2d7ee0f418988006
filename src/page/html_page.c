/* SPDX-License-Identifier: MIT */
/* Puts pages together: what is inlined, the sections that have something in them, and the way from one to the other. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd_write.h"
#include "base/macros.h"
#include "compare/compare.h"
#include "page/html.h"
#include "page/html_parts.h"
#include "page/web_page.h"
#include "picture/picture.h"
#include "show/show.h"
#include "text/html_text.h"

#define SECTIONS_MAX 12

struct section {
	const char *id, *title;
	struct buf body;
};

struct html_page {
	struct buf *out;
	struct buf heading;
	struct section sections[SECTIONS_MAX];
	size_t n;
	const char *title; /* of any bytes but NUL */
	bool quoted; /* it is a command, escaped as a shell would take it */
};

/* Gives the place where the next section is written; one that stays empty is left out. */
static struct buf *section(struct html_page *page, const char *id, const char *title)
{
	struct section *s = &page->sections[page->n++];

	s->id = id;
	s->title = title;
	return &s->body;
}

static void add_head(struct buf *out, const struct html_page *page, const struct picture_look *look)
{
	buf_addf(out,
		"<!DOCTYPE html>\n<html lang=\"en\"%s>\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"style-src '%s'; script-src '%s'; img-src data:; base-uri 'none'; form-action "
		"'none'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"generator\" content=\"assay\">\n<title>",
		look->dark ? " data-theme=\"dark\"" : "", web_style_hash, web_script_hash);
	if (page->quoted)
		html_add_quoted(out, page->title, 200);
	else
		html_add_text(out, page->title, 200);
	buf_add_text(out, "</title>\n<style>");
	buf_add(out, web_style, web_style_size);
	buf_add_text(out, "</style>\n</head>\n");
}

static void add_nav(struct buf *out, const struct html_page *page)
{
	buf_add_text(out, "<nav aria-label=\"Parts of the report\"><ul>\n");
	for (size_t i = 0; i < page->n; i++)
		if (page->sections[i].body.len > 0)
			buf_addf(out, "<li><a href=\"#%s\">%s</a></li>\n", page->sections[i].id,
				page->sections[i].title);
	buf_add_text(out, "</ul></nav>\n");
}

/* Adds all of it, and empties the page. 0 or -ENOMEM. */
static int page_end(
	struct html_page *page, const struct picture *picture, const struct picture_look *look)
{
	struct buf *out = page->out;

	add_head(out, page, look);
	buf_add_text(out,
		"<body>\n<a class=\"skip\" href=\"#main\">to the numbers</a>\n<header>\n"
		"<div class=\"top\"><span>assay report</span>"
		"<button type=\"button\" class=\"theme script-only\">dark</button></div>\n");
	buf_add(out, page->heading.data ? page->heading.data : "", page->heading.len);
	buf_add_text(out, "</header>\n");
	add_nav(out, page);
	buf_add_text(out, "<main id=\"main\">\n");
	out->failed = out->failed || page->heading.failed;
	for (size_t i = 0; i < page->n; i++) {
		struct section *s = &page->sections[i];

		out->failed = out->failed || s->body.failed;
		if (s->body.len > 0) {
			buf_addf(out, "<section id=\"%s\">\n<h2>%s</h2>\n", s->id, s->title);
			buf_add(out, s->body.data, s->body.len);
			buf_add_text(out, "</section>\n");
		}
		buf_done(&s->body);
	}
	buf_done(&page->heading);
	buf_add_text(out,
		"</main>\n<footer><p class=\"soft\">Marks: = exact, ~ sampled or an estimate, "
		"&gt;= at "
		"least, &lt;= at most. What is not here was not measured.</p></footer>\n");
	if (picture && web_has_charts)
		html_data(out, picture);
	buf_add_text(out, "<script>");
	buf_add(out, web_script, web_script_size);
	buf_add_text(out, "</script>\n</body>\n</html>\n");
	return out->failed ? -ENOMEM : 0;
}

static void add_run(struct html_page *page, struct story *s, const struct picture *picture)
{
	html_heading(&page->heading, s);
	html_summary(section(page, "summary", "What it used"), s);
	if (picture)
		html_charts(section(page, "charts", "Course"), picture);
	html_processes(section(page, "processes", "Processes"), s);
	html_limits(section(page, "limits", "Limits"), s);
	html_ladder(section(page, "ladder", "How the numbers were got"), s);
	html_outputs(section(page, "output", "Output"), s);
	html_cost(section(page, "cost", "Own cost"), s);
	html_record(section(page, "record", "Record"), s);
}

static int report_of_one(
	const struct stored_run *run, const struct picture *picture, struct buf *out)
{
	const struct picture_look look = { 0 };
	struct html_page page = { .out = out };
	struct story *s = malloc(sizeof(*s));
	int r = s ? story_gather(run, s) : -ENOMEM;

	if (r == 0) {
		page.title = show_command(s) ? show_command(s) : run->file;
		page.quoted = show_command(s) != NULL;
		add_run(&page, s, picture);
		r = page_end(&page, picture, &look);
		story_done(s);
	}
	free(s);
	return r;
}

static int take_runs(struct compare *c, const struct stored_run *const *runs, size_t n,
	const struct picture *picture)
{
	const struct compare_wish wish = { 0 };
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		struct buf label = { 0 };
		size_t group;

		/* A name alone may be that of several. */
		buf_addf(&label, "%zu", i + 1);
		if (picture && i < picture->n_runs)
			buf_addf(&label, ": %s", picture->runs[i].name);
		group = label.failed ? 0 : compare_group(c, label.data);
		r = label.failed || c->failed ? -ENOMEM
					      : compare_take(c, group, runs[i], &wish, false);
		buf_done(&label);
	}
	return r;
}

static int report_of_several(const struct stored_run *const *runs, size_t n,
	const struct picture *picture, struct buf *out)
{
	const struct picture_look look = { 0 };
	struct html_page page = { .out = out };
	struct compare c = { 0 };
	char title[60];
	int r = take_runs(&c, runs, n, picture);

	snprintf(title, sizeof(title), "%zu runs side by side", n);
	page.title = title;
	if (r == 0) {
		buf_addf(&page.heading, "<h1>%s</h1>\n", title);
		if (picture) {
			html_runs(section(&page, "runs", "Runs"), picture);
			html_charts(section(&page, "charts", "Course"), picture);
		}
		html_comparison(section(&page, "differences", "Differences"), &c);
		html_circumstances(section(&page, "circumstances", "What else is different"), &c);
		r = page_end(&page, picture, &look);
	}
	compare_done(&c);
	return r;
}

int html_report(const struct stored_run *const *runs, size_t n, const struct picture *picture,
	struct buf *out, struct error *err)
{
	int r = n == 1 ? report_of_one(runs[0], picture, out)
		       : report_of_several(runs, n, picture, out);

	return r < 0 ? error_set(err, r, "cannot make the page") : 0;
}

int html_picture(
	const struct picture *p, const struct picture_look *look, int fd, struct error *err)
{
	struct buf out = { 0 };
	struct html_page page = { .out = &out };
	int r;

	page.title = look->title      ? look->title
		     : p->n_runs == 1 ? (p->runs[0].command ? p->runs[0].command : p->runs[0].name)
				      : "runs over time";
	page.quoted = true;
	buf_add_text(&page.heading, "<h1>");
	html_add_quoted(&page.heading, page.title, 400);
	buf_add_text(&page.heading, "</h1>\n");
	html_runs(section(&page, "runs", p->n_runs > 1 ? "Runs" : "Run"), p);
	html_charts(section(&page, "charts", "Course"), p);
	r = page_end(&page, p, look);
	if (r == 0)
		r = fd_write_all(fd, out.data, out.len, NULL);
	buf_done(&out);
	return r < 0 ? error_set(err, r, "cannot write the page") : 0;
}
