/* SPDX-License-Identifier: MIT */
/* Opens a pseudo-terminal and keeps its window as large as ours. */
#include "launch/pty.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "base/error.h"
#include "launch/pump.h"
#include "launch/relay.h"

static int prepare(int like, bool controls, int slave)
{
	struct winsize size;
	struct termios modes;

	if (like < 0 || ioctl(like, TIOCGWINSZ, &size) < 0 || size.ws_row == 0 || size.ws_col == 0)
		size = (struct winsize){ .ws_row = 24, .ws_col = 80 };
	bool ours = controls && tcgetattr(like, &modes) == 0;

	/* In the background ours has the modes of whoever is in front, a shell that edits a line: the relay takes those that are the job's. Whether
	 * a job in the background may write is the same until then. */
	if (!ours || !relay_in_front(like)) {
		tcflag_t may_not_write = ours ? modes.c_lflag & TOSTOP : 0;

		if (tcgetattr(slave, &modes) < 0)
			return -errno;
		modes.c_lflag |= may_not_write;
	}
	if (!controls) {
		/* A newline stays one byte; whoever shows it adds the carriage return. */
		modes.c_oflag &= ~(tcflag_t) OPOST;
		modes.c_lflag &= ~(tcflag_t) (ECHO | ECHONL);
	}
	if (tcsetattr(slave, TCSANOW, &modes) < 0 || ioctl(slave, TIOCSWINSZ, &size) < 0)
		return -errno;
	return 0;
}

int pty_open(int like, bool controls, int *ret_master, int *ret_slave, struct error *err)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	int slave = -1;
	int r = 0;

	if (master < 0)
		return error_set(err, -errno, "cannot open a terminal for the job");
	/* ioctl_tty(2): by the master itself, so that it need not be found by a name, whatever is mounted where. */
	if (unlockpt(master) < 0 ||
		(slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC)) < 0)
		r = -errno;
	else
		r = prepare(like, controls, slave);
	if (r < 0) {
		if (slave >= 0)
			close(slave);
		close(master);
		return error_set(err, r, "cannot open a terminal for the job");
	}
	*ret_master = master;
	*ret_slave = slave;
	return 0;
}

int pty_watch_window(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void pty_window_changed(int window_fd, const struct pump *p)
{
	struct signalfd_siginfo info;
	struct winsize size;
	pid_t job_pid = atomic_load(&p->page->relay.job_group);

	while (read(window_fd, &info, sizeof(info)) > 0)
		continue;
	if (ioctl(p->window_of, TIOCGWINSZ, &size) < 0)
		return;
	/* A terminal that controls nobody has nobody whom the kernel could tell. */
	if (ioctl(p->streams[0].from, TIOCSWINSZ, &size) == 0 && p->keyboard < 0 && job_pid > 0)
		kill(job_pid, SIGWINCH);
}
