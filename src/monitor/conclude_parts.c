/* SPDX-License-Identifier: MIT */
/* What every part of the conclusion needs: a line of the headline, a row's result. */
#include "monitor/conclude_parts.h"

struct headline *headline_add(struct assay_run_info *info, const char *name, enum unit unit,
	uint64_t n, enum quality quality, const char *key)
{
	struct headline *h = &info->headline[info->n_headline++];

	*h = (struct headline){ .name = name,
		.unit = (uint8_t) unit,
		.key = key,
		.value = { .n = n, .quality = (uint8_t) quality } };
	return h;
}

int selected_row(const struct monitor *m, const char *key)
{
	int row = measures_find(m->measures, key);

	return row >= 0 && m->selected[row] ? row : -1;
}

/* The run's summary of a selected row; ABSENT when it was not selected or never read. */
struct summary selected_summary(const struct monitor *m, const char *key)
{
	int row = selected_row(m, key);

	if (row < 0)
		return (struct summary){ 0 };
	return monitor_run_summary(m, (size_t) row);
}
