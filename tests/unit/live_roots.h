/* SPDX-License-Identifier: MIT */
/* The live machine's roots, opened before a group of tests and closed after it. */
#ifndef ASSAY_TESTS_UNIT_LIVE_ROOTS_H
#define ASSAY_TESTS_UNIT_LIVE_ROOTS_H

#include "test.h"

#include "base/error.h"
#include "linux/roots.h"

static struct roots live;

static int open_live(void **state)
{
	struct error err;
	(void) state;

	return roots_open(&live, "", &err);
}

static int close_live(void **state)
{
	(void) state;
	roots_close(&live);
	return 0;
}

#endif
