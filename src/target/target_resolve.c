/* SPDX-License-Identifier: MIT */
/* Finds what the words of a target mean on this machine now, and whether anybody is there. */
#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "linux/proc_files.h"
#include "linux/proc_mount.h"
#include "linux/proc_owner.h"
#include "linux/roots.h"
#include "target/target.h"
#include "target/target_parts.h"

#define PASSWD_SIZE_MAX ((size_t) 1 << 20) /* what a directory service may send for one user */

static int read_stat(const struct roots *roots, pid_t pid, struct proc_stat *ret)
{
	char text[4096];
	AUTO_CLOSE int fd = root_file(roots->proc, "%d/stat", (int) pid);

	if (fd < 0)
		return fd;
	ssize_t n = read_kernel_record(fd, text, sizeof(text));
	return n < 0 ? (int) n : proc_stat_parse(text, (size_t) n, ret);
}

/* A process that /proc does not show: is it not there, or hidden? A signal of none says so, of the live machine. */
static int say_absent(const struct roots *roots, pid_t pid, int r, struct error *err)
{
	bool hidden =
		r == -EACCES || r == -EPERM || (roots->live && kill(pid, 0) < 0 && errno == EPERM);

	if (hidden)
		return error_say(err, -EACCES,
			"process %d cannot be seen: /proc hides other users' processes (hidepid)",
			(int) pid);
	if (r != -ENOENT && r != -ESRCH)
		return error_set(err, r, "cannot look at process %d", (int) pid);
	return error_say(err, -ESRCH, "there is no process %d%s", (int) pid,
		!roots->live && proc_mount_hides_from_us(roots) ? ", or /proc hides it (hidepid)"
								: "");
}

int target_find_process(
	const struct roots *roots, pid_t pid, struct proc_stat *ret, struct error *err)
{
	struct proc_stat stat;
	struct proc_owner owner;
	int r = read_stat(roots, pid, &stat);

	if (r < 0)
		return say_absent(roots, pid, r, err);
	if (stat.flags & PROC_KERNEL_THREAD)
		return error_say(err, -EINVAL,
			"process %d (%s) is a kernel thread: it belongs to no job; the host's "
			"measurements hold what it uses",
			(int) pid, shown(stat.name).text);
	/* /proc/TID is there for every thread, though no list shows it. */
	if (proc_owner_read(roots, pid, &owner) == 0 && owner.tgid != pid)
		return error_say(err, -EINVAL, "%d is a thread of process %d: name the process",
			(int) pid, (int) owner.tgid);
	/* A first thread that ended before the others is a zombie too, and the process lives. */
	if (stat.state == 'X' || (stat.state == 'Z' && stat.threads <= 1))
		return error_say(err, -ESRCH,
			"process %d (%s) has ended: its parent, %d, has not waited for it",
			(int) pid, shown(stat.name).text, (int) stat.ppid);
	if (roots->live && pid == getpid())
		return error_say(
			err, -EINVAL, "process %d is assay itself: it is in no target", (int) pid);
	*ret = stat;
	return 0;
}

static int find_processes(struct target_term *term, const struct roots *roots,
	struct proc_stat *ret_first, struct error *err)
{
	for (size_t i = 0; i < term->n_pids; i++) {
		struct proc_stat stat = { 0 };
		int r = target_find_process(roots, term->pids[i].pid, &stat, err);

		if (r < 0)
			return r;
		term->pids[i].start_ticks = stat.start_ticks;
		if (i == 0)
			*ret_first = stat;
	}
	return 0;
}

/* The entry of one user, by name or, where that is NULL, by number. 1: found; 0: there is none; a negative errno. The text is in *ret_space. */
static int look_up(const char *name, uid_t uid, struct passwd *ret, char **ret_space)
{
	for (size_t size = 4096; size <= PASSWD_SIZE_MAX; size *= 4) {
		struct passwd *found = NULL;
		char *space = malloc(size);

		if (!space)
			return -ENOMEM;
		int r = name ? getpwnam_r(name, ret, space, size, &found)
			     : getpwuid_r(uid, ret, space, size, &found);

		if (found) {
			*ret_space = space;
			return 1;
		}
		free(space);
		/* Absence is told in several ways: getpwnam(3). */
		if (r != ERANGE)
			return r == 0 || r == ENOENT || r == ESRCH || r == EBADF || r == EPERM ? 0
											       : -r;
	}
	return -ERANGE;
}

static bool number_of_user(const char *text, uid_t *ret)
{
	char *end;

	if (text[strspn(text, "0123456789")] != '\0')
		return false;
	errno = 0;
	unsigned long long uid = strtoull(text, &end, 10);
	if (errno != 0 || uid >= UINT32_MAX) /* the greatest stands for "none" */
		return false;
	*ret = (uid_t) uid;
	return true;
}

/* Of a user by number; `found` is NULL where nobody has it. */
static int take_name(struct target_term *term, const struct passwd *found, struct error *err)
{
	char number[24];

	(void) snprintf(number, sizeof(number), "%lu", (unsigned long) term->uid);
	term->text = strdup(found ? found->pw_name : number);
	return term->text ? 0 : error_set(err, -ENOMEM, "cannot keep a user's name");
}

static int find_user(struct target_term *term, struct error *err)
{
	char *space = NULL;
	struct passwd user;

	/* A name of digits only is still a name first, as for chown(1). */
	int r = look_up(term->text, term->uid, &user, &space);

	if (!term->text) {
		r = take_name(term, r == 1 ? &user : NULL, err);
		free(space);
		return r;
	}
	free(space);
	if (r == 1) {
		term->uid = user.pw_uid;
		return 0;
	}
	if (number_of_user(term->text, &term->uid))
		return 0;
	if (r < 0)
		return error_set(err, r, "cannot look up user '%s'", shown(term->text).text);
	return error_say(err, -ENOENT, "there is no user '%s' here", shown(term->text).text);
}

static int find_term(struct target_term *term, const struct roots *roots,
	struct proc_stat *ret_first, struct error *err)
{
	switch (term->kind) {
	case TARGET_TREE:
	case TARGET_PIDS:
		return find_processes(term, roots, ret_first, err);
	case TARGET_USER:
		return find_user(term, err);
	case TARGET_SLURM:
		return target_find_slurm(term, roots, err);
	case TARGET_CGROUP:
		return target_find_cgroup(term, roots, err);
	case TARGET_CONTAINER:
		return target_find_container(term, roots, err);
	default:
		return 0;
	}
}

struct anybody {
	const struct target *target;
	const struct roots *roots;
	bool found;
	unsigned unreadable;
	int why;
};

static void look_at(pid_t pid, void *context)
{
	struct anybody *a = context;
	struct proc_stat stat;

	if (a->found || (a->roots->live && pid == getpid()) || read_stat(a->roots, pid, &stat) < 0)
		return;
	struct target_candidate c = { .roots = a->roots, .stat = &stat };

	a->found = target_holds(a->target, &c);
	if (c.error == EACCES || c.error == EPERM) {
		a->unreadable++;
		a->why = c.error;
	}
	target_candidate_done(&c);
}

/* Somebody besides ourselves has to be there. */
static int find_anybody(const struct target *t, const struct roots *roots, struct error *err)
{
	struct anybody a = { .target = t, .roots = roots };
	char unread[100] = "";
	int r = proc_pids_each(roots->proc, look_at, &a);

	if (r < 0)
		return error_set(err, r, "cannot list the processes");
	if (a.found)
		return 0;
	if (a.unreadable > 0)
		(void) snprintf(unread, sizeof(unread), "; %u processes could not be asked (%s)",
			a.unreadable, errno_name(a.why));
	return error_say(err, -ESRCH, "no process belongs to the target %s, %s%s%s",
		shown(t->text).text, t->people, unread,
		proc_mount_hides_from_us(roots) ? "; /proc hides other users' processes (hidepid)"
						: "");
}

int target_resolve(struct target *t, const struct roots *roots, struct error *err)
{
	struct proc_stat first = { 0 };
	int r = 0;

	if (roots->proc < 0)
		return error_say(err, -ENOENT, "no process can be seen: %s",
			roots->why_no_proc ? roots->why_no_proc : "nothing is mounted there");
	for (size_t i = 0; i < t->n_terms && r == 0; i++)
		r = find_term(&t->terms[i], roots, &first, err);
	if (r < 0)
		return r;
	bool has_tree = target_first_pid(t) > 0;

	if (has_tree && t->n_terms > 1)
		return error_say(err, -EINVAL,
			"%s is a tree here, and that takes no further condition",
			shown(t->text).text);
	if ((r = target_write_texts(t, has_tree ? &first : NULL)) < 0)
		return error_set(err, r, "cannot keep the words of a target");
	return has_tree ? 0 : find_anybody(t, roots, err);
}
