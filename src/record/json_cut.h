/* SPDX-License-Identifier: MIT */
/* Takes out of JSON what nobody will ask for, before it is parsed. */
#ifndef ASSAY_RECORD_JSON_CUT_H
#define ASSAY_RECORD_JSON_CUT_H

#include <stddef.h>

/*
 * Empties the list that is the member `name` (without escapes) of the object that the text is. Returns the new length; `n` where there is no such
 * list or it does not end. Of a text that is no JSON any other text that is none may be left: the parser judges. What was cut out is not judged.
 */
size_t json_cut_list(char *text, size_t n, const char *name);

#endif
