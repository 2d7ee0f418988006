# SPDX-License-Identifier: MIT
"""Takes processors and memory bus away from what is checked, as other jobs of a machine do."""
import multiprocessing
import os
import random
import signal
import time

COPY_BYTES = 64 << 20
BURST_SECONDS = 0.2
PAUSE_SECONDS = 0.02


def copy(parent):
    """Copies memory in bursts with short pauses, until whoever started it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    source, target = bytearray(COPY_BYTES), bytearray(COPY_BYTES)
    while os.getppid() == parent:
        end = time.monotonic() + random.uniform(0, 2 * BURST_SECONDS)
        while time.monotonic() < end:
            target[:] = source
        time.sleep(random.uniform(0, 2 * PAUSE_SECONDS))


class UnderLoad:
    """While it is entered, each processor has one process more that wants it whole, and the memory bus is full of their copies."""

    def __enter__(self):
        how = multiprocessing.get_context("fork")
        self.processes = [how.Process(target=copy, args=(os.getpid(),), daemon=True) for _ in range(os.cpu_count() or 1)]
        for process in self.processes:
            process.start()
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.terminate()
            process.join()
