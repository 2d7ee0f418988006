/* SPDX-License-Identifier: MIT */
/* Whether the files of a run are still there is only said where that is known. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "model/run_info.h"
#include "record/left_files.h"

static void what_cannot_be_asked_is_not_told_as_moved_or_removed(void **state)
{
	char directory[] = "/tmp/left-XXXXXX";
	struct assay_run_info info = { 0 };
	char prefix[64];
	char loop[64];

	(void) state;
	assert_non_null(mkdtemp(directory));
	snprintf(loop, sizeof(loop), "%s/loop", directory);
	assert_int_equal(symlink("loop", loop), 0);

	/* ELOOP, as EIO and EACCES, says nothing of the file. */
	snprintf(prefix, sizeof(prefix), "%s/loop/", directory);
	info.prefix = prefix;
	left_files_look(&info);
	assert_false(info.info_gone);
	assert_false(info.series_gone);

	snprintf(prefix, sizeof(prefix), "%s/", directory);
	left_files_look(&info);
	assert_true(info.info_gone);
	assert_true(info.series_gone);

	assert_int_equal(unlink(loop), 0);
	assert_int_equal(rmdir(directory), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_cannot_be_asked_is_not_told_as_moved_or_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
