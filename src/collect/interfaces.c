/* SPDX-License-Identifier: MIT */
/* Follows the counters of interfaces through wraps, resets and changes of namespace. */
#include "collect/interfaces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/macros.h"
#include "linux/namespace_rights.h"
#include "linux/roots.h"
#include "target/own_namespace.h"

#define TEXT_SIZE_FIRST 8192
#define TEXT_SIZE_MAX ((size_t) 16 << 20)
/* Looking at every process costs some microseconds each. */
#define ALONE_INTERVAL_NS (10 * NSEC_PER_SEC)
/* So does asking for an index; those of more new interfaces in one look are not known. */
#define N_ASKED_MAX 256

void interfaces_done(struct interfaces *s)
{
	free(s->list);
	free(s->text);
	if (s->open)
		close(s->fd);
	*s = (struct interfaces){ 0 };
}

bool interface_is_loopback(const struct interface *i)
{
	/* Every namespace is born with it under this name. */
	return strcmp(i->name, "lo") == 0;
}

bool interfaces_met_no_stranger(const struct interfaces *s)
{
	return s->alone && !s->older && s->arrivals == 0;
}

struct interface *interfaces_find(struct interfaces *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++) {
		size_t at = (s->found + i) % s->n;

		if (strcmp(s->list[at].name, name) == 0) {
			s->found = at + 1;
			return &s->list[at];
		}
	}
	return NULL;
}

static struct interface *enter(struct interfaces *s, const char *name)
{
	if (s->n == s->capacity) {
		size_t capacity = s->capacity ? 2 * s->capacity : 8;
		if (capacity > N_INTERFACES_MAX)
			return NULL;
		struct interface *list = realloc(s->list, capacity * sizeof(*list));
		if (!list)
			return NULL;
		s->list = list;
		s->capacity = capacity;
	}
	s->list[s->n] = (struct interface){ 0 };
	memcpy(s->list[s->n].name, name, sizeof(s->list->name));
	return &s->list[s->n++];
}

/* A counter of 32 bits that went round was in its upper half and is in its lower one. */
static bool went_round(uint64_t before, uint64_t after)
{
	return before <= UINT32_MAX && before > UINT32_MAX / 2 && after <= UINT32_MAX / 2;
}

/* Bytes and packets fall together: the direction was counted anew. What came since is known, what went before that is not. */
static void follow_direction(struct interfaces *s, struct interface *i,
	const struct net_interface *now, int first, int end)
{
	bool anew = now->counters[first] < i->last[first] &&
		    now->counters[first + 1] < i->last[first + 1];

	for (int c = first; c < end; c++) {
		uint64_t before = i->last[c];
		uint64_t after = now->counters[c];

		if (after >= before && !anew) {
			i->grown[c] += after - before;
		} else if (!anew && went_round(before, after)) {
			i->grown[c] += (UINT64_C(1) << 32) - before + after;
			i->doubtful = true;
			s->wraps++;
		} else {
			i->grown[c] += after;
			i->doubtful = true;
			s->resets += !anew;
		}
	}
	s->resets += anew;
}

static void count_whole(struct interfaces *s, struct interface *i, const struct net_interface *now)
{
	bool counted = false;

	for (int c = 0; c < N_INTERFACE_COUNTERS; c++) {
		i->grown[c] += now->counters[c];
		counted = counted || now->counters[c];
	}
	s->arrivals += counted && !s->moved;
	i->doubtful = i->doubtful || (counted && !s->moved);
}

static void follow(struct interfaces *s, struct interface *i, const struct net_interface *now)
{
	follow_direction(s, i, now, RECEIVE_BYTES, TRANSMIT_BYTES);
	follow_direction(s, i, now, TRANSMIT_BYTES, N_INTERFACE_COUNTERS);
}

static void mark(struct interface *i, const struct net_interface *now)
{
	memcpy(i->last, now->counters, sizeof(i->last));
	i->there = i->seen = true;
}

struct taking {
	struct interfaces *s;
	bool others; /* names that were not there before were met */
};

/* 0: not known. */
static uint64_t index_of(struct interfaces *s, const char *name)
{
	uint64_t index = 0;

	if (!s->roots || s->n_asked == N_ASKED_MAX)
		return 0;
	s->n_asked++;
	return net_interface_index(s->roots, s->shown_by, name, &index) < 0 ? 0 : index;
}

/* Those that were there at the look before, under their names. */
static void take_known(const struct net_interface *now, void *context)
{
	struct taking *t = context;
	struct interface *i = interfaces_find(t->s, now->name);

	if (!i || !i->there) {
		t->others = true;
		return;
	}
	if (i->seen)
		return; /* a list that changes while it is read may show one twice */
	if (i->unsure) {
		i->index = index_of(t->s, now->name);
		i->unsure = i->index == 0;
	}
	follow(t->s, i, now);
	mark(i, now);
}

static bool went_on(const struct interface *i, const struct net_interface *now)
{
	for (int c = 0; c < N_INTERFACE_COUNTERS; c++)
		if (now->counters[c] < i->last[c])
			return false;
	return true;
}

/* Which one has this name now, of those that are not there under theirs any more. Its index stays with it; the counters must have gone on, too. */
static struct interface *find_renamed(
	struct interfaces *s, const struct net_interface *now, uint64_t index)
{
	for (size_t k = 0; index != 0 && k < s->n; k++) {
		struct interface *i = &s->list[k];

		if (i->there && !i->seen && i->index == index && went_on(i, now))
			return i;
	}
	return NULL;
}

static bool may_be_renamed(const struct interfaces *s, const struct net_interface *now)
{
	for (size_t k = 0; k < s->n; k++) {
		const struct interface *i = &s->list[k];

		if (i->there && !i->seen && (i->index != 0 || i->unsure) && went_on(i, now))
			return true;
	}
	return false;
}

/* A new name is in the list before its index is: the kernel makes the file anew behind it. */
#define INDEX_TRIES 5

static uint64_t index_soon(struct interfaces *s, const struct net_interface *now)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	uint64_t index = index_of(s, now->name);

	for (int i = 1; index == 0 && i < INDEX_TRIES && may_be_renamed(s, now); i++) {
		nanosleep(&moment, NULL);
		index = index_of(s, now->name);
	}
	return index;
}

/* All others; by now those that are not there any more under their names are known. */
static void take_other(const struct net_interface *now, void *context)
{
	struct taking *t = context;
	struct interfaces *s = t->s;
	struct interface *i = interfaces_find(s, now->name);

	if (i && i->seen)
		return;
	uint64_t index = index_soon(s, now);
	struct interface *renamed = find_renamed(s, now, index);
	size_t place = renamed ? (size_t) (renamed - s->list) : 0;
	/* Renamed once more since the list was read: what it has counted is its past, and what is new of that is lost, as of one that went. */
	bool unsure = !renamed && index == 0 && may_be_renamed(s, now);

	if (!i)
		i = enter(s, now->name);
	if (!i) {
		s->refused++;
		return;
	}
	if (renamed) {
		/* What it grew by under its old name stays there. */
		memcpy(i->last, s->list[place].last, sizeof(i->last));
		s->list[place].there = false;
		follow(s, i, now);
	} else if (s->looked && !unsure && !s->begins_anew) {
		count_whole(s, i, now);
	}
	i->index = index;
	i->unsure = unsure;
	mark(i, now);
}

/* Where interfaces come and go by the thousand, only the latest keep their place. */
static void fold_gone(struct interfaces *s, size_t n_gone)
{
	size_t kept = 0;

	if (n_gone <= N_INTERFACES_GONE_MAX)
		return;
	for (size_t i = 0; i < s->n; i++) {
		const struct interface *at = &s->list[i];

		if (at->there || n_gone <= N_INTERFACES_GONE_MAX) {
			if (kept != i)
				s->list[kept] = *at;
			kept++;
			continue;
		}
		for (unsigned k = 0; k < N_INTERFACE_COUNTERS; k++)
			s->folded[interface_is_loopback(at)][k] += at->grown[k];
		s->n_folded++;
		n_gone--;
	}
	s->n = kept;
	s->found = 0;
}

int interfaces_take(struct interfaces *s, const char *text, size_t n)
{
	s->n_asked = 0;
	for (size_t i = 0; i < s->n; i++)
		s->list[i].seen = false;
	struct taking taking = { .s = s };
	int rc = net_dev_parse(text, n, take_known, &taking);
	if (rc >= 0 && taking.others)
		rc = net_dev_parse(text, n, take_other, &taking);
	if (rc < 0)
		return rc;
	size_t n_gone = 0;
	for (size_t i = 0; i < s->n; i++) {
		bool gone = s->list[i].there && !s->list[i].seen;

		s->resets += gone;
		s->list[i].doubtful = s->list[i].doubtful || gone;
		s->list[i].there = s->list[i].seen;
		n_gone += !s->list[i].there;
	}
	fold_gone(s, n_gone);
	s->looked = true;
	return 0;
}

void interfaces_sum(const struct interfaces *s, bool loopback, uint64_t ret[N_INTERFACE_COUNTERS])
{
	memcpy(ret, s->folded[loopback], sizeof(s->folded[loopback]));
	for (size_t i = 0; i < s->n; i++)
		for (unsigned k = 0; k < N_INTERFACE_COUNTERS; k++)
			if (interface_is_loopback(&s->list[i]) == loopback)
				ret[k] += s->list[i].grown[k];
}

static int read_table(struct interfaces *s, int fd)
{
	for (;;) {
		ssize_t n = s->text ? read_kernel_file(fd, s->text, s->text_size) : -EOVERFLOW;
		if (n != -EOVERFLOW)
			return n < 0 ? (int) n : interfaces_take(s, s->text, (size_t) n);
		size_t size = s->text ? 2 * s->text_size : TEXT_SIZE_FIRST;
		char *text = size <= TEXT_SIZE_MAX ? realloc(s->text, size) : NULL;
		if (!text)
			return -ENOMEM;
		s->text = text;
		s->text_size = size;
	}
}

static void forget_file(struct interfaces *s)
{
	if (s->open)
		close(s->fd);
	s->open = false;
}

/* A name keeps it, or somebody else is in it. The keeper stays where the job began. */
static bool may_be_older(const struct interfaces *s, const struct roots *roots,
	uint64_t network_namespace, pid_t job, pid_t keeper)
{
	uint64_t first;

	return s->of_target ||
	       (net_namespace(roots, keeper, &first) == 0 && first == network_namespace) ||
	       net_namespace_is_named(roots, job) ||
	       namespace_has_strangers(roots, network_namespace, keeper);
}

/* Into another namespace: its interfaces are others, whatever their names. The open file still shows what was moved in the old one till now. */
static void enter_namespace(struct interfaces *s, const struct roots *roots,
	uint64_t network_namespace, pid_t job, pid_t keeper)
{
	if (s->network_namespace != 0) {
		s->roots = NULL; /* the job shows the indices of the new one by now */
		s->resets += !s->open || read_table(s, s->fd) < 0;
		s->moved = s->may_leave = true;
		s->older = may_be_older(s, roots, network_namespace, job, keeper);
		s->begins_anew = s->older;
		for (size_t i = 0; i < s->n; i++)
			s->list[i].there = false;
	}
	forget_file(s);
	s->network_namespace = network_namespace;
	s->alone = namespace_is_the_jobs(roots, network_namespace, keeper);
}

static void look_for_strangers(
	struct interfaces *s, const struct roots *roots, pid_t keeper, uint64_t now_ns)
{
	if (!s->alone || now_ns - s->alone_looked_ns < ALONE_INTERVAL_NS)
		return;
	s->alone = namespace_is_the_jobs(roots, s->network_namespace, keeper);
	s->alone_looked_ns = now_ns;
}

/* The job's process is gone, or may not be looked at: the keeper stands in for it where it is in the same namespace. */
static int open_stand_in(struct interfaces *s, const struct roots *roots, pid_t keeper)
{
	uint64_t its_own;
	int rc = net_namespace(roots, keeper, &its_own);

	if (rc == 0 && s->network_namespace != 0 && its_own != s->network_namespace)
		rc = -ESRCH;
	if (rc == 0)
		s->fd = rc = net_dev_open(roots, keeper);
	s->open = rc >= 0;
	return rc < 0 ? rc : 0;
}

int interfaces_look(
	struct interfaces *s, const struct roots *roots, pid_t job, pid_t keeper, uint64_t now_ns)
{
	uint64_t network_namespace = 0;
	int rc = net_namespace(roots, job, &network_namespace);
	bool gone = rc < 0;

	if (!s->rights_known) {
		s->may_leave = s->of_target || may_leave_network_namespace(roots);
		s->rights_known = true;
	}
	if (!gone && network_namespace != s->network_namespace) {
		enter_namespace(s, roots, network_namespace, job, keeper);
		s->alone_looked_ns = now_ns;
	}
	if (!s->open && !gone) {
		s->fd = net_dev_open(roots, job);
		s->open = s->fd >= 0;
	}
	if (!s->open) {
		rc = open_stand_in(s, roots, keeper);
		if (rc < 0)
			return rc;
	}
	look_for_strangers(s, roots, keeper, now_ns);
	s->roots = roots;
	s->shown_by = gone ? keeper : job;
	rc = read_table(s, s->fd);
	s->begins_anew = s->begins_anew && rc < 0;
	/* An open file keeps a namespace from ending: not longer than the job is in it. */
	if (gone)
		forget_file(s);
	return rc;
}
