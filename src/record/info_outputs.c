/* SPDX-License-Identifier: MIT */
/* Renders the kept outputs of a run in info.json. */
#include "record/info_outputs.h"

#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "model/run_info.h"
#include "record/raw_text.h"

static void path(struct json *j, const char *key, const struct assay_run_info *info,
	const char *name, const char *end)
{
	struct buf text = { 0 };

	buf_add_text(&text, info->prefix);
	buf_add_text(&text, name);
	buf_add_text(&text, end);
	if (text.failed)
		j->out->failed = true;
	json_key_raw(j, key, text.data ? text.data : "", text.len);
	buf_done(&text);
}

void info_output_options(struct json *j, const struct assay_run_info *info)
{
	if (info->capture_option)
		json_key_text(j, "capture_outputs", info->capture_option);
	if (info->outputs_option)
		json_key_text(j, "outputs", info->outputs_option);
	if (info->timestamps)
		json_key_bool(j, "timestamps", true);
}

void info_outputs(struct json *j, const struct assay_run_info *info)
{
	if (info->n_outputs == 0 || !info->prefix)
		return;
	json_key(j, "outputs");
	json_array(j);
	for (size_t i = 0; i < info->n_outputs; i++) {
		const struct output *o = &info->outputs[i];

		json_object(j);
		json_key_text(j, "name", o->name);
		path(j, "file", info, o->name, "");
		if (o->times)
			path(j, "times", info, o->name, ".times");
		json_key_u64(j, "bytes", o->bytes);
		if (o->lost_bytes > 0)
			json_key_u64(j, "lost_bytes", o->lost_bytes);
		json_key_bool(j, "open", o->open);
		json_key_bool(j, "reader_gone", o->reader_gone);
		if (o->error[0])
			json_key_text(j, "error", o->error);
		json_object_end(j);
	}
	json_array_end(j);
}
