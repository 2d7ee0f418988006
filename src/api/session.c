/* SPDX-License-Identifier: MIT */
/* The end of a session: what the caller keeps and what goes. */
#include "api/session.h"

#include <stdlib.h>

#include "api/kept_info.h"

void session_keep_info(struct session *s, struct assay_run_info **ret_info)
{
	struct kept_info *kept = calloc(1, sizeof(*kept));

	if (!kept) {
		*ret_info = NULL;
		session_discard(s);
		return;
	}
	kept->info = *s->info;
	kept->measures = s->measures;
	kept->selected = s->selected;
	kept->info.measures = &kept->measures;
	kept->info.selected = kept->selected;
	free(s->info);
	free(s);
	*ret_info = &kept->info;
}

void assay_run_info_free(struct assay_run_info *info)
{
	struct kept_info *kept = (struct kept_info *) (void *) info;

	if (!kept)
		return;
	assay_run_info_free(kept->info.beside);
	run_info_done(&kept->info);
	measures_done(&kept->measures);
	free(kept->selected);
	free(kept);
}

int assay_run_limit_hit(const struct assay_run_info *info)
{
	return info && info->limit_hit.name != NULL;
}

const char *assay_run_cause(const struct assay_run_info *info)
{
	return cause_name(info && info->outcome.known ? info->outcome.cause : CAUSE_UNKNOWN);
}

const char *assay_run_limit_name(const struct assay_run_info *info)
{
	return info ? info->outcome.limit : NULL;
}

const struct assay_run_info *assay_run_beside(const struct assay_run_info *info, size_t index)
{
	while (info && index-- > 0)
		info = info->beside;
	return info;
}

int assay_run_discarded(const struct assay_run_info *info)
{
	return info && info->discarded;
}

void session_discard(struct session *s)
{
	run_info_done(s->info);
	free(s->info);
	measures_done(&s->measures);
	free(s->selected);
	free(s);
}
