/* SPDX-License-Identifier: MIT */
/* Keeps the last samples in a ring of lines that survives its writer. */
#include "record/live_ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd_write.h"
#include "record/live_json.h"
#include "record/run_files.h"

/* The ring is not worth the last room on a disk: the job and the series come first. */
#define ROOM_TIMES 4
/* How much of the ordered file is gathered for one write(2). */
#define GATHER_SIZE 65536u

uint32_t live_ring_slots(uint64_t keep_ns, uint64_t sample_interval_ns)
{
	uint64_t n = keep_ns / sample_interval_ns + 1;

	if (n < 2)
		n = 2;
	return n < LIVE_SLOTS_MAX ? (uint32_t) n : LIVE_SLOTS_MAX;
}

static void tell(struct live_ring *r, const struct error *err)
{
	snprintf(r->trouble, sizeof(r->trouble), "%.*s", (int) sizeof(r->trouble) - 1, err->text);
}

static bool has_room(int fd, size_t size)
{
	struct statvfs fs;

	if (fstatvfs(fd, &fs) < 0)
		return true;
	return (uint64_t) fs.f_bavail * fs.f_frsize / ROOM_TIMES >= size;
}

static int make(struct live_ring *r, struct error *err)
{
	size_t size = (size_t) r->n_slots * LIVE_SLOT_SIZE;
	int code = run_files_add(r->files, "live", O_RDWR, &r->fd, err);

	if (code < 0)
		return code;
	/* The length stays 0 and grows by whole slots: there is never a NUL in the file. A file system that reserves nothing is tried. */
	code = has_room(r->fd, size) ? fd_reserve_beyond(r->fd, size) : -ENOSPC;
	if (code == 0 || code == -EOPNOTSUPP || code == -ENOSYS)
		return 0;
	close(r->fd);
	r->fd = -1;
	run_files_remove(r->files, "live");
	return error_set(err, code, "the last moments are not kept apart (%zu KiB)", size / 1024);
}

/* Whether there is a ring now. */
static bool begin(struct live_ring *r)
{
	struct error err = { 0 };

	if (!r->tried && make(r, &err) < 0)
		tell(r, &err);
	r->tried = true;
	return r->fd >= 0;
}

static int write_slot(struct live_ring *r)
{
	off_t offset = (off_t) (r->written % r->n_slots) * LIVE_SLOT_SIZE;
	int code = fd_write_at(r->fd, r->slot, LIVE_SLOT_SIZE, offset);

	/* What was begun beyond the end of the file and not completed would be half a line. Where it cannot be cut off the next sample is
	 * written over it. */
	if (code < 0 && r->written < r->n_slots && ftruncate(r->fd, offset) < 0)
		return code;
	return code;
}

/* The file cannot grow to its full size: what it has got is the ring. */
static bool make_do(struct live_ring *r)
{
	if (r->written < 2 || r->written >= r->n_slots)
		return false;
	r->n_slots = (uint32_t) r->written;
	return true;
}

static int put_line(struct live_ring *r)
{
	size_t n = r->line.len;

	if (r->line.failed || n >= LIVE_SLOT_SIZE)
		return -ENOMEM;
	memcpy(r->slot, r->line.data, n);
	memset(r->slot + n, ' ', LIVE_SLOT_SIZE - 1 - n);
	r->slot[LIVE_SLOT_SIZE - 1] = '\n';
	int code = write_slot(r);
	return code < 0 && make_do(r) ? write_slot(r) : code;
}

static void take(struct sample_sink *sink, const struct sample *sample)
{
	struct live_ring *r = (struct live_ring *) sink;
	struct error err = { 0 };

	if (!begin(r))
		return;
	buf_clear(&r->line);
	live_json_line(sample, LIVE_SLOT_SIZE - 1, &r->line);
	uint32_t asked = r->n_slots;
	int code = put_line(r);
	if (r->n_slots < asked) {
		error_say(&err, -ENOSPC, "there was room for %u samples of %u", r->n_slots, asked);
		tell(r, &err);
	}
	if (code < 0) {
		r->lost++;
		error_set(&err, code, "cannot write a sample of the last moments");
		tell(r, &err);
		return;
	}
	r->stamps[r->written++ % r->n_slots] = sample->since_start_ns;
}

int live_ring_init(
	struct live_ring *r, struct run_files *files, uint64_t keep_ns, uint64_t interval_ns)
{
	*r = (struct live_ring){ .sink = { take },
		.files = files,
		.fd = -1,
		.keep_ns = keep_ns,
		.n_slots = live_ring_slots(keep_ns, interval_ns) };
	r->stamps = calloc(r->n_slots, sizeof(*r->stamps));
	r->slot = aligned_alloc(LIVE_SLOT_SIZE, LIVE_SLOT_SIZE);
	if (r->stamps && r->slot && buf_reserve(&r->line, LIVE_SLOT_SIZE + LIVE_JSON_SLACK))
		return 0;
	live_ring_done(r);
	return -ENOMEM;
}

static uint64_t oldest(const struct live_ring *r)
{
	return r->written > r->n_slots ? r->written - r->n_slots : 0;
}

/* The first sample that is not older than what is to be kept. */
static uint64_t first_kept(const struct live_ring *r)
{
	uint64_t end_ns = r->stamps[(r->written - 1) % r->n_slots];
	uint64_t from_ns = end_ns > r->keep_ns ? end_ns - r->keep_ns : 0;
	uint64_t number = oldest(r);

	while (number + 1 < r->written && r->stamps[number % r->n_slots] < from_ns)
		number++;
	return number;
}

/* Reads a slot and adds its line without the padding. What is no line of ours any more is an error: the file is not touched then. */
static int add_line(const struct live_ring *r, uint64_t number, struct buf *out)
{
	off_t offset = (off_t) (number % r->n_slots) * LIVE_SLOT_SIZE;
	ssize_t n = pread(r->fd, r->slot, LIVE_SLOT_SIZE, offset);

	if (n < 0)
		return -errno;
	if (n != LIVE_SLOT_SIZE || r->slot[0] != '{' || r->slot[n - 1] != '\n')
		return -EIO;
	for (n--; n > 0 && r->slot[n - 1] == ' ';)
		n--;
	buf_add(out, r->slot, (size_t) n);
	buf_add_char(out, '\n');
	return out->failed ? -ENOMEM : 0;
}

static int fill_in_order(int fd, void *context)
{
	const struct live_ring *r = context;
	struct buf out = { 0 };
	int code = 0;

	for (uint64_t number = first_kept(r); number < r->written && code == 0; number++) {
		code = add_line(r, number, &out);
		if (code == 0 && (out.len >= GATHER_SIZE || number + 1 == r->written)) {
			code = fd_write_all(fd, out.data, out.len, NULL);
			buf_clear(&out);
		}
	}
	buf_done(&out);
	return code;
}

void live_ring_finish(struct live_ring *r)
{
	struct error err = { 0 };

	if (r->fd < 0 || r->written == 0)
		return;
	uint64_t first = first_kept(r);
	if (run_files_replace(r->files, "live", fill_in_order, r, &err) == 0) {
		r->ordered = true;
	} else {
		first = oldest(r);
		tell(r, &err);
	}
	r->from_ns = r->stamps[first % r->n_slots];
	r->samples = r->written - first;
}

bool live_ring_begun(const struct live_ring *r)
{
	return r->fd >= 0 && r->written > 0;
}

void live_ring_done(struct live_ring *r)
{
	if (r->fd >= 0)
		close(r->fd);
	free(r->stamps);
	free(r->slot);
	buf_done(&r->line);
	*r = (struct live_ring){ .fd = -1 };
}
