/* SPDX-License-Identifier: MIT */
/* Reads what machine this is. */
#include "linux/host.h"

#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/macros.h"
#include "linux/host_limits.h"
#include "linux/host_stat.h"
#include "linux/kept_file.h"
#include "linux/proc_files.h"
#include "linux/roots.h"

#define SMALL_FILE_SIZE 8192
/* Some processors' worth: the file repeats the model for each, and is half a megabyte on a large machine. */
#define CPUINFO_SIZE 4096

/* Copies bytes as text that fits; a longer one is cut. */
static void copy_text(char *to, size_t size, const char *from, size_t n)
{
	if (n > size - 1)
		n = size - 1;
	memcpy(to, from, n);
	to[n] = '\0';
}

/* The value of one os-release(5) line without its quotes; within double quotes a backslash makes the next character plain. */
static void copy_unquoted(char *to, size_t size, const char *value, size_t n)
{
	size_t length = 0;
	size_t i = 0;
	char quote = '\0';

	if (n > 0 && (value[0] == '"' || value[0] == '\''))
		quote = value[i++];
	for (; i < n && length < size - 1; i++) {
		if (quote != '\0' && value[i] == quote)
			break;
		if (quote != '\'' && value[i] == '\\' && i + 1 < n)
			i++;
		to[length++] = value[i];
	}
	to[length] = '\0';
}

/* Finds the line "KEY<blanks><mark><blanks>value" and gives its value; false when there is none. */
static bool find_value(
	const char *text, const char *key, char mark, const char **ret_value, size_t *ret_size)
{
	size_t key_size = strlen(key);

	for (const char *line = text; *line != '\0';) {
		size_t size = strcspn(line, "\n");
		if (size > key_size && memcmp(line, key, key_size) == 0) {
			size_t at = key_size + strspn(line + key_size, " \t");
			if (line[at] == mark) {
				at++;
				at += strspn(line + at, " \t");
				*ret_value = line + at;
				*ret_size = at < size ? size - at : 0;
				return true;
			}
		}
		line += size;
		if (*line == '\n')
			line++;
	}
	return false;
}

static void read_os_release(const struct roots *r, struct host *h)
{
	/* Beside proc, so that a recorded tree brings its own: ".." of a mounted /proc is the root directory. */
	static const char *const paths[] = { "../etc/os-release", "../usr/lib/os-release" };
	const struct {
		const char *key;
		char *to;
		size_t size;
	} wanted[] = {
		{ "PRETTY_NAME", h->os_name, sizeof(h->os_name) },
		{ "ID", h->os_id, sizeof(h->os_id) },
		{ "VERSION_ID", h->os_version_id, sizeof(h->os_version_id) },
	};
	char text[SMALL_FILE_SIZE];
	ssize_t n = -1;

	for (size_t i = 0; i < ARRAY_SIZE(paths) && n < 0; i++)
		n = read_root_file(r->proc, paths[i], text, sizeof(text));
	if (n < 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		const char *value;
		size_t size;
		if (find_value(text, wanted[i].key, '=', &value, &size))
			copy_unquoted(wanted[i].to, wanted[i].size, value, size);
	}
}

/* The beginning of a file that may be larger than the buffer, as text. False when it cannot be read. */
static bool read_beginning(int root, const char *path, char *text, size_t size)
{
	size_t length = 0;
	AUTO_CLOSE int fd = root_file(root, "%s", path);

	if (fd < 0)
		return false;
	while (length < size - 1) {
		ssize_t n = read(fd, text + length, size - 1 - length);
		if (n <= 0)
			break;
		length += (size_t) n;
	}
	text[length] = '\0';
	return length > 0;
}

static void read_cpu_model(const struct roots *r, struct host *h)
{
	/* x86 and others; small ARM boards; MIPS; POWER. */
	static const char *const keys[] = { "model name", "Model", "cpu model", "cpu" };
	char text[CPUINFO_SIZE];

	if (!read_beginning(r->proc, "cpuinfo", text, sizeof(text)))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const char *value;
		size_t size;
		if (find_value(text, keys[i], ':', &value, &size)) {
			copy_text(h->cpu_model, sizeof(h->cpu_model), value, size);
			return;
		}
	}
}

static unsigned long positive(long value)
{
	return value > 0 ? (unsigned long) value : 0;
}

/* What bounds a job and what is said of the machine is the same. */
static void read_limits(const struct roots *r, struct host *h)
{
	struct host_limits limits;

	host_limits_read(r, &limits);
	h->memory_total_bytes = limits.memory_total_bytes;
	h->swap_total_bytes = limits.swap_total_bytes;
	h->cpus_online = limits.cpus_online ? limits.cpus_online
					    : (unsigned) positive(sysconf(_SC_NPROCESSORS_ONLN));
}

static void read_boot_id(const struct roots *r, struct host *h)
{
	char text[64];

	ssize_t n = read_root_file(r->proc, "sys/kernel/random/boot_id", text, sizeof(text));
	if (n > 0)
		copy_text(h->boot_id, sizeof(h->boot_id), text, strcspn(text, "\n"));
}

void host_read(const struct roots *r, struct host *ret)
{
	struct utsname u;

	memset(ret, 0, sizeof(*ret));
	if (uname(&u) == 0) {
		copy_text(ret->hostname, sizeof(ret->hostname), u.nodename, strlen(u.nodename));
		copy_text(ret->kernel_release, sizeof(ret->kernel_release), u.release,
			strlen(u.release));
		copy_text(ret->kernel_version, sizeof(ret->kernel_version), u.version,
			strlen(u.version));
		copy_text(ret->machine, sizeof(ret->machine), u.machine, strlen(u.machine));
	}
	ret->cpus_configured = (unsigned) positive(sysconf(_SC_NPROCESSORS_CONF));
	ret->page_size_bytes = positive(sysconf(_SC_PAGESIZE));
	ret->clock_ticks_per_second = positive(sysconf(_SC_CLK_TCK));
	read_os_release(r, ret);
	read_cpu_model(r, ret);
	read_limits(r, ret);
	read_boot_id(r, ret);
}

uint64_t host_shared_memory_bytes(void)
{
	struct sysinfo info;

	if (sysinfo(&info) < 0)
		return 0;
	return (uint64_t) info.sharedram * info.mem_unit;
}

void host_meanwhile(
	const struct roots *r, struct kept_file *stat, bool with_forks, struct host_meanwhile *ret)
{
	struct host_stat s;

	*ret = (struct host_meanwhile){ 0 };
	int fd = kept_file_begin(stat, r->proc, "stat");
	int rc =
		fd < 0 ? fd : host_stat_scan(fd, with_forks ? HOST_STAT_COUNTS : 0, &s, NULL, NULL);

	kept_file_end(stat);
	if (rc < 0)
		return;
	ret->stolen_ns = ticks_to_ns(
		s.all.ticks[CPU_IRQ] + s.all.ticks[CPU_SOFTIRQ] + s.all.ticks[CPU_STEAL]);
	if (with_forks)
		ret->forks = s.counts[STAT_FORKS];
}

uint64_t host_own_peak_bytes(const struct roots *r, struct kept_file *file)
{
	char text[4096];
	struct proc_status status;
	ssize_t n = kept_file_read(file, r->proc, "self/status", text, sizeof(text));

	if (n < 0 || proc_status_parse(text, (size_t) n, &status) < 0 || !status.has_memory)
		return 0;
	return status.hwm_bytes;
}

uint64_t host_own_resident_bytes(const struct roots *r)
{
	char text[256];
	struct proc_statm statm;
	ssize_t n = read_root_file(r->proc, "self/statm", text, sizeof(text));

	if (n < 0 || proc_statm_parse(text, (size_t) n, &statm) < 0)
		return 0;
	return statm.resident * (uint64_t) sysconf(_SC_PAGESIZE);
}

uint64_t host_own_cpu_ns(void)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	return (uint64_t) (ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * NSEC_PER_SEC +
	       (uint64_t) (ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) * 1000;
}
