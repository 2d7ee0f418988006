/* SPDX-License-Identifier: MIT */
/* A directory for tests of what reads files: made for each, and left as the working directory. */
#ifndef ASSAY_TESTS_UNIT_TEST_ROOM_H
#define ASSAY_TESTS_UNIT_TEST_ROOM_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char test_room[] = "/tmp/test-assay-room-XXXXXX";

static inline int test_room_make(void **state)
{
	(void) state;
	memcpy(test_room + strlen(test_room) - 6, "XXXXXX", 6);
	return mkdtemp(test_room) && chdir(test_room) == 0 ? 0 : -1;
}

/* Whoever made files in it removed them. */
static inline int test_room_drop(void)
{
	return chdir("/") == 0 && rmdir(test_room) == 0 ? 0 : -1;
}

#endif
