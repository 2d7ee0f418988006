/* SPDX-License-Identifier: MIT */
/* The script for fish: a line for each option, with the condition under which it is offered. */
#include <string.h>

#include "base/buf.h"
#include "cli/completion.h"
#include "cli/options.h"
#include "cli/verb.h"

static const char head[] =
	"# fish completion for assay and duct, written by 'assay completion fish'.\n"
	"\n"
	"function __assay_needs_verb\n"
	"\tset -l words (commandline -opc)\n"
	"\ttest (count $words) -eq 1\n"
	"end\n"
	"\n"
	"function __assay_verb_is\n"
	"\tset -l words (commandline -opc)\n"
	"\ttest (count $words) -ge 2; and test $words[2] = $argv[1]\n"
	"end\n"
	"\n"
	"# Keys of measurements; what stands before the last comma, and a minus that takes away, "
	"stay.\n"
	"function __assay_keys\n"
	"\tset -l before (string match -r -- '^(?:.*[,=])?-?' (commandline -ct))\n"
	"\tset before (string replace -r -- '^--[a-z-]*=' '' $before)\n"
	"\tfor key in minimal default all (command assay measurements --keys 2>/dev/null)\n"
	"\t\techo $before$key\n"
	"\tend\n"
	"end\n"
	"\n"
	"# Names of fields, behind the last comma.\n"
	"function __assay_fields\n"
	"\tset -l before (string match -r -- '^(?:.*[,=])?' (commandline -ct))\n"
	"\tset before (string replace -r -- '^--[a-z-]*=' '' $before)\n"
	"\tfor field in (command assay completion fields 2>/dev/null)\n"
	"\t\techo $before$field\n"
	"\tend\n"
	"end\n"
	"\n"
	"# Prints where the command of a verb begins; fails before it does. $argv: its options "
	"that take an argument.\n"
	"function __assay_command_begins\n"
	"\tset -l words (commandline -opc)\n"
	"\tset -l i 3\n"
	"\twhile test $i -le (count $words)\n"
	"\t\tset -l word $words[$i]\n"
	"\t\tif contains -- $word $argv\n"
	"\t\t\tset i (math $i + 1)\n"
	"\t\telse if test \"$word\" = --\n"
	"\t\t\tset i (math $i + 1)\n"
	"\t\t\tbreak\n"
	"\t\telse if not string match -q -- '-?*' $word\n"
	"\t\t\tbreak\n"
	"\t\telse if contains -- (string sub -l 1 -s -1 -- $word | string replace -r '^' -) $argv\n"
	"\t\t\tand not string match -q -- '--*' $word\n"
	"\t\t\tset i (math $i + 1)\n"
	"\t\tend\n"
	"\t\tset i (math $i + 1)\n"
	"\tend\n"
	"\ttest $i -le (count $words); or test \"$words[-1]\" = --; and echo $i\n"
	"end\n"
	"\n"
	"# A command and its own words.\n"
	"function __assay_command\n"
	"\tset -l begin (__assay_command_begins $argv)\n"
	"\tset -l words (commandline -opc)\n"
	"\tif test -z \"$begin\"; or test $begin -gt (count $words)\n"
	"\t\t__fish_complete_command\n"
	"\telse\n"
	"\t\tcomplete -C (string join ' ' -- (string escape -- $words[$begin..]) (commandline "
	"-ct))\n"
	"\tend\n"
	"end\n"
	"\n";

static void add_condition(const struct verb *verb, struct buf *out)
{
	buf_addf(out, "complete -c assay -n '__assay_verb_is %s", verb->name);
	if (strcmp(completion_words(verb), OFFERS_COMMAND) == 0)
		buf_addf(out, "; and not __assay_command_begins $__assay_%s_taking", verb->name);
	buf_add_text(out, "'");
}

static void add_names(
	const struct option_row *row, const char *letter, const char *name, struct buf *out)
{
	buf_addf(out, "%s%s", name, row->name);
	if (row->alias)
		buf_addf(out, "%s%s", name, row->alias);
	if (row->letter)
		buf_addf(out, "%s%c", letter, row->letter);
}

static void add_offers(const char *offers, struct buf *out)
{
	if (strcmp(offers, OFFERS_FILES) == 0)
		buf_add_text(out, " -F");
	else if (strcmp(offers, OFFERS_NOTHING) == 0)
		buf_add_text(out, " -f");
	else if (strcmp(offers, OFFERS_KEYS) == 0)
		buf_add_text(out, " -f -a '(__assay_keys)'");
	else if (strcmp(offers, OFFERS_FIELDS) == 0)
		buf_add_text(out, " -f -a '(__assay_fields)'");
	else if (strcmp(offers, OFFERS_FIELD) == 0)
		buf_add_text(out, " -f -a '(command assay completion fields 2>/dev/null)'");
	else if (strcmp(offers, OFFERS_RUNS) == 0)
		buf_add_text(out, " -F -k -a '(command assay completion runs 2>/dev/null)'");
	else {
		const char *files = strstr(offers, OFFERS_FILES);
		size_t n = files ? (size_t) (files - offers) : strlen(offers);

		buf_add_text(out, files ? " -F -a '" : " -f -a '");
		completion_quoted(offers, n, "", out);
		buf_add_char(out, '\'');
	}
}

static void add_option(const struct verb *verb, const struct option_row *row, struct buf *out)
{
	struct buf offers = { 0 };

	add_condition(verb, out);
	add_names(row, " -s ", " -l ", out);
	if (row->argument) {
		completion_offers(row, &offers);
		buf_add_text(out, " -r");
		add_offers(offers.data ? offers.data : OFFERS_NOTHING, out);
	}
	buf_add_text(out, " -d '");
	completion_quoted(row->help, (size_t) completion_help(row->help), "\\", out);
	buf_add_text(out, "'\n");
	buf_done(&offers);
}

static void add_verb(const struct verb *verb, struct buf *out)
{
	const char *words = completion_words(verb);
	const struct option_row *row;

	buf_addf(out, "\ncomplete -c assay -n __assay_needs_verb -a %s -d '", verb->name);
	completion_quoted(verb->help, strlen(verb->help), "\\", out);
	buf_add_text(out, "'\n");
	if (strcmp(words, OFFERS_COMMAND) == 0) {
		buf_addf(out, "set -g __assay_%s_taking", verb->name);
		for (size_t i = 0; (row = completion_option(verb, i)); i++)
			if (row->argument)
				add_names(row, " -", " --", out);
		buf_addf(out,
			"\ncomplete -c assay -n '__assay_verb_is %s' -a '(__assay_command "
			"$__assay_%s_taking)'\n",
			verb->name, verb->name);
	} else {
		add_condition(verb, out);
		add_offers(words, out);
		buf_add_char(out, '\n');
	}
	for (size_t i = 0; (row = completion_option(verb, i)); i++)
		add_option(verb, row, out);
}

void completion_fish(const struct verb *const *verbs, size_t n, struct buf *out)
{
	buf_add_text(out, head);
	buf_add_text(out,
		"complete -c assay -f\n"
		"complete -c assay -n __assay_needs_verb -s h -l help -d 'shows the verbs'\n"
		"complete -c assay -n __assay_needs_verb -s V -l version -d 'shows the version'\n");
	for (size_t i = 0; i < n; i++)
		add_verb(verbs[i], out);
	buf_add_text(out, "\ncomplete -c duct -w 'assay run'\n");
}
