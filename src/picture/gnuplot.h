/* SPDX-License-Identifier: MIT */
/* Pictures as PNG, SVG and PDF, drawn by gnuplot. */
#ifndef ASSAY_PICTURE_GNUPLOT_H
#define ASSAY_PICTURE_GNUPLOT_H

struct buf;
struct error;
struct picture;
struct picture_look;

/* Of the kind picture_write: nothing is written before all of it is drawn. -ENOENT: there is no gnuplot; -EINVAL: it does not fit into the size
 * that was asked for. */
int gnuplot_png(
	const struct picture *p, const struct picture_look *look, int fd, struct error *err);
int gnuplot_svg(
	const struct picture *p, const struct picture_look *look, int fd, struct error *err);
int gnuplot_pdf(
	const struct picture *p, const struct picture_look *look, int fd, struct error *err);

#endif
