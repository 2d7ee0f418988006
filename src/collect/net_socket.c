/* SPDX-License-Identifier: MIT */
/*
 * The job's own traffic without any privilege, as far as TCP connections show it. Not part of the preset: asking makes the kernel load tcp_diag where that
 * is a module; a look walks the whole table of the machine's connections (0.2 ms with none of them, 1 us more for each); and while
 * somebody listens for ends, each one costs the kernel a message: a job of 14 000 connections a second over loopback was
 * slowed by 4 % in its best run of eight, by more on a busy machine.
 */
#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "collect/collect.h"
#include "linux/net_dev.h"
#include "linux/roots.h"
#include "linux/tcp_sockets.h"
#include "model/run_info.h"
#include "target/ledger.h"
#include "target/net_sockets.h"

enum {
	RECEIVED,
	SENT,
	LOOPBACK_RECEIVED,
	LOOPBACK_SENT,
	UNATTRIBUTED_RECEIVED,
	UNATTRIBUTED_SENT,
	UNATTRIBUTED_LOOPBACK_RECEIVED,
	UNATTRIBUTED_LOOPBACK_SENT,
	CONNECTIONS,
	UNATTRIBUTED_CONNECTIONS,
	OVERFLOWS,
	N_ROWS
};

#define DUMP_ORIGIN                                                                                \
	.origin = "sock_diag(7): tcpi_bytes_received, tcpi_bytes_acked of struct tcp_info"
#define TCP_ONLY                                                                                   \
	"; TCP only, without headers; connections too short for a sample are in the unattributed"
#define NOBODYS "; anybody's in the namespace, the job's too: the uncertainty of the job's"

static const struct measure rows[] = {
	/* clang-format off */
	[RECEIVED] = { .key = "socket_tcp_receive_bytes", .kind = COUNTER, .unit = BYTES, .scope = SINGLE, .reduce = DELTA, .quality = LOWER_BOUND, .cost = COSTLY,
		.quantity = "network_receive", .rank = 1, DUMP_ORIGIN, .help = "payload the job's connections received from other machines" TCP_ONLY },
	[SENT] = { .key = "socket_tcp_transmit_bytes", .kind = COUNTER, .unit = BYTES, .scope = SINGLE, .reduce = DELTA, .quality = LOWER_BOUND, .cost = COSTLY,
		.quantity = "network_transmit", .rank = 1, DUMP_ORIGIN, .help = "payload of the job's connections that other machines acknowledged" TCP_ONLY },
	[LOOPBACK_RECEIVED] = { .key = "socket_tcp_loopback_receive_bytes", .kind = COUNTER, .unit = BYTES, .scope = SINGLE, .reduce = DELTA, .quality = LOWER_BOUND, .cost = COSTLY,
		DUMP_ORIGIN, .help = "payload the job's connections received from this machine" TCP_ONLY },
	[LOOPBACK_SENT] = { .key = "socket_tcp_loopback_transmit_bytes", .kind = COUNTER, .unit = BYTES, .scope = SINGLE, .reduce = DELTA, .quality = LOWER_BOUND, .cost = COSTLY,
		DUMP_ORIGIN, .help = "payload of the job's connections that this machine acknowledged" TCP_ONLY },
	[UNATTRIBUTED_RECEIVED] = { .key = "socket_tcp_unattributed_receive_bytes", .kind = COUNTER, .unit = BYTES, .scope = SINGLE, .reduce = DELTA, .quality = EXACT, .cost = COSTLY,
		DUMP_ORIGIN, .help = "received by connections that ended before their owner was seen, or that the job inherited" NOBODYS },
	[UNATTRIBUTED_SENT] = { .key = "socket_tcp_unattributed_transmit_bytes", .kind = COUNTER, .unit = BYTES, .scope = SINGLE, .reduce = DELTA, .quality = EXACT, .cost = COSTLY,
		DUMP_ORIGIN, .help = "sent by connections that ended before their owner was seen, or that the job inherited" NOBODYS },
	[UNATTRIBUTED_LOOPBACK_RECEIVED] = { .key = "socket_tcp_unattributed_loopback_receive_bytes", .kind = COUNTER, .unit = BYTES, .scope = SINGLE, .reduce = DELTA,
		.quality = EXACT, .cost = COSTLY, DUMP_ORIGIN, .help = "the same within this machine, received" NOBODYS },
	[UNATTRIBUTED_LOOPBACK_SENT] = { .key = "socket_tcp_unattributed_loopback_transmit_bytes", .kind = COUNTER, .unit = BYTES, .scope = SINGLE, .reduce = DELTA,
		.quality = EXACT, .cost = COSTLY, DUMP_ORIGIN, .help = "the same within this machine, sent" NOBODYS },
	[CONNECTIONS] = { .key = "socket_tcp_connections_count", .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA, .quality = LOWER_BOUND, .cost = COSTLY,
		DUMP_ORIGIN, .help = "ends of TCP connections that were seen to be the job's" },
	[UNATTRIBUTED_CONNECTIONS] = { .key = "socket_tcp_unattributed_connections_count", .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA, .quality = EXACT,
		.cost = COSTLY, DUMP_ORIGIN, .help = "ends of TCP connections that ended before their owner was seen" NOBODYS },
	[OVERFLOWS] = { .key = "socket_overflows_count", .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA, .quality = EXACT, .cost = COSTLY,
		.origin = "ENOBUFS of the netlink socket", .help = "times the kernel dropped news of ended sockets because we read too late" },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

static int probe_net_socket(const struct collect *c, struct error *err)
{
	int r = collect_needs_proc(c, err);
	int fd = r < 0 ? r : tcp_sockets_open(err);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* We are shown the sockets of our own namespace only. */
static bool job_is_elsewhere(const struct collect *c)
{
	uint64_t ours;
	uint64_t the_jobs;

	return net_namespace(c->roots, getpid(), &ours) == 0 &&
	       net_namespace(c->roots, c->ledger->job_pid, &the_jobs) == 0 && ours != the_jobs;
}

static int read_net_socket(struct collect *c, struct batch *out)
{
	struct net_sockets *s = c->state;
	int rc = job_is_elsewhere(c) ? -ENONET
				     : net_sockets_look(s, c->roots, c->ledger, out->now_ns);

	if (rc == -EAGAIN)
		return 0;
	if (rc < 0) {
		put_all_absent(out, NULL, 0, N_ROWS, rc);
		return 0;
	}
	enum quality unattributed = s->overflows || s->ends_unheard ? LOWER_BOUND : EXACT;
	put(out, NULL, RECEIVED, s->job[0].received);
	put(out, NULL, SENT, s->job[0].sent);
	put(out, NULL, LOOPBACK_RECEIVED, s->job[1].received);
	put(out, NULL, LOOPBACK_SENT, s->job[1].sent);
	put_quality(out, NULL, UNATTRIBUTED_RECEIVED,
		s->unattributed[0].received + s->shared[0].received, unattributed);
	put_quality(out, NULL, UNATTRIBUTED_SENT, s->unattributed[0].sent + s->shared[0].sent,
		unattributed);
	put_quality(out, NULL, UNATTRIBUTED_LOOPBACK_RECEIVED,
		s->unattributed[1].received + s->shared[1].received, unattributed);
	put_quality(out, NULL, UNATTRIBUTED_LOOPBACK_SENT,
		s->unattributed[1].sent + s->shared[1].sent, unattributed);
	put(out, NULL, CONNECTIONS, s->connections);
	put_quality(out, NULL, UNATTRIBUTED_CONNECTIONS, s->unattributed_connections, unattributed);
	put(out, NULL, OVERFLOWS, s->overflows);
	return 0;
}

static void settle_net_socket(struct collect *c)
{
	net_sockets_settle(c->state);
}

static void note_net_socket(const struct collect *c, struct assay_run_info *info)
{
	const struct net_sockets *s = c->state;

	if (s->overflows)
		run_info_note(info,
			"the kernel dropped news of ended sockets %llu times: the unattributed "
			"bytes are a "
			"lower bound",
			(unsigned long long) s->overflows);
	if (s->opened && s->ends_unheard)
		run_info_note(info, "the kernel does not tell of sockets that end: what they moved "
				    "after their last "
				    "sample is not counted");
	if (s->failed_allocations)
		run_info_note(info, "sockets could not be followed: out of memory");
}

static void close_net_socket(struct collect *c)
{
	net_sockets_done(c->state);
}

const struct collector net_socket_collector = { .name = "net_socket",
	.of_job = true,
	.rows = rows,
	.n_rows = N_ROWS,
	.counted_before = true,
	.state_size = sizeof(struct net_sockets),
	.probe = probe_net_socket,
	.read = read_net_socket,
	.settle = settle_net_socket,
	.note = note_net_socket,
	.close = close_net_socket };
