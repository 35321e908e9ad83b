#!/usr/bin/env python3
"""Reports files over 600 lines and functions over 60, of the files named on standard input.

A line with "long because:" in the file (for a file) or inside or just above the function says why it may be longer.
Functions of C++ are found by their layout, which clang-format fixes: a body opens with a line that ends in "{" and
closes with "}" at the same indent.
"""
import re
import sys

FILE_LIMIT, FUNCTION_LIMIT = 600, 60
EXCUSE = "long because:"
NOT_A_FUNCTION = re.compile(r"^\s*//|^\s*(namespace|class|struct|enum|union|extern|inline namespace|switch|template)\b|=\s*{$|= {$")
LOOKS_LIKE_FUNCTION = re.compile(r"[)\]](\s*(const|noexcept|override|final|mutable|->\s*[\w:<>&*, ]+))*\s*(:.*)?{$")


def opens_function(line):
    return bool(LOOKS_LIKE_FUNCTION.search(line)) and not NOT_A_FUNCTION.match(line)


def cpp_functions(lines):
    """(first, last) line numbers of outermost function bodies."""
    number = 0
    while number < len(lines):
        if not opens_function(lines[number]):
            number += 1
            continue
        # The head may span lines; the closing brace stands at the indent of the head's first line.
        first = number
        while first > 0 and lines[first - 1].strip() and not re.search(r"[;{}:]$|^\s*//|^#", lines[first - 1]):
            first -= 1
        indent = re.match(r"\s*", lines[first]).group()
        last = number + 1
        while last < len(lines) and not re.match(re.escape(indent) + r"}", lines[last]):
            last += 1
        yield first, min(last, len(lines) - 1)
        number = last + 1


def check(path):
    lines = open(path, encoding="utf-8").read().splitlines()
    excused = any(EXCUSE in line for line in lines[:20])
    if len(lines) > FILE_LIMIT and not excused:
        yield f"{path}: {len(lines)} lines, at most {FILE_LIMIT}"
    if not path.endswith((".h", ".cc")) or path.endswith("_test.cc"):
        return  # the tables of tests may be long
    for first, last in cpp_functions(lines):
        length = last - first + 1
        if length > FUNCTION_LIMIT and not any(EXCUSE in line for line in lines[max(0, first - 3):last]):
            yield f"{path}:{first + 1}: a function of {length} lines, at most {FUNCTION_LIMIT}"


def main():
    faults = [fault for path in sys.stdin.read().split() for fault in check(path)]
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        print(f'  split it, or say why in a comment: "// {EXCUSE} ..."', file=sys.stderr)
    return 1 if faults else 0


sys.exit(main())
