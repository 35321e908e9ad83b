#!/usr/bin/env python3
"""Compares vocabularies that we train with those of the `tokenizers` package, with random options.

    ninja -C build/release tokenize_texts
    python3 tests/text/compare_training.py build/release/bin/tokenize_texts [--count 60] [--corpus FILE]

The package numbers what it meets in the order of a hash table: where it trains something else the second time (ties,
letters with a prefix or suffix), as many tokens must be the same as between its own two, less a fiftieth. Elsewhere all
must be, and merges too. (Special tokens that are words are left out of WordLevel and Unigram, where the package has them
twice.) Of Unigram nine tenths must be (the scores are sums in another order). The package is found by
python_with_tokenizers.py.
"""
import argparse
import json
import pathlib
import random
import sys

import python_with_tokenizers  # noqa: it may start another
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

import compare_with_tokenizers
import kinds_of_texts

SPECIALS = ["[UNK]", "[PAD]", "a", "the"]


def options_of(kind):
    """Random options, in our words."""
    options = {"vocab_size": random.choice([30, 200, 500, 2000]), "special_tokens": SPECIALS[:random.randrange(1, 5 if kind in ("BPE", "WordPiece") else 3)]}
    if kind != "Unigram":
        options["min_frequency"] = random.choice([0, 0, 1, 2, 5])
    if kind in ("BPE", "WordPiece"):
        options["limit_alphabet"] = random.choice([0, 0, 10, 40])
        options["initial_alphabet"] = [ord(c) for c in random.choice(["", "", "xyz\u00e9", "\u4e2d\u0301"])]
        options["end_of_word_suffix"] = random.choice(["", "", "</w>"])
        options["continuing_subword_prefix"] = "" if kind == "BPE" else random.choice(["##", "", "\u2581"])
        options["max_token_length"] = random.choice([0, 0, 3, 6]) if kind == "BPE" else 0
    if kind == "Unigram":
        options["vocab_size"] = random.choice([300, 800])
        options["max_token_length"] = random.choice([0, 5])
        options["initial_alphabet"] = [ord(c) for c in random.choice(["", "", "xyz\u00e9"])]
        options["shrinking_factor"] = random.choice([0.75, 0.5, 0.9])
        options["sub_iterations"] = random.choice([2, 1, 3])
    return options


def trainer_of(kind, options):
    own = {"vocab_size": options["vocab_size"], "special_tokens": options["special_tokens"], "show_progress": False}
    if "initial_alphabet" in options:
        own["initial_alphabet"] = [chr(c) for c in options["initial_alphabet"]]
    if kind == "Unigram":
        return trainers.UnigramTrainer(**own, unk_token="[UNK]", max_piece_length=options["max_token_length"] or 16,
                                       shrinking_factor=options["shrinking_factor"],
                                       n_sub_iterations=options["sub_iterations"])
    own["min_frequency"] = options["min_frequency"]
    if kind == "WordLevel":
        return trainers.WordLevelTrainer(**own)
    own.update({key: options[key] for key in ("limit_alphabet", "continuing_subword_prefix", "end_of_word_suffix") if options[key]})
    if kind == "WordPiece":
        return trainers.WordPieceTrainer(**{"continuing_subword_prefix": "", **own})
    return trainers.BpeTrainer(**own, **({"max_token_length": options["max_token_length"]} if options["max_token_length"] else {}))


def blank(kind):
    model = {"BPE": models.BPE(unk_token="[UNK]"), "WordPiece": models.WordPiece(unk_token="[UNK]"),
             "WordLevel": models.WordLevel(unk_token="[UNK]"), "Unigram": models.Unigram([("[UNK]", 0.0)], 0)}[kind]
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = random.choice([pre_tokenizers.Whitespace(), pre_tokenizers.WhitespaceSplit(),
                                             pre_tokenizers.Metaspace(), pre_tokenizers.ByteLevel()])
    return tokenizer


def trained(text, trainer, lines):
    tokenizer = Tokenizer.from_str(text)
    tokenizer.train_from_iterator(lines, trainer)
    return json.loads(tokenizer.to_str())["model"]


def tokens_of(model):
    return {token for token, _ in model["vocab"]} if isinstance(model["vocab"], list) else set(model["vocab"])


def judge(kind, first, second, ours):
    """What is wrong, or nothing; and how many tokens are the same."""
    shared = len(tokens_of(first) & tokens_of(ours))
    own = len(tokens_of(first) & tokens_of(second))
    what = f"{shared} of {len(first['vocab'])} tokens are the package's ({own} of its second), {len(ours['vocab'])} ours"
    if kind == "Unigram":
        return what if shared < 0.9 * own or len(first["vocab"]) != len(ours["vocab"]) else "", what
    if first == second:
        same = all(first.get(key) == ours.get(key) for key in ("vocab", "merges"))
        return "" if same else f"{what}; the package's are always the same", what
    return "" if shared >= own - len(first["vocab"]) / 50 - 1 else what, what


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--corpus", default=__file__)
    options = parser.parse_args()
    corpus = [line for line in pathlib.Path(options.corpus).read_text().splitlines() if line]
    wrong = 0
    for seed in range(options.first, options.first + options.count):
        random.seed(seed)
        kind = ["BPE", "WordPiece", "WordLevel", "Unigram"][seed % 4]
        lines = random.sample(corpus, min(len(corpus), 400))
        lines += kinds_of_texts.generate(random.choice([0, 100]), corpus, [])
        asked, text = options_of(kind), blank(kind).to_str()
        try:
            first, second = (trained(text, trainer_of(kind, asked), lines) for _ in range(2))
        except Exception as error:
            print(f"{seed} {kind}: the package refuses: {error}")
            continue
        ours = json.loads(compare_with_tokenizers.train_ours(options.program, text, lines, asked))["model"]
        problem, what = judge(kind, first, second, ours)
        if problem and first == second:  # two that are the same by chance, perhaps
            others = [trained(text, trainer_of(kind, asked), lines) for _ in range(8)]
            second = next((other for other in others if other != first), second)
            problem, what = judge(kind, first, second, ours)
        print(f"{seed} {kind}: {'WRONG ' + problem if problem else what}" + (f" {asked}" if problem else ""), flush=True)
        wrong += bool(problem)
    print(f"in all: {wrong} of {options.count} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
