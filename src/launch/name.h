/* SPDX-License-Identifier: MIT */
/* What a process of ours is called in lists of processes. */
#ifndef ASSAY_LAUNCH_NAME_H
#define ASSAY_LAUNCH_NAME_H

/* Gives the calling process a name of its own, so that who looks for assay, by name or by command line, finds assay alone. */
void change_name(const char *name);

#endif
