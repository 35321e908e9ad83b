#!/usr/bin/env python3
"""ROUGE and BLEU of texts as rouge_score 0.1.2 and sacrebleu 2.6 have them.

    python systolic/text/scores/golden/make_scores.py

rouge.tsv: prediction, reference, then precision, recall and fmeasure of rouge1, rouge2, rougeL and rougeLsum.
bleu.tsv: options, translations, references of the first of each, of the second (or nothing), score, precisions, brevity
penalty, lengths. Lists are separated by "|"; a newline is "\\n".
"""
import pathlib
import random

import sacrebleu
from rouge_score import rouge_scorer

HERE = pathlib.Path(__file__).resolve().parent
WORDS = "the boat sails to a island and back again, harbour. It's 3.5 km-long 1,000 & far; \"home\" (at) last? Ünder $5".split()
KINDS = ["rouge1", "rouge2", "rougeL", "rougeLsum"]


def text_of(generator, most, lines=False):
    words = [generator.choice(WORDS) for _ in range(generator.randint(0, most))]
    if lines:
        words = [word + "\n" if generator.random() < 0.2 else word for word in words]
    return " ".join(words)


def changed(generator, text):
    words = text.split(" ")
    for _ in range(generator.randint(0, 4)):
        at = generator.randrange(len(words))
        words[at:at + 1] = generator.choice([[], [words[at], generator.choice(WORDS)], [generator.choice(WORDS)]])
        words = words or ["x"]
    return " ".join(words)


def written(text):
    return text.replace("\n", "\\n").replace("\t", " ")


def make_rouge():
    generator = random.Random(5)
    pairs = [("", ""), ("", "a boat"), ("a boat", ""), ("a boat", "a boat"), ("!?", "..."), ("A B a b", "b a"),
             ("a\nb c\n\nd", "b c\nd a"), ("İstanbul K", "i stanbul k")]
    for _ in range(60):
        reference = text_of(generator, 24, True)
        pairs.append((changed(generator, reference), reference))
    scorer = rouge_scorer.RougeScorer(KINDS, use_stemmer=False)
    with open(HERE / "rouge.tsv", "w") as file:
        for prediction, reference in pairs:
            scores = scorer.score(reference, prediction)
            numbers = [repr(part) for kind in KINDS for part in scores[kind]]
            print(written(prediction), written(reference), *numbers, sep="\t", file=file)


def make_bleu():
    generator = random.Random(6)
    with open(HERE / "bleu.tsv", "w") as file:
        for number in range(60):
            count = generator.choice([1, 1, 2, 5])
            first = [text_of(generator, 20) or "boat" for _ in range(count)]
            second = [changed(generator, text) for text in first] if number % 3 == 0 else []
            given = [changed(generator, text) if generator.random() < 0.9 else "" for text in first]
            if number % 7 == 0:
                given[0] = "a-\nb &quot;x&amp;y&quot; <skipped>&lt;1.5,2-3 ...\u00a0\u3000Ünder,ü. \n"
            options = dict(lowercase=number % 4 == 1, use_effective_order=number % 5 == 1)
            references = [first, second] if second else [first]
            got = sacrebleu.corpus_bleu(given, references, **options)
            print(int(options["lowercase"]), int(options["use_effective_order"]), "|".join(map(written, given)),
                  "|".join(map(written, first)), "|".join(map(written, second)), repr(got.score), *map(repr, got.precisions),
                  repr(got.bp), got.sys_len, got.ref_len, sep="\t", file=file)


if __name__ == "__main__":
    make_rouge()
    make_bleu()
