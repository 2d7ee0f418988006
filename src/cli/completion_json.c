/* SPDX-License-Identifier: MIT */
/* The rows of verbs and options as JSON. */
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "cli/completion.h"
#include "cli/duct.h"
#include "cli/verb.h"

static void key_text(struct json *j, const char *key, const char *text)
{
	if (text)
		json_key_text(j, key, text);
}

static void json_words(struct json *j, const char *key, const char *words)
{
	json_key(j, key);
	json_array(j);
	while (*words) {
		size_t n = strcspn(words, " ");

		json_text_n(j, words, n);
		words += n + (words[n] == ' ');
	}
	json_array_end(j);
}

static void json_choices(struct json *j, const struct option_choice *choices)
{
	json_key(j, "choices");
	json_array(j);
	for (; choices->word; choices++)
		json_text(j, choices->word);
	json_array_end(j);
}

static void json_option(struct json *j, const struct option_row *row)
{
	const char letter[2] = { row->letter, '\0' };
	struct buf offers = { 0 };

	json_object(j);
	json_key_text(j, "name", row->name);
	key_text(j, "group", row->group);
	key_text(j, "alias", row->alias);
	key_text(j, "letter", letter[0] ? letter : NULL);
	key_text(j, "argument", row->argument);
	key_text(j, "default", row->default_text);
	key_text(j, "unit", row->unit);
	key_text(j, "variable", row->environment);
	json_key_bool(j, "repeats", row->repeats);
	if (row->choices)
		json_choices(j, row->choices);
	if (row->argument) {
		completion_offers(row, &offers);
		json_words(j, "offers", offers.data ? offers.data : "");
	}
	json_key_text(j, "help", row->help);
	json_object_end(j);
	buf_done(&offers);
}

static void json_verb(struct json *j, const struct verb *verb)
{
	json_object(j);
	json_key_text(j, "name", verb->name);
	json_key_text(j, "help", verb->help);
	json_key_text(j, "usage", verb->usage);
	json_key_text(j, "text", verb->text);
	json_key_bool(j, "mixed", verb->mixed);
	json_words(j, "offers", completion_words(verb));
	json_key(j, "options");
	json_array(j);
	for (size_t i = 0; completion_option(verb, i); i++)
		json_option(j, completion_option(verb, i));
	json_array_end(j);
	json_object_end(j);
}

void completion_json(const struct verb *const *verbs, size_t n, struct buf *out)
{
	struct json j;

	json_init(&j, out, 2);
	json_object(&j);
	json_key_text(&j, "schema", "assay-options");
	json_key_text(&j, "version", "1.0");
	json_key(&j, "verbs");
	json_array(&j);
	for (size_t i = 0; i < n; i++)
		json_verb(&j, verbs[i]);
	json_array_end(&j);
	json_object_end(&j);
	buf_add_char(out, '\n');
}
