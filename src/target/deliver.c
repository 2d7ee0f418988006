/* SPDX-License-Identifier: MIT */
/* Sends a signal through a pidfd whose process was looked at: a pid that was given to somebody else meanwhile is never hit. */
#include "target/deliver.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/macros.h"
#include "linux/roots.h"
#include "target/ledger.h"

#define STAT_TEXT_SIZE 1024

/* Whether whoever has the pid now is the one we know, and has not ended: a zombie takes signals too. A kept descriptor says ESRCH once its
 * process is gone. */
static bool lives_on(const struct ledger *l, const struct process *p)
{
	char text[STAT_TEXT_SIZE];
	struct proc_stat stat;
	int fd = p->fd_stat >= 0 ? p->fd_stat : root_file(l->roots->proc, "%d/stat", (int) p->pid);

	if (fd < 0)
		return false;
	ssize_t n = read_kernel_record(fd, text, sizeof(text));
	if (fd != p->fd_stat)
		close(fd);
	if (n <= 0 || proc_stat_parse(text, (size_t) n, &stat) < 0)
		return false;
	bool ended = (stat.state == 'Z' || stat.state == 'X') && stat.threads <= 1;
	return !ended && stat.start_ticks == p->start_ticks;
}

int process_signal(const struct ledger *l, const struct process *p, int number)
{
	/* The descriptor first, then the look: from then on it means the process that was looked at. Before Linux 5.3 there is none. */
	AUTO_CLOSE int fd = (int) syscall(SYS_pidfd_open, p->pid, 0U);

	if (fd < 0 && errno == ESRCH)
		return -ESRCH;
	if (!lives_on(l, p))
		return -ESRCH;
	long r = fd >= 0 ? syscall(SYS_pidfd_send_signal, fd, number, NULL, 0U)
			 : kill(p->pid, number);
	return r < 0 ? -errno : 0;
}
