#!/usr/bin/env python3
"""Writes properties.inc, case.inc, normalization.inc and scripts.inc: what the `tokenizers` package knows of each Unicode character.

    python3 -m venv V && V/bin/pip install tokenizers==0.23.3 && V/bin/python make_tables.py [tables.rs]

With tables.rs of the crate unicode-segmentation (github.com/unicode-rs/unicode-segmentation), which the package uses, it
writes graphemes.inc too: Unicode's Grapheme_Cluster_Break and Indic_Conjunct_Break.

The package mixes versions of Unicode (its normalization is of 9.0, its regular expressions and its letter cases are
newer), so each property is read off by asking the package about every code point. Names and pairs of canonical
decompositions come from Python's unicodedata and are kept where the package composes them.
"""
import pathlib
import re
import sys
import unicodedata

from tokenizers import Regex, normalizers, pre_tokenizers

HERE = pathlib.Path(__file__).resolve().parent
POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
BLOCK = 256  # characters that one question holds: more would take the package quadratic time


def matches(pattern):
    """The code points that a pattern of one character matches."""
    found = set()
    splitter = pre_tokenizers.Split(Regex(pattern), "removed")
    for start in range(0, len(POINTS), BLOCK):
        block = POINTS[start:start + BLOCK]
        kept = set()
        for _, (first, last) in splitter.pre_tokenize_str("".join(map(chr, block))):
            kept.update(block[first:last])
        found |= set(block) - kept
    return found


def removed_by(normalizer, points=POINTS):
    return {c for c in points if normalizer.normalize_str("x" + chr(c)) == "x"}


def split_alone(splitter):
    """The code points that stand alone, or vanish, between two letters."""
    return {c for c in POINTS if len(splitter.pre_tokenize_str("a" + chr(c) + "a")) > 1}


def changed_by(normalizer):
    changed = {}
    for c in POINTS:
        result = normalizer.normalize_str(chr(c))
        if result != chr(c):
            changed[c] = [ord(character) for character in result]
    return changed


def is_hangul_syllable(c):
    return 0xAC00 <= c < 0xAC00 + 11172


def combining_classes():
    """Classes of unicodedata, of the characters that the package reorders."""
    decompose = normalizers.NFD()
    classes = {}
    for c in POINTS:
        value = unicodedata.combining(chr(c))
        if value:
            low, high = (chr(c), "\u0345") if value == 1 else ("\u0334", chr(c))
            if decompose.normalize_str("a" + high + low) == "a" + low + high:
                classes[c] = value
    return classes


def compositions():
    compose = normalizers.NFC()
    pairs = []
    for c in POINTS:
        parts = unicodedata.decomposition(chr(c)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            first, second = (int(part, 16) for part in parts)
            if compose.normalize_str(chr(first) + chr(second)) == chr(c):
                pairs.append((first, second, c))
    return sorted(pairs)


def bert(**changes):
    options = {"clean_text": False, "handle_chinese_chars": False, "strip_accents": False, "lowercase": False}
    return normalizers.BertNormalizer(**{**options, **changes})


def wrapped(items):
    """Items, separated by commas, in lines of at most 100 columns."""
    lines, line = [], ""
    for item in items:
        if len(line) + len(item) + 1 > 100:
            lines.append(line)
            line = ""
        line += item + ","
    return "\n".join(lines + [line]) + "\n"


def runs_of(flags):
    """"{first, flags}" of each run of equal flags; a run ends where the next begins."""
    previous = 0
    for c in range(0x110000):
        value = flags.get(c, 0)
        if value != previous:
            yield f"{{{c:#x},{value:#x}}}"
            previous = value


def write(name, what, text):
    head = f"// {what}. Written by make_tables.py; do not edit.\n// clang-format off\n"
    (HERE / name).write_text(head + text)


def write_properties():
    whitespace_or_word = pre_tokenizers.Whitespace()
    properties = [  # in the order of enum Property in properties.h
        matches(r"\p{L}"),
        matches(r"\p{N}"),
        matches(r"\s"),
        split_alone(pre_tokenizers.Digits(True)),
        split_alone(pre_tokenizers.Punctuation()),
        removed_by(bert(clean_text=True)),
        removed_by(bert(strip_accents=True)),
        removed_by(normalizers.StripAccents()),
        {c for c in POINTS if len(whitespace_or_word.pre_tokenize_str("a" + chr(c) + "a")) == 1},
        matches(r"\p{Lu}"),
        matches(r"\p{Ll}"),
        matches(r"\p{Lt}"),
        matches(r"\p{M}"),
    ]
    flags = {c: value << 16 for c, value in combining_classes().items()}
    for bit, members in enumerate(properties):
        for c in members:
            flags[c] = flags.get(c, 0) | 1 << bit
    write("properties.inc", "Where the properties of characters change: {first, combining class << 16 | flags}",
          wrapped(runs_of(flags)))


def write_case():
    lower = changed_by(normalizers.Lowercase())
    write("case.inc", "Lower-case forms of one character each; U+0130 has two and stands in case.cc",
          wrapped(f"{{{c:#x},{form[0]:#x}}}" for c, form in lower.items() if len(form) == 1))
    assert [c for c, form in lower.items() if len(form) > 1] == [0x130]


def write_normalization():
    canonical, compatible = changed_by(normalizers.NFD()), changed_by(normalizers.NFKD())
    text = ""
    for name, table in (("canonical", canonical), ("compatible", compatible)):
        table = {c: form for c, form in table.items() if not is_hangul_syllable(c) and canonical.get(c) != form
                 or name == "canonical" and not is_hangul_syllable(c)}
        items = (f"{c:#x},{len(form)}," + ",".join(f"{part:#x}" for part in form) for c, form in table.items())
        text += f"constexpr uint32_t {name}_forms[] = {{  // character, number of parts, parts\n{wrapped(items)}}};\n"
    pairs = (f"{first:#x},{second:#x},{whole:#x}" for first, second, whole in compositions())
    text += f"constexpr uint32_t composed_pairs[] = {{  // first, second, whole\n{wrapped(pairs)}}};\n"
    write("normalization.inc", "Full decompositions and compositions, but for Hangul syllables", text)


def write_scripts():
    """Characters of one number are of one script, as the package's UnicodeScripts has them; 0: of any."""
    splitter = pre_tokenizers.UnicodeScripts()
    together = lambda a, b: len(splitter.pre_tokenize_str(chr(a) + chr(b))) == 1
    members, scripts, last = [], {}, None
    for c in POINTS:
        if not splitter.pre_tokenize_str(chr(c)):
            scripts[c] = 0
            continue
        if last is None or not together(last, c):
            number = next((i for i, member in enumerate(members, 1) if together(member, c)), None)
            if number is None:
                members.append(c)
                number = len(members)
        scripts[c] = number
        last = c
    for c in range(0xD800, 0xE000):
        scripts[c] = scripts[0xD7FF]
    write("scripts.inc", "Where the scripts of characters change: {first, script}", wrapped(runs_of(scripts)))


CLUSTER_KINDS = ["Any", "CR", "LF", "Control", "Extend", "ZWJ", "Regional_Indicator", "Prepend", "SpacingMark", "L", "V",
                 "T", "LV", "LVT", "Extended_Pictographic", "InCB_Consonant"]  # in the order of Kind in graphemes.cc


def write_graphemes(path):
    source = pathlib.Path(path).read_text()
    flags = {}
    table = source[source.index("grapheme_cat_table: &[(char"):]
    for first, last, kind in re.findall(r"'\\u\{(\w+)\}',\s*'\\u\{(\w+)\}',\s*GC_(\w+)", table[:table.index("];")]):
        for c in range(int(first, 16), int(last, 16) + 1):
            flags[c] = CLUSTER_KINDS.index(kind)
    table = source[source.index("InCB_Extend_table: &[(char"):]
    for first, last in re.findall(r"'\\u\{(\w+)\}',\s*'\\u\{(\w+)\}'", table[:table.index("];")]):
        for c in range(int(first, 16), int(last, 16) + 1):
            flags[c] = flags.get(c, 0) | 0x20
    linkers = source[source.index("fn is_incb_linker"):]
    for c in re.findall(r"u\{(\w+)\}", linkers[:linkers.index("\n}")]):
        flags[int(c, 16)] = flags.get(int(c, 16), 0) | 0x40
    write("graphemes.inc", "Where the grapheme properties of characters change: {first, flags | kind}",
          wrapped(runs_of(flags)))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        write_graphemes(sys.argv[1])
    write_scripts()
    write_properties()
    write_case()
    write_normalization()
