/* SPDX-License-Identifier: MIT */
/* Reads the table of interfaces, and tells network namespaces apart. */
#include "linux/net_dev.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/macros.h"
#include "linux/roots.h"
#include "linux/scan.h"

#define COLUMNS_MAX 32
#define UNUSED N_INTERFACE_COUNTERS

struct columns {
	size_t n;
	uint8_t holds[COLUMNS_MAX]; /* enum interface_counter, or UNUSED */
};

struct word {
	const char *start;
	size_t size;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The next word within [*at, end); words are parted by blanks. */
static bool next_word(const char **at, const char *end, struct word *ret)
{
	while (*at < end && is_blank(**at))
		(*at)++;
	ret->start = *at;
	while (*at < end && !is_blank(**at))
		(*at)++;
	ret->size = (size_t) (*at - ret->start);
	return ret->size > 0;
}

static uint8_t counter_of(const struct word *w, bool transmit)
{
	static const char *const names[] = { "bytes", "packets", "errs", "drop" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (w->size == strlen(names[i]) && memcmp(w->start, names[i], w->size) == 0)
			return (uint8_t) ((transmit ? TRANSMIT_BYTES : RECEIVE_BYTES) + i);
	return UNUSED;
}

/* Adds the columns named between two bars. */
static int add_columns(const char *at, const char *end, bool transmit, struct columns *c)
{
	struct word w;

	while (next_word(&at, end, &w)) {
		if (c->n == COLUMNS_MAX)
			return -EINVAL;
		c->holds[c->n++] = counter_of(&w, transmit);
	}
	return 0;
}

/* " face |bytes packets errs ...|bytes packets ..." */
static int parse_header(const char *at, const char *end, struct columns *ret)
{
	const char *first = memchr(at, '|', (size_t) (end - at));
	const char *second = first ? memchr(first + 1, '|', (size_t) (end - first - 1)) : NULL;

	*ret = (struct columns){ 0 };
	if (!second)
		return -EINVAL;
	int rc = add_columns(first + 1, second, false, ret);
	if (rc == 0)
		rc = add_columns(second + 1, end, true, ret);
	if (rc < 0)
		return rc;
	if (!memchr(ret->holds, RECEIVE_BYTES, ret->n) ||
		!memchr(ret->holds, TRANSMIT_BYTES, ret->n))
		return -ENODATA;
	return 0;
}

/* "  eth0:1: 123 4 ..." or "eth0:123456789 4 ...": the numbers hold no colon, so the last one ends the name, whatever is in it. */
static int parse_line(
	const char *at, const char *end, const struct columns *columns, struct net_interface *ret)
{
	const char *colon = memrchr(at, ':', (size_t) (end - at));

	while (at < end && is_blank(*at))
		at++;
	if (!colon || colon <= at || (size_t) (colon - at) >= sizeof(ret->name))
		return -EINVAL;
	memset(ret, 0, sizeof(*ret));
	memcpy(ret->name, at, (size_t) (colon - at));
	at = colon + 1;
	for (size_t i = 0; i < columns->n; i++) {
		uint64_t number;

		while (at < end && is_blank(*at))
			at++;
		if (!scan_u64(&at, end, &number) || (at < end && !is_blank(*at)))
			return -EINVAL;
		if (columns->holds[i] != UNUSED)
			ret->counters[columns->holds[i]] = number;
	}
	return 0;
}

int net_dev_parse(const char *text, size_t n,
	void (*each)(const struct net_interface *interface, void *context), void *context)
{
	struct columns columns;
	const char *end = text + n;
	int count = 0;
	int rc;

	/* "Inter-|   Receive ...": its bars stand above those of the next line. */
	const char *line_end = memchr(text, '\n', n);
	if (!line_end)
		return -EINVAL;
	const char *at = line_end + 1;
	line_end = memchr(at, '\n', (size_t) (end - at));
	if (!line_end)
		return -EINVAL;
	rc = parse_header(at, line_end, &columns);
	if (rc < 0)
		return rc;
	for (at = line_end + 1; at < end; at = line_end + 1) {
		struct net_interface interface;

		line_end = memchr(at, '\n', (size_t) (end - at));
		if (!line_end)
			return -EINVAL;
		rc = parse_line(at, line_end, &columns, &interface);
		if (rc < 0)
			return rc;
		each(&interface, context);
		count++;
	}
	return count;
}

int net_interface_index_parse(const char *text, size_t n, uint64_t *ret)
{
	static const char key[] = "ifIndex";
	const char *end = text + n;
	const char *at = text + sizeof(key) - 1;

	if (n < sizeof(key) || memcmp(text, key, sizeof(key) - 1) != 0 || !is_blank(*at))
		return -EINVAL;
	while (at < end && is_blank(*at))
		at++;
	return scan_u64(&at, end, ret) && scan_char(&at, end, '\n') ? 0 : -EINVAL;
}

int net_interface_index(const struct roots *roots, pid_t pid, const char *name, uint64_t *ret)
{
	char path[INTERFACE_NAME_SIZE + 40];
	char text[256];

	/* The kernel gives no such names. */
	if (name[0] == '.' || strchr(name, '/'))
		return -EINVAL;
	(void) snprintf(path, sizeof(path), "%d/net/dev_snmp6/%s", (int) pid, name);
	AUTO_CLOSE int fd = root_file(roots->proc, "%s", path);
	if (fd < 0)
		return fd;
	/* The index is its first line. */
	ssize_t got = read(fd, text, sizeof(text));
	return got < 0 ? -errno : net_interface_index_parse(text, (size_t) got, ret);
}

int net_dev_open(const struct roots *roots, pid_t pid)
{
	return root_file(roots->proc, "%d/net/dev", (int) pid);
}

int net_dev_open_own(const struct roots *roots)
{
	return root_file(roots->proc, "self/net/dev");
}

/* "net:[4026531840]" */
static int read_namespace_link(int root, const char *path, const char *kind, uint64_t *ret)
{
	char text[64];
	size_t kind_size = strlen(kind);

	if (root < 0)
		return -ENOENT;
	ssize_t n = readlinkat(root, path, text, sizeof(text));
	if (n < 0)
		return -errno;
	const char *end = text + n;
	const char *at = text + kind_size;
	if ((size_t) n < kind_size || memcmp(text, kind, kind_size) != 0 ||
		!scan_char(&at, end, ':') || !scan_char(&at, end, '[') ||
		!scan_u64(&at, end, ret) || !scan_char(&at, end, ']'))
		return -EINVAL;
	return 0;
}

static int read_number_of_namespace(const struct roots *roots, pid_t pid, uint64_t *ret)
{
	char path[40];

	(void) snprintf(path, sizeof(path), "%d/ns/net", (int) pid);
	return read_namespace_link(roots->proc, path, "net", ret);
}

int net_namespace(const struct roots *roots, pid_t pid, uint64_t *ret)
{
	char path[40];
	struct stat file;

	if (!roots->live)
		return read_number_of_namespace(roots, pid, ret);
	(void) snprintf(path, sizeof(path), "%d/net/dev", (int) pid);
	if (fstatat(roots->proc, path, &file, 0) < 0)
		return -errno;
	*ret = file.st_ino;
	return 0;
}

bool sees_all_processes(const struct roots *roots)
{
	uint64_t pid_namespace = 0;
	uint64_t of_first;

	/* Its number is fixed: include/linux/proc_ns.h, PROC_PID_INIT_INO. Who does not see the first process misses others too. */
	return read_namespace_link(roots->proc, "self/ns/pid", "pid", &pid_namespace) == 0 &&
	       pid_namespace == 0xEFFFFFFCU && net_namespace(roots, 1, &of_first) == 0;
}

/* Called while a sample is taken, when nothing may be allocated: the number is looked for in pieces of a file that may be long, no line is parsed. */
bool net_namespace_is_named(const struct roots *roots, pid_t pid)
{
	uint64_t number = 0;
	char wanted[32];
	char text[8192];
	size_t length = 0;
	AUTO_CLOSE int fd = root_file(roots->proc, "self/mountinfo");

	if (fd < 0 || read_number_of_namespace(roots, pid, &number) < 0)
		return true;
	int size = snprintf(wanted, sizeof(wanted), " net:[%llu] ", (unsigned long long) number);
	for (;;) {
		ssize_t n = read(fd, text + length, sizeof(text) - length);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0;
		length += (size_t) n;
		if (memmem(text, length, wanted, (size_t) size))
			return true;
		/* It may be cut by the end of a read. */
		size_t kept = length < (size_t) size ? length : (size_t) size;
		memmove(text, text + length - kept, kept);
		length = kept;
	}
}
