/* SPDX-License-Identifier: MIT */
/* Goes through a usage.jsonl from its first line: a quick look at each, and all of those that tell peaks. */
#include "record/survey_usage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/json_members.h"
#include "record/read_usage.h"

/* As much as is read of an end (read_usage.c); a longer line is none of ours. */
#define BLOCK_SIZE ((size_t) 2 * 1024 * 1024)

/* How the lines that assay writes begin; the number follows. */
#define LINE_HEAD "{\"schema\":\"assay-usage\",\"version\":\"1."
#define SEQUENCE_HEAD "\"sequence\":"

/* By its first and last bytes: a series of a day is large, and is not taken apart for it. */
static bool glance(const char *line, size_t n, uint64_t *ret_sequence)
{
	const size_t n_head = strlen(LINE_HEAD);
	const char *end = line + n;
	const char *at;
	uint64_t sequence = 0;

	if (n <= n_head || memcmp(line, LINE_HEAD, n_head) != 0 || end[-1] != '}')
		return false;
	/* No raw control character may be in JSON; a hole that a crash left is zeros. */
	if (memchr(line, '\0', n))
		return false;
	at = memchr(line + n_head, ',', n - n_head);
	if (!at || (size_t) (end - ++at) <= strlen(SEQUENCE_HEAD) ||
		memcmp(at, SEQUENCE_HEAD, strlen(SEQUENCE_HEAD)) != 0)
		return false;
	at += strlen(SEQUENCE_HEAD);
	if (*at < '0' || *at > '9')
		return false;
	for (; *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(sequence, 10, &sequence) ||
			__builtin_add_overflow(sequence, (uint64_t) (*at - '0'), &sequence))
			return false;
	*ret_sequence = sequence;
	return *at == ',';
}

static bool look_at(const char *line, size_t n, uint64_t *ret_sequence)
{
	struct last_window w = { 0 };

	if (glance(line, n, ret_sequence))
		return true;
	/* Somebody may have written it anew with spaces. */
	if (!read_window(line, n, &w))
		return false;
	*ret_sequence = w.sequence;
	last_window_done(&w);
	return true;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void take_process(struct members *m, const json_t *process, struct usage_peaks *p)
{
	json_t *values = member_object(m, process, "values");
	json_t *hwm = member_object(m, values, "proc_hwm_bytes");
	json_t *rss = member_object(m, values, "proc_rss_bytes");

	p->hwm_bytes = larger(p->hwm_bytes, member_count(m, hwm, "max"));
	p->rss_bytes = larger(p->rss_bytes, member_count(m, rss, "max"));
	p->memory_told = p->memory_told || hwm || rss;
}

static void take_peaks(const char *line, size_t n, uint64_t segment, struct usage_peaks *ret)
{
	struct members m = { 0, NULL };
	struct usage_peaks p = *ret;
	json_t *top = members_load(&m, line, n);
	json_t *values = member_object(&m, top, "values");
	json_t *rate = member_object(&m, values, "target_cpu_percent");
	json_t *processes = member_array(&m, top, "processes");
	uint64_t of = json_object_get(top, "segment") ? member_count(&m, top, "segment") : 1;

	if (json_object_get(rate, "max")) {
		/* Hundredths of a core, three digits each. */
		p.cores = larger(p.cores, member_scaled(&m, rate, "max", 3) / 100);
		p.cores_told = true;
	}
	for (size_t i = 0; processes && i < json_array_size(processes); i++)
		take_process(&m, json_array_get(processes, i), &p);
	json_decref(top);
	if (m.code == 0 && of == segment)
		*ret = p;
}

static void take_line(
	const char *line, size_t n, uint64_t segment, uint64_t from, struct usage_survey *s)
{
	uint64_t sequence;

	/* Numbers only rise, and none that assay gives comes near the end of its type. */
	if (!look_at(line, n, &sequence) || sequence < s->next_sequence || sequence > INT64_MAX) {
		s->damaged++;
		return;
	}
	s->lines++;
	s->missing += sequence - s->next_sequence;
	s->next_sequence = sequence + 1;
	if (segment > 0 && sequence >= from)
		take_peaks(line, n, segment, &s->peaks);
}

void survey_lines(
	const char *bytes, size_t n, uint64_t segment, uint64_t from, struct usage_survey *ret)
{
	const char *end = bytes + n;

	while (bytes < end) {
		const char *feed = memchr(bytes, '\n', (size_t) (end - bytes));

		if (!feed)
			return;
		take_line(bytes, (size_t) (feed - bytes), segment, from, ret);
		bytes = feed + 1;
	}
}

static ssize_t read_block(int fd, char *to, size_t size, off_t from)
{
	ssize_t got;

	do
		got = pread(fd, to, size, from);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

int survey_usage(int fd, uint64_t segment, uint64_t from, struct usage_survey *ret)
{
	char *block = malloc(BLOCK_SIZE);
	size_t kept = 0; /* bytes of a line whose end was not read yet */
	off_t at = 0;
	ssize_t got = block ? 0 : -ENOMEM;
	uint64_t sequence;

	*ret = (struct usage_survey){ 0 };
	while (block && (got = read_block(fd, block + kept, BLOCK_SIZE - kept, at)) > 0) {
		size_t n = kept + (size_t) got;
		const char *feed = memrchr(block, '\n', n);
		size_t whole = feed ? (size_t) (feed - block) + 1 : 0;

		at += got;
		survey_lines(block, whole, segment, from, ret);
		kept = n - whole;
		memmove(block, block + whole, kept);
		/* Its end will pass for a line, and be damaged too. */
		if (kept == BLOCK_SIZE)
			kept = 0;
	}
	/* A last line that lacks nothing but its line feed is completed; any other is cut off. */
	if (got == 0 && kept > 0 && look_at(block, kept, &sequence))
		take_line(block, kept, segment, from, ret);
	free(block);
	return (int) (got < 0 ? got : 0);
}
