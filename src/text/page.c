/* SPDX-License-Identifier: MIT */
/* Lays out rows of labels, marks and numbers. */
#include "text/page.h"

#include <string.h>

#include "text/wrap.h"

size_t page_columns(const struct page *p)
{
	return p->columns > 0 ? p->columns : PAGE_COLUMNS;
}

void page_styled(struct page *p, const char *style, const char *text)
{
	if (!*text)
		return;
	if (p->color)
		buf_add_text(p->out, style);
	buf_add_text(p->out, text);
	if (p->color)
		buf_add_text(p->out, "\033[0m");
	p->column += text_columns(text, strlen(text));
}

static void pad(struct page *p, size_t column)
{
	while (p->column < column) {
		buf_add_char(p->out, ' ');
		p->column++;
	}
}

void page_row(struct page *p, const char *label)
{
	p->column = 0;
	p->item_before = false;
	pad(p, PAGE_LABEL_COLUMN);
	page_styled(p, STYLE_DIM, label);
}

void page_next_line(struct page *p)
{
	buf_add_char(p->out, '\n');
	p->column = 0;
	p->item_before = false;
}

static void add(struct page *p, const char *text)
{
	buf_add_text(p->out, text);
	p->column += text_columns(text, strlen(text));
}

/* What is longer than the line goes on below. */
static void add_fitting(struct page *p, const char *text)
{
	size_t before = p->out->len;

	/* 1: the comma of a next item */
	text_add_fitting(p->out, text, p->column, PAGE_TEXT_COLUMN, p->columns - 1);
	if (p->out->failed)
		return;
	const char *added = p->out->data + before;
	const char *line = memrchr(added, '\n', p->out->len - before);
	if (line)
		p->column = text_columns(line + 1, strlen(line + 1));
	else
		p->column += text_columns(added, strlen(added));
}

void page_item(struct page *p, const char *mark, const char *text)
{
	size_t wide = strlen(mark) + 1 + text_columns(text, strlen(text));

	if (p->item_before) {
		add(p, ",");
		if (p->column + 1 + wide + 1 > page_columns(p)) /* 1: the comma of a next item */
			page_next_line(p);
		else
			add(p, " ");
	}
	if (!p->item_before)
		pad(p, PAGE_TEXT_COLUMN - 1 - strlen(mark));
	add(p, mark);
	add(p, " ");
	if (p->columns > 0)
		add_fitting(p, text);
	else
		add(p, text);
	p->item_before = true;
}

void page_end_row(struct page *p)
{
	buf_add_char(p->out, '\n');
	p->column = 0;
}

void page_words(struct page *p, const char *label, const char *text)
{
	page_row(p, label);
	pad(p, PAGE_TEXT_COLUMN);
	if (p->columns > 0)
		text_add_fitting(p->out, text, PAGE_TEXT_COLUMN, PAGE_TEXT_COLUMN, p->columns);
	else
		text_add_wrapped(p->out, text, PAGE_TEXT_COLUMN, PAGE_TEXT_COLUMN);
	page_end_row(p);
}

void page_styled_words(struct page *p, const char *label, const char *style, const char *text)
{
	page_row(p, label);
	pad(p, PAGE_TEXT_COLUMN);
	if (p->color)
		buf_add_text(p->out, style);
	text_add_fitting(p->out, text, PAGE_TEXT_COLUMN, PAGE_TEXT_COLUMN, page_columns(p));
	if (p->color)
		buf_add_text(p->out, "\033[0m");
	page_end_row(p);
}
