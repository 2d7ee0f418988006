/* SPDX-License-Identifier: MIT */
/* The page of assay doctor: what was found, section by section, then the ladder of each quantity, in 80 columns. */
#include "cli/doctor_page.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "assay.h"
#include "base/buf.h"
#include "base/units.h"
#include "base/utf8.h"
#include "text/wrap.h"

#define WHY_INDENT 7
#define PLACE_INDENT 6 /* of what is said about a cgroup; little, because paths are long */
#define LIMIT_INDENT 8
#define READING_COLUMN 48

static const char legend[] =
	"The sources of each quantity, the best first (*: in use, -: not available here).\n";

struct page {
	struct buf *out;
	bool readings;
	const char *section; /* of the finding before, or NULL */
	const char *quantity; /* of the rung before, or NULL */
	struct buf group, group_names; /* controllers that say the same, not yet shown */
	struct buf device_key; /* readings of devices are shown for the first few */
	size_t n_devices;
};
#define DEVICES_SHOWN 4

static const struct assay_finding_field *field(const struct assay_finding *f, const char *name)
{
	for (int i = 0; i < f->n_fields; i++)
		if (strcmp(f->fields[i].name, name) == 0)
			return &f->fields[i];
	return NULL;
}

/* The field's text, or NULL. */
static const char *said(const struct assay_finding *f, const char *name)
{
	const struct assay_finding_field *found = field(f, name);

	return found ? found->text : NULL;
}

/* The same where it is always there. */
static const char *always(const struct assay_finding *f, const char *name)
{
	const char *text = said(f, name);

	return text ? text : "?";
}

static void add_printable(struct buf *out, const char *text)
{
	text_add_printable(out, text, strlen(text));
}

/* Reasons may hold names from the machine, which may hold anything. */
static void add_wrapped(struct buf *out, const char *text, size_t indent)
{
	struct buf printable = { 0 };

	add_printable(&printable, text);
	if (printable.failed)
		out->failed = true;
	else
		text_add_wrapped(out, printable.data ? printable.data : "", indent, indent);
	buf_done(&printable);
}

/* A number for people. */
static void format_field(const struct assay_finding_field *f, char text[64])
{
	const char *unit = f->unit ? f->unit : "";

	if (!f->text) {
		snprintf(text, 64, "-");
		return;
	}

	/* a ratio needs no word */
	if (strcmp(unit, "bytes") == 0) {
		char units[UNITS_TEXT_SIZE];

		format_bytes(strtoull(f->text, NULL, 10), units);
		snprintf(text, 64, "%s", units);
	} else if (unit[0] == '\0' || strcmp(unit, "count") == 0 || strcmp(unit, "ratio") == 0) {
		snprintf(text, 64, "%.60s", f->text);
	} else {
		snprintf(text, 64, "%.40s %.20s", f->text, unit);
	}
}

static void add_process(struct page *p, const struct assay_finding *f)
{
	const char *root = said(f, "root");
	const char *name = said(f, "name");
	const char *hides = said(f, "hides");

	buf_addf(p->out, "Process %s", always(f, "pid"));
	if (name) {
		buf_add_text(p->out, " (");
		add_printable(p->out, name);
		buf_add_char(p->out, ')');
	}
	if (root) {
		buf_add_text(p->out, ", recorded in ");
		add_printable(p->out, root);
	}
	buf_add_char(p->out, '\n');
	if (hides) {
		buf_addf(p->out, "  /proc is mounted with hidepid=%s. It hides ",
			always(f, "hidepid"));
		size_t column = strlen("  /proc is mounted with hidepid=. It hides ") +
				strlen(always(f, "hidepid"));
		text_add_wrapped(p->out, hides, column, 2);
		buf_add_text(p->out, ".\n");
	}
}

/* What is said of one controller's place, without its name: several controllers often share it. */
static void describe_cgroup(const struct assay_finding *f, struct buf *ret)
{
	const char *top = said(f, "top");
	const char *place = said(f, "directory") ? said(f, "directory") : said(f, "path");
	const char *why = said(f, "why");

	if (place) {
		buf_addf(ret, "\n%*s", PLACE_INDENT, "");
		add_printable(ret, place);
	}
	if (top) {
		buf_addf(ret, "\n%*s%s", PLACE_INDENT, "",
			strcmp(top, "hierarchy") == 0
				? "the root: no limits, and it counts the whole machine"
				: "the top of what can be seen from here: limits above are hidden");
	}
	if (why) {
		buf_addf(ret, "\n%*s", PLACE_INDENT, "");
		add_wrapped(ret, why, PLACE_INDENT);
	}
}

static void flush_group(struct page *p)
{
	if (p->group.len)
		buf_addf(p->out, "  %s%s\n", p->group_names.data, p->group.data);
	buf_done(&p->group);
	buf_done(&p->group_names);
}

static void add_cgroup(struct page *p, const struct assay_finding *f)
{
	const char *version = said(f, "version");
	struct buf text = { 0 };

	describe_cgroup(f, &text);
	if (p->group.data && text.data && strcmp(p->group.data, text.data) == 0) {
		buf_addf(&p->group_names, ", %s", f->name);
	} else {
		flush_group(p);
		buf_addf(&p->group_names, version ? "v%s  %s" : "%s   %s", version ? version : "-",
			f->name);
		buf_add_text(&p->group, text.data ? text.data : "");
	}
	buf_done(&text);
}

static void add_limit(struct page *p, const struct assay_finding *f)
{
	const char *hits = said(f, "hits_so_far");
	const char *note = said(f, "note");

	buf_addf(p->out, "  %s %-15s %-14s %s",
		strcmp(always(f, "tightest"), "true") == 0 ? "*" : " ", f->name,
		always(f, "amount"), always(f, "source"));
	if (hits && strcmp(hits, "0") != 0)
		buf_addf(p->out, ", hit %s times so far", hits);
	buf_add_char(p->out, '\n');
	buf_addf(p->out, "%*s", LIMIT_INDENT, "");
	add_printable(p->out, always(f, "where"));
	buf_add_char(p->out, '\n');
	if (note) {
		buf_addf(p->out, "%*s", LIMIT_INDENT, "");
		add_wrapped(p->out, note, LIMIT_INDENT);
		buf_add_char(p->out, '\n');
	}
}

/* Whether this device is one too many to show. */
static bool beyond_shown(struct page *p, const struct assay_finding *f)
{
	if (!p->device_key.data || strcmp(p->device_key.data, f->name) != 0) {
		buf_done(&p->device_key);
		buf_add_text(&p->device_key, f->name);
		p->n_devices = 0;
	}
	p->n_devices++;
	if (p->n_devices == DEVICES_SHOWN + 1)
		buf_addf(p->out, "  %-44s  ... (all with --json)\n", f->name);
	return p->n_devices > DEVICES_SHOWN;
}

static void add_reading(struct page *p, const struct assay_finding *f)
{
	const struct assay_finding_field *value = field(f, "value");
	const char *device = said(f, "device");
	char number[320];

	if (device && beyond_shown(p, f))
		return;
	if (value)
		format_field(value, number);
	else
		snprintf(number, sizeof(number), "absent: %.300s", always(f, "why"));
	size_t from = p->out->len;
	buf_addf(p->out, "  %-44s  ", f->name);
	add_wrapped(p->out, number, READING_COLUMN);
	if (device) {
		bool fits = p->out->len - from + 2 + strlen(device) <= PAGE_COLUMNS;

		buf_addf(p->out, fits ? "  " : "\n%*s", READING_COLUMN, "");
		add_printable(p->out, device);
	}
	buf_add_char(p->out, '\n');
}

static const struct {
	const char *section, *heading;
	void (*add)(struct page *p, const struct assay_finding *f);
} sections[] = {
	{ "process", NULL, add_process },
	{ "cgroups", "Where its cgroups are, and of which version", add_cgroup },
	{ "limits", "What it may use (*: the bound that is reached first)", add_limit },
	{ "readings", "What the sources read now", add_reading },
};

static void add_finding(const struct assay_finding *f, void *context)
{
	struct page *p = context;

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		if (strcmp(sections[i].section, f->section) != 0 ||
			(sections[i].add == add_reading && !p->readings))
			continue;
		if (!p->section || strcmp(p->section, f->section) != 0) {
			flush_group(p);
			if (sections[i].heading)
				buf_addf(p->out, "\n%s\n", sections[i].heading);
			p->section = sections[i].section;
		}
		sections[i].add(p, f);
	}
}

static void add_rung(const struct assay_rung *rung, void *context)
{
	struct page *p = context;
	const char *mark = rung->in_use ? "*" : rung->available ? " " : "-";

	if (!p->quantity) {
		flush_group(p);
		buf_addf(p->out, "\n%s", legend);
	}
	if (!p->quantity || strcmp(p->quantity, rung->quantity) != 0)
		buf_addf(p->out, "\n%s\n", rung->quantity);
	p->quantity = rung->quantity;
	buf_addf(p->out, "  %s %2d  %-40s  %s\n", mark, rung->rank, rung->key,
		rung->available ? rung->quality : "not available");
	if (rung->why[0]) {
		buf_addf(p->out, "%*s", WHY_INDENT, "");
		add_wrapped(p->out, rung->why, WHY_INDENT);
		buf_add_char(p->out, '\n');
	}
}

int doctor_page(const struct assay_look_options *options, bool readings, struct buf *out,
	struct assay_error *failure)
{
	struct page p = { .out = out, .readings = readings };

	struct assay_look_options o = *options;

	o.finding = add_finding;
	o.rung = add_rung;
	o.context = &p;
	int r = assay_look(&o, failure);
	flush_group(&p);
	buf_done(&p.device_key);
	return r;
}
