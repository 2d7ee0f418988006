/* SPDX-License-Identifier: MIT */
/* Finds in a run's info what bounded it. */
#include "run/info_facts.h"

#include <math.h>
#include <string.h>

#include "run/info_value.h"

bool info_limit_binds(const json_t *limit)
{
	return !info_is(limit, "source", "RLIMIT_AS") && !info_is(limit, "source", "RLIMIT_DATA") &&
	       json_is_number(json_object_get(limit, "limit"));
}

const json_t *info_limit(const json_t *info, const char *name, const char *not_of)
{
	const json_t *limits = json_object_get(info, "target_limits");
	const json_t *found = NULL;

	for (size_t i = 0; i < json_array_size(limits); i++) {
		const json_t *limit = json_array_get(limits, i);

		if (!info_is(limit, "name", name) || !info_limit_binds(limit) ||
			(not_of && info_is(limit, "source", not_of)))
			continue;
		if (!found || info_number(limit, "limit", NULL) < info_number(found, "limit", NULL))
			found = limit;
	}
	return found;
}

bool info_has_own_cgroup(const json_t *info)
{
	const char *cgroup = info_text(info, "options", "cgroup");
	const char *charged = info_text(
		json_object_get(info, "headline"), "memory_peak_charged_bytes", "quality");

	return (cgroup && strcmp(cgroup, "own") == 0) || (charged && strcmp(charged, "exact") == 0);
}

double info_limit_hits(const json_t *info, const char *name)
{
	const json_t *limits = json_object_get(info, "target_limits");
	double sum = 0;

	for (size_t i = 0; i < json_array_size(limits); i++) {
		const json_t *limit = json_array_get(limits, i);
		double hits = info_is(limit, "name", name) ? info_number(limit, "hits", NULL) : 0;

		if (hits > 0)
			sum += hits;
	}
	return sum;
}

double info_throttled_share(const json_t *info)
{
	const json_t *limits = json_object_get(info, "target_limits");
	double share = (double) NAN;

	for (size_t i = 0; i < json_array_size(limits); i++) {
		const json_t *limit = json_array_get(limits, i);
		double periods = info_number(limit, "periods", NULL);
		double of_this = info_number(limit, "hits", NULL) / periods;

		if (periods > 0 && !isnan(of_this) && !(share >= of_this))
			share = of_this;
	}
	return share;
}

double info_allowed_cores(const json_t *info)
{
	const json_t *limit = info_limit(info, "cpu", NULL);

	return limit ? info_number(limit, "limit", NULL) : info_number(info, "host", "cpus_online");
}

bool info_ended_by(const json_t *info, enum cause cause)
{
	return info_is(json_object_get(info, "outcome"), "cause", cause_name(cause));
}
