# SPDX-License-Identifier: MIT
"""A plugin of pytest for builds with sanitizers: of each test in tests/truth one case.

What a sanitizer looks for is in the code that a test goes through, and its cases go through the same; what they differ in is the
numbers that must come out, and those are the plain build's to show. Most of their time is waiting.
"""
NUMBERS = "tests/truth/"


def pytest_collection_modifyitems(config, items):
    seen, kept, others = set(), [], []
    for item in items:
        path, _, case = item.nodeid.partition("::")
        test = (path, case.partition("[")[0])
        (others if path.startswith(NUMBERS) and test in seen else kept).append(item)
        seen.add(test)
    items[:] = kept
    config.hook.pytest_deselected(items=others)
