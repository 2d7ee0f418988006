/* SPDX-License-Identifier: MIT */
/* Says who else used the machine meanwhile. */
#include "show/host_row.h"

#include <stdio.h>

#include "model/run_info.h"
#include "text/page.h"

/* ns for each of `whole` ns, in parts of `one`, rounded. */
static unsigned long long share(uint64_t ns, double whole, double one)
{
	return (unsigned long long) (one * (double) ns / whole + 0.5);
}

void host_row(struct page *p, const struct assay_run_info *info)
{
	const struct host_share *s = &info->host_share;
	double machine_ns = (double) s->elapsed_ns * s->cores;
	unsigned long long cores;
	char steal[32] = "";
	char text[128];

	if (!s->known || s->elapsed_ns == 0)
		return;
	/* What may be no more than the size of a tick is not worth a line. */
	uint64_t surely_ns = s->others_ns > s->error_ns ? s->others_ns - s->error_ns : 0;
	if ((double) surely_ns <= machine_ns / 20 && (double) s->steal_ns <= machine_ns / 20)
		return;
	cores = share(s->others_ns, (double) s->elapsed_ns, 100);
	if (s->has_steal && (double) s->steal_ns >= machine_ns / 100)
		snprintf(steal, sizeof(steal), "; steal %llu %%",
			share(s->steal_ns, machine_ns, 100));
	snprintf(text, sizeof(text), "others used %llu.%02llu of %u %s meanwhile%s", cores / 100,
		cores % 100, s->cores, s->cores == 1 ? "core" : "cores", steal);
	page_row(p, "host");
	page_item(p, quality_mark(s->quality), text);
	page_end_row(p);
}
