/* SPDX-License-Identifier: MIT */
/* Sums up a round. */
#include "target/pss_round.h"

#include "target/process.h"

void pss_round_begin(struct pss_round *r)
{
	*r = (struct pss_round){ .most = r->most };
}

void pss_round_add(struct pss_round *r, const struct process *p)
{
	r->pss += p->smaps.pss;
	r->swapped += p->smaps.swap_pss;
	r->huge += p->smaps.private_hugetlb;
	if (r->huge_shared < p->huge_shared_bytes)
		r->huge_shared = p->huge_shared_bytes;
}

void pss_round_doubt(struct pss_round *r, uint64_t bytes)
{
	r->moved += bytes;
}

void pss_round_end(struct pss_round *r)
{
	uint64_t huge = r->huge + r->huge_shared;
	uint64_t all = r->pss + r->swapped + huge;

	if (all <= r->moved || all - r->moved <= r->most.all)
		return;
	r->most =
		(struct memory_parts){ .all = all - r->moved, .swapped = r->swapped, .huge = huge };
}
