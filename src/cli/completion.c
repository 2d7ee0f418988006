/* SPDX-License-Identifier: MIT */
/* assay completion: writes what a shell needs to complete the program's words. */
#include "cli/completion.h"

#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "cli/run_words.h"
#include "cli/verb.h"
#include "cli/verbs.h"

static const struct verb *const verbs[] = { VERBS };

static const struct option_row rows[] = {
	{ OPTION_RUNS_PREFIX },
};

static const struct language {
	const char *name;
	void (*write)(const struct verb *const *verbs, size_t n, struct buf *out);
} languages[] = {
	{ "bash", completion_bash },
	{ "zsh", completion_zsh },
	{ "fish", completion_fish },
	{ "json", completion_json },
};

const struct option_row *completion_option(const struct verb *verb, size_t at)
{
	if (at < verb->n_options)
		return &verb->options[at];
	return at == verb->n_options ? &option_help : NULL;
}

void completion_offers(const struct option_row *row, struct buf *out)
{
	if (row->offers) {
		buf_add_text(out, row->offers);
		return;
	}
	if (!row->choices) {
		buf_add_text(out, row->unit ? OFFERS_NOTHING : OFFERS_FILES);
		return;
	}
	for (const struct option_choice *c = row->choices; c->word; c++)
		buf_addf(out, "%s%s", c == row->choices ? "" : " ", c->word);
}

const char *completion_words(const struct verb *verb)
{
	return verb->offers ? verb->offers : OFFERS_FILES;
}

int completion_help(const char *help)
{
	return (int) strcspn(help, ";");
}

void completion_quoted(const char *text, size_t n, const char *special, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		if (text[i] == '\'') {
			buf_add_text(out, "'\\''");
			continue;
		}
		if (strchr(special, text[i]))
			buf_add_char(out, '\\');
		buf_add_char(out, text[i]);
	}
}

static int exec(const struct verb *verb, struct option_values *values, char **words)
{
	struct buf out = { 0 };
	int r;

	if (!words[0] || words[1])
		return complain_usage(verb, "completion takes one word: bash, zsh, fish or json");
	if (strcmp(words[0], "runs") == 0 || strcmp(words[0], "fields") == 0) {
		if (words[0][0] == 'r')
			completion_runs(runs_prefix(verb, values), &out);
		else
			completion_fields(&out);
		r = print_data(&out);
		buf_done(&out);
		return r;
	}
	for (size_t i = 0; i < ARRAY_SIZE(languages); i++) {
		if (strcmp(words[0], languages[i].name) != 0)
			continue;
		languages[i].write(verbs, ARRAY_SIZE(verbs), &out);
		r = print_data(&out);
		buf_done(&out);
		return r;
	}
	complain("no completion for '%.60s'; there are bash, zsh, fish and json", words[0]);
	return EXIT_USAGE;
}

const struct verb verb_completion = {
	.name = "completion",
	.help = "writes a script with which a shell completes these words",
	.usage = "bash|zsh|fish|json",
	.text = "Writes a script that teaches a shell the verbs, the options and what they take: "
		"'source <(assay completion bash)'. With json: the table it is made from. runs and "
		"fields are what the scripts ask for while somebody types.",
	.options = rows,
	.n_options = ARRAY_SIZE(rows),
	.offers = "bash zsh fish json",
	.exec = exec,
};
