# SPDX-License-Identifier: MIT
"""A plugin of pytest: of each test one case, and with --every-input every case of those that feed the program what somebody else made.

So a quick look has all tests, and so have builds with sanitizers: what a sanitizer looks for is in the code that a test goes through, and most
of a test's cases go through the same. What they differ in is the number, the word or the moment that must come out, and those are the whole
run's with the plain build to show. Where cases differ in what is read (files of other tools, damaged records, numbers that make no sense,
memory that is refused), each is another way through the code.
"""
OF_INPUT = (
    "tests/cli/test_control_characters.py", "tests/cli/test_corners_", "tests/cli/test_fixtures.py", "tests/cli/test_harm.py",
    "tests/cli/test_hostile_files.py", "tests/cli/test_import", "tests/cli/test_messages.py", "tests/cli/test_size_script.py",
)


def pytest_addoption(parser):
    parser.addoption("--every-input", action="store_true", help="every case of the tests that read what somebody else made")


def pytest_collection_modifyitems(config, items):
    whole = OF_INPUT if config.getoption("--every-input") else ()
    seen, kept, others = set(), [], []
    for item in items:
        path, _, case = item.nodeid.partition("::")
        test = (path, case.partition("[")[0])
        (others if test in seen and not path.startswith(whole) else kept).append(item)
        seen.add(test)
    items[:] = kept
    config.hook.pytest_deselected(items=others)
