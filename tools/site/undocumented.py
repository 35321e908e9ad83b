#!/usr/bin/env python3
"""Counts the public names that lack a comment or an example, and the fields of options without a comment.

    tools/site/undocumented.py            fails where a count is above that in undocumented.txt
    tools/site/undocumented.py --list     names them

A name has a comment of its own, shares that of the declaration above it, or is what its file's comment is about. An
example is a use in a program of the guides, in examples/ or in a test.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))

import reference
import sources

LIMITS = pathlib.Path(__file__).with_name("undocumented.txt")


def commented(declared, header):
    if declared.comment or declared.after or any(member.comment for member in declared.members):
        return True
    words = re.findall(r"\w+", header.comment)
    return declared.name in words or reference.title_of(header) == declared.name and bool(header.comment)


def missing():
    """What lacks something: kind to names."""
    read = reference.Reference(ROOT, sources.Sources(ROOT))
    found = {"comment": [], "example": [], "field": []}
    seen = set()
    for header in read.headers:
        for declared in header.declarations:
            if declared.name == "At" or declared.qualified in seen or declared.name.startswith("operator"):
                continue
            seen.add(declared.qualified)
            overloads = [other for other in header.declarations if other.qualified == declared.qualified]
            if not any(commented(other, header) for other in overloads):
                found["comment"].append(f"{header.path}: {declared.qualified}")
            if declared.qualified not in read.examples:
                found["example"].append(f"{header.path}: {declared.qualified}")
            if declared.kind == "type" and declared.name.endswith("Options"):
                found["field"] += [f"{header.path}: {declared.qualified}::{member.name}"
                                   for member in declared.members if member.kind == "value" and not member.comment]
    return found, len(seen)


def main():
    found, count = missing()
    if sys.argv[1:] == ["--list"]:
        for kind, names in found.items():
            print(f"without {'an ' if kind == 'example' else 'a '}{kind}:" if kind != "field" else "fields without a comment:")
            print("\n".join(f"  {name}" for name in names))
        return 0
    limits = dict(line.split() for line in LIMITS.read_text().splitlines() if line and not line.startswith("#"))
    grown = [kind for kind, names in found.items() if len(names) > int(limits[kind])]
    print(f"reference: {count} names; " + ", ".join(f"{kind} missing {len(names)} (at most {limits[kind]})"
                                                     for kind, names in found.items()))
    if grown:
        print(f"more names lack a {' and a '.join(grown)} than before: tools/site/undocumented.py --list", file=sys.stderr)
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
