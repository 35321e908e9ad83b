#!/usr/bin/env python3
"""Checks that no two files define a class of one name, or an inline function of one signature, in one namespace.

Two definitions that differ break the rule of one definition: the linker keeps one of each function and says nothing.
What is only declared may stand in any number of files. Namespaces without a name belong to their file and are left out, as are
tests, which are programs of their own.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAMESPACE = re.compile(r"^namespace\s*(?P<name>[\w:. ]*?)\s*\{")
NAMESPACE_END = re.compile(r"^\}\s*//\s*namespace")
# At the margin, as clang-format leaves what a namespace holds; "class A::B" defines a member, with a name of its own.
DEFINITION = re.compile(r"^(?:enum class|enum|class|struct|union)\s+(?:alignas\([^)]*\)\s*)?(?P<name>\w+)\b(?!::|<)(?P<rest>[^/]*)")

# The head of an inline function or of a template, up to its body or semicolon: "inline int64_t product(Shape shape)".
INLINE = re.compile(r"^(?:template <.*>\s*)?(?:inline|constexpr|template <)[^;{}=]*?(?<!:)\b(?!decltype|requires)(?P<name>\w+)\((?P<parameters>[^;{}]*?)\)[^;{}()]*\{", re.S)
INLINE_START = re.compile(r"^(?:inline|constexpr|template <)")


def signature(lines, first):
    """name(types) of the inline function that is defined at lines[first], else None."""
    match = INLINE.match("\n".join(lines[first : first + 8]))
    if not match:
        return None
    parameters = re.sub(r"\s*=[^,]*", "", match["parameters"])
    types = (re.sub(r"(?<=[\s&*>])\w+$", "", part.strip()) for part in parameters.split(","))
    return f"{match['name']}({', '.join(' '.join(part.split()) for part in types)})"


def definitions(path):
    """The full names of what a file defines, without those of its unnamed namespaces."""
    spaces = []
    lines = path.read_text().splitlines()
    for number, line in enumerate(lines):
        opened = NAMESPACE.match(line)
        if opened:
            spaces.append(opened["name"])
        elif NAMESPACE_END.match(line):
            del spaces[-1:]
        found = DEFINITION.match(line)
        if found and not found["rest"].rstrip().endswith(";") and "" not in spaces:
            yield "::".join([*spaces, found["name"]]).replace("::inline v0", "")
        if INLINE_START.match(line) and "" not in spaces and (function := signature(lines, number)):
            yield "::".join([*spaces, function]).replace("::inline v0", "")


def main():
    files = collections.defaultdict(set)
    for top in ("systolic", "backends", "plugin"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in {".h", ".cc"} and not path.name.endswith("_test.cc"):
                for name in definitions(path):
                    files[name].add(str(path.relative_to(ROOT)))
    twice = {name: found for name, found in files.items() if len(found) > 1}
    for name, found in sorted(twice.items()):
        print(f"{name} is defined in {' and in '.join(sorted(found))}", file=sys.stderr)
    return 1 if twice else 0


if __name__ == "__main__":
    sys.exit(main())
