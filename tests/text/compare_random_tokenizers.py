#!/usr/bin/env python3
"""Compares random tokenizers (random_tokenizers.py) with what the `tokenizers` package makes of the same tokenizer.json.

    ninja -C build/release tokenize_texts
    python3 tests/text/compare_random_tokenizers.py build/release/bin/tokenize_texts [--first 0] [--count 300]
        [--texts 2000] [--corpus FILE] [--keep FOLDER]

Texts, pairs and texts split into words; where the package ends in an error, ours must, and where it panics, ours may. What
is saved must be read by the package as the same. --keep writes the tokenizers that differ. The package is found by
python_with_tokenizers.py; `./run tests` compares some.
"""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unicodedata

import python_with_tokenizers  # noqa: it may start another
import tokenizers

import compare_with_tokenizers as compare
import kinds_of_texts
import random_tokenizers


def of_package(tokenizer, given, form):
    """What the package makes of a text; the message of an error, which may be a panic."""
    try:
        pair = given if form == "pairs" else (given,)
        encoding = tokenizer.encode(*pair, is_pretokenized=form == "words")
        return (compare.values_of(encoding), tokenizer.decode(encoding.ids),
                tokenizer.decode(encoding.ids, skip_special_tokens=False))
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return f"{type(error).__name__}: {error}"


def known_characters(text):
    """Without what Unicode 14, which Oniguruma 6.9.8 knows, has not assigned: the package's Oniguruma is newer."""
    return "".join(c for c in text if unicodedata.category(c) != "Cn")


def same(want, got):
    if "special tokens, expected at least" in got:  # a max_length below them, with which the package does not cut at all
        return True
    if isinstance(want, str):
        return want.startswith("PanicException") or isinstance(got, str)
    return want == got


def shortly(one, other):
    """Of what a text became the parts that differ from the other's."""
    if isinstance(one, str) or isinstance(other, str):
        return str(one)[:300]
    (values, tokens, parts), *decoded = one
    (values_2, tokens_2, parts_2), *decoded_2 = other
    rows, rows_2 = ([given[i:i + 8] for i in range(0, len(given), 8)] for given in (values, values_2))
    odd = [f"token {i}: {row}" for i, (row, row_2) in enumerate(zip(rows, rows_2)) if row != row_2][:3]
    odd += [f"{len(rows)} tokens"] * (len(rows) != len(rows_2)) + [repr(tokens[:200])] * (tokens != tokens_2)
    odd += [f"{len(parts)} parts {str(parts)[:200]}"] * (parts != parts_2)
    return "; ".join(odd + [repr(text[:200]) for text, text_2 in zip(decoded, decoded_2) if text != text_2])


def run(program, files, form=""):
    done = subprocess.run([program, *files] + [form] * bool(form), capture_output=True, text=True, timeout=300)
    return done.returncode, done.stderr.strip()


def differences(program, text, texts):
    """(form, what was given, the package's, ours) of each that differs; and how many ended in the package's error."""
    tokenizer = tokenizers.Tokenizer.from_str(text)
    errors = 0
    with tempfile.TemporaryDirectory() as folder:
        files = [str(pathlib.Path(folder) / file) for file in ("tokenizer.json", "texts", "results")]
        pathlib.Path(files[0]).write_text(text)
        for form, share in (("", 1), ("pairs", 4), ("words", 4)):
            part = texts[:len(texts) // share // 2 * 2]
            inputs = list(zip(part[::2], part[1::2])) if form == "pairs" else part
            inputs = [one.split(" ") for one in part] if form == "words" else inputs
            compare.write_texts(files[1], part)
            code, message = run(program, files, form)
            if code != 0:
                yield form, "", "is read", f"{code} {message}"
                return
            for given, got in zip(inputs, compare.read_results(files[2], len(inputs))):
                want = of_package(tokenizer, given, form)
                errors += isinstance(want, str)
                if not same(want, got):
                    yield form, given, want, got
        run(program, files, "save")
        saved = tokenizers.Tokenizer.from_str(pathlib.Path(files[2]).read_text())
        if json.loads(saved.to_str()) != json.loads(tokenizer.to_str()):
            yield "save", "", tokenizer.to_str(), saved.to_str()
    if errors:
        print(f"    the package ends in an error on {errors} texts", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--texts", type=int, default=2000)
    parser.add_argument("--corpus", default=__file__)
    parser.add_argument("--keep", default="")
    options = parser.parse_args()
    lines = [line for line in pathlib.Path(options.corpus).read_text().splitlines() if line]
    said = os.dup(2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # where panics go
    sys.stderr = os.fdopen(said, "w")
    wrong, total, refused = 0, 0, collections.Counter()
    for seed in range(options.first, options.first + options.count):
        text, parts = random_tokenizers.make(seed, lines)
        if parts is not None:
            refused[text[:100]] += 1
            continue
        tokens = [token["content"] for token in json.loads(text)["added_tokens"]]
        texts = kinds_of_texts.generate(options.texts, lines, tokens)
        if '"Regex"' in text:
            texts = [known_characters(one) for one in texts]
        found = list(differences(options.program, text, texts))
        total += len(texts) * 3 // 2
        for form, given, want, got in found[:3]:
            print(f"  {seed} {form}: {json.dumps(given)}\n    package: {shortly(want, got)}\n    ours:    {shortly(got, want)}", flush=True)
        if found:
            wrong += 1
            config = json.loads(text)
            config["model"] = {key: value for key, value in config["model"].items() if key not in ("vocab", "merges")}
            del config["added_tokens"]
            print(f"{seed}: {len(found)} differ: {json.dumps(config)[:2000]}", flush=True)
            if options.keep:
                (pathlib.Path(options.keep) / f"{seed}.json").write_text(text)
    print(f"in all: {total} texts, {wrong} tokenizers differ; not made: {dict(refused)}")
    if sum(refused.values()) > options.count / 2:
        print("more than half of the tokenizers were not made")
    return 1 if wrong or sum(refused.values()) > options.count / 2 else 0


if __name__ == "__main__":
    sys.exit(main())
