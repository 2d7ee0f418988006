/* SPDX-License-Identifier: MIT */
/* Devices that are opened by name. */
#ifndef ASSAY_LINUX_DEVICES_H
#define ASSAY_LINUX_DEVICES_H

/* Both are O_CLOEXEC; -1 and errno on failure. */
int null_device_open(void);
/* The terminal that controls our session, without waiting for it. */
int controlling_terminal_open(void);

#endif
