/* SPDX-License-Identifier: MIT */
/* Parses the small files of /proc/PID that are numbers or "Key: value" lines: statm, io, status, smaps_rollup. */
#include "linux/proc_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/macros.h"
#include "linux/key_lines.h"
#include "linux/scan.h"

#define ROW(index) (1u << (index))
#define ALL_ROWS(rows) (ROW(ARRAY_SIZE(rows)) - 1)

int proc_statm_parse(const char *text, size_t n, struct proc_statm *ret)
{
	struct proc_statm s;

	if (n == 0 || text[n - 1] != '\n')
		return -EINVAL;

	const char *at = text;
	const char *end = text + n;
	if (!scan_u64(&at, end, &s.size) || !scan_char(&at, end, ' '))
		return -EINVAL;
	if (!scan_u64(&at, end, &s.resident) || !scan_char(&at, end, ' '))
		return -EINVAL;
	if (!scan_u64(&at, end, &s.shared) || (*at != ' ' && *at != '\n'))
		return -EINVAL;
	*ret = s;
	return 0;
}

static const struct key_line io_rows[] = {
	KEY_LINE("rchar", LINE_NUMBER, struct proc_io, rchar),
	KEY_LINE("wchar", LINE_NUMBER, struct proc_io, wchar),
	KEY_LINE("syscr", LINE_NUMBER, struct proc_io, syscr),
	KEY_LINE("syscw", LINE_NUMBER, struct proc_io, syscw),
	KEY_LINE("read_bytes", LINE_NUMBER, struct proc_io, read_bytes),
	KEY_LINE("write_bytes", LINE_NUMBER, struct proc_io, write_bytes),
	KEY_LINE("cancelled_write_bytes", LINE_NUMBER, struct proc_io, cancelled_write_bytes),
};

int proc_io_parse(const char *text, size_t n, struct proc_io *ret)
{
	struct proc_io io;
	uint32_t seen;

	int rc = key_lines_parse(text, n, io_rows, ARRAY_SIZE(io_rows), &io, &seen);
	if (rc < 0)
		return rc;
	if (seen != ALL_ROWS(io_rows))
		return -EINVAL;
	*ret = io;
	return 0;
}

enum {
	STATUS_IDS,
	STATUS_HWM,
	STATUS_RSS_ANON,
	STATUS_RSS_FILE,
	STATUS_RSS_SHMEM,
	STATUS_SWAP,
	STATUS_HUGETLB,
	STATUS_THREADS,
	STATUS_BLOCKED,
	STATUS_PENDING,
	STATUS_THREAD_PENDING,
	STATUS_IGNORED,
	STATUS_CAUGHT,
	STATUS_CPUS,
	STATUS_VOLUNTARY,
	STATUS_INVOLUNTARY,
	N_STATUS
};

_Static_assert(offsetof(struct proc_status, euid) ==
			       offsetof(struct proc_status, uid) + sizeof(uint32_t) &&
		       sizeof(uid_t) == sizeof(uint32_t),
	"LINE_TWO_IDS fills uid and euid at once");

/* A process cannot forge a line with its name: the kernel escapes newlines in "Name:". */
static const struct key_line status_rows[] = {
	[STATUS_IDS] = KEY_LINE("Uid", LINE_TWO_IDS, struct proc_status, uid),
	[STATUS_HWM] = KEY_LINE("VmHWM", LINE_KIB, struct proc_status, hwm_bytes),
	[STATUS_RSS_ANON] = KEY_LINE("RssAnon", LINE_KIB, struct proc_status, rss_anon_bytes),
	[STATUS_RSS_FILE] = KEY_LINE("RssFile", LINE_KIB, struct proc_status, rss_file_bytes),
	[STATUS_RSS_SHMEM] = KEY_LINE("RssShmem", LINE_KIB, struct proc_status, rss_shmem_bytes),
	[STATUS_SWAP] = KEY_LINE("VmSwap", LINE_KIB, struct proc_status, swap_bytes),
	[STATUS_HUGETLB] = KEY_LINE("HugetlbPages", LINE_KIB, struct proc_status, hugetlb_bytes),
	[STATUS_THREADS] = KEY_LINE("Threads", LINE_NUMBER, struct proc_status, threads),
	[STATUS_BLOCKED] = KEY_LINE("SigBlk", LINE_HEX, struct proc_status, signals_blocked),
	[STATUS_PENDING] = KEY_LINE("ShdPnd", LINE_HEX, struct proc_status, signals_pending),
	[STATUS_THREAD_PENDING] =
		KEY_LINE("SigPnd", LINE_HEX, struct proc_status, thread_signals_pending),
	[STATUS_IGNORED] = KEY_LINE("SigIgn", LINE_HEX, struct proc_status, signals_ignored),
	[STATUS_CAUGHT] = KEY_LINE("SigCgt", LINE_HEX, struct proc_status, signals_caught),
	[STATUS_CPUS] =
		KEY_LINE("Cpus_allowed", LINE_MASK_BITS, struct proc_status, cpus_allowed_count),
	[STATUS_VOLUNTARY] = KEY_LINE(
		"voluntary_ctxt_switches", LINE_NUMBER, struct proc_status, voluntary_switches),
	[STATUS_INVOLUNTARY] = KEY_LINE("nonvoluntary_ctxt_switches", LINE_NUMBER,
		struct proc_status, involuntary_switches),
};
_Static_assert(ARRAY_SIZE(status_rows) == N_STATUS, "one row a name");

/* These come together or not at all since Linux 4.5. HugetlbPages is not among them: a kernel without huge pages has no
 * such line, and then 0 is true. */
#define STATUS_MEMORY                                                                              \
	(ROW(STATUS_HWM) | ROW(STATUS_RSS_ANON) | ROW(STATUS_RSS_FILE) | ROW(STATUS_RSS_SHMEM) |   \
		ROW(STATUS_SWAP))
#define STATUS_ALWAYS                                                                              \
	(ALL_ROWS(status_rows) & ~(STATUS_MEMORY | ROW(STATUS_HUGETLB) | ROW(STATUS_BLOCKED) |     \
					 ROW(STATUS_PENDING) | ROW(STATUS_THREAD_PENDING)))

int proc_status_parse(const char *text, size_t n, struct proc_status *ret)
{
	struct proc_status s = { 0 };
	uint32_t seen;

	int rc = key_lines_parse(text, n, status_rows, ARRAY_SIZE(status_rows), &s, &seen);
	if (rc < 0)
		return rc;
	s.has_signals_blocked = (seen & ROW(STATUS_BLOCKED)) != 0;
	if ((seen & STATUS_ALWAYS) != STATUS_ALWAYS)
		return -EINVAL;
	if ((seen & STATUS_MEMORY) != 0 && (seen & STATUS_MEMORY) != STATUS_MEMORY)
		return -EINVAL;
	s.has_memory = (seen & STATUS_MEMORY) != 0;
	*ret = s;
	return 0;
}

int proc_signals_waiting(pid_t pid, uint64_t *ret)
{
	struct proc_status status = { 0 };
	char path[40];
	char text[4096];
	ssize_t n;
	int r;

	snprintf(path, sizeof(path), "/proc/%ld/status", (long) pid);
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text));
	r = n < 0 ? -errno : proc_status_parse(text, (size_t) n, &status);
	if (r == 0)
		*ret = status.signals_pending;
	return r;
}

enum {
	ROLLUP_RSS,
	ROLLUP_PSS,
	ROLLUP_PSS_ANON,
	ROLLUP_PSS_FILE,
	ROLLUP_PSS_SHMEM,
	ROLLUP_PRIVATE_CLEAN,
	ROLLUP_PRIVATE_DIRTY,
	ROLLUP_ANONYMOUS,
	ROLLUP_KSM,
	ROLLUP_SHARED_HUGETLB,
	ROLLUP_PRIVATE_HUGETLB,
	ROLLUP_SWAP,
	ROLLUP_SWAP_PSS,
	N_ROLLUP
};

static const struct key_line rollup_rows[] = {
	[ROLLUP_RSS] = KEY_LINE("Rss", LINE_KIB, struct smaps_rollup, rss),
	[ROLLUP_PSS] = KEY_LINE("Pss", LINE_KIB, struct smaps_rollup, pss),
	[ROLLUP_PSS_ANON] = KEY_LINE("Pss_Anon", LINE_KIB, struct smaps_rollup, pss_anon),
	[ROLLUP_PSS_FILE] = KEY_LINE("Pss_File", LINE_KIB, struct smaps_rollup, pss_file),
	[ROLLUP_PSS_SHMEM] = KEY_LINE("Pss_Shmem", LINE_KIB, struct smaps_rollup, pss_shmem),
	[ROLLUP_PRIVATE_CLEAN] =
		KEY_LINE("Private_Clean", LINE_KIB, struct smaps_rollup, private_clean),
	[ROLLUP_PRIVATE_DIRTY] =
		KEY_LINE("Private_Dirty", LINE_KIB, struct smaps_rollup, private_dirty),
	[ROLLUP_ANONYMOUS] = KEY_LINE("Anonymous", LINE_KIB, struct smaps_rollup, anonymous),
	[ROLLUP_KSM] = KEY_LINE("KSM", LINE_KIB, struct smaps_rollup, ksm),
	[ROLLUP_SHARED_HUGETLB] =
		KEY_LINE("Shared_Hugetlb", LINE_KIB, struct smaps_rollup, shared_hugetlb),
	[ROLLUP_PRIVATE_HUGETLB] =
		KEY_LINE("Private_Hugetlb", LINE_KIB, struct smaps_rollup, private_hugetlb),
	[ROLLUP_SWAP] = KEY_LINE("Swap", LINE_KIB, struct smaps_rollup, swap),
	[ROLLUP_SWAP_PSS] = KEY_LINE("SwapPss", LINE_KIB, struct smaps_rollup, swap_pss),
};
_Static_assert(ARRAY_SIZE(rollup_rows) == N_ROLLUP, "one row a name");

#define ROLLUP_SPLIT (ROW(ROLLUP_PSS_ANON) | ROW(ROLLUP_PSS_FILE) | ROW(ROLLUP_PSS_SHMEM))
#define ROLLUP_ALWAYS                                                                              \
	(ALL_ROWS(rollup_rows) & ~(ROLLUP_SPLIT | ROW(ROLLUP_ANONYMOUS) | ROW(ROLLUP_KSM)))

int smaps_rollup_parse(const char *text, size_t n, struct smaps_rollup *ret)
{
	struct smaps_rollup s = { 0 };
	uint32_t seen;

	if (n == 0)
		return -ENODATA;
	int rc = key_lines_parse(text, n, rollup_rows, ARRAY_SIZE(rollup_rows), &s, &seen);
	if (rc < 0)
		return rc;
	if ((seen & ROLLUP_ALWAYS) != ROLLUP_ALWAYS)
		return -EINVAL;
	if ((seen & ROLLUP_SPLIT) != 0 && (seen & ROLLUP_SPLIT) != ROLLUP_SPLIT)
		return -EINVAL;
	s.has_pss_split = (seen & ROLLUP_SPLIT) != 0 && (seen & ROW(ROLLUP_ANONYMOUS)) != 0;
	s.has_ksm = (seen & ROW(ROLLUP_KSM)) != 0;
	if (!s.has_pss_split)
		s.pss_anon = s.pss_file = s.pss_shmem = 0;
	*ret = s;
	return 0;
}
