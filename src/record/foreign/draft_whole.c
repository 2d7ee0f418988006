/* SPDX-License-Identifier: MIT */
/* Takes over a run that is in the words of assay's own files already. */
#include <errno.h>
#include <string.h>

#include "model/run_info.h"
#include "record/foreign/draft.h"
#include "record/old_words.h"

int draft_whole(struct draft *d, const json_t *info, struct error *err)
{
	const char *schema = json_string_value(json_object_get(info, "schema"));
	const char *version = json_string_value(json_object_get(info, "version"));
	json_t *copy;

	if (!schema || strcmp(schema, RUN_SCHEMA) != 0 || !version ||
		strncmp(version, "1.", 2) != 0)
		return draft_fail(d, err, -EINVAL, "its info is none of " RUN_SCHEMA " 1");
	copy = json_deep_copy(info);
	if (!copy || old_words_add_fields(copy) < 0) {
		json_decref(copy);
		return draft_fail(d, err, -ENOMEM, "there is not enough memory to read it");
	}
	json_decref(d->info);
	d->info = copy;
	d->whole = true;
	return 0;
}

bool draft_whole_window(struct draft *d, const json_t *window)
{
	if (d->each && d->code == 0)
		d->ended_by = d->each(window, d->context);
	return d->code == 0 && d->ended_by >= 0;
}
