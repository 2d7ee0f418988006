/* SPDX-License-Identifier: MIT */
/* Starts the verb of the trial as src/cli/main.c starts one. */
#include "trial.h"

int main(int argc, char **argv)
{
	occupy_standard_streams();
	return argc < 2 ? EXIT_USAGE : verb_start(&verb_trial, argv + 1);
}
