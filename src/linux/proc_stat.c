/* SPDX-License-Identifier: MIT */
/* Parses /proc/PID/stat: the one line whose second field may hold anything. */
#include "linux/proc_stat.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/macros.h"
#include "linux/scan.h"

/* " 1 -2 3": each number after one space. */
static bool scan_ints(const char **at, const char *end, int *const *slots, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!scan_char(at, end, ' ') || !scan_int(at, end, slots[i]))
			return false;
	return true;
}

static bool scan_numbers(const char **at, const char *end, uint64_t *const *slots, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!scan_char(at, end, ' ') || !scan_u64(at, end, slots[i]))
			return false;
	return true;
}

/* "PID (name": the name ends before the last ')' of the text. */
static bool scan_pid_and_name(const char *at, const char *name_end, struct proc_stat *s)
{
	if (!scan_int(&at, name_end, &s->pid) || s->pid <= 0)
		return false;
	if (!scan_char(&at, name_end, ' ') || !scan_char(&at, name_end, '('))
		return false;

	size_t size = (size_t) (name_end - at);
	if (memchr(at, '\0', size) != NULL)
		return false;
	if (size > sizeof(s->name) - 1)
		size = sizeof(s->name) - 1;
	memcpy(s->name, at, size);
	s->name[size] = '\0';
	return true;
}

/* Field 28, from the space before field 25 on. A line may be shorter in a recorded tree: then it is not known. */
static uint64_t scan_stack_start(const char *at, const char *end)
{
	uint64_t limit = 0;
	uint64_t code_start = 0;
	uint64_t code_end = 0;
	uint64_t stack_start = 0;
	uint64_t *const layout[] = { &limit, &code_start, &code_end, &stack_start };

	return scan_numbers(&at, end, layout, ARRAY_SIZE(layout)) ? stack_start : 0;
}

/* Fields 3 to 24, from the space before the state on. */
static bool scan_fields(const char *at, const char *end, struct proc_stat *s)
{
	int terminal_group = 0;
	int priority = 0;
	int nice = 0;
	uint64_t interval_timer = 0; /* always 0 since Linux 2.6.17 */
	/* A task that is being released shows -1 for its group and session, and 0 threads. */
	int *const identity[] = { &s->ppid, &s->pgrp, &s->session, &s->tty_nr, &terminal_group };
	uint64_t *const usage[] = { &s->flags, &s->minor_faults, &s->children_minor_faults,
		&s->major_faults, &s->children_major_faults, &s->user_ticks, &s->system_ticks,
		&s->children_user_ticks, &s->children_system_ticks };
	int *const schedule[] = { &priority, &nice };
	uint64_t *const life[] = { &s->threads, &interval_timer, &s->start_ticks, &s->vsize_bytes,
		&s->rss_pages };

	if (!scan_char(&at, end, ' ') || at == end)
		return false;
	s->state = *at++;
	if (!(s->state >= 'A' && s->state <= 'Z') && !(s->state >= 'a' && s->state <= 'z'))
		return false;
	if (!scan_ints(&at, end, identity, ARRAY_SIZE(identity)) ||
		!scan_numbers(&at, end, usage, ARRAY_SIZE(usage)) ||
		!scan_ints(&at, end, schedule, ARRAY_SIZE(schedule)) ||
		!scan_numbers(&at, end, life, ARRAY_SIZE(life)))
		return false;
	if (at == end || (*at != ' ' && *at != '\n'))
		return false;
	s->stack_start = scan_stack_start(at, end);
	return true;
}

int proc_stat_parse(const char *text, size_t n, struct proc_stat *ret)
{
	struct proc_stat s;

	/* Without the newline the text was cut, and its last number may be a part of one. */
	if (n == 0 || text[n - 1] != '\n')
		return -EINVAL;

	const char *name_end = memrchr(text, ')', n);
	if (name_end == NULL || !scan_pid_and_name(text, name_end, &s) ||
		!scan_fields(name_end + 1, text + n, &s))
		return -EINVAL;

	*ret = s;
	return 0;
}
