/* SPDX-License-Identifier: MIT */
/* Feeds bytes to the parsers of network and energy: the first byte chooses the parser, the rest is its input. */
#include "feed.h"

#include <errno.h>
#include <string.h>

#include "collect/interfaces.h"
#include "linux/namespace_rights.h"
#include "linux/net_dev.h"
#include "linux/powercap.h"
#include "linux/tcp_sockets.h"

static void check_interface(const struct net_interface *interface, void *context)
{
	int *count = context;

	must(memchr(interface->name, '\0', sizeof(interface->name)) != NULL);
	(*count)++;
}

static void feed_net_dev(const char *text, size_t n)
{
	int count = 0;
	int rc = net_dev_parse(text, n, check_interface, &count);

	must(rc == -EINVAL || rc == -ENODATA || rc == count);
}

/* Two looks: the text before a NUL, and the text after it. Nothing that was counted may be lost. */
static void feed_looks(const char *text, size_t n)
{
	struct interfaces s = { 0 };
	const char *middle = memchr(text, '\0', n);
	size_t first = middle ? (size_t) (middle - text) : n;

	(void) interfaces_take(&s, text, first);
	size_t before = s.n;
	if (middle)
		(void) interfaces_take(&s, middle + 1, n - first - 1);
	must(s.n + s.n_folded >= before);
	interfaces_done(&s);
}

static void feed_index(const char *text, size_t n)
{
	uint64_t index;
	int rc = net_interface_index_parse(text, n, &index);

	must(rc == -EINVAL || (rc == 0 && memchr(text, '\n', n)));
}

static void feed_number(const char *text, size_t n)
{
	uint64_t number;
	int rc = powercap_number_parse(text, n, &number);

	must(rc == -EINVAL || (rc == 0 && text[n - 1] == '\n'));
}

static void check_socket(const struct tcp_socket *socket, void *context)
{
	int *count = context;

	must(socket->has_bytes || socket->received + socket->acknowledged == 0);
	(*count)++;
}

static void feed_sockets(const char *bytes, size_t n)
{
	bool done;
	int count = 0;
	int rc = tcp_sockets_parse(bytes, n, check_socket, &count, &done);

	must(rc == count || (rc < 0 && rc >= -4095));
	must(rc >= 0 || !done);
}

static void feed_rights(const char *text, size_t n)
{
	struct namespace_rights rights;
	int rc = namespace_rights_parse(text, n, &rights);

	must(rc == 0 || rc == -EINVAL);
}

FEED_TO_ONE_OF(feed_net_dev, feed_looks, feed_number, feed_sockets, feed_index, feed_rights)
