/* SPDX-License-Identifier: MIT */
/* Opens devices by name. */
#include "linux/devices.h"

#include <fcntl.h>

int null_device_open(void)
{
	return open("/dev/null", O_RDWR | O_CLOEXEC);
}

int controlling_terminal_open(void)
{
	return open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
}
