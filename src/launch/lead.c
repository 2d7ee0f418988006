/* SPDX-License-Identifier: MIT */
/* What the keeper does as the leader of the job's session. All signals are blocked, SIGTTOU too: else tcsetpgrp(3) would stop it. */
#include "launch/lead.h"

#include <errno.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "launch/futex.h"
#include "launch/job_state.h"
#include "linux/devices.h"
#include "linux/exit_page.h"

int lead_session(int terminal)
{
	return setsid() < 0 || ioctl(terminal, TIOCSCTTY, 0) < 0 ? -errno : 0;
}

void lead_begin(int terminal, pid_t job, bool in_front)
{
	setpgid(job, job);
	if (in_front)
		tcsetpgrp(terminal, job);
}

/* The terminal is opened for the moment only: held, it would never end for who reads its other side. */
static void put_in_front(pid_t group)
{
	int terminal = controlling_terminal_open();

	if (terminal < 0)
		return;
	tcsetpgrp(terminal, group);
	close(terminal);
}

void lead_follow(struct exit_page *page)
{
	uint32_t asked = atomic_load(&page->resume_asked);
	uint32_t stop;

	if (asked == atomic_load(&page->resume_met))
		return;
	put_in_front(atomic_load(&page->in_front) ? page->job_pid : getpgrp());
	if (job_state_stopped(page, &stop) != 0)
		kill(-page->job_pid, SIGCONT);
	atomic_store(&page->resume_met, asked);
	futex_wake(&page->resume_met);
}

void lead_step_down(void)
{
	put_in_front(getpgrp());
}
