/* SPDX-License-Identifier: MIT */
/*
 * The shape of a command: what stays when the same work is done on other inputs. The name of the program (of an interpreter: and of its script or module), words
 * that are no values, and names of options stay; numbers, paths, files, and the values of options become "*". Runs of one shape are runs of one job.
 */
#ifndef ASSAY_REPORT_SIZE_SHAPE_H
#define ASSAY_REPORT_SIZE_SHAPE_H

#include <stddef.h>

/* "python3 train.py --epochs=* *". Printable when the words are. On the heap; NULL without memory. argc is 1 or more. */
char *size_shape_of(char *const *argv, size_t argc);

#endif
