# SPDX-License-Identifier: MIT
"""The rule that no program takes a fact out of the sentences of a record: what it finds, and what it lets be."""
import sys

import pytest

from support import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tools"))
import check_tree  # noqa: E402
import check_facts  # noqa: E402

FILE = "src/show/made_up.c"


def found(text, file=FILE, others=()):
    return [(name, line) for name, line, _ in check_facts.check([(file, check_tree.without_comments(text)), *others])]


def function(body, header="static bool judge(const json_t *info)"):
    return header + "\n{\n" + "".join(f"\t{line}\n" for line in body) + "}\n"


VIOLATIONS = {
    "through a variable": ['const char *words = info_text(info, "outcome", "words");', "", 'return words && strstr(words, "OOM killer");'],
    "at once": ['return strncmp(info_text(info, "outcome", "evidence"), "wait", 4) == 0;'],
    "by the path of a field": ['struct field f = run_field(info, "outcome.words");', 'const char *text = f.text;',
                               'return sscanf(info_text(info, "headline.memory_peak_bytes.why", NULL), "%d", &n) == 1;'],
    "in a struct of the run": ["return strcasestr(run->outcome.words, name) != NULL;"],
    "in a note": ["for (size_t i = 0; i < run->n_notes; i++)", '\tif (strstr(run->notes[i], "alarm"))', "\t\treturn true;", "return false;"],
    "in a member that is compared": ['return info_is(limit, "note", "of each node");'],
    "from a place within it": ['const char *why = info_text(info, "x", "why");', "const char *at = why + 3;", "return parse_size(at, &bytes, NULL) == 0;"],
    "in a copy": ['char text[40];', 'snprintf(text, sizeof(text), "%s", info_text(info, "x", "why"));', 'return strcmp(text, "completed") == 0;'],
    "by its first letter": ['const char *why = info_text(info, "x", "why");', "return strchr(why, ';');"],
    "by an expression": ['return regexec(&regex, info_text(info, "outcome", "words"), 0, NULL, 0) == 0;'],
}


@pytest.mark.parametrize("body", VIOLATIONS.values(), ids=VIOLATIONS.keys())
def test_a_fact_taken_out_of_words_is_found(body):
    line = next(number for number, text in enumerate(body, 3) if any(f"{name}(" in text for name in (
        *check_facts.MEANING, *check_facts.DIRECTLY, *check_facts.COMPARE_MEMBER)))
    assert found(function(body)) == [(FILE, line)]


def test_a_function_that_hands_it_on_is_found_where_it_is_given_the_words():
    helpers = function(["return strncmp(text, with, strlen(with)) == 0;"], "bool begins(const char *text, const char *with)")
    through = function(["return begins(name, \"killed\");"], "bool is_killed(const char *name)")
    guilty = function(['return is_killed(info_text(info, "outcome", "words"));'])
    innocent = function(['return is_killed(info_text(info, "outcome", "cause"));'])
    others = [("src/base/begins.c", helpers), ("src/show/through.c", through)]

    assert found(guilty, others=others) == [(FILE, 3)]
    assert not found(innocent, others=others)


def test_words_may_be_shown_measured_and_looked_for_by_name():
    assert not found(function(['const char *words = info_text(info, "outcome", "words");', "size_t n = strlen(words);",
                               "text_add_printable(out, words, n);", 'buf_addf(out, ": %s", words);',
                               "return words && !*words;"]))
    assert not found(function(['return strcmp(name, "words") == 0 || strncmp(name, text, strlen(o->words)) == 0;']))
    assert not found(function(['return info_is(json_object_get(info, "outcome"), "cause", "oom_kill");']))
    assert not found(function(["/* strstr(info->outcome.words, \"x\") */", "return true;"]))


def test_the_one_file_for_old_records_may():
    body = VIOLATIONS["through a variable"]

    assert found(function(body)) and not found(function(body), file=check_facts.OLD_RECORDS)


def test_the_tree_keeps_the_rule_and_the_file_for_old_records_needs_its_leave():
    """Were the rule blind, the old reader would not be found either."""
    sources = [(name, check_tree.without_comments((REPOSITORY / name).read_text())) for name in check_tree.tree()
               if name.startswith("src/") and name.endswith((".c", ".h"))]
    moved = [("src/show/old_words.c" if name == check_facts.OLD_RECORDS else name, text) for name, text in sources]

    assert not list(check_facts.check(sources))
    assert {name for name, _, _ in check_facts.check(moved)} == {"src/show/old_words.c"}
