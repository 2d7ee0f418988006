/* SPDX-License-Identifier: MIT */
/* con-duct's name, defaults and variables, so that its users move over by a link. */
#include "cli/duct.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show/template.h"

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

const char *duct_variable_of(const char *option)
{
	for (const struct duct_variable *v = duct_variables; v->name; v++)
		if (strcmp(v->option, option) == 0)
			return v->name;
	return NULL;
}

const char duct_help_end[] =
	"\nFiles and variables of con-duct:\n"
	"  DUCT_CONFIG_PATHS\n"
	"          the .env files that are read, with colons between, the later over the\n"
	"          earlier (default: /etc/duct/.env,\n"
	"          ${XDG_CONFIG_HOME:-~/.config}/duct/.env, .duct/.env)\n"
	"      In them DUCT_NAME=VALUE sets what the variable would; ${NAME} and\n"
	"      ${NAME:-default} are filled in, and a prefix may begin with ~/.\n"
	"      A DUCT_ variable stands over an ASSAY_ one, the command line over both.\n";

char *duct_file_value(const char *name, const char *text)
{
	bool is_home = strcmp(name, "DUCT_OUTPUT_PREFIX") == 0 && text[0] == '~' &&
		       (text[1] == '/' || text[1] == '\0');
	const char *home = is_home ? getenv("HOME") : NULL;
	char *value = NULL;

	if (!home || !*home)
		return strdup(duct_value(name, text));
	return asprintf(&value, "%s%s", home, text + 1) < 0 ? NULL : value;
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
