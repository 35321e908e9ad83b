#!/usr/bin/env python3
"""Compares tokenizers of folders that hold a model of SentencePiece with those that `transformers` makes of the same.

    python3 -m venv V && V/bin/pip install transformers==5.23.0 sentencepiece protobuf
    ninja -C build/release tokenize_texts
    V/bin/python tests/text/compare_folders.py build/release/bin/tokenize_texts [--texts 20000] [--corpus FILE]

Each class's spiece.model (XLM-RoBERTa: sentencepiece.bpe.model) is trained on the corpus with the rules of normalization
that real ones have; beside it config.json or tokenizer_config.json, or nothing. Without the packages it says so and ends
with 77.
"""
import argparse
import json
import pathlib
import random
import sys
import tempfile

try:
    import sentencepiece  # noqa: F401: without it transformers cannot read the files either
    import transformers
except ImportError as error:
    print(f"SKIPPED: {error}; see the head of this file", file=sys.stderr)
    sys.exit(77)

import compare_with_tokenizers
import kinds_of_texts
import make_older_golden as golden

CLASSES = {"xlm-roberta": (golden.xlm_roberta, transformers.XLMRobertaTokenizer),
           "albert": (golden.albert, transformers.AlbertTokenizer),
           "xlnet": (golden.xlnet, transformers.XLNetTokenizer),
           "big_bird": (golden.big_bird, transformers.BigBirdTokenizer)}
RULES = ["identity", "nmt_nfkc", "nmt_nfkc_cf", "nfkc"]
# What stands beside the vocabulary: "alone" is nothing at all, where the class is asked for by its name there.
BESIDE = {"config.json": lambda kind, made: {"model_type": kind},
          "tokenizer_config.json": lambda kind, made: {"tokenizer_class": made.__name__, "do_lower_case": False},
          "alone": None}


def cases(lines, size):
    """(name, folder, transformers' tokenizer of it) of each."""
    for kind, (write, made) in CLASSES.items():
        for rule in RULES:
            for beside, content in BESIDE.items():
                with tempfile.TemporaryDirectory() as name:
                    folder = pathlib.Path(name)
                    write(folder, lines, vocab_size=size, normalization_rule_name=rule, hard_vocab_limit=False)
                    if content:
                        (folder / beside).write_text(json.dumps(content(kind, made)))
                    peer = transformers.AutoTokenizer if beside == "config.json" else made
                    yield f"{kind}, {rule}, {beside}", folder, peer.from_pretrained(folder).backend_tokenizer


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--texts", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", type=int, default=2000)
    parser.add_argument("--corpus", default=golden.__file__)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    lines = [line for line in pathlib.Path(options.corpus).read_text().splitlines() if line.strip()]
    wrong = total = 0
    for name, folder, tokenizer in cases(lines, options.size):
        if options.only not in name:
            continue
        random.seed(options.seed)
        tokens = [token.content for token in tokenizer.get_added_tokens_decoder().values()]
        texts = kinds_of_texts.generate(options.texts, lines, tokens)
        text = tokenizer.to_str()
        wrong += compare_with_tokenizers.compare(options.program, name, text, texts, folder=folder)
        wrong += compare_with_tokenizers.compare(options.program, name + " pairs", text, texts[:options.texts // 10 // 2 * 2],
                                                 "pairs", folder)
        total += len(texts) + options.texts // 10 // 2 * 2
    print(f"in all: {total} texts, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
