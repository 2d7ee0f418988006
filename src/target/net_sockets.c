/* SPDX-License-Identifier: MIT */
/* Finds the job's sockets by the files of its processes and follows each, by its cookie, to its end. */
#include "target/net_sockets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/macros.h"
#include "linux/proc_files.h"
#include "linux/roots.h"
#include "linux/socket_files.h"
#include "linux/tcp_sockets.h"
#include "target/ledger.h"

/* A socket's end is told by a work queue of the kernel, a moment after it. */
#define LOOKS_UNTIL_FORGOTTEN 3
#define ROUNDS_UNTIL_DECIDED 2
/* 4 us each: what a look may spend on files, and what on those of one process; one with more is left out. */
#define FILES_PER_LOOK 1500
#define FILES_PER_PROCESS 16384
/* Share of a processor that looks may take: one part in so many. */
#define COST_SHARE 50
#define SETTLE_MS 200 /* on a machine that is busy; a fraction of one otherwise */
#define CAPACITY_FIRST 256

static size_t place_of(const struct net_sockets *s, uint64_t cookie)
{
	return (size_t) (cookie * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (s->capacity - 1);
}

/* The place of the socket, or the empty one where it belongs. */
static struct net_socket *find(struct net_sockets *s, uint64_t cookie)
{
	size_t at = place_of(s, cookie);

	while (s->places[at].cookie != 0 && s->places[at].cookie != cookie)
		at = (at + 1) & (s->capacity - 1);
	return &s->places[at];
}

static bool make_room(struct net_sockets *s)
{
	struct net_socket *before = s->places;
	size_t n_before = s->capacity;

	if (s->capacity && 2 * (s->n + 1) <= s->capacity)
		return true;
	size_t capacity = s->capacity ? 2 * s->capacity : CAPACITY_FIRST;
	struct net_socket *places = calloc(capacity, sizeof(*places));
	if (!places) {
		s->failed_allocations++;
		return false;
	}
	s->places = places;
	s->capacity = capacity;
	for (size_t i = 0; i < n_before; i++)
		if (before[i].cookie != 0)
			*find(s, before[i].cookie) = before[i];
	free(before);
	return true;
}

/* Empties a place and moves up those that were put further off because it was taken. */
static void drop(struct net_sockets *s, struct net_socket *socket)
{
	size_t mask = s->capacity - 1;
	size_t hole = (size_t) (socket - s->places);

	s->n--;
	for (size_t at = (hole + 1) & mask; s->places[at].cookie != 0; at = (at + 1) & mask) {
		size_t home = place_of(s, s->places[at].cookie);
		if (((at - home) & mask) < ((at - hole) & mask))
			continue;
		s->places[hole] = s->places[at];
		hole = at;
	}
	s->places[hole] = (struct net_socket){ 0 };
}

static uint64_t grown(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static void add_traffic(struct socket_traffic *to, const struct net_socket *socket)
{
	to->received += grown(socket->received, socket->received_before);
	to->sent += grown(socket->sent, socket->sent_before);
}

/* Only ever more: a reset takes back nothing that arrived, though we take bytes of a proper end off its last count. */
static void take_counts(struct net_socket *socket, const struct tcp_socket *now)
{
	if (!now->has_bytes)
		return;
	if (now->received > socket->received)
		socket->received = now->received;
	if (now->acknowledged > socket->sent)
		socket->sent = now->acknowledged;
}

/* Who took the connection, if it was a listener of the job; NULL. */
static struct job_listener *taker_of(struct net_sockets *s, const struct tcp_end *local)
{
	for (size_t i = 0; i < s->n_listeners; i++)
		if (tcp_end_was_taken_by(local, &s->listeners[i].local))
			return &s->listeners[i];
	return NULL;
}

static void add_listener(struct net_sockets *s, const struct net_socket *socket)
{
	if (s->n_listeners < JOB_LISTENERS_MAX)
		s->listeners[s->n_listeners++] =
			(struct job_listener){ .cookie = socket->cookie, .local = socket->local };
}

static void end_listener(struct net_sockets *s, uint64_t cookie)
{
	for (size_t i = 0; i < s->n_listeners; i++)
		if (s->listeners[i].cookie == cookie)
			s->listeners[i].looks_since_end = 1;
}

static void forget_ended_listeners(struct net_sockets *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_listeners; i++) {
		struct job_listener *l = &s->listeners[i];

		if (l->looks_since_end)
			l->looks_since_end++;
		if (l->looks_since_end <= LOOKS_UNTIL_FORGOTTEN || l->heard.n > 0)
			s->listeners[n++] = *l;
	}
	s->n_listeners = n;
}

static void add_rival(struct net_sockets *s, const struct tcp_end *local, bool for_sure)
{
	for (size_t i = 0; i < s->n_listeners; i++)
		if (tcp_end_was_taken_by(local, &s->listeners[i].local)) {
			s->listeners[i].may_have_rival = true;
			s->listeners[i].has_rival = s->listeners[i].has_rival || for_sure;
		}
}

/*
 * With SO_REUSEPORT, or at a narrower address, somebody else may listen where the job does. What that one took may end long after it, so that it is
 * remembered; one whose owner is still sought may be the job's own.
 */
static void find_rivals(struct net_sockets *s)
{
	for (size_t i = 0; i < s->n_listeners; i++)
		s->listeners[i].may_have_rival = false;
	for (size_t at = 0; s->n_listeners > 0 && at < s->capacity; at++) {
		const struct net_socket *socket = &s->places[at];

		if (socket->cookie != 0 && socket->listens && socket->owner != OWNER_JOB)
			add_rival(s, &socket->local, socket->owner != OWNER_SOUGHT);
	}
}

static void move_ended(struct ended_connections *from, struct socket_traffic *to, uint64_t *count)
{
	for (size_t i = 0; i < ARRAY_SIZE(from->traffic); i++) {
		to[i].received += from->traffic[i].received;
		to[i].sent += from->traffic[i].sent;
	}
	*count += from->n;
	*from = (struct ended_connections){ 0 };
}

/* Who may have taken what was heard of so far is either listed from now on, or its end is told from now on. */
static void make_heard_due(struct net_sockets *s)
{
	for (size_t i = 0; i < s->n_listeners; i++) {
		struct job_listener *l = &s->listeners[i];

		move_ended(&l->heard, l->due.traffic, &l->due.n);
	}
}

/* What the job's listeners took is the job's where nobody else can have taken it. */
static void share_out_due(struct net_sockets *s)
{
	bool missed_ends = s->ends_unheard || s->overflows != s->overflows_shared_out;

	s->overflows_shared_out = s->overflows;
	for (size_t i = 0; i < s->n_listeners; i++) {
		struct job_listener *l = &s->listeners[i];

		if (missed_ends || l->has_rival || l->may_have_rival)
			move_ended(&l->due, s->unattributed, &s->unattributed_connections);
		else
			move_ended(&l->due, s->ended, &s->connections);
		/* These ended when the job had. */
		if (s->settled)
			move_ended(&l->heard, s->unattributed, &s->unattributed_connections);
	}
}

static void conclude_socket(struct net_sockets *s, struct net_socket *socket)
{
	bool known = socket->owner == OWNER_JOB || socket->owner == OWNER_SHARED ||
		     socket->owner == OWNER_OTHER;

	if (socket->listens) {
		end_listener(s, socket->cookie);
		if (socket->owner != OWNER_JOB)
			add_rival(s, &socket->local, true);
		return;
	}
	struct job_listener *taker = known ? NULL : taker_of(s, &socket->local);
	if (taker) {
		add_traffic(&taker->heard.traffic[socket->loopback], socket);
		taker->heard.n++;
	} else if (socket->owner == OWNER_JOB) {
		add_traffic(&s->ended[socket->loopback], socket);
	} else if (socket->owner != OWNER_OTHER) {
		add_traffic(&s->unattributed[socket->loopback], socket);
		s->unattributed_connections++;
	}
}

static void take_end(const struct tcp_socket *end, void *context)
{
	struct net_sockets *s = context;
	struct net_socket unseen = { .loopback = end->loopback, .local = end->local };
	struct net_socket *socket = s->capacity ? find(s, end->cookie) : &unseen;

	for (size_t i = 0; i < s->n_marks; i++)
		if (s->marks[i] == end->cookie) {
			s->marks[i] = s->marks[--s->n_marks];
			return;
		}
	if (socket == &unseen || socket->cookie == 0) {
		/* Of a listener: it has no other end. */
		if (end->remote_port == 0)
			add_rival(s, &end->local, true);
		/* Connections that were refused end too. */
		if (!end->has_bytes || end->received + end->acknowledged == 0)
			return;
		take_counts(&unseen, end);
		conclude_socket(s, &unseen);
		return;
	}
	take_counts(socket, end);
	conclude_socket(s, socket);
	drop(s, socket);
}

static void take_open(const struct tcp_socket *now, void *context)
{
	struct net_sockets *s = context;

	if (now->cookie == 0 || !make_room(s))
		return;
	struct net_socket *socket = find(s, now->cookie);
	if (socket->cookie == 0) {
		*socket = (struct net_socket){ .cookie = now->cookie,
			.loopback = now->loopback,
			.listens = now->listens,
			.local = now->local,
			.first_round = s->rounds };
		s->n++;
	}
	socket->unseen = 0;
	if (now->inode != 0) {
		socket->inode = now->inode;
		socket->uid = now->uid;
	}
	take_counts(socket, now);
}

static bool make_wanted_room(struct net_sockets *s)
{
	size_t capacity = CAPACITY_FIRST;

	while (capacity < 2 * s->n)
		capacity *= 2;
	if (capacity > s->wanted_capacity) {
		void *wanted = realloc(s->wanted, capacity * sizeof(*s->wanted));
		if (!wanted) {
			s->failed_allocations++;
			return false;
		}
		s->wanted = wanted;
		s->wanted_capacity = capacity;
	}
	memset(s->wanted, 0, s->wanted_capacity * sizeof(*s->wanted));
	s->n_wanted = 0;
	return true;
}

static struct wanted_inode *find_wanted(struct net_sockets *s, uint32_t inode)
{
	size_t mask = s->wanted_capacity - 1;
	size_t at = (size_t) (inode * UINT32_C(0x9e3779b1)) & mask;

	while (s->wanted[at].inode != 0 && s->wanted[at].inode != inode)
		at = (at + 1) & mask;
	return &s->wanted[at];
}

static bool is_of_a_job_user(const struct ledger *l, uint32_t uid)
{
	/* Mostly there is one user, and its socket found at once. */
	for (size_t i = 0; i < l->n_order; i++)
		if (ledger_at(l, i)->uid == uid)
			return true;
	return false;
}

/* The sockets whose owner is still sought; false when there are none. */
static bool list_wanted(struct net_sockets *s, const struct ledger *l)
{
	uint32_t last_uid = 0;
	bool last_is_ours = false;
	bool has_last = false;

	if (!make_wanted_room(s))
		return false;
	for (size_t i = 0; i < s->capacity; i++) {
		const struct net_socket *socket = &s->places[i];
		if (socket->cookie == 0 || socket->owner != OWNER_SOUGHT || socket->inode == 0)
			continue;
		if (!has_last || socket->uid != last_uid) {
			last_uid = socket->uid;
			last_is_ours = is_of_a_job_user(l, last_uid);
			has_last = true;
		}
		if (!last_is_ours)
			continue;
		*find_wanted(s, socket->inode) =
			(struct wanted_inode){ .inode = socket->inode, .place = (uint32_t) i };
		s->n_wanted++;
	}
	return s->n_wanted > 0;
}

static void take_file(uint32_t inode, void *context)
{
	struct net_sockets *s = context;
	struct wanted_inode *wanted = find_wanted(s, inode);

	if (wanted->inode == 0 || s->places[wanted->place].owner != OWNER_SOUGHT)
		return;
	struct net_socket *socket = &s->places[wanted->place];
	socket->owner = OWNER_JOB;
	if (socket->listens)
		add_listener(s, socket);
	else
		s->connections++;
	s->n_wanted--;
}

/* All files of all processes were looked at: who was sought for long enough is nobody's of the job. */
static void end_round(struct net_sockets *s)
{
	for (size_t i = 0; i < s->capacity; i++) {
		struct net_socket *socket = &s->places[i];

		if (socket->cookie == 0 || socket->owner != OWNER_SOUGHT || socket->inode == 0)
			continue;
		socket->sought_in_vain = socket->sought_in_vain || s->round_incomplete;
		if (s->rounds >= socket->first_round + ROUNDS_UNTIL_DECIDED)
			socket->owner = socket->sought_in_vain ? OWNER_UNKNOWN : OWNER_OTHER;
	}
	s->rounds++;
	s->next_process = 0;
	s->round_incomplete = false;
}

/* Goes on through the processes where the last look stopped. */
static void look_at_files(struct net_sockets *s, const struct roots *roots, const struct ledger *l)
{
	size_t files = 0;

	while (s->next_process < l->n_order && s->n_wanted > 0) {
		const struct process *p = ledger_at(l, s->next_process);
		uint64_t count = 0;

		if (!p->alive || p->zombie) {
			s->next_process++;
			continue;
		}
		int rc = proc_fd_count(roots, p->pid, &count);
		if (files > 0 && files + count > FILES_PER_LOOK)
			return;
		if (rc == 0 && count <= FILES_PER_PROCESS)
			rc = process_sockets_each(roots, p->pid, take_file, s);
		else if (rc == 0)
			rc = -E2BIG;
		if (rc < 0 && rc != -ENOENT && rc != -ESRCH)
			s->round_incomplete = true;
		files += count;
		s->next_process++;
	}
	end_round(s);
}

static void forget_the_gone(struct net_sockets *s)
{
	for (size_t i = 0; i < s->capacity; i++) {
		struct net_socket *socket = &s->places[i];

		/* The next one may move here. */
		while (socket->cookie != 0 && socket->unseen > LOOKS_UNTIL_FORGOTTEN) {
			conclude_socket(s, socket);
			drop(s, socket);
		}
	}
}

static void sum_up(struct net_sockets *s)
{
	memcpy(s->job, s->ended, sizeof(s->job));
	memset(s->shared, 0, sizeof(s->shared));
	for (size_t i = 0; i < s->capacity; i++) {
		const struct net_socket *socket = &s->places[i];

		if (socket->cookie != 0 && socket->owner == OWNER_JOB)
			add_traffic(&s->job[socket->loopback], socket);
		else if (socket->cookie != 0 && socket->owner == OWNER_SHARED)
			add_traffic(&s->shared[socket->loopback], socket);
	}
}

static int ask_for_all(struct net_sockets *s)
{
	for (size_t i = 0; i < s->capacity; i++)
		if (s->places[i].cookie != 0)
			s->places[i].unseen++;
	return tcp_sockets_dump(s->ask_fd, take_open, s);
}

static void hear_of_ends(struct net_sockets *s)
{
	if (!s->ends_unheard)
		(void) tcp_sockets_drain(s->end_fd, take_end, s, &s->overflows);
}

/* What is open before the job starts is nobody's of the job but what it inherits, and that has a past, and may be used by those it comes from. */
static void begin(struct net_sockets *s, const struct roots *roots, const struct ledger *l)
{
	if (make_wanted_room(s)) {
		for (size_t i = 0; i < s->capacity; i++)
			if (s->places[i].cookie != 0 && s->places[i].inode != 0)
				*find_wanted(s, s->places[i].inode) =
					(struct wanted_inode){ .inode = s->places[i].inode,
						.place = (uint32_t) i };
		(void) process_sockets_each(roots, l->job_pid, take_file, s);
		s->n_listeners = 0;
		s->connections = 0;
	}
	for (size_t i = 0; i < s->capacity; i++) {
		struct net_socket *socket = &s->places[i];

		socket->received_before = socket->received;
		socket->sent_before = socket->sent;
		socket->owner = socket->owner == OWNER_JOB ? OWNER_SHARED : OWNER_OTHER;
	}
	memset(s->unattributed, 0, sizeof(s->unattributed));
	s->unattributed_connections = 0;
}

static int open_all(struct net_sockets *s)
{
	s->ask_fd = tcp_sockets_open(NULL);
	if (s->ask_fd < 0)
		return s->ask_fd;
	s->end_fd = tcp_sockets_listen(NULL);
	s->ends_unheard = s->end_fd < 0;
	s->opened = true;
	return 0;
}

int net_sockets_look(struct net_sockets *s, const struct roots *roots, const struct ledger *ledger,
	uint64_t now_ns)
{
	bool first = !s->opened;

	if (s->error)
		return -s->error;
	if (now_ns < s->due_ns)
		return -EAGAIN;
	/* Its own CPU time: while others have the processor a look costs nobody anything. */
	uint64_t began_ns = clock_thread_cpu_ns();
	int rc = first ? open_all(s) : 0;
	if (rc == 0) {
		hear_of_ends(s);
		forget_the_gone(s);
		make_heard_due(s);
		rc = ask_for_all(s);
	}
	if (rc < 0) {
		s->error = -rc;
		return rc;
	}
	find_rivals(s);
	hear_of_ends(s);
	share_out_due(s);
	forget_ended_listeners(s);
	if (first)
		begin(s, roots, ledger);
	else if (list_wanted(s, ledger))
		look_at_files(s, roots, ledger);
	else
		end_round(s);
	sum_up(s);
	s->due_ns = first ? 0 : now_ns + COST_SHARE * (clock_thread_cpu_ns() - began_ns);
	return 0;
}

void net_sockets_settle(struct net_sockets *s)
{
	s->due_ns = 0;
	s->settled = true;
	if (!s->opened || s->error || s->ends_unheard)
		return;
	uint64_t end_ns = clock_monotonic_ns() + SETTLE_MS * (NSEC_PER_SEC / 1000);
	s->n_marks = tcp_sockets_mark(s->marks, ARRAY_SIZE(s->marks));
	for (hear_of_ends(s); s->n_marks > 0; hear_of_ends(s)) {
		uint64_t now_ns = clock_monotonic_ns();
		if (now_ns >= end_ns)
			break;
		tcp_sockets_wait(s->end_fd, (int) ((end_ns - now_ns) / 1000000) + 1);
	}
	s->n_marks = 0;
}

void net_sockets_done(struct net_sockets *s)
{
	free(s->places);
	free(s->wanted);
	if (s->opened)
		close(s->ask_fd);
	if (s->opened && !s->ends_unheard)
		close(s->end_fd);
	*s = (struct net_sockets){ 0 };
}
