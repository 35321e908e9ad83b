#!/usr/bin/env python3
"""Finds the words of CONTRIBUTING.md's glossary that a native reader stumbles over, in comments, texts and names.

    tools/check_english.py [PATH...]

Without paths: every file of the project. Exit code 1 where something is found.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUFFIXES = {".h", ".cc", ".inc", ".def", ".md", ".py", ".sh", ".cmake", ".txt"}
LEFT_OUT = (
    "tests/fuzz/corpus/", "tests/text/data/", "tools/check_english.py", "LICENSE",
    "examples/common/sentences.cc",  # a list of prepositions
    "tests/golden/make_layers.py",  # names that stand in the golden file
)

# What is found, but where the second pattern also matches; what to write.
WORDS = [
    (r"(?<![A-Za-z])[Bb]ehind(?![A-Za-z])", r"(left|leaves?|leaving) \w* ?\w* ?behind|behind .{0,24}back\b|behind (a|an|the|that|this) "
     r"(interface|proxy|load balancer|firewall)", "after, or what it lies on"),
    (r"(^|[.:;] |// |# |\| |\* )Of (?!course)[a-z]", None, "begin with the subject or the verb"),
    (r"\bwant(_\w+|\()", r"want_packages\b", "check_... raises; ensure_... makes it so; wants_... asks"),
    (r"\bforet(ell|ells|old|elling)\b", None, "predict"),
    (r"manieth", None, "the n-th"),
    (r"\btaken_apart\b|\btakes? (it|them) apart\b", None, "split, or unpack"),
    (r"\bparted\b", None, "split, or separate"),
]


def files(arguments):
    listed = subprocess.run(["git", "ls-files", *arguments], cwd=ROOT, check=True, capture_output=True, text=True)
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if path.suffix in SUFFIXES and path.is_file() and not name.startswith(LEFT_OUT):
            yield name, path


def faults(arguments):
    words = [(re.compile(found), re.compile(unless) if unless else None, advice) for found, unless, advice in WORDS]
    glossary = "CONTRIBUTING.md"  # where the words themselves stand in a table
    for name, path in files(arguments):
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            for found, unless, advice in words:
                match = found.search(line)
                if match and not (unless and unless.search(line)) and not (name == glossary and line.startswith("|")):
                    yield f"{name}:{number}: '{match.group(0).strip(' ./#:;|*')}': write {advice}: {line.strip()[:100]}"


def main():
    found = list(faults(sys.argv[1:]))
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    return 1 if found else 0


sys.exit(main())
