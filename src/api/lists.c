/* SPDX-License-Identifier: MIT */
/* The declared measurements, for those who only ask. */
#include "assay.h"

#include <errno.h>
#include <string.h>

#include "api/bounds.h"
#include "api/sources.h"
#include "base/buf.h"
#include "base/error.h"
#include "linux/cgroup_view.h"
#include "linux/roots.h"
#include "model/run_info.h"
#include "run/allowed.h"

const char *assay_version(void)
{
	return ASSAY_VERSION;
}

const struct measures *all_measures(struct error *err)
{
	static struct measures table;

	if (table.n == 0 && measures_build(&table, err) < 0)
		return NULL;
	return &table;
}

int assay_measurement_at(size_t index, struct assay_measurement *ret)
{
	struct error err = { 0 };
	const struct measures *m = all_measures(&err);
	struct buf names = { 0 };

	if (!m)
		return err.code;
	if (index >= m->n)
		return 0;
	const struct measure *r = m->rows[index];
	*ret = (struct assay_measurement){ .key = r->key,
		.help = r->help,
		.origin = r->origin,
		.otel = r->otel,
		.quantity = r->quantity,
		.collector = collectors[m->collector[index]]->name,
		.kind = kind_name(r->kind),
		.unit = unit_name(r->unit),
		.scope = scope_name(r->scope),
		.cost = cost_name(r->cost),
		.quality = quality_name(r->quality),
		.rank = r->rank,
		.on = r->on,
		.minimal = r->minimal };
	reduce_names(r->reduce, &names);
	snprintf(ret->reduces, sizeof(ret->reduces), "%s", names.data ? names.data : "");
	buf_done(&names);
	return 1;
}

static void hand_out(const struct target_limit *l,
	void (*each)(const struct assay_bound *bound, void *context), void *context)
{
	char text[ALLOWED_AMOUNT_SIZE] = "unlimited";
	const struct assay_bound bound = { .name = l->name,
		.unit = l->unit == UNITLESS ? "cores" : unit_name(l->unit),
		.limit = l->limit,
		.unlimited = l->limit == UINT64_MAX,
		.tightest = l->tightest,
		.source = l->source,
		.where = l->where,
		.note = l->note,
		.text = text };

	if (!bound.unlimited)
		allowed_amount(l->unit, l->limit, text);
	each(&bound, context);
}

/* Those of one name together, in the order of the first of each. */
static void hand_out_by_name(const struct assay_run_info *info,
	void (*each)(const struct assay_bound *bound, void *context), void *context)
{
	for (size_t i = 0; i < info->n_target_limits; i++) {
		const char *name = info->target_limits[i].name;
		bool told = false;

		for (size_t k = 0; k < i; k++)
			told = told || strcmp(info->target_limits[k].name, name) == 0;
		for (size_t k = i; k < info->n_target_limits && !told; k++)
			if (strcmp(info->target_limits[k].name, name) == 0)
				hand_out(&info->target_limits[k], each, context);
	}
}

int assay_bounds(const char *root, long pid,
	void (*each)(const struct assay_bound *bound, void *context), void *context,
	struct assay_error *err)
{
	struct error why = { 0 };
	struct roots roots;
	struct assay_run_info *info = calloc(1, sizeof(*info));
	int r = info ? roots_open(&roots, root ? root : "", &why)
		     : error_set(&why, -ENOMEM, "cannot look for limits");

	if (info && r == 0) {
		bounds_find(info, &roots, (pid_t) pid, NULL);
		roots_close(&roots);
		hand_out_by_name(info, each, context);
	} else if (err) {
		err->code = r;
		snprintf(err->text, sizeof(err->text), "%s", why.text);
	}
	if (info)
		run_info_done(info);
	free(info);
	return r;
}
