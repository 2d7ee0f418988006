# SPDX-License-Identifier: MIT
"""What tools/check.py is made of: one file a kind of check."""
