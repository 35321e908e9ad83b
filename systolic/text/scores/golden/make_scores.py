#!/usr/bin/env python3
"""ROUGE and BLEU of texts as rouge_score 0.1.2 and sacrebleu 2.6 have them; GLUE's scores as scikit-learn 1.9 and SciPy 1.17 do.

    python systolic/text/scores/golden/make_scores.py

rouge.tsv, rouge_stemmed.tsv: prediction, reference, then precision, recall and fmeasure of rouge1, rouge2, rougeL and rougeLsum.
bleu.tsv: options, translations, references of the first of each, of the second (or nothing), score, precisions, brevity
penalty, lengths. Lists are separated by "|"; a newline is "\\n".
stems.tsv: word, stem, by nltk 3.10.
glue.tsv: task, predictions, references, then the scores in the order in which `evaluate` has them.
"""
import pathlib
import random

import sacrebleu
from nltk.stem import porter
from rouge_score import rouge_scorer
from scipy.stats import pearsonr, spearmanr
from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef

HERE = pathlib.Path(__file__).resolve().parent
WORDS = "the boat sails to a island and back again, harbour. It's 3.5 km-long 1,000 & far; \"home\" (at) last? Ünder $5".split()
# For stems: what the steps of Porter's algorithm distinguish.
ROOTS = """sail rat bl siz hop fall hiss fizz fil agree feed plaster motor sing trouble conflat happi sky enjoy relat condition valenc hesitanc digit
conform radic differ vil analog vietnam predic operat feud decis hope callous formal sensitiv sensib triplic electr good reviv allow infer airlin
gyroscop adjust defens irrit replac depend adopt homolog commun activ angular effect bowdl prob rat ceas control roll y yy sy toy die lie tie
psycholog theolog log apolog full care news inning outing canning howe proceed exceed succeed trad us a is b x2 3d""".split()
ENDINGS = """s es ies ss sses ed eed ied ing y ly li ational tional enci anci izer abli ably alli ally entli ently eli ousli ization ation ator alism iveness
fulness ousness aliti ality iviti ivity biliti bility fulli logi logy icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment
ent ion sion tion ou ism ate iti ous ive ize e ll lle""".split()
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
    write_rouge("rouge.tsv", pairs, False)


def write_rouge(name, pairs, use_stemmer):
    scorer = rouge_scorer.RougeScorer(KINDS, use_stemmer=use_stemmer)
    with open(HERE / name, "w") as file:
        for prediction, reference in pairs:
            scores = scorer.score(reference, prediction)
            numbers = [repr(part) for kind in KINDS for part in scores[kind]]
            print(written(prediction), written(reference), *numbers, sep="\t", file=file)


def make_stems():
    generator = random.Random(9)
    words = sorted({root + ending for root in ROOTS for ending in ["", *ENDINGS]} | {ending for ending in ENDINGS})
    stemmer = porter.PorterStemmer()
    kept = generator.sample(words, 1500) + ["skies", "dying", "lying", "tying", "innings", "outings", "cannings", "flies", "dies", "spied", "tried"]
    (HERE / "stems.tsv").write_text("".join(f"{word}\t{stemmer.stem(word)}\n" for word in kept))
    pairs = []
    for _ in range(20):
        count = generator.randint(1, 12)
        first = [generator.choice(ROOTS) for _ in range(count)]
        texts = [" ".join(root + generator.choice(["", *ENDINGS]) + generator.choice(["", "", "\n"]) for root in first) for _ in range(2)]
        pairs.append(tuple(texts))
    write_rouge("rouge_stemmed.tsv", pairs, True)


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


def make_glue():
    generator = random.Random(7)
    scores = dict(cola=[matthews_corrcoef], stsb=[lambda there, got: pearsonr(got, there)[0], lambda there, got: spearmanr(got, there)[0]],
                  mrpc=[accuracy_score, f1_score], mnli=[accuracy_score])
    with open(HERE / "glue.tsv", "w") as file:
        for number in range(40):
            task = list(scores)[number % 4]
            count, classes = generator.choice([2, 5, 30]), 3 if task == "mnli" else 2
            pick = (lambda: generator.choice([0, 0.5, 2, 3.25, 4, 5])) if task == "stsb" else lambda: generator.randrange(classes)
            there = [pick() for _ in range(count)]
            got = [one if generator.random() < 0.5 else pick() for one in there]
            if number == 4:  # CoLA with one class, MRPC without class 1
                got = [1] * count
            if number == 6:
                there = got = [0] * count
            if task == "stsb" and min(len(set(there)), len(set(got))) == 1:
                there, got = [1, 2, 3], [5, 2.5, 2.5]
            print(task, *("|".join(map(str, each)) for each in (got, there)), *(repr(float(one(there, got))) for one in scores[task]),
                  sep="\t", file=file)


if __name__ == "__main__":
    make_glue()
    make_stems()
    make_rouge()
    make_bleu()
