# SPDX-License-Identifier: MIT
"""Words are for people: no program takes a fact out of the sentences of a record. tools/check_tree.py runs this over src/.

A sentence is what a member of a record called words, why, evidence, note or notes holds, or a member of a struct by these names. It may be shown, copied and
measured, not compared, searched or parsed: not by a function of the C library, nor by one of ours that hands it on to such a one. It is followed through the
variables of a function and into the functions that it calls by name; not through structs by other names.
"""
import re

# The only file that may, and (file, text of the line, why it is no sentence of a record).
OLD_RECORDS = "src/record/old_words.c"
EXCEPTIONS = [
    ("src/cli/ls_names.c", "kind->why", "why a file could not be opened, which no record says"),
    ("src/model/run_info.c", "info->notes[i]", "a note is kept once"),
    ("src/compare/compare_same.c", "x->words", "what makes two records the same, in one text: no sentence"),
    ("src/page/html_summary.c", "strcmp(said, why)", "a sentence is shown once"),
    ("src/page/html_summary.c", "why_of_rung(", "the same"),
    ("src/size/size_plan.c", "->why_not", "whether all runs have one reason"),
]

MEMBERS = "words|why|evidence|notes?"
KEY = re.compile(rf'"(?:[\w.]+\.)?(?:{MEMBERS})"')
IN_STRUCT = re.compile(rf"(?:->|\.)(?:{MEMBERS})\b(?!\s*\()")
# Those that find something in a text or make something of it ...
MEANING = set("strstr strcasestr strcmp strncmp strcasecmp strncasecmp memmem fnmatch regexec sscanf strtol strtoll strtoul strtoull strtod "
              "parse_size parse_duration".split())
# ... those that do so only in the hands of who has a sentence: what wraps and escapes texts needs them too ...
DIRECTLY = set("strchr strrchr strpbrk strspn strcspn memchr memcmp".split())
# ... and those that look up a member and compare it in one: which argument is its name.
COMPARE_MEMBER = {"info_is": 1}
COPIES = set("snprintf memcpy strncpy copy_text size_put_text".split())
TEXT = re.compile(r'"(?:\\.|[^"\\])*"')
VARIABLE = re.compile(r"(?<![\w.>])([A-Za-z_]\w*)\b(?!\s*(?:->|\.|\())")
MEASURES = re.compile(r"\b(?:strlen|strnlen|sizeof)\s*\([^()]*\)")
# names that look like calls
KEYWORDS = set("if for while switch return sizeof defined".split())


class Function:
    def __init__(self, file, line, header, body):
        self.file, self.line, self.static = file, line, bool(re.search(r"\bstatic\b", header))
        match = re.search(r"(\w+)\s*\((.*)\)[^()]*$", header, re.S)
        self.name = match[1] if match else ""
        self.parameters = [re.findall(r"\w+", part)[-1] if re.search(r"\bchar\b", part) and "*" in part else None
                           for part in split(match[2])] if match else []
        self.spread = {}
        self.calls = list(calls_of(body, line))
        self.pointers = set(re.findall(r"\*\s*(?:const\s+)?(\w+)|\b(\w+)\[", header + body)) if match else set()
        self.pointers = {name for pair in self.pointers for name in pair if name}
        self.given = [(m[1], m[2]) for m in re.finditer(r"(?<![\w.>])(\w+)(?:\[[^\]]*\])?\s*=(?!=)([^;]*?)[;,](?![^(]*\)[^;]*=)", body)]
        self.given += [(m[1], m[2]) for m in re.finditer(r"(?<![\w.>])(\w+)\s*=(?!=)([^;]*);", body)]


def split(text):
    """Arguments: parts at the commas that are in no bracket or text."""
    parts, depth, start = [], 0, 0
    for match in re.finditer(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[(\[{]|[)\]}]|,', text):
        depth += (match[0] in "([{") - (match[0] in ")]}") if len(match[0]) == 1 else 0
        if match[0] == "," and depth == 0:
            parts.append(text[start:match.start()].strip())
            start = match.end()
    return [*parts, text[start:].strip()]


def calls_of(body, line):
    """(name, arguments, line) of each call, those within arguments too."""
    for match in re.finditer(r"(?<![\w.>])(\w+)\s*\(", body):
        if match[1] in KEYWORDS:
            continue
        depth, at = 1, match.end()
        for token in re.finditer(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[()]', body[at:]):
            depth += {"(": 1, ")": -1}.get(token[0], 0)
            if depth == 0:
                yield match[1], split(body[at:at + token.start()]), line + body.count("\n", 0, match.start())
                break


def functions_of(file, text):
    """text: without comments. Bodies begin and end in the first column."""
    for match in re.finditer(r"^\{\n(.*?)^\}", text, re.S | re.M):
        before = text[:match.start()]
        header = re.split(r"[;}]\s*\n|\n\s*\n", before.rstrip())[-1]
        yield Function(file, before.count("\n") + 2, header, match[1])


def mentions(expression, names):
    """Whether it has a sentence, by its member or by a variable that holds it; its length is none."""
    expression = MEASURES.sub("0", expression)
    if KEY.fullmatch(expression.strip()):
        return False
    if KEY.search(expression) or IN_STRUCT.search(expression):
        return True
    return holds(expression, names)


def holds(expression, names):
    """Whether one of the variables is in it, and not only a member of what it points to."""
    bare = TEXT.sub('""', MEASURES.sub("0", expression))
    return any(match[1] in names for match in VARIABLE.finditer(bare))


def spread(function, names, has):
    """The variables that hold a sentence when these do, and those that are given one."""
    names = set(names)
    while True:
        more = {to for to, expression in function.given
                if to in function.pointers and to not in names and has(expression, names)}
        for name, arguments, _ in function.calls:
            base = re.match(r"&?(\w+)$", arguments[0]) if name in COPIES else None
            if base and base[1] not in names and any(has(argument, names) for argument in arguments[1:]):
                more.add(base[1])
        if not more:
            return names
        names |= more


class Sources:
    """All functions, and which of their arguments they take a meaning out of."""

    def __init__(self, texts):
        self.functions = [f for file, text in texts for f in functions_of(file, text)]
        self.readers, self.known = {}, set(MEANING)
        changed = True
        while changed:
            changed = False
            for function in self.functions:
                for index, parameter in enumerate(function.parameters):
                    key = (function.file if function.static else "", function.name)
                    if not parameter or index in self.readers.get(key, ()):
                        continue
                    if self.takes(function, parameter):
                        self.readers.setdefault(key, set()).add(index)
                        self.known.add(function.name)
                        changed = True

    def takes(self, function, parameter):
        taken = [argument for name, arguments, _ in function.calls if name in self.known
                 for index, argument in enumerate(arguments) if self.means(function, name, index)]
        if not taken:
            return False
        if parameter not in function.spread:
            function.spread[parameter] = spread(function, {parameter}, holds)
        return any(holds(argument, function.spread[parameter]) for argument in taken)

    def means(self, function, name, index):
        return name in MEANING or index in self.readers.get((function.file, name), self.readers.get(("", name), ()))

    def findings(self):
        for function in self.functions:
            if function.file == OLD_RECORDS:
                continue
            names = spread(function, (), mentions)
            for name, arguments, line in function.calls:
                member = COMPARE_MEMBER.get(name)
                compares = member is not None and len(arguments) > member and KEY.fullmatch(arguments[member])
                if compares or any((name in DIRECTLY or self.means(function, name, index)) and mentions(argument, names)
                                   for index, argument in enumerate(arguments)):
                    yield function.file, line, f"{name}() takes a fact out of words of a record; only {OLD_RECORDS} may: make it a field"


def check(texts):
    """texts: (file, its text without comments) of all of src/. Yields (file, line, what)."""
    texts = list(texts)
    lines = {file: text.splitlines() for file, text in texts}
    for file, line, what in Sources(texts).findings():
        near = " ".join(lines[file][line - 1:line + 1])
        if not any(file == name and part in near for name, part, _ in EXCEPTIONS):
            yield file, line, what
