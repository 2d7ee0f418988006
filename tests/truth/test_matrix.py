# SPDX-License-Identifier: MIT
"""The capability matrix: no source of any record reports more or less than its quality says."""
import pytest

from matrix import LOADS, cells_of, table

SOURCES = ["--measurements", "default,perf_*,connector_*"]


def test_no_source_is_wrong_in_silence(run_assay, user, capsys):
    columns = {name: cells_of(run_assay.load(*arguments, options=["-i", "0.2s", *SOURCES], user=user))
               for name, arguments in LOADS.items()}

    with capsys.disabled():
        print("\n" + table(columns))
    wrong = [f"{cell.key} on {name}: {cell.value} of {cell.low} to {cell.high}, {cell.quality} ({cell.why})"
             for name, cells in columns.items() for cell in cells.values() if not cell.is_honest()]
    assert not wrong, "\n".join(wrong)
