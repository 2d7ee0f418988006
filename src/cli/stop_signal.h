/* SPDX-License-Identifier: MIT */
/* For verbs that write files: a signal that would end us waits until what is half written is tidied up. */
#ifndef ASSAY_CLI_STOP_SIGNAL_H
#define ASSAY_CLI_STOP_SIGNAL_H

#include <signal.h>

/* The one of SIGINT, SIGTERM and SIGHUP that came while they were held; 0: none. */
extern volatile sig_atomic_t stop_signal;

/* From here on the first of each is noted; a second one ends us at once. Those that are ignored stay so. */
void stop_signals_hold(void);
/* They do again what they do. */
void stop_signals_release(void);
/* The same, and the one that came ends us now. */
void stop_signals_obey(void);

#endif
