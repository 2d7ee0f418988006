# SPDX-License-Identifier: MIT
"""A plugin of pytest for builds with sanitizers: of each test one case, but every case of those that feed the program what somebody else made.

What a sanitizer looks for is in the code that a test goes through, and most of a test's cases go through the same: what they differ in is
the number, the word or the moment that must come out, and those are the plain build's to show. Where cases differ in what is read (files of
other tools, damaged records, numbers and options that make no sense, memory that is refused), each is another way through the code.
"""
EVERY_CASE = (
    "tests/cli/test_control_characters.py", "tests/cli/test_corners_", "tests/cli/test_fixtures.py", "tests/cli/test_harm.py",
    "tests/cli/test_hostile_files.py", "tests/cli/test_import", "tests/cli/test_messages.py", "tests/cli/test_options.py",
    "tests/cli/test_size_script.py",
)


def pytest_collection_modifyitems(config, items):
    seen, kept, others = set(), [], []
    for item in items:
        path, _, case = item.nodeid.partition("::")
        test = (path, case.partition("[")[0])
        (others if test in seen and not path.startswith(EVERY_CASE) else kept).append(item)
        seen.add(test)
    items[:] = kept
    config.hook.pytest_deselected(items=others)
