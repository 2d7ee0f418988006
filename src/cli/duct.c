/* SPDX-License-Identifier: MIT */
/* con-duct's name, defaults and variables, so that its users move over by a link. */
#include "cli/duct.h"

#include <string.h>

#include "report/template.h"

const struct option_default duct_defaults[] = {
	{ "output-prefix", ".duct/logs/{datetime}-{pid}_", NULL },
	{ "sample-interval", "1s", NULL },
	{ "report-interval", "60s", NULL },
	{ "fail-time", "3s", NULL },
	{ "capture-outputs", "all", NULL },
	{ "mode", "new-session", NULL },
	{ "colors", "no", NULL },
	{ "summary-format", TEMPLATE_DUCT, "the lines of con-duct" },
	{ NULL, NULL, NULL },
};

const struct duct_variable duct_variables[] = {
	{ "DUCT_OUTPUT_PREFIX", "output-prefix" },
	{ "DUCT_SUMMARY_FORMAT", "summary-format" },
	{ "DUCT_COLORS", "colors" },
	{ "DUCT_SAMPLE_INTERVAL", "sample-interval" },
	{ "DUCT_REPORT_INTERVAL", "report-interval" },
	{ "DUCT_FAIL_TIME", "fail-time" },
	{ "DUCT_CAPTURE_OUTPUTS", "capture-outputs" },
	{ "DUCT_MESSAGE", "message" },
	{ "DUCT_LOG_LEVEL", "log-level" },
	{ NULL, NULL },
};

const char *duct_option(const char *name)
{
	for (const struct duct_variable *v = duct_variables; v->name; v++)
		if (strcmp(v->name, name) == 0)
			return v->option;
	return NULL;
}

const char *duct_value(const char *name, const char *text)
{
	return strcmp(name, "DUCT_COLORS") == 0 ? "yes" : text;
}

bool duct_is_called(char **argv, char ***ret_argv)
{
	const char *slash = argv[0] ? strrchr(argv[0], '/') : NULL;
	const char *name = slash ? slash + 1 : argv[0];

	if (!name)
		return false;
	if (strcmp(name, "duct") == 0)
		*ret_argv = argv;
	else if (strcmp(name, "con-duct") == 0 && argv[1] && strcmp(argv[1], "run") == 0)
		*ret_argv = argv + 1;
	else
		return false;
	return true;
}
