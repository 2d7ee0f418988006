/* SPDX-License-Identifier: MIT */
/* What is taken out of the words of a command before they are kept, and what stays readable. */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/redaction.h"

#define R REDACTED

/* The words with a blank between in place of the NUL; as it was where nothing is replaced. */
static void becomes(const char *const *patterns, const char *before, const char *after)
{
	struct redaction r;
	struct error err = { 0 };
	char words[512];
	char result[1024];
	size_t n = strlen(before);

	assert_true(n < sizeof(words));
	memcpy(words, before, n + 1);
	for (size_t i = 0; i < n; i++)
		if (words[i] == '|')
			words[i] = '\0';
	assert_int_equal(redaction_begin(&r, patterns, &err), 0);
	size_t count = redaction_apply(&r, words, n);
	size_t length = n;
	if (count > 0) {
		assert_false(r.text.failed);
		length = r.text.len;
		assert_true(length < sizeof(result));
		memcpy(result, r.text.data, length);
	} else {
		memcpy(result, words, length);
	}
	result[length] = '\0';
	for (size_t i = 0; i < length; i++)
		if (result[i] == '\0')
			result[i] = '|';
	assert_string_equal(result, after);
	assert_int_equal(count > 0, strcmp(before, after) != 0);
	redaction_done(&r);
}

static void the_usual_secrets_go_and_their_names_stay(void **state)
{
	static const char *const cases[][2] = {
		{ "x|--password=a b|y", "x|--password=" R "|y" },
		{ "--PassWd=a", "--PassWd=" R },
		{ "token=a=b|secret=|api-key=c|API_KEY=d|apikey=e",
			"token=" R "|secret=|api-key=" R "|API_KEY=" R "|apikey=" R },
		{ "AWS_SECRET_ACCESS_KEY=a/b+c", "AWS_SECRET_ACCESS_KEY=" R },
		{ "HF_TOKEN=a|id_token=b|TOKEN_2=c", "HF_TOKEN=" R "|id_token=" R "|TOKEN_2=" R },
		{ "--password|a|b", "--password|" R "|b" },
		{ "--password|-a", "--password|" R },
		{ "--password|--host|h", "--password|--host|h" },
		{ "--password", "--password" },
		{ "--api-key||x", "--api-key||x" },
		{ "http://u:a:b@h:80/p|redis://:a@h", "http://u:" R "@h:80/p|redis://:" R "@h" },
		{ "pg://u:a/b@h", "pg://u:" R "@h" },
		{ "pg://u:a@b@h/p", "pg://u:" R "@h/p" },
		{ "-c|f --password=a x --token b y", "-c|f --password=" R " x --token " R " y" },
		{ "-c|f 'token=a b' c", "-c|f 'token=" R "' c" },
		{ "-c|f --secret='a b' c", "-c|f --secret=" R " c" },
		{ "-c|f --secret=a\\ b c", "-c|f --secret=" R " c" },
		{ "-o|user=x,password=a'b", "-o|user=x,password=" R },
		{ "-c|f http://h/?token=a&b c", "-c|f http://h/?token=" R " c" },
		{ "password=\xff\xfe", "password=" R },
		{ "\xff\xc3password=\xc3|\xff", "\xff\xc3password=" R "|\xff" },
	};

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		becomes(NULL, cases[i][0], cases[i][1]);
}

static void words_that_only_look_alike_stay(void **state)
{
	static const char *const cases[] = { "", "|", "--tokenizer=bert|--tokenizer|bert",
		"tokens=5|--max_tokens=7",
		"--max-token=7|pad_token=x|--eos-token|y|token_id=1|token_type=2",
		"http://h:80/a@b|http://[::1]:80/a@b|git@h:p|ssh://git@h/p|://|http://u:|a:b@c",
		"--no-password|db|--password-stdin|r|--token-file|f", "pass=a|key=b|keyboard=c",
		"password|a|secret|b", "=|==|=a|a=" };

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		becomes(NULL, cases[i], cases[i]);
}

static void patterns_replace_what_they_match_beside_the_usual_secrets(void **state)
{
	static const char *const digits[] = { "x[0-9]+", "^--name=.*$", NULL };
	static const char *const alone[] = { "no", "b", NULL };
	static const char *const again[] = { "no", "yes", NULL };
	/* it would hide the name from the other rule */
	static const char *const name[] = { "pass|word=", NULL };

	(void) state;
	becomes(digits, "x12,ax3|--name=b c|x|token=a", R ",a" R "|" R "|x|token=" R);
	becomes(alone, "token=a|abc", "token=a|a" R "c");
	becomes(again, "token=a", "token=" R);
	becomes(name, "--password=a", "--" R);
}

static void a_wrong_pattern_is_named(void **state)
{
	static const char *const wrong[] = { "(", "x*", "(a)\\1", "^", NULL };

	(void) state;
	for (size_t i = 0; wrong[i]; i++) {
		const char *const list[] = { "good", wrong[i], NULL };
		struct redaction r;
		struct error err = { 0 };
		char begin[64];

		assert_int_equal(redaction_begin(&r, list, &err), -EINVAL);
		snprintf(begin, sizeof(begin), "--redact: '%s' is ", wrong[i]);
		assert_memory_equal(err.text, begin, strlen(begin));
		assert_null(strchr(err.text, '\n'));
		redaction_done(&r);
	}
}

/* With the square of the length it would take hours. */
static void long_words_take_no_longer_than_they_are_long(void **state)
{
	static const char *const pieces[] = { "password=a\"", "://b:c", "a'token=", "token ", "'",
		"x", "--password ", "\\" };
	static const char *const patterns[] = { "y", "x+x+z", NULL };
	const size_t size = (size_t) 4 << 20;
	char *text = malloc(size + 1);

	(void) state;
	assert_non_null(text);
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		size_t length = strlen(pieces[i]);
		struct redaction r;

		for (size_t at = 0; at < size; at++)
			text[at] = pieces[i][at % length];
		text[size] = '\0';
		assert_int_equal(redaction_begin(&r, i < 5 ? NULL : patterns, NULL), 0);
		assert_in_range(redaction_apply(&r, text, size), 0, 1);
		redaction_done(&r);
	}
	free(text);
}

/* The true words are not touched; of a long word that a pattern is found in nothing is kept. */
static void the_words_of_a_command_are_copied(void **state)
{
	char longer[700];
	char run[] = "run";
	char option[] = "--token";
	char value[] = "a";
	char empty[] = "";
	char last[] = "last";
	char *words[] = { run, option, value, empty, longer, last, NULL };
	static const char *const patterns[] = { "mid", NULL };
	struct redaction r;
	uint64_t count = 0;

	(void) state;
	memset(longer, 'l', sizeof(longer));
	memcpy(longer + 600, "mid", 3);
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(redaction_begin(&r, patterns, NULL), 0);
	char **copy = redaction_of_words(&r, words, &count);
	assert_non_null(copy);
	assert_int_equal(count, 2);
	assert_string_equal(copy[1], "--token");
	assert_string_equal(copy[2], R);
	assert_string_equal(copy[3], "");
	assert_string_equal(copy[4], R);
	assert_string_equal(copy[5], "last");
	assert_null(copy[6]);
	assert_string_equal(words[2], "a");
	free(copy);
	redaction_done(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_usual_secrets_go_and_their_names_stay),
		cmocka_unit_test(words_that_only_look_alike_stay),
		cmocka_unit_test(patterns_replace_what_they_match_beside_the_usual_secrets),
		cmocka_unit_test(a_wrong_pattern_is_named),
		cmocka_unit_test(long_words_take_no_longer_than_they_are_long),
		cmocka_unit_test(the_words_of_a_command_are_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
