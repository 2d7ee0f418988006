/* SPDX-License-Identifier: MIT */
/* The fields of a run as bytes: each the number of its name, its type and quality, its value. */
#include "index/run_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "index/index_parts.h"

/* Types in the bytes; with the quality in the upper half. */
enum stored_type {
	STORED_INTEGER = 1,
	STORED_REAL,
	STORED_TEXT,
	STORED_NO,
	STORED_YES,
	STORED_JSON
};

static uint64_t mix(uint64_t sum, const unsigned char *at)
{
	uint64_t word;

	memcpy(&word, at, 8);
	sum = (sum ^ word) * 0xff51afd7ed558ccd;
	return sum ^ sum >> 32;
}

/* Four sums side by side, as each multiplication waits for the one before it. */
uint64_t index_sum(const void *bytes, size_t n)
{
	const unsigned char *at = bytes;
	uint64_t sum = 0x9e3779b97f4a7c15 ^ n;
	uint64_t second = 1;
	uint64_t third = 2;
	uint64_t fourth = 3;

	for (; n >= 32; at += 32, n -= 32) {
		sum = mix(sum, at);
		second = mix(second, at + 8);
		third = mix(third, at + 16);
		fourth = mix(fourth, at + 24);
	}
	for (; n >= 8; at += 8, n -= 8)
		sum = mix(sum, at);
	for (; n > 0; n--)
		sum = (sum ^ *at++) * 0x100000001b3;
	sum = mix(sum, (const unsigned char *) &second);
	sum = mix(sum, (const unsigned char *) &third);
	return mix(sum, (const unsigned char *) &fourth);
}

static size_t *find_slot(const struct run_index *index, const char *name)
{
	size_t slot = index_sum(name, strlen(name)) & (index->n_slots - 1);

	while (index->name_slots[slot] &&
		strcmp(index->names[index->name_slots[slot] - 1], name) != 0)
		slot = (slot + 1) & (index->n_slots - 1);
	return &index->name_slots[slot];
}

static int make_room(struct run_index *index)
{
	size_t room = index->room_names ? 2 * index->room_names : 512;
	char **names = realloc(index->names, room * sizeof(*names));
	size_t *slots = calloc(2 * room, sizeof(*slots));

	if (names)
		index->names = names;
	if (!names || !slots) {
		free(slots);
		return -ENOMEM;
	}
	free(index->name_slots);
	index->name_slots = slots;
	index->n_slots = 2 * room;
	index->room_names = room;
	for (size_t i = 0; i < index->n_names; i++)
		*find_slot(index, index->names[i]) = i + 1;
	return 0;
}

/* -ENOENT: there is none. */
int64_t index_name_number(struct run_index *index, const char *name, bool add)
{
	if (index->n_names == index->room_names && make_room(index) < 0)
		return -ENOMEM;
	size_t *slot = find_slot(index, name);
	if (*slot)
		return (int64_t) *slot - 1;
	if (!add)
		return -ENOENT;
	char *copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	index->names[index->n_names] = copy;
	*slot = ++index->n_names;
	return (int64_t) *slot - 1;
}

/* Seven bits a byte, the lowest first. */
static void put_number(struct buf *out, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		buf_add_char(out, (char) (n | 0x80));
	buf_add_char(out, (char) n);
}

static bool take_number(const unsigned char **at, const unsigned char *end, uint64_t *ret)
{
	*ret = 0;
	for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
		unsigned char c = *(*at)++;

		*ret |= (uint64_t) (c & 0x7f) << shift;
		if (!(c & 0x80))
			return true;
	}
	return false;
}

static void put_field(struct buf *out, int64_t number, const struct field *field)
{
	unsigned quality = (unsigned) field->quality << 4;
	uint64_t n = (uint64_t) field->integer;

	put_number(out, (uint64_t) number);
	switch (field->type) {
	case FIELD_INTEGER:
		buf_add_char(out, (char) (STORED_INTEGER | quality));
		/* a small number below 0 has few bits, too */
		put_number(out, n << 1 ^ (field->integer < 0 ? UINT64_MAX : 0));
		break;
	case FIELD_REAL:
		buf_add_char(out, (char) (STORED_REAL | quality));
		buf_add(out, &field->number, sizeof(field->number));
		break;
	case FIELD_BOOL:
		buf_add_char(out, (char) ((field->integer ? STORED_YES : STORED_NO) | quality));
		break;
	default:
		buf_add_char(out, (char) ((field->owned ? STORED_JSON : STORED_TEXT) | quality));
		put_number(out, field->n);
		buf_add(out, field->text, field->n);
		buf_add_char(out, '\0');
	}
}

struct encoding {
	struct run_index *index;
	struct buf *out;
};

static int encode(const char *name, const struct field *field, void *context)
{
	struct encoding *e = context;
	int64_t number = index_name_number(e->index, name, true);

	if (number < 0)
		return (int) number;
	put_field(e->out, number, field);
	return e->out->failed ? -ENOMEM : 0;
}

int index_encode(struct run_index *index, const struct stored_run *run, struct buf *out)
{
	struct encoding e = { index, out };
	uint64_t sum = 0;
	int r;

	buf_clear(out);
	buf_add(out, &sum, sizeof(sum));
	r = run_every_field(run, encode, &e);
	if (r < 0 || out->failed)
		return -ENOMEM;
	sum = index_sum(out->data + sizeof(sum), out->len - sizeof(sum));
	memcpy(out->data, &sum, sizeof(sum));
	return 0;
}

static bool take_text(const unsigned char **at, const unsigned char *end, struct field *ret)
{
	uint64_t n;

	if (!take_number(at, end, &n) || n >= (uint64_t) (end - *at) || (*at)[n] != '\0')
		return false;
	ret->text = (const char *) *at;
	ret->n = n;
	*at += n + 1;
	return true;
}

static bool take_field(
	const unsigned char **at, const unsigned char *end, struct field *ret, bool *json)
{
	uint64_t n;

	*ret = (struct field){ 0 };
	if (*at == end)
		return false;
	unsigned char type = *(*at)++;
	ret->quality = type >> 4;
	switch (type & 0xf) {
	case STORED_INTEGER:
		ret->type = FIELD_INTEGER;
		if (!take_number(at, end, &n))
			return false;
		ret->integer = (int64_t) (n >> 1 ^ (n & 1 ? UINT64_MAX : 0));
		ret->number = (double) ret->integer;
		return true;
	case STORED_REAL:
		ret->type = FIELD_REAL;
		if (end - *at < (ptrdiff_t) sizeof(ret->number))
			return false;
		memcpy(&ret->number, *at, sizeof(ret->number));
		*at += sizeof(ret->number);
		return true;
	case STORED_NO:
	case STORED_YES:
		ret->type = FIELD_BOOL;
		ret->integer = (type & 0xf) == STORED_YES;
		ret->number = (double) ret->integer;
		return true;
	case STORED_TEXT:
	case STORED_JSON:
		ret->type = FIELD_TEXT;
		*json = (type & 0xf) == STORED_JSON;
		return take_text(at, end, ret);
	default:
		return false;
	}
}

struct field index_decode(const unsigned char *bytes, size_t n, int64_t number)
{
	const unsigned char *at = bytes;
	const unsigned char *end = bytes + n;
	struct field field;
	uint64_t found;
	bool json = false;

	while (at < end && take_number(&at, end, &found) && take_field(&at, end, &field, &json)) {
		if (found != (uint64_t) number) {
			json = false;
			continue;
		}
		/* A field that owns its text is a list. */
		if (json) {
			field.owned = malloc(field.n + 1);
			if (!field.owned)
				return (struct field){ 0 };
			memcpy(field.owned, field.text, field.n + 1);
			field.text = field.owned;
		}
		return field;
	}
	return (struct field){ 0 };
}
