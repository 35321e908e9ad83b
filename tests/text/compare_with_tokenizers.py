#!/usr/bin/env python3
"""Compares our tokenizers with the `tokenizers` package: ids, offsets, words, type ids, decoded texts.

    python3 -m venv V && V/bin/pip install tokenizers==0.23.3
    ninja -C build/release tokenize_texts
    V/bin/python tests/text/compare_with_tokenizers.py build/release/bin/tokenize_texts [--texts 100000]
        [--tokenizer tokenizer.json]... [--corpus FILE] [--only NAME]

Each tokenizer is compared on as many texts, real lines of the corpus and generated ones. Without the package it says
so and ends with 77.
"""
import argparse
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

try:
    import tokenizers
except ImportError:
    print("SKIPPED: the tokenizers package is not installed; see the head of this file", file=sys.stderr)
    sys.exit(77)

import kinds_of_texts
import tokenizers_to_compare


def write_texts(path, texts):
    with open(path, "wb") as file:
        for text in texts:
            data = text.encode()
            file.write(struct.pack("<I", len(data)) + data)


def read_results(path, count):
    data = pathlib.Path(path).read_bytes()
    at = 0
    for _ in range(count):
        (tokens,) = struct.unpack_from("<i", data, at)
        values = struct.unpack_from(f"<{5 * tokens}i", data, at + 4)
        at += 4 + 20 * tokens
        (size,) = struct.unpack_from("<i", data, at)
        yield values, data[at + 4:at + 4 + size].decode()
        at += 4 + size


def expected(tokenizer, inputs):
    for encoding in tokenizer.encode_batch(inputs):
        values = []
        for token, (first, last), word, kind in zip(
                encoding.ids, encoding.offsets, encoding.word_ids, encoding.type_ids):
            values += [token, first, last, -1 if word is None else word, kind]
        yield tuple(values), tokenizer.decode(encoding.ids)


def compare(program, name, text, texts, pairs):
    """The number of texts that differ; prints the first few."""
    tokenizer = tokenizers.Tokenizer.from_str(text)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        files = [str(pathlib.Path(folder) / file) for file in ("tokenizer.json", "texts", "results")]
        pathlib.Path(files[0]).write_text(text)
        for start in range(0, len(texts), 20000):
            part = texts[start:start + 20000]
            inputs = list(zip(part[::2], part[1::2])) if pairs else part
            write_texts(files[1], part)
            subprocess.run([program, *files] + ["pairs"] * pairs, check=True)
            for given, want, got in zip(inputs, expected(tokenizer, inputs), read_results(files[2], len(inputs))):
                if want != got:
                    wrong += 1
                    if wrong <= 3:
                        print(f"  {name}: {json.dumps(given)}\n    package: {want}\n    ours:    {got}")
    print(f"{name}: {len(texts)} texts, {wrong} differ", flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--texts", type=int, default=100000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tokenizer", action="append", default=[])
    parser.add_argument("--corpus", default=__file__)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    lines = pathlib.Path(options.corpus).read_text().splitlines()
    known = [(path, pathlib.Path(path).read_text()) for path in options.tokenizer]
    cases = known + tokenizers_to_compare.trained(lines)
    wrong = total = 0
    for name, text in cases:
        if options.only not in name:
            continue
        random.seed(options.seed)
        tokens = [token["content"] for token in json.loads(text)["added_tokens"]]
        texts = kinds_of_texts.generate(options.texts, lines, tokens)
        wrong += compare(options.program, name, text, texts, pairs=False)
        wrong += compare(options.program, name + " pairs", text, texts[:options.texts // 10 // 2 * 2], pairs=True)
        total += len(texts) + options.texts // 10
    print(f"in all: {total} texts, {wrong} differ")
    return 1 if wrong else 0


sys.exit(main())
