/* SPDX-License-Identifier: MIT */
/* A verb that is a program of its own, assay-NAME, because it needs a library that `assay run` shall not wait for. */
#ifndef ASSAY_CLI_PROGRAM_H
#define ASSAY_CLI_PROGRAM_H

struct option_values;
struct verb;

/*
 * Becomes assay-NAME with the words behind argv[0] untouched. It is looked for beside the program that runs, then where `make install` puts
 * programs; never along PATH, where somebody else's may lie. Help is given, and wrong words are refused, without it. Returns the exit status
 * when it cannot: EXIT_TROUBLE after one line on stderr when the program is not there.
 */
int start_program(const struct verb *verb, char **argv);

/* What assay-NAME does, as `exec` in struct verb; written once in each such program, whose main() is program_main.c. */
int program_body(const struct verb *verb, struct option_values *values, char **words);

#endif
