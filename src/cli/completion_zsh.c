/* SPDX-License-Identifier: MIT */
/* The script for zsh: a function for each verb, and one that finds the verb. */
#include <string.h>

#include "base/buf.h"
#include "cli/completion.h"
#include "cli/options.h"
#include "cli/verb.h"

static const char head[] =
	"#compdef assay duct\n"
	"# zsh completion for assay and duct, written by 'assay completion zsh'.\n"
	"\n"
	"# Keys of measurements, with commas between and a minus that takes away.\n"
	"_assay_keys() {\n"
	"\tlocal -a keys\n"
	"\tkeys=(minimal default all ${(f)\"$(command assay measurements --keys 2>/dev/null)\"})\n"
	"\tcompset -P '*,'\n"
	"\tcompset -P -\n"
	"\tcompadd -S '' -a keys\n"
	"}\n"
	"\n"
	"# Names of fields, with commas between where $1 is `several`.\n"
	"_assay_fields() {\n"
	"\tlocal -a fields\n"
	"\tfields=(${(fu)\"$(command assay completion fields 2>/dev/null)\"})\n"
	"\t[[ $1 != several ]] || compset -P '*,'\n"
	"\tcompadd -S '' -a fields\n"
	"}\n"
	"\n"
	"# Names of runs, the newest first, and files.\n"
	"_assay_runs() {\n"
	"\tlocal -a runs\n"
	"\truns=(${(f)\"$(command assay completion runs 2>/dev/null)\"})\n"
	"\tcompadd -V runs -a runs\n"
	"\t_files\n"
	"}\n";

static const char body[] =
	"\n"
	"_assay() {\n"
	"\tlocal verb=${words[2]}\n"
	"\tif [[ $service == duct ]]; then\n"
	"\t\t_assay_run\n"
	"\telif (( CURRENT == 2 )); then\n"
	"\t\tif [[ $verb == -* ]]; then\n"
	"\t\t\tcompadd -- --help --version\n"
	"\t\telse\n"
	"\t\t\t_describe -t verbs verb _assay_verbs\n"
	"\t\tfi\n"
	"\telif (( $+functions[_assay_$verb] && $_assay_verbs[(I)$verb:*] )); then\n"
	"\t\tshift words\n"
	"\t\t(( CURRENT-- ))\n"
	"\t\t_assay_$verb\n"
	"\tfi\n"
	"}\n"
	"\n"
	"# Loaded by its name it is to complete at once; read by `source` it is made known.\n"
	"if [[ $funcstack[1] == _assay ]]; then\n"
	"\t_assay \"$@\"\n"
	"else\n"
	"\tcompdef _assay assay duct\n"
	"fi\n";

static bool are_files(const char *word, size_t n)
{
	return n == strlen(OFFERS_FILES) && memcmp(word, OFFERS_FILES, n) == 0;
}

/* Those of the words that end in a colon, behind which more is to be typed, or the others. */
static void add_words(const char *words, bool open, struct buf *out)
{
	while (*words) {
		size_t n = strcspn(words, " ");

		if (n > 0 && (words[n - 1] == ':') == open && !are_files(words, n)) {
			buf_add_char(out, ' ');
			completion_quoted(words, n, ":", out);
		}
		words += n + (words[n] == ' ');
	}
}

/* What completes an argument, behind "MESSAGE:". */
static void add_action(const char *offers, struct buf *out)
{
	if (strcmp(offers, OFFERS_FILES) == 0)
		buf_add_text(out, "_files");
	else if (strcmp(offers, OFFERS_KEYS) == 0)
		buf_add_text(out, "_assay_keys");
	else if (strcmp(offers, OFFERS_FIELDS) == 0)
		buf_add_text(out, "{_assay_fields several}");
	else if (strcmp(offers, OFFERS_FIELD) == 0)
		buf_add_text(out, "{_assay_fields one}");
	else if (strcmp(offers, OFFERS_RUNS) == 0)
		buf_add_text(out, "_assay_runs");
	else if (strcmp(offers, OFFERS_NOTHING) == 0)
		buf_add_char(out, ' ');
	else if (!strchr(offers, ':') && !strstr(offers, OFFERS_FILES)) {
		buf_addf(out, "(%s)", offers);
	} else {
		buf_add_text(out, "{compadd --");
		add_words(offers, false, out);
		buf_add_text(out, "; compadd -S \"\" --");
		add_words(offers, true, out);
		buf_add_text(out, strstr(offers, OFFERS_FILES) ? "; _files}" : "}");
	}
}

static void add_name(
	const struct option_row *row, const char *dashes, const char *name, struct buf *out)
{
	/* A long name takes its argument behind = or in the next word, a letter in the same or the next. */
	buf_addf(out, "%s%s%s", dashes, name, !row->argument ? "" : dashes[1] ? "=" : "+");
}

/* Of several names only one may be given, unless the option repeats: '(-p --name)'{-p+,--name=} */
static void add_names(const struct option_row *row, struct buf *out)
{
	const char letter[2] = { row->letter, '\0' };
	bool several = row->letter || row->alias;

	if (row->repeats)
		buf_add_text(out, "'*'");
	else if (several)
		buf_addf(out, "'(--%s%s%s%s%s)'", row->name, row->alias ? " --" : "",
			row->alias ? row->alias : "", row->letter ? " -" : "", letter);
	if (several)
		buf_add_char(out, '{');
	add_name(row, "--", row->name, out);
	if (row->alias) {
		buf_add_char(out, ',');
		add_name(row, "--", row->alias, out);
	}
	if (row->letter) {
		buf_add_char(out, ',');
		add_name(row, "-", letter, out);
	}
	if (several)
		buf_add_char(out, '}');
}

static void add_option(const struct option_row *row, struct buf *out)
{
	struct buf offers = { 0 };

	buf_add_text(out, " \\\n\t\t");
	add_names(row, out);
	buf_add_text(out, "'[");
	completion_quoted(row->help, (size_t) completion_help(row->help), "[]\\", out);
	buf_add_char(out, ']');
	if (row->argument) {
		completion_offers(row, &offers);
		buf_add_char(out, ':');
		completion_quoted(row->argument, strlen(row->argument), ":\\", out);
		buf_add_char(out, ':');
		add_action(offers.data ? offers.data : OFFERS_NOTHING, out);
	}
	buf_add_char(out, '\'');
	buf_done(&offers);
}

static void add_verb(const struct verb *verb, struct buf *out)
{
	const char *words = completion_words(verb);
	const struct option_row *row;

	buf_addf(out, "\n_assay_%s() {\n\t_arguments -s -S%s :", verb->name,
		verb->mixed ? "" : " -A '-*'");
	for (size_t i = 0; (row = completion_option(verb, i)); i++)
		add_option(row, out);
	if (strcmp(words, OFFERS_COMMAND) == 0) {
		buf_add_text(out, " \\\n\t\t'(-):command:_command_names -e' "
				  "'*::argument:_normal'\n}\n");
		return;
	}
	buf_add_text(out, " \\\n\t\t'*:word:");
	add_action(words, out);
	buf_add_text(out, "'\n}\n");
}

void completion_zsh(const struct verb *const *verbs, size_t n, struct buf *out)
{
	buf_add_text(out, head);
	for (size_t i = 0; i < n; i++)
		add_verb(verbs[i], out);
	buf_add_text(out, "\ntypeset -ga _assay_verbs\n_assay_verbs=(\n");
	for (size_t i = 0; i < n; i++) {
		buf_addf(out, "\t'%s:", verbs[i]->name);
		completion_quoted(verbs[i]->help, strlen(verbs[i]->help), ":\\", out);
		buf_add_text(out, "'\n");
	}
	buf_add_text(out, ")\n");
	buf_add_text(out, body);
}
