/* SPDX-License-Identifier: MIT */
/* Text from outside in a page: as text, whatever is in it. What a terminal may not show (control characters, marks that turn the direction of
 * writing, bytes that are no characters) a page does not show either: it is written as \n, \e, \xHH. */
#ifndef ASSAY_TEXT_HTML_TEXT_H
#define ASSAY_TEXT_HTML_TEXT_H

#include <stddef.h>

struct buf;

/* Adds it, fit to stand between tags and in an attribute between double quotes; longer than `most` bytes: cut, with an ellipsis. */
void html_add_text(struct buf *out, const char *text, size_t most);
/* The same of what is escaped as a shell would take it already. */
void html_add_quoted(struct buf *out, const char *text, size_t most);
/* The same of bytes; lines stay lines. */
void html_add_lines(struct buf *out, const char *bytes, size_t n);
/* Our own words and numbers, which are known to be printable. */
void html_add_words(struct buf *out, const char *text);
/* A string of JSON, fit to stand in a <script>. */
void html_add_json_text(struct buf *out, const char *text, size_t most);
/* A number of JSON with five significant digits; what is not finite is null. */
void html_add_json_number(struct buf *out, double number);

#endif
