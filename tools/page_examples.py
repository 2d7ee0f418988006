# SPDX-License-Identifier: MIT
"""Reads the commands in a man page's EXAMPLES and says which verbs and options do not exist, for check_docs.py."""
import re
import shlex

FEWEST = 3
FRONT = ["-h", "--help", "-V", "--version"]
ENDS = set("|;&()<>")  # where the words of a command end


def blocks(text):
    """The blocks between ``` below # EXAMPLES."""
    section = re.search(r"^# EXAMPLES\n(.*?)(?=^# |\Z)", text, re.M | re.S)
    return re.findall(r"^```\n(.*?)^```$", section[1], re.M | re.S) if section else None


def tokens(block):
    """The words as a shell cuts them; what stands in quotes, $(...) included, is a part of its word."""
    lexer = shlex.shlex(block.replace("\\\n", " ").replace("\n", ";"), posix=True, punctuation_chars="|;&()<>")
    lexer.wordchars += "$%{}[]@+,:^!#\\"
    lexer.commenters = ""
    return list(lexer)


def commands(block):
    """(program, its words) of each call of assay or duct, by whatever it is called: sudo, srun, env."""
    words = tokens(block)
    for at, word in enumerate(words):
        if word not in ("assay", "duct"):
            continue
        end = at + 1
        while end < len(words) and not set(words[end]) <= ENDS:
            end += 1
        yield word, words[at + 1:end]


def named(verb, word):
    """The option that a word of the command line names, and whether its argument is in the next word."""
    for option in verb["options"]:
        names = ["--" + option[key] for key in ("name", "alias") if key in option]
        if word.partition("=")[0] in names:
            return option, "argument" in option and "=" not in word
    return None, False


def unknown_letters(verb, word):
    """(the letters of a word like -qi that are no options, whether an argument follows in the next word)."""
    known = {option["letter"]: option for option in verb["options"] if "letter" in option}
    for at, letter in enumerate(word[1:], 1):
        if letter not in known:
            return letter, False
        if "argument" in known[letter]:
            return "", at == len(word) - 1
    return "", False


def mistakes_in(verb, words):
    """What the verb would not understand of its words."""
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--" or (not verb["mixed"] and not re.match(r"-.", word)):
            return
        if word.startswith("--"):
            option, takes_next = named(verb, word)
            if not option:
                yield f"there is no {word.partition('=')[0]} of {verb['name']}"
        elif re.match(r"-.", word):
            letter, takes_next = unknown_letters(verb, word)
            if letter:
                yield f"there is no -{letter} of {verb['name']}"
        else:
            takes_next = False
        at += takes_next


def mistakes(text, verbs):
    """Whatever is wrong with the examples of a page; `verbs` by name."""
    found = blocks(text)
    if found is None:
        yield "EXAMPLES"
        return
    n = 0
    for block in found:
        called = list(commands(block))
        n += bool(called)
        for program, words in called:
            if program == "duct":
                yield from mistakes_in(verbs["run"], words)
            elif not words:
                yield "a verb in an example"
            elif words[0] in verbs:
                yield from mistakes_in(verbs[words[0]], words[1:])
            elif words[0] not in FRONT:
                yield f"the verb '{words[0]}' of an example: it does not exist"
    if n < FEWEST:
        yield f"EXAMPLES: {n} that call the program, not {FEWEST}"
