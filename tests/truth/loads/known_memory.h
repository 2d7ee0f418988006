/* SPDX-License-Identifier: MIT */
/* What the loads of known memory share. */
#ifndef ASSAY_TESTS_KNOWN_MEMORY_H
#define ASSAY_TESTS_KNOWN_MEMORY_H

#include <stddef.h>
#include <stdint.h>

struct known_memory {
	const char *name;
	void (*run)(size_t size, uint64_t ms);
};
extern const struct known_memory known_memory_alone[], known_memory_several[];

void known_peak(size_t job, size_t process);
/* Ends with the status that says so: the system does not let us. */
_Noreturn void known_refused(const char *what);
char *known_map(size_t size, int flags, int fd);
int known_memfd(size_t size);
void known_read(const char *memory, size_t size);
/* Waits until so many have come, and then for so long. */
void known_meet(uint32_t all, uint64_t ms);
/* What of the range is there, by mincore(2). */
size_t known_present(char *memory, size_t size);

#endif
