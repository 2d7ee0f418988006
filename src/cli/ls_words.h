/* SPDX-License-Identifier: MIT */
/* Which of the paths that were named lie in others of them: a run is listed once, however many of them lead to it. */
#ifndef ASSAY_CLI_LS_WORDS_H
#define ASSAY_CLI_LS_WORDS_H

/* Takes words out that are the same place as one before them, or lie below another. 0 or -ENOMEM. */
int ls_words_apart(char **words);

#endif
