/* SPDX-License-Identifier: MIT */
/* Signals by name. */
#ifndef ASSAY_BASE_SIGNAL_NAME_H
#define ASSAY_BASE_SIGNAL_NAME_H

#define SIGNAL_NAME_SIZE 24

/* "SIGKILL", "SIGRTMIN+3"; "SIG" and the number for one that has no name. */
void format_signal(int number, char text[SIGNAL_NAME_SIZE]);

#endif
