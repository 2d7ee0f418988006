/* SPDX-License-Identifier: MIT */
/* What people may write for the names of fields. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "record/fields.h"

/* The titles of the table of `assay ls`, which are names without their units, and "host", which is an object: its name is meant. */
static const struct {
	const char *word, *name;
} MEANT[] = {
	/* clang-format off */
	{ "host", "hostname" },
	{ "exit", "exit_code" },
	{ "wall", "wall_seconds" },
	{ "cpu", "cpu_seconds" },
	{ "cpu_user", "cpu_user_seconds" },
	{ "cpu_system", "cpu_system_seconds" },
	{ "cpu_mean", "cpu_mean_cores" },
	{ "cpu_peak", "cpu_peak_cores" },
	{ "memory_peak", "memory_peak_bytes" },
	{ "memory_peak_process", "memory_peak_process_bytes" },
	{ "memory_peak_charged", "memory_peak_charged_bytes" },
	{ "io_read", "io_read_bytes" },
	{ "io_write", "io_write_bytes" },
	{ "io_read_syscall", "io_read_syscall_bytes" },
	{ "io_write_syscall", "io_write_syscall_bytes" },
	{ "network_receive", "network_receive_bytes" },
	{ "network_transmit", "network_transmit_bytes" },
	{ "logs", "logs_bytes" },
	/* clang-format on */
};

#define TAG "tag:"

char *field_meant(const char *word)
{
	char *name = NULL;

	if (strncmp(word, TAG, strlen(TAG)) == 0)
		return asprintf(&name, "tags.%s", word + strlen(TAG)) < 0 ? NULL : name;
	for (size_t i = 0; i < ARRAY_SIZE(MEANT); i++)
		if (strcmp(MEANT[i].word, word) == 0)
			return strdup(MEANT[i].name);
	return strdup(word);
}

void field_known(void (*each)(const char *name, void *context), void *context)
{
	for (size_t i = 0; i < ARRAY_SIZE(MEANT); i++)
		each(MEANT[i].name, context);
	field_known_short(each, context);
}
