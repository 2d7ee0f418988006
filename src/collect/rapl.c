/* SPDX-License-Identifier: MIT */
/* Energy of the whole machine by the processor's own meters (RAPL). */
#include <errno.h>

#include "base/macros.h"
#include "collect/collect.h"
#include "collect/energy_domains.h"
#include "model/run_info.h"

enum {
	/* in the order of enum energy_kind */
	PACKAGE_ENERGY,
	CORE_ENERGY,
	DRAM_ENERGY,
	PSYS_ENERGY,
	PACKAGE_POWER,
	CORE_POWER,
	DRAM_POWER,
	PSYS_POWER,
	WRAPS,
	DOMAIN_ENERGY,
	DOMAIN_POWER,
	N_ROWS
};
_Static_assert(PACKAGE_ENERGY == (int) ENERGY_PACKAGE && PSYS_ENERGY == (int) ENERGY_PSYS,
	"rows and kinds in one order");

#define NANO_PER_MICRO 1000

#define ENERGY_ORIGIN .origin = "/sys/class/powercap/*/energy_uj, wraps by max_energy_range_uj"
#define NOT_THE_JOBS "; of the whole node, never the job's alone"

static const struct measure rows[] = {
	/* clang-format off */
	[PACKAGE_ENERGY] = { .key = "rapl_package_energy_joules", .kind = COUNTER, .unit = JOULES, .scope = SINGLE, .reduce = DELTA | LAST, .quality = EXACT, .on = true,
		.cost = CHEAP, ENERGY_ORIGIN, .help = "energy of all processor packages: cores, caches, memory controllers" NOT_THE_JOBS },
	[CORE_ENERGY] = { .key = "rapl_core_energy_joules", .kind = COUNTER, .unit = JOULES, .scope = SINGLE, .reduce = DELTA | LAST, .quality = EXACT, .on = true,
		.cost = CHEAP, ENERGY_ORIGIN, .help = "energy of the cores; in the package's too" NOT_THE_JOBS },
	[DRAM_ENERGY] = { .key = "rapl_dram_energy_joules", .kind = COUNTER, .unit = JOULES, .scope = SINGLE, .reduce = DELTA | LAST, .quality = EXACT, .on = true,
		.cost = CHEAP, ENERGY_ORIGIN, .help = "energy of the memory modules; on servers not in the package's" NOT_THE_JOBS },
	[PSYS_ENERGY] = { .key = "rapl_psys_energy_joules", .kind = COUNTER, .unit = JOULES, .scope = SINGLE, .reduce = DELTA | LAST, .quality = EXACT, .on = true,
		.cost = CHEAP, ENERGY_ORIGIN, .help = "energy of the platform, packages included: not to be added to theirs" NOT_THE_JOBS },
	[PACKAGE_POWER] = { .key = "rapl_package_power_watts", .kind = GAUGE, .unit = WATTS, .scope = SINGLE, .reduce = MAX | MEAN | LAST, .quality = SAMPLED, .on = true,
		.cost = FREE, ENERGY_ORIGIN, .rate_of = "rapl_package_energy_joules", .help = "power of all packages between samples" NOT_THE_JOBS },
	[CORE_POWER] = { .key = "rapl_core_power_watts", .kind = GAUGE, .unit = WATTS, .scope = SINGLE, .reduce = MAX | MEAN | LAST, .quality = SAMPLED,
		.cost = FREE, ENERGY_ORIGIN, .rate_of = "rapl_core_energy_joules", .help = "power of the cores between samples" NOT_THE_JOBS },
	[DRAM_POWER] = { .key = "rapl_dram_power_watts", .kind = GAUGE, .unit = WATTS, .scope = SINGLE, .reduce = MAX | MEAN | LAST, .quality = SAMPLED, .on = true,
		.cost = FREE, ENERGY_ORIGIN, .rate_of = "rapl_dram_energy_joules", .help = "power of the memory modules between samples" NOT_THE_JOBS },
	[PSYS_POWER] = { .key = "rapl_psys_power_watts", .kind = GAUGE, .unit = WATTS, .scope = SINGLE, .reduce = MAX | MEAN | LAST, .quality = SAMPLED, .on = true,
		.cost = FREE, ENERGY_ORIGIN, .rate_of = "rapl_psys_energy_joules", .help = "power of the platform between samples" NOT_THE_JOBS },
	[WRAPS] = { .key = "rapl_wraps_count", .kind = COUNTER, .unit = COUNT, .scope = SINGLE, .reduce = DELTA | LAST, .quality = EXACT,
		.cost = FREE, ENERGY_ORIGIN, .help = "energy counters that went round; more than one round between two samples cannot be seen" },
	[DOMAIN_ENERGY] = { .key = "rapl_domain_energy_joules", .kind = COUNTER, .unit = JOULES, .scope = DEVICE, .reduce = DELTA | LAST, .quality = EXACT, .on = true,
		.cost = FREE, ENERGY_ORIGIN, .help = "energy of one domain: package-0, package-0/dram, psys" NOT_THE_JOBS },
	[DOMAIN_POWER] = { .key = "rapl_domain_power_watts", .kind = GAUGE, .unit = WATTS, .scope = DEVICE, .reduce = MAX | MEAN | LAST, .quality = SAMPLED,
		.cost = FREE, ENERGY_ORIGIN, .rate_of = "rapl_domain_energy_joules", .help = "power of one domain between samples" NOT_THE_JOBS },
	/* clang-format on */
};
_Static_assert(ARRAY_SIZE(rows) == N_ROWS, "one row a name");

static int probe_rapl(const struct collect *c, struct error *err)
{
	return powercap_probe(c->roots, err);
}

struct energy_sum {
	uint64_t used_uj;
	unsigned present;
	int error; /* of those that could not be read; 0: all could */
};

static struct energy_sum sum_of(const struct energy_domains *e, unsigned kind)
{
	struct energy_sum sum = { 0 };

	for (size_t i = 0; i < e->n; i++) {
		const struct energy_domain *d = &e->domains[i];

		if (!d->counts || d->kind != kind)
			continue;
		if (d->error)
			sum.error = d->error;
		sum.present += d->error == 0;
		sum.used_uj += d->used_uj;
	}
	return sum;
}

static int read_rapl(struct collect *c, struct batch *out)
{
	struct energy_domains *e = c->state;
	int rc = energy_look(e, c->roots, out->now_ns);

	for (unsigned kind = ENERGY_PACKAGE; kind <= ENERGY_PSYS; kind++) {
		struct energy_sum sum = sum_of(e, kind);

		if (sum.present)
			put_quality(out, NULL, PACKAGE_ENERGY + kind, sum.used_uj * NANO_PER_MICRO,
				sum.error || e->doubtful ? LOWER_BOUND : EXACT);
		else
			put_absent(out, NULL, PACKAGE_ENERGY + kind,
				sum.error ? sum.error
				: rc      ? rc
					  : ENOENT);
	}
	put(out, NULL, WRAPS, e->wraps);
	for (size_t i = 0; i < e->n; i++) {
		const struct energy_domain *d = &e->domains[i];

		if (d->error)
			put_device_absent(out, "energy_domain", d->label, DOMAIN_ENERGY, d->error);
		else
			put_device(out, "energy_domain", d->label, DOMAIN_ENERGY,
				d->used_uj * NANO_PER_MICRO);
	}
	return 0;
}

static void note_rapl(const struct collect *c, struct assay_run_info *info)
{
	const struct energy_domains *e = c->state;

	if (e->doubtful)
		run_info_note(info,
			"energy counters may have gone round more often than was seen: %llu times "
			"samples "
			"were further apart than a round lasts at twice the power so far",
			(unsigned long long) e->doubtful);
}

const struct collector rapl_collector = { .name = "rapl",
	.rows = rows,
	.n_rows = N_ROWS,
	.counted_before = true,
	.state_size = sizeof(struct energy_domains),
	.probe = probe_rapl,
	.read = read_rapl,
	.note = note_rapl };
