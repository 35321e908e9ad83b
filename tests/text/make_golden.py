#!/usr/bin/env python3
"""Writes data/tokenizers.json: what the `tokenizers` package makes of some texts.

    python3 tests/text/make_golden.py
"""
import json
import pathlib
import random

import python_with_tokenizers  # noqa: it may start another
import tokenizers

import kinds_of_texts
import tokenizers_to_compare

LINES = """The quick brown fox jumps over the lazy dog, and nobody minds.
Training runs on eight cores; what does a core cost?
Don't pad rows that you can't fill: they're wasted work.
A tokenizer cuts texts into pieces and numbers them.
Caf\u00e9 na\u00efve co\u00f6perate \u00fcber stra\u00dfe 1234 5678.
\u65e5\u672c\u8a9e \u4e2d\u6587 \ud55c\uad6d\uc5b4 \u0420\u0443\u0441\u0441\u043a\u0438\u0439 \u0395\u03bb\u03bb\u03b7\u03bd\u03b9\u03ba\u03ac""".splitlines()


SIZE = 320  # of the vocabularies


def main():
    random.seed(7)
    cases = []
    for name, text in tokenizers_to_compare.trained(LINES, SIZE):
        tokenizer = tokenizers.Tokenizer.from_str(text)
        tokens = [token["content"] for token in json.loads(text)["added_tokens"]]
        texts = []
        for given in LINES + kinds_of_texts.generate(24, LINES, tokens):
            encoding = tokenizer.encode(given)
            texts.append([given, encoding.ids, [place for pair in encoding.offsets for place in pair],
                          tokenizer.decode(encoding.ids)])
        cases.append({"name": name, "size": SIZE, "tokenizer": json.loads(text), "texts": texts})
    folder = pathlib.Path(__file__).resolve().parent / "data"
    folder.mkdir(exist_ok=True)
    (folder / "tokenizers.json").write_text(json.dumps(cases, separators=(",", ":")) + "\n")


main()
