# SPDX-License-Identifier: MIT
"""Records that are written by hand, for the verbs that read them, and how wide a terminal shows a text."""
import json
import unicodedata


def columns_of(text):
    """The columns of a terminal that it takes."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def headline(**values):
    """NAME=value, or NAME=(value, quality); the value is exact."""
    return {name: {"value": v[0], "quality": v[1], "key": "k_" + name} if isinstance(v, tuple)
            else {"value": v, "quality": "exact", "key": "k_" + name} for name, v in values.items()}


def write_record(path, windows=None, **info):
    """A run that is done, with these members in its info, and windows (a str or bytes as they are; None: no series)."""
    path.mkdir(parents=True)
    path.chmod(0o755)
    whole = {"schema": "assay-run", "version": "1.0", "state": "done", "id": path.name, "command": {"text": "job", "argv": ["job"]},
             "time": {"started": "2026-11-28T10:00:00Z", "utc_offset": "+00:00", "wall_seconds": 10.0},
             "outcome": {"exit_code": 0, "words": "exited 0", "evidence": "wait status 0"},
             "headline": headline(wall_seconds=10.0), "notes": [], **info}
    (path / "info.json").write_text(json.dumps(whole), encoding="utf-8")
    if windows is not None:
        lines = [json.dumps(w) + "\n" if isinstance(w, dict) else w for w in windows]
        (path / "usage.jsonl").write_bytes(b"".join(line.encode() if isinstance(line, str) else line for line in lines))
    return path
