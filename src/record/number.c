/* SPDX-License-Identifier: MIT */
/* Writes a number of a measurement for people. */
#include "record/number.h"

#include <stdio.h>
#include <string.h>

#include "model/measure.h"
#include "model/value.h"

static void tenths(uint64_t n, uint64_t one, const char *unit, char text[UNITS_TEXT_SIZE])
{
	uint64_t rounded = n / (one / 10) + (n % (one / 10) >= one / 20);

	snprintf(text, UNITS_TEXT_SIZE, "%llu.%llu%s%s", (unsigned long long) (rounded / 10),
		(unsigned long long) (rounded % 10), *unit ? " " : "", unit);
}

void format_percent(uint64_t thousandths, char text[UNITS_TEXT_SIZE])
{
	snprintf(text, UNITS_TEXT_SIZE, "%llu.%llu %%", (unsigned long long) (thousandths / 1000),
		(unsigned long long) (thousandths % 1000 / 100));
}

void format_cores(double cores, char text[UNITS_TEXT_SIZE])
{
	if (cores >= 0 && cores < 1e9)
		format_number(UNITLESS, (uint64_t) (cores * 1000 + 0.5), text);
	else
		snprintf(text, UNITS_TEXT_SIZE, "%.4g", cores);
}

const char *mark_of_quality(const char *name)
{
	return quality_mark(quality_of_name(name));
}

void format_number(uint8_t unit, uint64_t n, char text[UNITS_TEXT_SIZE])
{
	switch ((enum unit) unit) {
	case BYTES:
		format_bytes(n, text);
		break;
	case SECONDS:
		format_duration(n, text);
		break;
	case UNITLESS: /* cores, in thousandths */
		n = n / 10 + (n % 10 >= 5);
		snprintf(text, UNITS_TEXT_SIZE, "%llu.%02llu", (unsigned long long) (n / 100),
			(unsigned long long) (n % 100));
		break;
	case PERCENT:
		format_percent(n, text);
		break;
	case JOULES:
		tenths(n, 1000000000, "J", text);
		break;
	case WATTS:
		tenths(n, 100000, "W", text);
		break;
	case HERTZ:
		tenths(n, 1000000, "MHz", text);
		break;
	case CELSIUS:
		tenths(n, 1000, "degrees C", text);
		break;
	case RATIO:
		tenths(n, 1000, "", text);
		break;
	case COUNT:
	case N_UNIT:
		snprintf(text, UNITS_TEXT_SIZE, "%llu", (unsigned long long) n);
		break;
	}
}
