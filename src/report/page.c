/* SPDX-License-Identifier: MIT */
/* Lays out rows of labels, marks and numbers. */
#include "report/page.h"

#include <string.h>

#include "report/wrap.h"

#define LABEL_COLUMN 2
#define TEXT_COLUMN 15

void page_styled(struct page *p, const char *style, const char *text)
{
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
	pad(p, LABEL_COLUMN);
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

void page_item(struct page *p, const char *mark, const char *text)
{
	size_t wide = strlen(mark) + 1 + text_columns(text, strlen(text));

	if (p->item_before) {
		add(p, ",");
		if (p->column + 1 + wide + 1 > PAGE_COLUMNS) /* 1: the comma of a next item */
			page_next_line(p);
		else
			add(p, " ");
	}
	if (!p->item_before)
		pad(p, TEXT_COLUMN - 1 - strlen(mark));
	add(p, mark);
	add(p, " ");
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
	pad(p, TEXT_COLUMN);
	text_add_wrapped(p->out, text, TEXT_COLUMN, TEXT_COLUMN);
	page_end_row(p);
}
