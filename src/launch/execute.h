/* SPDX-License-Identifier: MIT */
/* Turns the process into a command, and says as a shell would why that failed. */
#ifndef ASSAY_LAUNCH_EXECUTE_H
#define ASSAY_LAUNCH_EXECUTE_H

/* execvp(3). Returns only when it failed: the errno. ENOENT also where a directory of PATH could not be searched and none that could
 * holds the name: execvp(3) says EACCES then, a shell "not found". */
int execute(char *const *argv);

#endif
