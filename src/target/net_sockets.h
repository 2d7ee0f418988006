/* SPDX-License-Identifier: MIT */
/* The job's TCP sockets: which are its own, and what each has moved, those that ended too. */
#ifndef ASSAY_TARGET_NET_SOCKETS_H
#define ASSAY_TARGET_NET_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linux/tcp_sockets.h"

struct ledger;
struct roots;

/* Whose a socket is. One is the job's when a file of one of its processes was seen to hold it. */
enum socket_owner {
	OWNER_SOUGHT,
	OWNER_JOB,
	OWNER_SHARED, /* open before the job began: who passed it on may move bytes as well */
	OWNER_OTHER, /* no process of the job held it in two looks at all their files */
	OWNER_UNKNOWN, /* nor that, but not all files could be looked at */
};

struct net_socket {
	uint64_t cookie; /* 0: an empty place */
	uint32_t inode, uid;
	uint8_t owner; /* enum socket_owner */
	bool loopback, listens;
	struct tcp_end local;
	bool sought_in_vain; /* some files could not be looked at */
	uint8_t unseen; /* looks since it was last there: its end is still to be told */
	uint64_t first_round; /* of looks at files */
	uint64_t received_before, sent_before; /* the run */
	uint64_t received, sent;
};

struct socket_traffic {
	uint64_t received, sent;
};

/* Connections that ended before it was seen whose they are. */
struct ended_connections {
	struct socket_traffic traffic[2];
	uint64_t n;
};

/* A listener of the job: what it takes is the job's, however short, unless somebody else ever listened there beside it. */
struct job_listener {
	uint64_t cookie;
	struct tcp_end local;
	unsigned
		looks_since_end; /* 0: it is there; kept for a while: the ends of its connections may still be told */
	bool has_rival; /* somebody else listened there too, and may have taken what ends even now */
	bool may_have_rival; /* whose the other one is, is not known yet */
	struct ended_connections heard; /* who else listened is not known yet */
	struct ended_connections
		due; /* once all that listens was listed, and all ends until then heard */
};
#define JOB_LISTENERS_MAX 128

struct net_sockets {
	bool opened;
	int error; /* positive errno: cannot be had here */
	int ask_fd, end_fd; /* when opened */
	uint64_t due_ns; /* the next look: as far off as the last one was dear */
	struct net_socket *places; /* by cookie: open addressing */
	size_t capacity, n;
	struct wanted_inode {
		uint32_t inode; /* 0: empty */
		uint32_t place;
	} * wanted; /* sockets whose owner is sought, by inode */
	size_t wanted_capacity, n_wanted;
	struct job_listener listeners[JOB_LISTENERS_MAX];
	size_t n_listeners;
	uint64_t marks[1024]; /* sockets of our own whose end is awaited */
	size_t n_marks;
	uint64_t rounds; /* of looks at all files */
	size_t next_process; /* in the ledger's order */
	bool round_incomplete;
	uint64_t failed_allocations;

	/* [0]: between machines; [1]: loopback */
	struct socket_traffic ended[2], unattributed[2];
	struct socket_traffic job[2]; /* the ended and the open ones, at the last look */
	struct socket_traffic shared[2]; /* of the open ones that may be somebody else's too */
	uint64_t connections, unattributed_connections;
	uint64_t overflows; /* the kernel had no room to tell of ends */
	uint64_t overflows_shared_out; /* of these, when ended connections were last shared out */
	bool ends_unheard; /* it does not tell at all */
	bool settled; /* the next look is the last */
};

/*
 * One look. The first, just before the job starts, finds what it inherits and where its counters stand. 0; -EAGAIN when the last look was so dear that
 * the next is not due yet; another negative errno when sockets cannot be had. Allocates only for more sockets than ever before.
 */
int net_sockets_look(struct net_sockets *s, const struct roots *roots, const struct ledger *ledger,
	uint64_t now_ns);
/* At the end of the run, once the job is gone: waits until the kernel has told of all sockets that ended, mostly less than a millisecond, and makes a
 * look due. */
void net_sockets_settle(struct net_sockets *s);
void net_sockets_done(struct net_sockets *s);

#endif
