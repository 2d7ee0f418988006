/* SPDX-License-Identifier: MIT */
/* Scripts with which shells complete the program's words, made from the rows of verbs and options. */
#ifndef ASSAY_CLI_COMPLETION_H
#define ASSAY_CLI_COMPLETION_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct option_row;
struct verb;

/* What is written in each language of a shell. */
void completion_bash(const struct verb *const *verbs, size_t n, struct buf *out);
void completion_zsh(const struct verb *const *verbs, size_t n, struct buf *out);
void completion_fish(const struct verb *const *verbs, size_t n, struct buf *out);
/* What the scripts ask for: a word a line. Of the runs of such a prefix (NULL: the usual) @last and the newest 200 by their names, for which no file is opened. */
void completion_runs(const char *output_prefix, struct buf *out);
/* Names that fields of a run have, in whichever order. */
void completion_fields(struct buf *out);
/* The rows themselves, for the manual and for tests. */
void completion_json(const struct verb *const *verbs, size_t n, struct buf *out);

/* The option at that place; behind the rows stands --help, then NULL. */
const struct option_row *completion_option(const struct verb *verb, size_t at);
/* Adds what the argument of an option is completed to: words between blanks, or one of OFFERS_. */
void completion_offers(const struct option_row *row, struct buf *out);
/* The same of a verb's words. */
const char *completion_words(const struct verb *verb);
/* How much of a help text stands beside an option in a list: up to the first semicolon. */
int completion_help(const char *help);
/* Adds a text with a backslash before each byte of `special`, and within single quotes of a shell. */
void completion_quoted(const char *text, size_t n, const char *special, struct buf *out);

#endif
