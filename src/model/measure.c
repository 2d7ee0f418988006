/* SPDX-License-Identifier: MIT */
/* What may be said about rows without reading anything: their names, whether they are well formed, which are asked for. */
#include "model/measure.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "base/macros.h"

#define KEY_SIZE 128

/* In the order in which they are written, and which of them each kind may have. */
static const struct {
	uint8_t reduce;
	const char *name;
} reduces[] = { { MAX, "max" }, { MIN, "min" }, { MEAN, "mean" }, { DELTA, "delta" },
	{ LAST, "last" }, { TALLY, "tally" } };

static const struct {
	const char *name;
	unsigned legal_reduces;
} kinds[] = {
	[GAUGE] = { "gauge", MAX | MIN | MEAN | LAST },
	[COUNTER] = { "counter", DELTA | LAST },
	[LABEL] = { "label", LAST },
	[CATEGORICAL] = { "categorical", TALLY },
};

static const char *const units[] = {
	[UNITLESS] = "",
	[BYTES] = "bytes",
	[SECONDS] = "seconds",
	[PERCENT] = "percent",
	[COUNT] = "count",
	[JOULES] = "joules",
	[WATTS] = "watts",
	[HERTZ] = "hertz",
	[CELSIUS] = "celsius",
	[RATIO] = "ratio",
};
static const char *const scopes[] = {
	[PROCESS] = "process", [SINGLE] = "single", [DEVICE] = "device"
};
static const char *const costs[] = { [FREE] = "free", [CHEAP] = "cheap", [COSTLY] = "costly" };

_Static_assert(ARRAY_SIZE(kinds) == N_KIND, "one row a kind");
_Static_assert(ARRAY_SIZE(units) == N_UNIT, "one name a unit");
_Static_assert(ARRAY_SIZE(scopes) == N_SCOPE, "one name a scope");
_Static_assert(ARRAY_SIZE(costs) == N_COST, "one name a cost");

const char *kind_name(enum kind k)
{
	return k < N_KIND ? kinds[k].name : "";
}

const char *unit_name(enum unit u)
{
	return u < N_UNIT ? units[u] : "";
}

const char *scope_name(enum scope s)
{
	return s < N_SCOPE ? scopes[s] : "";
}

const char *cost_name(enum cost c)
{
	return c < N_COST ? costs[c] : "";
}

void reduce_names(uint8_t reduce, struct buf *out)
{
	const char *comma = "";

	for (size_t i = 0; i < ARRAY_SIZE(reduces); i++) {
		if (!(reduce & reduces[i].reduce))
			continue;
		buf_add_text(out, comma);
		buf_add_text(out, reduces[i].name);
		comma = ",";
	}
}

void json_measure_value(struct json *j, enum unit unit, uint64_t n)
{
	switch (unit) {
	case SECONDS:
	case JOULES:
		json_seconds(j, n);
		return;
	case WATTS:
		json_scaled(j, n, 5);
		return;
	case PERCENT:
	case CELSIUS:
	case RATIO:
		json_scaled(j, n, 3);
		return;
	case UNITLESS:
	case BYTES:
	case COUNT:
	case HERTZ:
	case N_UNIT:
		break;
	}
	json_u64(j, n);
}

uint8_t measure_peak_quality(const struct measure *row, uint8_t quality)
{
	bool is_mark = row->kind != GAUGE || row->mark;

	return quality == UPPER_BOUND && !is_mark ? ESTIMATE : quality;
}

int measure_total_key(const char *key, char *total, size_t size)
{
	static const char word[] = "_total";
	const char *last = strrchr(key, '_');
	size_t len = strlen(key);

	if (!last || len + sizeof(word) > size)
		return -EINVAL;
	size_t front = (size_t) (last - key);
	memcpy(total, key, front);
	memcpy(total + front, word, sizeof(word) - 1);
	memcpy(total + front + sizeof(word) - 1, last, len - front + 1);
	return 0;
}

static bool key_is_well_formed(const char *key)
{
	size_t len = strlen(key);

	return len < KEY_SIZE && key[0] >= 'a' && key[0] <= 'z' &&
	       strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789_") == len;
}

static bool key_ends_in(const char *key, const char *word)
{
	const char *last = strrchr(key, '_');

	return strcmp(last ? last + 1 : key, word) == 0;
}

static bool is_one_line(const char *text)
{
	size_t len = text ? strlen(text) : 0;

	return len > 0 && text[len - 1] != '.' && !strchr(text, '\n');
}

/* What is wrong with the row as it stands alone, or NULL. */
static const char *row_fault(const struct measure *row, bool is_total)
{
	if (!row->key || !key_is_well_formed(row->key))
		return "the key must be lower-case words joined by _, beginning with a letter";
	if (row->kind >= N_KIND || row->unit >= N_UNIT || row->scope >= N_SCOPE ||
		row->cost >= N_COST)
		return "kind, unit, scope or cost is none of the known ones";
	if (row->unit != UNITLESS && !key_ends_in(row->key, units[row->unit]))
		return "the last word of the key must be the unit";
	if (row->quality == ABSENT || row->quality >= N_QUALITY || row->total_quality >= N_QUALITY)
		return "the best quality it can have is missing";
	if (row->reduce == 0 || (row->reduce & ~kinds[row->kind].legal_reduces))
		return "its kind allows no such reduce";
	if (!is_one_line(row->help) || !row->origin || !row->origin[0])
		return "help (one line, no full stop) and origin must be given";
	if ((row->quantity == NULL) != (row->rank == 0))
		return "quantity and rank go together";
	if (row->total && !is_total && (row->kind != GAUGE || row->scope != PROCESS))
		return "only a gauge of processes has a total";
	if (row->rate_of && (row->kind != GAUGE || (row->unit != PERCENT && row->unit != WATTS)))
		return "a rate must be a gauge in percent or watts";
	if (row->scope == DEVICE && row->kind != GAUGE && row->kind != COUNTER)
		return "a device has gauges and counters only";
	return NULL;
}

static bool same_quantity_and_rank(const struct measure *a, const struct measure *b)
{
	return a->quantity && b->quantity && strcmp(a->quantity, b->quantity) == 0 &&
	       a->rank == b->rank;
}

static int base_of(const struct measures *m, size_t row)
{
	return m->base ? m->base[row] : -1;
}

/* Most pairs of rows differ in these: only the others are compared letter by letter. */
static uint32_t hash_of(const char *text)
{
	uint32_t hash = 2166136261U; /* FNV-1a */

	for (; text && *text; text++)
		hash = (hash ^ (unsigned char) *text) * 16777619U;
	return hash;
}

/* A total row stands for the same source as the row it sums: the two may share a rank. */
static const char *clash(const struct measures *m, size_t row, size_t earlier)
{
	if (strcmp(m->rows[row]->key, m->rows[earlier]->key) == 0)
		return "the key is used twice";
	if (same_quantity_and_rank(m->rows[row], m->rows[earlier]) &&
		base_of(m, row) != (int) earlier && base_of(m, earlier) != (int) row)
		return "another row has the same rank in its quantity";
	return NULL;
}

static const char *rate_fault(const struct measures *m, size_t row)
{
	if (!m->rows[row]->rate_of)
		return NULL;
	int counter = measures_find(m, m->rows[row]->rate_of);
	if (counter < 0)
		return "the counter it is the rate of does not exist";
	enum unit per_second = m->rows[row]->unit == WATTS ? JOULES : SECONDS;
	if (m->rows[counter]->kind != COUNTER || m->rows[counter]->unit != per_second)
		return "percent can only be the rate of a counter of seconds, watts of one of "
		       "joules";
	if (m->rows[counter]->scope != m->rows[row]->scope)
		return "the counter it is the rate of has another scope";
	if (m->collector && m->collector[counter] != m->collector[row])
		return "the counter it is the rate of belongs to another collector";
	return NULL;
}

int measures_check(const struct measures *m, struct error *err)
{
	struct {
		uint32_t key, quantity;
	} *hashes = calloc(m->n + 1, sizeof(*hashes));

	if (!hashes)
		return error_set(err, -ENOMEM, "cannot check the measurements");
	for (size_t i = 0; i < m->n; i++) {
		const char *fault = row_fault(m->rows[i], base_of(m, i) >= 0);

		hashes[i].key = hash_of(m->rows[i]->key);
		hashes[i].quantity = hash_of(m->rows[i]->quantity);
		for (size_t k = 0; k < i && !fault; k++)
			if (hashes[k].key == hashes[i].key ||
				(m->rows[i]->quantity && hashes[k].quantity == hashes[i].quantity))
				fault = clash(m, i, k);
		if (!fault)
			continue;
		free(hashes);
		return error_say(err, -EINVAL, "measurement %s: %s",
			m->rows[i]->key ? m->rows[i]->key : "without a key", fault);
	}
	free(hashes);
	for (size_t i = 0; i < m->n; i++) {
		const char *fault = rate_fault(m, i);
		if (fault)
			return error_say(
				err, -EINVAL, "measurement %s: %s", m->rows[i]->key, fault);
	}
	return 0;
}

int measures_find(const struct measures *m, const char *key)
{
	for (size_t i = 0; i < m->n; i++)
		if (strcmp(m->rows[i]->key, key) == 0)
			return (int) i;
	return -1;
}

/* How many letters have to be put in, left out or replaced to make `b` of `a`. */
static unsigned edit_distance(const char *a, const char *b)
{
	unsigned distance[KEY_SIZE + 1]; /* from the letters of a so far to the first j of b */
	size_t columns = strnlen(b, KEY_SIZE);

	for (size_t j = 0; j <= columns; j++)
		distance[j] = (unsigned) j;
	for (unsigned i = 1; *a; a++, i++) {
		unsigned diagonal = distance[0];

		distance[0] = i;
		for (size_t j = 1; j <= columns; j++) {
			unsigned best = diagonal + (*a != b[j - 1]);

			diagonal = distance[j];
			if (distance[j] + 1 < best)
				best = distance[j] + 1;
			if (distance[j - 1] + 1 < best)
				best = distance[j - 1] + 1;
			distance[j] = best;
		}
	}
	return distance[columns];
}

/* The name that was meant; NULL: none differs by a few letters only. */
static const char *nearest_name(const struct measures *m, const char *text)
{
	static const char *const presets[] = { "default", "minimal", "all" };
	const char *nearest = presets[0];
	unsigned least = edit_distance(text, nearest);

	for (size_t i = 1; i < ARRAY_SIZE(presets) + m->n; i++) {
		const char *name = i < ARRAY_SIZE(presets) ? presets[i]
							   : m->rows[i - ARRAY_SIZE(presets)]->key;
		unsigned distance = edit_distance(text, name);
		if (distance < least) {
			least = distance;
			nearest = name;
		}
	}
	return least <= strlen(text) / 3 ? nearest : NULL;
}

struct item {
	bool remove;
	char name[KEY_SIZE];
};

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

/* Takes the next item that is not blank from *cursor: 1, 0 at the end of the list, or a negative errno. */
static int next_item(const char **cursor, struct item *item, struct error *err)
{
	*cursor += strspn(*cursor, ", \t");
	if (!**cursor)
		return 0;
	item->remove = **cursor == '-';
	if (item->remove)
		*cursor = skip_blanks(*cursor + 1);

	size_t len = strcspn(*cursor, ",");
	const char *name = *cursor;
	*cursor += len;
	while (len > 0 && (name[len - 1] == ' ' || name[len - 1] == '\t'))
		len--;
	if (len == 0)
		return error_say(err, -EINVAL,
			"a lone '-' takes nothing away; 'assay measurements' lists the keys");
	if (len >= sizeof(item->name))
		return error_say(err, -ENOENT,
			"no measurement has a name as long as '%.40s...'; 'assay measurements' "
			"lists them",
			name);
	memcpy(item->name, name, len);
	item->name[len] = '\0';
	return 1;
}

static bool is_preset(const char *name)
{
	return strcmp(name, "all") == 0 || strcmp(name, "default") == 0 ||
	       strcmp(name, "minimal") == 0;
}

static bool item_covers(const char *name, const struct measure *row)
{
	if (strcmp(name, "all") == 0)
		return true;
	if (strcmp(name, "default") == 0)
		return row->on;
	if (strcmp(name, "minimal") == 0)
		return row->minimal;
	return fnmatch(name, row->key, 0) ==
	       0; /* a key has no special characters and so matches itself */
}

static int check_item(const struct measures *m, const struct item *item, struct error *err)
{
	if (is_preset(item->name))
		return 0;
	for (size_t i = 0; i < m->n; i++)
		if (item_covers(item->name, m->rows[i]))
			return 0;

	bool pattern = strpbrk(item->name, "*?[");
	const char *meant = pattern ? NULL : nearest_name(m, item->name);
	if (meant)
		return error_say(
			err, -ENOENT, "no measurement '%s'; is '%s' meant?", item->name, meant);
	return error_say(err, -ENOENT, "no measurement %s'%s'; 'assay measurements' lists them",
		pattern ? "matches " : "", item->name);
}

static int check_list(const struct measures *m, const char *text, struct error *err)
{
	struct item item;
	bool empty = true;
	int r;

	while ((r = next_item(&text, &item, err)) > 0) {
		r = check_item(m, &item, err);
		if (r < 0)
			return r;
		empty = false;
	}
	if (r == 0 && empty)
		return error_say(err, -EINVAL,
			"the list of measurements is empty; 'assay measurements' lists them");
	return r;
}

/* Whether the last item of the list that covers the row adds it. A list that begins by taking away takes from "default". */
static bool list_selects(const char *text, const struct measure *row)
{
	struct item item;
	bool selected = *skip_blanks(text) == '-' && row->on;

	while (next_item(&text, &item, NULL) > 0)
		if (item_covers(item.name, row))
			selected = !item.remove;
	return selected;
}

bool measures_named(const char *text, const char *key)
{
	struct item item;

	while (next_item(&text, &item, NULL) > 0)
		if (!item.remove && strcmp(item.name, key) == 0)
			return true;
	return false;
}

int measures_select(const struct measures *m, const char *text, bool *selected, struct error *err)
{
	size_t n_selected = 0;
	int r = check_list(m, text, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < m->n; i++)
		n_selected += list_selects(text, m->rows[i]);
	if (n_selected == 0)
		return error_say(err, -EINVAL,
			"'%.200s' selects none; 'assay measurements' lists them", text);
	for (size_t i = 0; i < m->n; i++)
		selected[i] = list_selects(text, m->rows[i]);
	return 0;
}
