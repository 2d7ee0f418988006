# SPDX-License-Identifier: MIT
"""The parts of tools/truth_table.py: the workloads, those who measure them, what becomes of a value, the page."""
