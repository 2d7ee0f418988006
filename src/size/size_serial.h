/* SPDX-License-Identifier: MIT */
/* Runs that are like the ones before them: of those the next is like the last, and not like any of them. Inner part of size_bound.c. */
#ifndef ASSAY_SIZE_SERIAL_H
#define ASSAY_SIZE_SERIAL_H

#include "size/size_bound.h"

#define SIZE_SERIAL_LEAST 10

/* Whether the whole ones among these, which stand in their order, are more alike from one to the next than chance makes them. */
bool size_is_serial(const struct size_point *in_order, size_t n);
/* Each step from a whole one to the next, made from the last of them: what the next run comes to by it. `ret` has room for n. Returns how many there are. */
size_t size_steps_from_last(const struct size_point *in_order, size_t n, struct size_point *ret);

#endif
