# SPDX-License-Identifier: MIT
"""The check itself: what it counts, what it runs again, what it need not look at again."""
import contextlib
import os
import subprocess
import sys
import time

import pytest

from support import REPOSITORY, wait_for

sys.path.insert(0, str(REPOSITORY / "tools"))
from checking import kept, tests, under_load  # noqa: E402
from checking.results import Results  # noqa: E402


@pytest.fixture
def listed(tmp_path):
    """Writes the list of cases that were unsteady before."""
    def write(*lines):
        path = tmp_path / "unsteady.txt"
        path.write_text("# a comment\n\n" + "".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path
    return write


def with_failures(count, passes_alone):
    results = Results()
    for number in range(count):
        results.fail(f"case {number}", "tests/cli", f"first {number}", again=lambda n=number: (passes_alone, f"alone {n}"))
    results.try_again()
    return results


def names(cases):
    return [case.name for case in cases]


def last_line(capsys, results):
    capsys.readouterr()
    results.say_end()
    return capsys.readouterr().out.splitlines()[-1]


def test_a_case_that_passes_alone_is_unsteady_and_both_outputs_are_printed(listed, capsys):
    results = with_failures(1, passes_alone=True)
    results.judge_unsteady(listed())
    said = capsys.readouterr().out

    assert "unsteady case 0" in said and "first 0" in said and "alone 0" in said
    assert names(results.unsteady) == ["case 0"]
    assert last_line(capsys, results) == "1 passed, 0 failed, 0 skipped"


def test_a_case_that_fails_alone_as_well_has_failed(listed, capsys):
    results = with_failures(1, passes_alone=False)
    results.judge_unsteady(listed())

    assert (names(results.failed), results.unsteady) == (["case 0"], [])
    assert last_line(capsys, results) == "0 passed, 1 failed, 0 skipped"


def test_a_failure_that_is_no_test_is_not_tried_again(listed):
    results = Results()
    results.fail("clang-tidy", "lint", "a warning")
    results.try_again()
    results.judge_unsteady(listed())

    assert names(results.failed) == ["clang-tidy"]


@pytest.mark.parametrize("count, failed", [(2, 0), (3, 3)])
def test_two_unsteady_cases_are_let_pass_and_three_are_not(listed, count, failed):
    results = with_failures(count, passes_alone=True)
    results.judge_unsteady(listed())

    assert (len(results.passed), len(results.failed)) == (count - failed, failed)


def test_a_case_that_was_unsteady_before_fails(listed):
    results = with_failures(2, passes_alone=True)
    results.judge_unsteady(listed("2026-11-30 case 1: the pipe was full, it seems"))

    assert names(results.passed) == ["case 0"]
    assert len(results.failed) == 1 and results.failed[0].name.startswith("case 1: unsteady for the second time")


@pytest.mark.parametrize("lines, said", [
    (["2026-11-30 case 1: one", "2026-12-01 case 1: two"], ":4: case 1 stands here for the second time"),
    (["case 1: one"], ":3: not `DATE CASE: cause sought so far`"), (["2026-11-30 case 1"], ":3: not `DATE CASE: cause sought so far`"),
    (["2026-11-30 case 1: "], ":3: not `DATE CASE: cause sought so far`"),
])
def test_a_list_of_unsteady_cases_that_is_wrong_fails(listed, lines, said):
    results = Results()
    results.judge_unsteady(listed(*lines))

    assert len(results.failed) == 1 and results.failed[0].name.endswith(said)


def test_the_list_of_this_tree_is_in_order():
    results = Results()
    results.judge_unsteady(REPOSITORY / "tests" / "unsteady.txt")

    assert names(results.failed) == []


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A tree with one file of whole-program tests, and programs that do nothing."""
    for build in ("build-none", "build-asan"):
        (tmp_path / build).mkdir()
        (tmp_path / build / "assay").touch()
    (tmp_path / "tools").symlink_to(REPOSITORY / "tools")
    (tmp_path / "conftest.py").write_text("def pytest_configure(config):\n"
                                          "    config.addinivalue_line('markers', 'alone: by itself')\n")
    monkeypatch.setattr(tests, "TOP", tmp_path)
    run = tests.run
    monkeypatch.setattr(tests, "run", lambda *words, **how: run(*words, **how, cwd=tmp_path))

    def write(text, build="build-none", folder="cli", name="some", more=()):
        (tmp_path / "tests" / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / "tests" / folder / f"test_{name}.py").write_text(text, encoding="utf-8")
        results = Results()
        tests.system_tests(results, build, more=more)
        return results
    return write


FILE = "build-none tests/cli/test_some.py::"


def test_every_whole_program_test_counts_once(tree):
    results = tree("""
import pytest
def test_good(): pass
def test_bad(): assert 1 == 2, "one is not two"
@pytest.mark.parametrize("word", ["a b", "c::d", "x@y"])
def test_words(word): pass
def test_not_here(): pytest.skip("no such machine")
@pytest.fixture
def broken(): raise RuntimeError("no fixture")
def test_without(broken): pass
@pytest.fixture
def leaves():
    yield
    raise RuntimeError("not left")
def test_left(leaves): pass
@pytest.mark.alone
def test_by_itself(): pass
@pytest.mark.xdist_group("group:one")
def test_of_a_group(): pass
""")

    assert sorted(names(results.passed)) == sorted(FILE + name for name in [
        "test_good", "test_words[a b]", "test_words[c::d]", "test_words[x@y]", "test_by_itself", "test_of_a_group"])
    assert sorted(names(results.failed)) == sorted(FILE + name for name in ["test_bad", "test_without", "test_left"])
    assert [(case.name, case.output) for case in results.skipped] == [(FILE + "test_not_here", "no such machine")]
    assert "one is not two" in next(case.output for case in results.failed if case.name.endswith("test_bad"))


def test_what_failed_among_others_is_run_alone(tree, tmp_path):
    results = tree(f"""
import os
def test_unsteady():
    first = not os.path.exists({str(tmp_path)!r} + "/seen")
    open({str(tmp_path)!r} + "/seen", "w").close()
    assert not first, "at first"
def test_bad(): assert False
""")
    assert len(results.failed) == 2
    results.try_again()

    assert names(results.unsteady) == [FILE + "test_unsteady"]
    assert names(results.failed) == [FILE + "test_bad"]


@pytest.mark.parametrize("text", ["import nothing_of_this_name\n", ""])
def test_a_file_that_runs_nothing_is_a_failure(tree, text):
    assert "pytest with build-none, alone" in " ".join(names(tree(text).failed))


def test_a_worker_that_dies_fails_the_case_it_had(tree):
    results = tree("import os\ndef test_dies(): os._exit(3)\ndef test_lives(): pass\n")

    assert names(results.failed) == [FILE + "test_dies"]
    assert names(results.passed) == [FILE + "test_lives"]


def test_a_sanitizer_sees_one_case_of_each_test_and_every_input(tree):
    text = """
import pytest
@pytest.mark.parametrize("count", [1, 2, 3])
def test_count(count): pass
@pytest.mark.alone
@pytest.mark.parametrize("count", [1, 2])
def test_by_itself(count): pass
"""
    truth = tree(text, "build-asan", "truth", "numbers")
    assert sorted(names(truth.passed)) == [f"build-asan tests/truth/test_numbers.py::{name}[1]" for name in ("test_by_itself", "test_count")]

    assert len(tree(text, "build-none", "truth", "numbers").passed) == 5
    for build, more, count in (("build-asan", (), 5), ("build-none", tests.ONE_CASE_EACH, 2)):
        both = tree(text, build, "cli", "hostile_files", more)
        assert len([name for name in names(both.passed) if "tests/cli" in name]) == count


@pytest.fixture
def sources(tmp_path):
    """A source file with a header of its own, one of the system, and a file that it does not include."""
    (tmp_path / "one.c").write_text('#include "one.h"\n#include <errno.h>\nint one(void) { return ONE; }\n')
    (tmp_path / "one.h").write_text("#define ONE 1\n")
    (tmp_path / "two.h").write_text("#define TWO 2\n")
    return tmp_path


def key_in(sources, *options):
    return kept.compiler_key(["gcc", *options, "-MD", "-MF", "one.d", "-o", "one.o", "-c", "one.c"], "one.c", str(sources))


def change(path, text):
    path.write_text(text)
    kept.content_key.cache_clear()


@pytest.mark.parametrize("name, text", [("one.c", '#include "one.h"\n'), ("one.h", "#define ONE 1 // one\n")])
def test_what_the_compiler_reads_is_looked_at_again_when_it_changes(sources, name, text):
    before = key_in(sources)
    change(sources / name, text)

    assert key_in(sources) != before


def test_what_the_compiler_does_not_read_changes_nothing_and_its_options_do(sources):
    before = key_in(sources)
    change(sources / "two.h", "#define TWO 3\n")

    assert key_in(sources) == before
    assert key_in(sources, "-DX=1") != before


def test_only_what_passed_is_remembered_and_what_nobody_needs_is_forgotten(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    kept.remember("new")
    kept.remember("old")
    os.utime(kept.directory() / "old", (0, time.time() - 2 * kept.MONTH_SECONDS))
    kept.forget_old()

    assert (kept.passed_before("new"), kept.passed_before("old"), kept.passed_before("never")) == (True, False, False)


def test_keys_of_other_parts_are_other_keys():
    assert len({kept.key_of("ab", "c"), kept.key_of("a", "bc"), kept.key_of("abc"), kept.key_of("abc", "")}) == 4


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat", encoding="utf-8").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_load_takes_every_processor_and_is_gone_afterwards():
    with under_load.UnderLoad() as load:
        pids = [process.pid for process in load.processes]
        wait_for(lambda: all(cpu_seconds(pid) > 0.1 for pid in pids), "each process of the load to work")
    assert len(pids) == os.cpu_count()
    assert not any(os.path.exists(f"/proc/{pid}") for pid in pids)


def test_load_ends_with_whoever_started_it(tmp_path):
    script = ("import sys, time\nsys.path.insert(0, sys.argv[1])\nfrom checking.under_load import UnderLoad\n"
              "with UnderLoad() as load:\n    print(*(p.pid for p in load.processes), flush=True)\n    time.sleep(600)\n")
    with subprocess.Popen([sys.executable, "-c", script, str(REPOSITORY / "tools")], stdout=subprocess.PIPE, text=True) as process:
        pids = [int(word) for word in process.stdout.readline().split()]
        process.kill()

    def gone(pid):
        with contextlib.suppress(FileNotFoundError):
            return open(f"/proc/{pid}/stat", encoding="utf-8").read().rpartition(")")[2].split()[0] in "ZX"
        return True
    assert pids
    wait_for(lambda: all(map(gone, pids)), "the load to end")
