/* SPDX-License-Identifier: MIT */
/* What a process maps more than once, by the text of /proc/PID/maps and of this very process. */
#include "live_roots.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/macros.h"
#include "linux/repeated_maps.h"

#define ROOM 8
#define MIB 0x100000u

static int read_text(const char *text, uint64_t *ret)
{
	struct mapped_range room[ROOM];
	FILE *f = tmpfile();

	assert_non_null(f);
	fputs(text, f);
	rewind(f);
	int r = repeated_maps_read(fileno(f), room, ROOM, ret);
	fclose(f);
	return r;
}

static uint64_t repeated(const char *text)
{
	uint64_t bytes = 77;

	assert_int_equal(read_text(text, &bytes), 0);
	return bytes;
}

static void a_part_of_a_file_counts_as_often_as_it_is_there_again(void **state)
{
	(void) state;
	assert_int_equal(repeated(""), 0);
	/* The parts of a library, one behind the other. */
	assert_int_equal(repeated("1000-3000 r--p 00000000 08:01 77 /lib/a.so\n"
				  "3000-5000 r-xp 00002000 08:01 77 /lib/a.so\n"
				  "5000-6000 rw-p 00004000 08:01 77 /lib/a.so\n"),
		0);
	/* Three times the same, and one that overlaps by half. */
	assert_int_equal(repeated("10000-20000 rw-s 00000000 00:01 5 /memfd:m (deleted)\n"
				  "30000-40000 rw-s 00000000 00:01 5 /memfd:m (deleted)\n"
				  "50000-60000 rw-s 00000000 00:01 5 /memfd:m (deleted)\n"
				  "70000-80000 rw-s 00008000 00:01 5 /memfd:m (deleted)\n"),
		0x28000);
	/* Another file, the same inode of another device, memory of no file. */
	assert_int_equal(repeated("10000-20000 rw-s 00000000 00:01 5 /memfd:m (deleted)\n"
				  "30000-40000 rw-s 00000000 00:01 6 /memfd:n (deleted)\n"
				  "50000-60000 rw-s 00000000 00:02 5 /dev/shm/x\n"
				  "70000-80000 rw-p 00000000 00:00 0 \n"
				  "80000-90000 rw-p 00000000 00:00 0 [heap]\n"
				  "90000-a0000 rw-p 00000000 00:00 0\n"),
		0);
}

static void what_is_no_line_of_maps_or_too_much_is_refused(void **state)
{
	char text[1024] = "";
	uint64_t bytes;

	(void) state;
	assert_int_equal(read_text("nothing\n", &bytes), -EINVAL);
	assert_int_equal(read_text("2000-1000 rw-s 00000000 00:01 5 x\n", &bytes), -EINVAL);
	assert_int_equal(read_text("1000-2000 rw-s 00000000 00:01\n", &bytes), -EINVAL);
	for (unsigned i = 0; i <= ROOM; i++) {
		char line[64];

		snprintf(line, sizeof(line), "%x-%x rw-s 00000000 00:01 %u f\n", i << 16,
			(i << 16) + 0x1000, i + 1);
		strncat(text, line, sizeof(text) - strlen(text) - 1);
	}
	assert_int_equal(read_text(text, &bytes), -E2BIG);
}

static void ones_own_mappings_are_found(void **state)
{
	static struct mapped_range room[512];
	uint64_t before;
	uint64_t after;
	int file = memfd_create("m", MFD_CLOEXEC);

	(void) state;
	assert_int_equal(ftruncate(file, 16 * MIB), 0);
	int fd = root_file(live.proc, "self/maps");
	assert_int_equal(repeated_maps_read(fd, room, ARRAY_SIZE(room), &before), 0);
	close(fd);
	for (int i = 0; i < 3; i++)
		assert_true(mmap(NULL, 16 * MIB, PROT_READ, MAP_SHARED, file, 0) != MAP_FAILED);
	fd = root_file(live.proc, "self/maps");
	assert_int_equal(repeated_maps_read(fd, room, ARRAY_SIZE(room), &after), 0);
	close(fd);
	close(file);
	assert_int_equal(after - before, 32 * MIB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_part_of_a_file_counts_as_often_as_it_is_there_again),
		cmocka_unit_test(what_is_no_line_of_maps_or_too_much_is_refused),
		cmocka_unit_test(ones_own_mappings_are_found),
	};

	return cmocka_run_group_tests(tests, open_live, close_live);
}
