/* SPDX-License-Identifier: MIT */
/* gnuplot as a child process: a script goes in, the bytes of a picture come out. */
#ifndef ASSAY_PICTURE_GNUPLOT_RUN_H
#define ASSAY_PICTURE_GNUPLOT_RUN_H

#include <stddef.h>

struct error;

/* Runs the gnuplot of PATH over the script, without a shell and without the settings of whoever calls. *ret_fd is what it drew, whole,
 * from the first byte on, in a file that has no name; the caller closes it. -ENOENT: there is no gnuplot, and the text names the package
 * that has it; what gnuplot said when it failed is in the text. It does not outlive this process. */
int gnuplot_run(const char *script, size_t n, int *ret_fd, struct error *err);

#endif
