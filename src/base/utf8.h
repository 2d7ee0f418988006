/* SPDX-License-Identifier: MIT */
/* What is text and what is not. */
#ifndef ASSAY_BASE_UTF8_H
#define ASSAY_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

/* The length in bytes (1 to 4) of the valid UTF-8 sequence at `s`, or 0 when the first byte starts none
 * (over-long forms, surrogates and values past U+10FFFF are not valid). */
size_t utf8_sequence(const char *s, size_t n);
bool utf8_is_valid(const char *s, size_t n);

/* Whether the valid sequence of that length is a character that a terminal obeys (a control character, DEL, C1) or that makes a text another
 * than it looks: of no width, a mark of direction, a separator of lines, a noncharacter. No text of ours holds one as it is. */
bool utf8_misleads(const char *bytes, size_t sequence);

/* Adds the bytes as a terminal may show them: control characters, C1 controls and invalid bytes as \n, \t, \e or
 * \xHH; a backslash as two. Nothing a process is called can move the reader's cursor. */
void text_add_printable(struct buf *out, const char *s, size_t n);

/* As text_add_printable, but a backslash stays one: for what is escaped or quoted already (command.text is made of shell words), which would
 * be escaped twice. What may not be shown is escaped all the same, as the file that holds the text is nobody's friend. */
void text_add_quoted_printable(struct buf *out, const char *s, size_t n);

/* As text_add_quoted_printable, but tabs and ends of lines stay: for formats that hold those and know no other escape (CSV, OpenMetrics). */
void text_add_lines_printable(struct buf *out, const char *s, size_t n);

/* Adds one argv element as a POSIX shell would take it back: plain when it is made of safe characters, else
 * in single quotes, or in $'...' when it holds bytes text_add_printable would escape. */
void text_add_shell_word(struct buf *out, const char *s, size_t n);

#endif
