/* SPDX-License-Identifier: MIT */
/* Keeps the sums of those that ended while others live on. */
#include "target/overlap.h"

#include <stdlib.h>
#include <string.h>

#define MARK_UNIT 1024 /* of what is expected, with a bit for forked */
#define MARK_TAKEN 0

static const struct overlap_sums nobody = { .known = 1 };

static void raise_to(uint64_t *at, uint64_t n)
{
	if (*at < n)
		*at = n;
}

static void merge(struct overlap_sums *into, const struct overlap_sums *s)
{
	for (int k = 0; k <= OVERLAP_UNKNOWN; k++)
		if (s->known & UINT32_C(1) << k)
			raise_to(&into->bytes[k], s->bytes[k]);
	into->known |= s->known;
	raise_to(&into->most_unknown, s->most_unknown);
}

static void add_mark(struct overlap_sums *s, uint64_t bytes)
{
	for (int k = 0; k <= OVERLAP_UNKNOWN; k++)
		if (s->known & UINT32_C(1) << k)
			s->bytes[k] += bytes;
}

static void add_unknown(struct overlap_sums *s)
{
	const uint32_t last = UINT32_C(1) << OVERLAP_UNKNOWN;
	struct overlap_sums moved = { .known = s->known << 1 & (2 * last - 1) };

	if (s->known & last) {
		moved.known |= last;
		moved.bytes[OVERLAP_UNKNOWN] = s->bytes[OVERLAP_UNKNOWN];
		moved.most_unknown = s->most_unknown + 1;
	}
	for (int k = 0; k < OVERLAP_UNKNOWN; k++)
		if (s->known & UINT32_C(1) << k)
			raise_to(&moved.bytes[k + 1], s->bytes[k]);
	if (s->known & last >> 1)
		raise_to(&moved.most_unknown, OVERLAP_UNKNOWN);
	*s = moved;
}

void overlap_begin(struct overlap *o, pid_t first, uint64_t slack_bytes)
{
	*o = (struct overlap){ .active = true, .slack_bytes = slack_bytes, .ended_sums = nobody };
	overlap_forked(o, first);
}

void overlap_done(struct overlap *o)
{
	free(o->images);
	intmap_done(&o->records);
	*o = (struct overlap){ 0 };
}

static bool make_room(struct overlap *o)
{
	size_t capacity = o->capacity ? 2 * o->capacity : 64;

	if (o->n < o->capacity)
		return true;
	struct overlap_image *images = realloc(o->images, capacity * sizeof(*images));
	if (!images)
		return false;
	o->images = images;
	o->capacity = capacity;
	return true;
}

static void add_image(struct overlap *o, pid_t pid, bool executed)
{
	if (!make_room(o)) {
		o->failed = true;
		return;
	}
	o->images[o->n++] =
		(struct overlap_image){ .pid = pid, .executed = executed, .ended_sums = nobody };
}

static struct overlap_image *find(const struct overlap *o, pid_t pid, bool ended)
{
	for (size_t i = o->n; i-- > 0;)
		if (o->images[i].pid == pid && o->images[i].ended == ended)
			return &o->images[i];
	return NULL;
}

/* It lived while all that were born later, and are still there, were born: it is in their sums. `bytes` 0: nobody knows its mark. */
static void remove_image(struct overlap *o, struct overlap_image *image, uint64_t bytes)
{
	size_t at = (size_t) (image - o->images);

	for (size_t i = at; i < o->n; i++) {
		if (bytes > 0)
			add_mark(&o->images[i].ended_sums, bytes + o->slack_bytes);
		else
			add_unknown(&o->images[i].ended_sums);
	}
	merge(at > 0 ? &o->images[at - 1].ended_sums : &o->ended_sums, &image->ended_sums);
	memmove(image, image + 1, (o->n - at - 1) * sizeof(*image));
	o->n--;
}

void overlap_forked(struct overlap *o, pid_t pid)
{
	if (o->active)
		add_image(o, pid, false);
}

void overlap_executed(struct overlap *o, pid_t pid)
{
	struct overlap_image *image = o->active ? find(o, pid, false) : NULL;

	if (!image)
		return;
	o->execs_told = true;
	/* The mark of the image before went with its memory. */
	remove_image(o, image, 0);
	add_image(o, pid, true);
}

/* The mark is of the image since the last exec: of one that began with a fork only if there was none. A thread's record has the word of the fork also
 * after an exec. */
static uint64_t mark_of(
	const struct overlap *o, const struct overlap_image *image, uint64_t bytes, bool forked)
{
	return o->execs_told && (image->executed || forked) ? bytes : 0;
}

void overlap_exited(struct overlap *o, pid_t pid)
{
	struct overlap_image *image = o->active ? find(o, pid, false) : NULL;

	if (!image)
		return;
	if (image->final) {
		remove_image(o, image, image->mark_bytes);
		return;
	}
	uint32_t *expected = intmap_get(&o->records, pid);
	if (!expected || *expected == MARK_TAKEN) {
		image->ended = true;
		return;
	}
	remove_image(o, image,
		mark_of(o, image, (uint64_t) (*expected >> 1) * MARK_UNIT, *expected & 1));
	*expected = MARK_TAKEN;
}

void overlap_expect_mark(struct overlap *o, pid_t pid, uint64_t bytes, bool forked)
{
	uint64_t units = bytes / MARK_UNIT;

	if (!o->active || pid <= 0 || units == 0 || units > UINT32_MAX >> 1)
		return;
	(void) intmap_set(&o->records, pid, (uint32_t) units << 1 | forked);
}

void overlap_take_mark(struct overlap *o, pid_t pid, uint64_t bytes, bool forked)
{
	if (!o->active)
		return;
	const uint32_t *expected = intmap_get(&o->records, pid);
	struct overlap_image *image = find(o, pid, true);

	if (expected && *expected == MARK_TAKEN)
		return;
	if (image) {
		remove_image(o, image, mark_of(o, image, bytes, forked));
		return;
	}
	image = find(o, pid, false);
	if (!image)
		return;
	image->final = true;
	image->mark_bytes = mark_of(o, image, bytes, forked);
}

void overlap_forget_expected(struct overlap *o)
{
	if (o->active)
		intmap_clear(&o->records);
}

static uint64_t largest_of(const struct overlap_sums *s, uint64_t unknown_bytes)
{
	uint64_t most = 0;

	for (unsigned k = 0; k < OVERLAP_UNKNOWN; k++)
		if (s->known & UINT32_C(1) << k)
			raise_to(&most, s->bytes[k] + k * unknown_bytes);
	if (s->known & UINT32_C(1) << OVERLAP_UNKNOWN)
		raise_to(&most, s->bytes[OVERLAP_UNKNOWN] + s->most_unknown * unknown_bytes);
	return most;
}

uint64_t overlap_most(const struct overlap *o, uint64_t largest_bytes)
{
	uint64_t each = largest_bytes + o->slack_bytes;
	uint64_t most;

	if (!o->active || o->failed)
		return 0;
	most = largest_of(&o->ended_sums, each);
	for (size_t i = 0; i < o->n; i++)
		raise_to(&most, largest_of(&o->images[i].ended_sums, each) + (i + 1) * each);
	return most;
}
