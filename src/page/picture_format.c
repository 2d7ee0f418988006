/* SPDX-License-Identifier: MIT */
/* The list of formats that pictures are written in. */
#include "page/picture_format.h"

#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "page/html.h"
#include "picture/gnuplot.h"
#include "picture/picture_text.h"

const struct picture_format picture_formats[] = {
	{ "html", html_picture },
	{ "pdf", gnuplot_pdf },
	{ "png", gnuplot_png },
	{ "svg", gnuplot_svg },
	{ "txt", picture_write_text },
	{ NULL, NULL },
};

const struct picture_format *picture_format_of(const char *file)
{
	const char *slash = strrchr(file, '/');
	const char *dot = strrchr(slash ? slash + 1 : file, '.');

	for (const struct picture_format *f = picture_formats; dot && f->name; f++)
		if (strcasecmp(dot + 1, f->name) == 0)
			return f;
	return NULL;
}

void picture_format_names(struct buf *out)
{
	for (const struct picture_format *f = picture_formats; f->name; f++)
		buf_addf(out, "%s.%s", f == picture_formats ? "" : ", ", f->name);
}
