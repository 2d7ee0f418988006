/* SPDX-License-Identifier: MIT */
/* One program of many loads whose use is known: load TRUTH_FILE NAME ARGUMENTS. */
#include "load.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* An image started by exec_load: load --ledger FD NAME ARGUMENTS. */
#define INHERITED "--ledger"

static const struct load *const groups[] = { cpu_loads, family_loads, memory_loads, io_loads,
	manners_loads, stubborn_loads, tree_loads, actor_loads, title_loads, endings_loads,
	memory_view_loads, unseen_loads, known_io_loads, known_ends_loads, known_cpu_loads,
	known_cpu_ends_loads, known_memory_loads };
#define N_GROUPS (sizeof(groups) / sizeof(groups[0]))

static int ledger_fd = -1;

static void ledger_map(int fd)
{
	ledger_fd = fd;
	ledger = mmap(NULL, sizeof(*ledger), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ledger == MAP_FAILED)
		die("mmap of the ledger");
}

static void ledger_create(const char *truth_path)
{
	uint64_t before = process_cpu_ns();
	int low = memfd_create("ledger", 0), fd = fcntl(low, F_DUPFD, LEDGER_FD_MIN);

	/* Where few descriptors are allowed the low one has to do. */
	if (fd < 0)
		fd = low;
	else
		close(low);
	if (fd < 0 || ftruncate(fd, (off_t) sizeof(*ledger)) < 0)
		die("memfd_create");
	ledger_map(fd);
	if (strlen(truth_path) >= sizeof(ledger->truth_path))
		die("length of the truth file's name");
	memcpy(ledger->truth_path, truth_path, strlen(truth_path) + 1);
	ledger->cpu_before_ns = before;
	ledger->processes = 1;
	ledger->memory_peak_bytes = UNKNOWN;
	ledger->memory_process_bytes = UNKNOWN;
	ledger->io_read_syscall_bytes = UNKNOWN;
	ledger->io_write_syscall_bytes = UNKNOWN;
	ledger->io_read_bytes = UNKNOWN;
	ledger->io_write_bytes = UNKNOWN;
	ledger->end_ns = UNKNOWN;
}

void exec_load(const char *image, const char *argv0, const char *name, char **arguments)
{
	char fd[16];
	char *argv[16] = { NULL };
	size_t n = 4;

	snprintf(fd, sizeof(fd), "%d", ledger_fd);
	argv[0] = (char *) (uintptr_t) argv0;
	argv[1] = (char *) (uintptr_t) INHERITED;
	argv[2] = fd;
	argv[3] = (char *) (uintptr_t) name;
	for (size_t i = 0; arguments[i] && n < 15; i++)
		argv[n++] = arguments[i];
	execv(image, argv);
	die("exec");
}

static const struct load *find(const char *name)
{
	for (size_t g = 0; g < N_GROUPS; g++)
		for (const struct load *l = groups[g]; l->name; l++)
			if (strcmp(l->name, name) == 0)
				return l;
	return NULL;
}

static int usage(void)
{
	fputs("load TRUTH_FILE NAME ARGUMENTS, one of\n", stderr);
	for (size_t g = 0; g < N_GROUPS; g++)
		for (const struct load *l = groups[g]; l->name; l++)
			fprintf(stderr, "  %s %s\n", l->name, l->arguments);
	return 2;
}

int main(int argc, char **argv)
{
	const struct load *load;
	int shift = argc > 1 && strcmp(argv[1], INHERITED) == 0 ? 1 : 0;

	if (argc < 3 + shift)
		return usage();
	load = find(argv[2 + shift]);
	if (!load || argc - 3 - shift < load->n_arguments)
		return usage();
	if (shift)
		ledger_map((int) number(argv[2]));
	else
		ledger_create(argv[1]);
	return load->run(argv + 3 + shift);
}
