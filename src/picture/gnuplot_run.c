/* SPDX-License-Identifier: MIT */
/* Runs gnuplot with files in memory as its input and output: no pipe can fill up, and half a picture is never seen. */
#include "picture/gnuplot_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd_read.h"
#include "base/fd_write.h"
#include "base/macros.h"
#include "base/signal_name.h"

#define GNUPLOT "gnuplot"
#define GNUPLOT_PACKAGE "gnuplot-nox"
/* Of what it says, no more is read. */
#define WORDS_LIMIT (1 << 20)
#define WORDS_SHOWN 240

/* What the child reads and writes. */
struct channels {
	int script, picture, words;
	int failed; /* says the errno when the program could not be executed */
};

/* Only what may be called between fork(2) and execve(2). */
static void become_gnuplot(const struct channels *c, pid_t parent)
{
	/* With "-" as well it would go on after an error. */
	char *const argv[] = { (char[]){ GNUPLOT }, (char[]){ "--default-settings" }, NULL };
	const struct sigaction usual = { .sa_handler = SIG_DFL };
	sigset_t none;

	sigemptyset(&none);
	sigaction(SIGPIPE, &usual, NULL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* prctl(2): only of a parent that lives; it may have died before this line. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == parent && dup2(c->script, STDIN_FILENO) >= 0 &&
		dup2(c->picture, STDOUT_FILENO) >= 0 && dup2(c->words, STDERR_FILENO) >= 0)
		execvp(argv[0], argv);
	int number = errno;
	fd_write_all(c->failed, &number, sizeof number, NULL);
	_exit(127);
}

/* The errno of the execution that failed; 0 when it went well. */
static int execution_errno(int fd)
{
	int number = 0;
	ssize_t n;

	do
		n = read(fd, &number, sizeof number);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t) sizeof number ? number : 0;
}

/* Adds its last line that holds anything, which is the one that says what was wrong. */
static void add_last_line(struct buf *out, const struct buf *words)
{
	const char *line = "";
	size_t length;

	for (const char *at = words->data; at && *at;) {
		size_t n = strcspn(at, "\n");

		if (strspn(at, " \t\r^") < n)
			line = at;
		at += n + (at[n] == '\n');
	}
	line += strspn(line, " \t");
	/* As it is: who shows an error's text makes it printable. */
	length = strcspn(line, "\r\n");
	buf_add(out, line, length < WORDS_SHOWN ? length : WORDS_SHOWN);
}

static int say_what_failed(int status, int words_fd, struct error *err)
{
	struct buf words = { 0 };
	struct buf line = { 0 };

	if (lseek(words_fd, 0, SEEK_SET) == 0)
		fd_read_all(words_fd, WORDS_LIMIT, &words);
	add_last_line(&line, &words);
	const char *said = line.data && !line.failed ? line.data : "";
	const char *colon = *said ? ": " : "";
	char name[SIGNAL_NAME_SIZE];
	int r;
	format_signal(WTERMSIG(status), name);
	if (WIFSIGNALED(status))
		r = error_say(err, -EIO, GNUPLOT " was killed by %s%s%s", name, colon, said);
	else if (WEXITSTATUS(status))
		r = error_say(err, -EIO, GNUPLOT " failed with exit status %d%s%s",
			WEXITSTATUS(status), colon, said);
	else
		r = error_say(err, -EIO, GNUPLOT " drew nothing%s%s", colon, said);
	buf_done(&words);
	buf_done(&line);
	return r;
}

static int say_not_executed(int number, struct error *err)
{
	if (number == ENOENT || number == ENOTDIR)
		return error_say(err, -ENOENT,
			"PNG, SVG and PDF are drawn by " GNUPLOT
			", which is not in PATH (Debian package " GNUPLOT_PACKAGE ")");
	return error_set(err, -number, "cannot execute " GNUPLOT);
}

/* Waits for it. 0 when the picture is there. */
static int await(pid_t child, const struct channels *c, int failed_fd, struct error *err)
{
	int number = execution_errno(failed_fd);
	int status = 0;
	pid_t ended;

	do
		ended = waitpid(child, &status, 0);
	while (ended < 0 && errno == EINTR);
	if (ended < 0)
		return error_set(err, -errno, "cannot wait for " GNUPLOT);
	if (number)
		return say_not_executed(number, err);
	if (status == 0 && lseek(c->picture, 0, SEEK_END) > 0)
		return 0;
	return say_what_failed(status, c->words, err);
}

static int start_and_await(struct channels *c, struct error *err)
{
	const struct sigaction usual = { .sa_handler = SIG_DFL };
	struct sigaction before;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_set(err, -errno, "cannot make a pipe");
	AUTO_CLOSE int failed_fd = ends[0];
	c->failed = ends[1];
	/* wait(2): where SIGCHLD is ignored, which a program inherits, nobody hears how a child ended. */
	sigaction(SIGCHLD, &usual, &before);
	pid_t parent = getpid();
	pid_t child = fork();
	if (child == 0)
		become_gnuplot(c, parent);
	int number = errno;
	close_fd(&c->failed);
	int r = child < 0 ? error_set(err, -number, "cannot start " GNUPLOT)
			  : await(child, c, failed_fd, err);
	sigaction(SIGCHLD, &before, NULL);
	return r;
}

static int run_into(int picture_fd, const char *script, size_t n, struct error *err)
{
	AUTO_CLOSE int script_fd = memfd_create("script", MFD_CLOEXEC);
	AUTO_CLOSE int words_fd = memfd_create("words", MFD_CLOEXEC);
	struct channels c = {
		.script = script_fd, .picture = picture_fd, .words = words_fd, .failed = -1
	};

	if (script_fd < 0 || words_fd < 0)
		return error_set(err, -errno, "cannot make a file in memory");
	int r = fd_write_all(script_fd, script, n, NULL);
	if (r < 0)
		return error_set(err, r, "cannot write the script of " GNUPLOT);
	if (lseek(script_fd, 0, SEEK_SET) < 0)
		return error_set(err, -errno, "cannot rewind the script of " GNUPLOT);
	r = start_and_await(&c, err);
	if (r == 0 && lseek(picture_fd, 0, SEEK_SET) < 0)
		r = error_set(err, -errno, "cannot rewind the picture");
	return r;
}

int gnuplot_run(const char *script, size_t n, int *ret_fd, struct error *err)
{
	int fd = memfd_create("picture", MFD_CLOEXEC);

	if (fd < 0)
		return error_set(err, -errno, "cannot make a file in memory");
	int r = run_into(fd, script, n, err);
	if (r < 0)
		close(fd);
	else
		*ret_fd = fd;
	return r;
}
