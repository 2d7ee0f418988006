/* SPDX-License-Identifier: MIT */
/* What each device came to over all windows of a draft. */
#include <errno.h>

#include "base/buf.h"
#include "base/error.h"
#include "record/foreign/draft_parts.h"

static void no_memory(struct draft *d)
{
	draft_fail(d, NULL, -ENOMEM, "cannot keep what it says");
}

/* The device in what is kept of all windows, with its totals; made when it is not there. */
static json_t *kept_device(struct draft *d, json_t *device)
{
	const char *kind = json_string_value(json_object_get(device, "kind"));
	const char *name = json_string_value(json_object_get(device, "name"));
	struct buf id = { 0 };
	json_t *kept;

	buf_addf(&id, "%s %s", kind, name);
	kept = id.failed ? NULL : json_object_get(d->devices, id.data);
	if (!kept && !id.failed) {
		kept = json_copy(device);
		if (json_object_set_new(kept, "values", json_object()) < 0 ||
			json_object_set_new(d->devices, id.data, kept) < 0)
			kept = NULL;
	}
	buf_done(&id);
	if (!kept)
		no_memory(d);
	return kept;
}

json_t *draft_totals_of(struct draft *d, const char *kind, const char *name, const char *key)
{
	struct buf id = { 0 };
	json_t *device;

	if (!kind)
		return json_object_get(d->totals, key);
	buf_addf(&id, "%s %s", kind, name);
	device = id.failed ? NULL : json_object_get(d->devices, id.data);
	if (id.failed)
		no_memory(d);
	buf_done(&id);
	return json_object_get(json_object_get(device, "values"), key);
}

void draft_add_devices(struct draft *d, double seconds)
{
	json_t *device;
	const char *key;
	json_t *value;
	size_t i;

	json_array_foreach(json_object_get(d->window, "devices"), i, device)
	{
		json_t *totals = json_object_get(kept_device(d, device), "values");

		json_object_foreach(json_object_get(device, "values"), key, value)
		{
			if (d->code == 0)
				draft_add_total(d, totals, key, value, seconds);
		}
	}
}

void draft_tell_devices(struct draft *d)
{
	json_t *list = json_array();
	const char *id;
	json_t *device;

	json_object_foreach(d->devices, id, device)
	{
		json_t *summary = json_object();
		const char *key;
		json_t *total;

		json_object_foreach(json_object_get(device, "values"), key, total)
		{
			if (draft_row(d, key))
				draft_statistics(d, summary, draft_row(d, key), total);
		}
		json_object_del(device, "values");
		if (json_object_set_new(device, "summary", summary) < 0 ||
			json_array_append(list, device) < 0)
			no_memory(d);
	}
	if (json_array_size(list) == 0)
		json_decref(list);
	else if (json_object_set_new(d->info, "devices", list) < 0)
		no_memory(d);
}
