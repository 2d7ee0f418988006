# SPDX-License-Identifier: MIT
"""The manual is made from the rows of the options: what a page becomes, and which mistakes in one are refused."""
import json
import re
import subprocess
import sys

import pytest

from support import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tools"))
import page_examples  # noqa: E402  pylint: disable=wrong-import-position
from option_pages import Mistake, filled  # noqa: E402  pylint: disable=wrong-import-position

VERB = {"name": "try", "help": "tries it", "mixed": False, "options": [
    {"name": "sort-by", "alias": "s-b", "letter": "s", "argument": "KEY=WORD", "default": "up", "choices": ["up", "down", "not"],
     "variable": "ASSAY_SORT", "repeats": False, "group": "How it looks",
     "help": "up: the least first; down: the greatest; KEYs count, as in KEY=WORDname; see 'assay try' and --wide_not"},
    {"name": "wide", "letter": "w", "variable": "ASSAY_WIDE", "repeats": False, "help": "shows {all} in *full*"},
    {"name": "wait", "argument": "DURATION", "unit": "seconds", "repeats": False, "help": "goes on so long"},
    {"name": "help", "letter": "h", "repeats": False, "help": "shows a short help"},
]}
SORT = (r"*-s*, *--sort-by*, *--s-b* _KEY_=_WORD_" "\n"
        "\t*up*: the least first; *down*: the greatest; KEYs count, as in _KEY=WORD_*name*; see *assay try* and *--wide*\\_not.\n")
REST = ("*-w*, *--wide*\n\tShows _{all}_ in \\*full\\*.\n\tVariable: *ASSAY\\_WIDE* (1 or 0).\n\n"
        "*--wait* _DURATION_\n\tGoes on so long.\n\tA bare number is seconds.\n\n"
        "*-h*, *--help*\n\tShows a short help.\n")
FACTS = "\tOne of *up*, *down*, *not*. Default: *up*. Variable: *ASSAY\\_SORT*.\n"


def page(text):
    return filled("assay-try.1", text, [VERB])


def test_a_row_becomes_a_definition_with_all_that_it_says():
    assert page("# OPTIONS\n\n@OPTIONS@\n\n# NEXT\n") == f"# OPTIONS\n\n## How it looks\n\n{SORT}{FACTS}\n{REST}\n# NEXT\n"


def test_what_a_page_adds_goes_on_in_the_option_and_further_paragraphs_stand_behind_its_facts():
    made = page("@OPTIONS@\n\n@MORE sort-by@\nTwo keys\nat most.\n\nA second one.\n\n@MORE wide@\nOr wider.\n@END@\n\nBehind.\n")

    assert made == (f"## How it looks\n\n{SORT}\tTwo keys\n\tat most.\n{FACTS}\n\tA second one.\n\n"
                    + REST.replace("full\\*.\n", "full\\*.\n\tOr wider.\n") + "\nBehind.\n")


def test_the_verbs_are_listed_in_their_order():
    assert filled("assay.1", "@VERBS@\n", [VERB, dict(VERB, name="two", help="does two")]) == (
        "*try*\n\tTries it. *assay-try*(1)\n\n*two*\n\tDoes two. *assay-two*(1)\n")


@pytest.mark.parametrize("text, mistake", [
    ("# OPTIONS\n", "there is no @OPTIONS@"),
    ("@OPTIONS@\n@MORE sort@\nx\n", "@MORE sort@: there is no such option"),
    ("@OPTIONS@\n@MORE wide@\nx\n@MORE wide@\ny\n", "two blocks @MORE wide@"),
    ("@MORE wide@\nx\n@OPTIONS@\n", "'@MORE wide@' stands where it means nothing"),
    ("@OPTIONS@\n@MORE Wide@\nx\n", "'@MORE Wide@' stands where it means nothing"),
])
def test_a_page_that_does_not_fit_the_rows_is_refused(text, mistake):
    with pytest.raises(Mistake) as raised:
        page(text)
    assert str(raised.value) == mistake


def examples(*blocks):
    return "# EXAMPLES\n\n" + "".join(f"What for:\n\n```\n{block}\n```\n\n" for block in blocks) + "# SEE ALSO\n"


GOOD = ["assay try -w --sort-by down words --unknown", "cd x && FOO=1 assay try --s-b=down -ws up -- --x | sort", "duct -w x --no"]


def wrong(*blocks):
    return list(page_examples.mistakes(examples(*blocks), {"try": VERB, "run": dict(VERB, name="run")}))


def test_three_examples_that_exist_are_enough():
    assert wrong(*GOOD) == []
    assert wrong(*GOOD, "jq . info.json") == []


@pytest.mark.parametrize("block, mistake", [
    ("assay tri -w", "the verb 'tri' of an example: it does not exist"),
    ("x | assay try --widest", "there is no --widest of try"),
    ("assay try -wx", "there is no -x of try"),
    ("$(assay try -x)", "there is no -x of try"),
    ("assay try -s up --widest", "there is no --widest of try"),
    ("time assay try \\\n  --widest", "there is no --widest of try"),
    ("duct --widest", "there is no --widest of run"),
])
def test_an_example_with_what_does_not_exist_is_a_mistake(block, mistake):
    assert wrong(*GOOD, block) == [mistake]


def test_too_few_examples_and_none_are_mistakes():
    assert wrong(*GOOD[:2], "jq . info.json") == ["EXAMPLES: 2 that call the program, not 3"]
    assert list(page_examples.mistakes("# SEE ALSO\n", {})) == ["EXAMPLES"]


def test_every_option_stands_in_the_page_that_is_installed(assay):
    built = assay.parent / "man"
    if not (built / "assay-run.1").exists():
        pytest.skip("built without man pages")
    verbs = json.loads(subprocess.run([assay, "completion", "json"], stdout=subprocess.PIPE, check=True).stdout)["verbs"]
    for verb in verbs:
        text = re.sub(r"\\f[BIR]|\\&", "", (built / f"assay-{verb['name']}.1").read_text()).replace("\\-", "-")
        for option in verb["options"]:
            names = [f"-{option['letter']}"] if "letter" in option else []
            names += ["--" + option[key] for key in ("name", "alias") if key in option]
            head = ", ".join(names) + (" " + option["argument"] if "argument" in option else "")
            assert text.count(f"\n{head}\n") == 1, (verb["name"], head)
