/* SPDX-License-Identifier: MIT */
/* How a picture is to look, and what writes one: each format is a function of that kind. */
#ifndef ASSAY_PICTURE_PICTURE_LOOK_H
#define ASSAY_PICTURE_PICTURE_LOOK_H

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

#endif
