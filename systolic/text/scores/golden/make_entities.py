#!/usr/bin/env python3
"""Entities and their scores as seqeval 1.2 has them.

    python systolic/text/scores/golden/make_entities.py

entities.json: a list of {"scheme" (null: not strict), "predictions", "references", "spans" (of the first prediction), "types",
"overall", "macro", "weighted", "accuracy"}; a score is [precision, recall, f1, number].
"""
import json
import pathlib
import random
import warnings

from seqeval import metrics, scheme
from seqeval.metrics.v1 import classification_report

HERE = pathlib.Path(__file__).resolve().parent
LETTERS = {None: "OBIES", "IOB1": "IOB", "IOB2": "IOB", "IOE1": "IOE", "IOE2": "IOE", "IOBES": "IOBES", "BILOU": "BILOU"}


def tags(generator, kind, count):
    made = []
    for _ in range(count):
        letter = generator.choice(LETTERS[kind])
        made.append("O" if letter == "O" else letter + generator.choice(["-PER", "-PER", "-LOC", "-A-B", ""]))
    return made


def numbers(score):
    return [float(score[name]) for name in ("precision", "recall", "f1-score")] + [int(score["support"])]


def spans_of(sentence, kind):
    if kind is None:
        return [[type_, begin, end + 1] for type_, begin, end in metrics.sequence_labeling.get_entities(sentence)]
    return [[one.tag, one.start, one.end] for one in scheme.Entities([sentence], getattr(scheme, kind)).entities[0]]


def case_of(generator, kind):
    sizes = [generator.randint(1, 9) for _ in range(generator.randint(1, 4))]
    references = [tags(generator, kind, size) for size in sizes]
    predictions = [[tag if generator.random() < 0.8 else tags(generator, kind, 1)[0] for tag in sentence] for sentence in references]
    if kind is None:
        report = metrics.classification_report(references, predictions, output_dict=True)
    else:
        report = classification_report(references, predictions, output_dict=True, scheme=getattr(scheme, kind))
    if len(report) == 3:
        raise ValueError("no entity in any sentence: averages of nothing")
    averages = [numbers(report.pop(f"{name} avg")) for name in ("micro", "macro", "weighted")]
    return dict(scheme=kind, predictions=predictions, references=references, spans=spans_of(predictions[0], kind),
                types={name: numbers(score) for name, score in report.items()}, overall=averages[0], macro=averages[1],
                weighted=averages[2], accuracy=metrics.accuracy_score(references, predictions))


def main():
    warnings.simplefilter("ignore")
    generator, cases = random.Random(4), []
    while len(cases) < 70:
        kind = list(LETTERS)[len(cases) % len(LETTERS)]
        try:
            cases.append(case_of(generator, kind))
        except ValueError:  # of seqeval, too
            continue
    (HERE / "entities.json").write_text("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")


if __name__ == "__main__":
    main()
