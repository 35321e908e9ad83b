#!/usr/bin/env python3
"""Compares calls of tokenizers with those of `transformers`, both reading the folder that it saved.

    python3 -m venv V && V/bin/pip install transformers==5.23.0
    ninja -C build/release call_tokenizer
    V/bin/python tests/text/compare_calls.py build/release/bin/call_tokenizer [--tokenizers 40] [--calls 100]
        [--corpus FILE]

Random tokenizers (random_tokenizers.py) with random arguments: padding, truncation, max_length, stride, multiples, sides,
pairs, overflowing parts with offsets and words, decoded batches. Where the package ends in an error, ours must. Without
the packages it says so and ends with 77.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import transformers
    from tokenizers import Tokenizer
except ImportError as error:
    print(f"SKIPPED: {error}; see the head of this file", file=sys.stderr)
    sys.exit(77)

import kinds_of_texts
import random_tokenizers


def call_of(lines, tokens):
    texts = kinds_of_texts.generate(random.randrange(1, 9), lines, tokens)
    random.shuffle(texts)
    pairs = [kinds_of_texts.random_text() for _ in texts] if random.random() < 0.4 else None
    padding = random.choice(["longest", "longest", "max_length", "do_not_pad"])
    return {"texts": texts, "pairs": pairs, "padding": padding,
            "truncation": random.choice(["longest_first", "longest_first", "only_first", "only_second", "do_not_truncate",
                                         "left_out"]),
            "max_length": random.choice([0, 3, 5, 8, 16, 30]), "pad_to_multiple_of": random.choice([0, 0, 4, 7]) if padding != "do_not_pad" else 0,
            "stride": random.choice([0, 0, 1, 2]), "add_special_tokens": random.random() < 0.8, "overflowing": random.random() < 0.5}


def of_transformers(tokenizer, call):
    more = {"return_overflowing_tokens": True, "return_offsets_mapping": True, "return_special_tokens_mask": True,
            "return_token_type_ids": True} if call["overflowing"] else {}
    batch = tokenizer(call["texts"], call["pairs"], padding=False if call["padding"] == "do_not_pad" else call["padding"],
                      truncation={"do_not_truncate": False, "left_out": None}.get(call["truncation"], call["truncation"]),
                      max_length=call["max_length"] or None, pad_to_multiple_of=call["pad_to_multiple_of"] or None,
                      stride=call["stride"], add_special_tokens=call["add_special_tokens"], **more)
    rows = {name: [list(map(list, row)) if name == "offset_mapping" else row for row in batch[name]] for name in batch}
    if call["overflowing"]:
        rows["word_ids"] = [[-1 if word is None else word for word in batch.word_ids(i)] for i in range(len(batch["input_ids"]))]
    elif len({len(row) for row in batch["input_ids"]}) == 1:
        rows["decoded"] = tokenizer.batch_decode(batch["input_ids"], skip_special_tokens=True)
        rows["decoded_whole"] = tokenizer.batch_decode(batch["input_ids"], skip_special_tokens=False)
    return rows


def expected(tokenizer, call):
    try:
        return of_transformers(tokenizer, call)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return {"error": f"{type(error).__name__}: {error}"}


def same(want, got):
    """Ours are rectangular, and so long as the multiple says: other rows are compared by how many tokens they hold."""
    if "special tokens, expected at least" in got.get("error", "") or want.get("error", "").startswith("ValueError"):
        return True  # lengths that one of them refuses, and the other takes as they are
    if "error" in want or "error" in got:
        return "error" in want and "error" in got
    if {len(row) for row in want["input_ids"]} != {len(row) for row in got["input_ids"]}:
        return [sum(mask) for mask in want["attention_mask"]] == [sum(mask) for mask in got["attention_mask"]]
    return all(want[name] == got[name] for name in want)


def folder_of(text, folder):
    whole = Tokenizer.from_str(text)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=whole, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]",
        padding_side=random.choice(["left", "right"]), truncation_side=random.choice(["left", "right"]),
        clean_up_tokenization_spaces=random.random() < 0.5, model_max_length=random.choice([512, 12]))
    tokenizer.save_pretrained(folder)
    return transformers.AutoTokenizer.from_pretrained(folder)


def compare(program, seed, calls, lines):
    """How many of the calls differ."""
    text, parts = random_tokenizers.make(seed, lines)
    if parts is not None:
        return 0
    tokens = [token["content"] for token in json.loads(text)["added_tokens"]]
    with tempfile.TemporaryDirectory() as folder:
        try:
            tokenizer = folder_of(text, folder)
        except ValueError:
            return 0  # settings that transformers itself refuses, such as a stride as long as max_length
        asked = [call_of(lines, tokens) for _ in range(calls)]
        files = [str(pathlib.Path(folder) / name) for name in ("calls.json", "results.json")]
        pathlib.Path(files[0]).write_text(json.dumps(asked))
        done = subprocess.run([program, folder, *files], capture_output=True, text=True)
        if done.returncode != 0:
            print(f"{seed}: {done.stderr}")
            return calls
        results = json.loads(pathlib.Path(files[1]).read_text())
    wrong = 0
    for call, got in zip(asked, results):
        want = expected(tokenizer, call)
        if not same(want, got):
            wrong += 1
            if wrong <= 2:
                odd = [name for name in want if want[name] != got.get(name)][:1]
                print(f"  {seed}: {json.dumps({**call, 'texts': len(call['texts'])})[:600]}\n"
                      f"    transformers: {str({k: want[k] for k in odd})[:300]}\n"
                      f"    ours:         {str({k: got.get(k) for k in odd} if 'error' not in got else got)[:300]}")
    if wrong:
        print(f"{seed}: {wrong} of {calls} calls differ", flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--tokenizers", type=int, default=40)
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--corpus", default=__file__)
    options = parser.parse_args()
    lines = [line for line in pathlib.Path(options.corpus).read_text().splitlines() if line]
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # where panics go
    wrong = sum(compare(options.program, seed, options.calls, lines)
                for seed in range(options.first, options.first + options.tokenizers))
    print(f"in all: {wrong} of {options.tokenizers * options.calls} calls differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
