#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Fills the manual with the rows that `assay completion json` prints: option_pages.py PAGE.scd.in ROWS.json

  @OPTIONS@        in assay-VERB.1.scd.in: a definition of each option of the verb, made from its row
  @MORE name@      behind it: the lines up to the next @ or heading are added to that option. They go on where its help ends, and are not
                   indented; what stands behind an empty line becomes paragraphs of their own behind default and variable.
  @END@            ends the last of them where something else follows than a heading
  @VERBS@          in assay.1.scd.in: a definition of each verb

ROWS.json may be - for standard input. What names no option is a mistake: one line and exit status 1.
"""
import json
import re
import sys
from pathlib import Path

from measures_table import escaped

# What a word of a help text is, the first that fits: (kind, expression). ARGUMENT and CHOICE are filled in for each option.
WORDS = [
    ("quoted", r"'(?:[^']+)'"),
    ("option", r"(?<![\w-])--[a-z][a-z-]*(?:=\w+)?"),
    ("page", r"\b[a-z][\w-]*\(\d\)"),
    ("field", r"\{[^{}]*\}"),
    ("argument", r"(?<![\w-])ARGUMENT(?:[a-z][\w.]*)?(?!\w)"),
    ("choice", r"(?<![\w-])(?:CHOICE)(?=[:,;.)]|$| \()"),
]


class Mistake(Exception):
    """The page does not fit the rows."""


def bold(text):
    return f"*{escaped(text)}*"


def marked_word(kind, text, argument):
    if kind == "quoted":
        return bold(text[1:-1])
    if kind == "page":
        return bold(text[:text.index("(")]) + text[text.index("("):]
    if kind == "argument":
        rest = text[len(argument):]
        return f"_{escaped(argument)}_" + (bold(rest) if rest else "")
    if kind == "field":
        return f"_{escaped(text)}_"
    return bold(text)


def marked(text, option):
    """A help text with its words in bold and underlined, as a page has them."""
    argument = option.get("argument", "")
    choices = "|".join(re.escape(word) for word in sorted(option.get("choices", []), key=len, reverse=True))
    kinds = [(kind, expression.replace("ARGUMENT", re.escape(argument)).replace("CHOICE", choices)) for kind, expression in WORDS
             if (argument or kind != "argument") and (choices or kind != "choice")]
    pattern = re.compile("|".join(f"(?P<{kind}>{expression})" for kind, expression in kinds))
    done, at = "", 0
    for match in pattern.finditer(text):
        done += escaped(text[at:match.start()]) + marked_word(match.lastgroup, match[0], argument)
        at = match.end()
    return done + escaped(text[at:])


def sentence(text, option):
    """Begins with a capital letter, unless it begins with a value, and ends with a full stop."""
    said = marked(text, option)
    return (said if said.startswith("*") else said[0].upper() + said[1:]) + "."


def head(option):
    """*-i*, *--interval* _DURATION_"""
    names = [bold("-" + option["letter"])] if "letter" in option else []
    names += [bold("--" + option[name]) for name in ("name", "alias") if name in option]
    argument = re.sub(r"[A-Z]+", lambda word: f"_{word[0]}_", option.get("argument", ""))
    return ", ".join(names) + (" " + argument if argument else "")


def facts(option):
    """Whatever the row says besides its help."""
    choices = option.get("choices", [])
    if any(not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", option["help"]) for word in choices):
        yield f"One of {', '.join(bold(word) for word in choices)}."
    if "default" in option:
        yield f"Default: {marked(option['default'], option)}."
    if "unit" in option:
        yield f"A bare number is {option['unit']}."
    if "variable" in option:
        yield f"Variable: {bold(option['variable'])}" + ("." if "argument" in option else " (1 or 0).")


def wrapped(lines):
    return ["\t" + line.strip() if line.strip() else "" for line in lines]


def definition(option, more):
    """`more` are the lines that a page adds."""
    first, rest = more, []
    if "" in more:
        first, rest = more[:more.index("")], more[more.index(""):]
    yield head(option)
    yield from wrapped([sentence(option["help"], option), *first, " ".join(facts(option))] if list(facts(option)) else
                       [sentence(option["help"], option), *first])
    yield from wrapped(rest)
    yield ""


def definitions(verb, blocks):
    """All options of a verb; `blocks` are what its page adds to each, and are used up."""
    for option in verb["options"]:
        if "group" in option:
            yield f"## {escaped(option['group'])}"
            yield ""
        yield from definition(option, blocks.pop(option["name"], []))


def cut_blocks(lines):
    """The blocks behind @OPTIONS@, by option, and the lines behind them."""
    blocks, name = {}, None
    for number, line in enumerate(lines):
        match = re.fullmatch(r"@MORE ([a-z-]+)@", line)
        if match:
            name = match[1]
            if name in blocks:
                raise Mistake(f"two blocks @MORE {name}@")
            blocks[name] = []
        elif line == "@END@":
            return trimmed(blocks), lines[number + 1:]
        elif line.startswith("# ") or (name is None and line):
            return trimmed(blocks), lines[number:]
        elif name is not None:
            blocks[name].append(line)
    return trimmed(blocks), []


def trimmed(blocks):
    return {name: "\n".join(lines).strip("\n").split("\n") for name, lines in blocks.items()}


def verb_list(verbs):
    for verb in verbs:
        yield bold(verb["name"])
        yield f"\t{sentence(verb['help'], {})} {bold('assay-' + verb['name'])}(1)"
        yield ""


def filled(name, text, verbs):
    """The scdoc source of a page; `name` is "assay-run.1"."""
    lines = text.rstrip("\n").split("\n")
    verb = next((verb for verb in verbs if f"assay-{verb['name']}.1" == name), None)
    if "@VERBS@" in lines:
        at = lines.index("@VERBS@")
        lines[at:at + 1] = list(verb_list(verbs))[:-1]
    if verb and "@OPTIONS@" not in lines:
        raise Mistake("there is no @OPTIONS@")
    if verb:
        at = lines.index("@OPTIONS@")
        blocks, after = cut_blocks(lines[at + 1:])
        lines[at:] = definitions(verb, blocks)
        if blocks:
            raise Mistake(f"@MORE {next(iter(blocks))}@: there is no such option")
        while after and not after[0]:
            del after[0]
        lines += after
    left = next((line for line in lines if re.match(r"@[A-Z]", line)), None)
    if left:
        raise Mistake(f"'{left}' stands where it means nothing")
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    page = Path(sys.argv[1])
    with sys.stdin if sys.argv[2] == "-" else open(sys.argv[2], encoding="utf-8") as file:
        verbs = json.load(file)["verbs"]
    try:
        sys.stdout.write(filled(page.name.removesuffix(".scd.in"), page.read_text(encoding="utf-8"), verbs))
    except Mistake as mistake:
        sys.exit(f"{page}: {mistake}")


if __name__ == "__main__":
    main()
