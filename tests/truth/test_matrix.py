# SPDX-License-Identifier: MIT
"""The capability matrix: no source of any record reports more or less than its quality says."""
from pathlib import Path

from matrix import LOADS, cells_of, table

# Beside the default; a kernel keeps some of them from an ordinary user.
SOURCES = ["perf_*", "connector_*"]
PARANOID = Path("/proc/sys/kernel/perf_event_paranoid")


def sources_for(run_assay, user):
    """The default and what this user may measure beside it; what is refused is refused with the reason."""
    wanted = ["default"]
    for source in SOURCES:
        run = run_assay(["true"], ["--measurements", source], user=user, complete=False)
        if run.status == 0:
            wanted.append(source)
            continue
        assert run.status == 2 and f"measurement '{source}' cannot be taken here: ".encode() in run.stderr, run.stderr
        assert user.uid != 0, run.stderr
        assert source != "perf_*" or int(PARANOID.read_text()) > 2, run.stderr
    return ["--measurements", ",".join(wanted)]


def test_no_source_is_wrong_in_silence(run_assay, user, capsys):
    options = ["-i", "0.2s", *sources_for(run_assay, user)]
    columns = {name: cells_of(run_assay.load(*arguments, options=options, user=user))
               for name, arguments in LOADS.items()}

    with capsys.disabled():
        print("\n" + table(columns))
    wrong = [f"{cell.key} on {name}: {cell.value} of {cell.low} to {cell.high}, {cell.quality} ({cell.why})"
             for name, cells in columns.items() for cell in cells.values() if not cell.is_honest()]
    assert not wrong, "\n".join(wrong)
