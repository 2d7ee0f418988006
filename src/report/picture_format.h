/* SPDX-License-Identifier: MIT */
/* The formats that a picture can be written in: a row each. To add one: a function of the kind picture_write, and a row in picture_format.c. */
#ifndef ASSAY_REPORT_PICTURE_FORMAT_H
#define ASSAY_REPORT_PICTURE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

struct error;
struct picture;

/* What a picture in a file may have: who reads --width and the like sees to it. */
#define PICTURE_PIXELS_MIN 200
#define PICTURE_PIXELS_MAX 20000
#define PICTURE_LETTERS_MIN 4 /* points */
#define PICTURE_LETTERS_MAX 72

/* How it looks; 0 and NULL: as the format likes it. */
struct picture_look {
	bool dark;
	size_t width, height; /* pixels; of PDF points */
	size_t font_points; /* of the letters of PNG, SVG and PDF */
	const char *title; /* of any bytes but NUL */
	size_t columns; /* of the terminal */
	bool color, ascii; /* of the terminal */
};

/* Writes all of it to the file. 0, or a negative errno with a line, which does not name the file. */
typedef int picture_write(
	const struct picture *p, const struct picture_look *look, int fd, struct error *err);

struct picture_format {
	const char *name; /* what names of files end in, without the dot: "png" */
	picture_write *write;
};

extern const struct picture_format
	picture_formats[]; /* the last has the name NULL; there is one at least */

/* By the end of a file's name, whatever its case; NULL. */
const struct picture_format *picture_format_of(const char *file);
/* Adds ".html, .pdf, .png, .svg, .txt". */
struct buf;
void picture_format_names(struct buf *out);

#endif
