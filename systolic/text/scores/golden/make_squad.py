#!/usr/bin/env python3
"""Scores of generated answers by SQuAD's official formulas, as transformers 4.57 has them (data/metrics/squad_metrics.py).

    python systolic/text/scores/golden/make_squad.py

squad.json: a list of {"predictions": [[id, text, no_answer_probability]], "references": [[id, [answers]]], "threshold", "v1", "v2"}.
"""
import json
import pathlib
import random

from transformers.data.metrics import squad_metrics

HERE = pathlib.Path(__file__).resolve().parent
WORDS = ["the", "a", "An", "boat", "Boat's", "sails,", "1,000", "St. John", "Ünder", "ΟΔΟΣ", "οδός", "a-an", "thé", "the_boat", "İ", "\u00a0x\u2003y",
         "\"quoted\"", "漢字", "(", "_a", "9 a.m."]


def answer(generator, most):
    return " ".join(generator.choice(WORDS) for _ in range(generator.randint(0, most)))


def f1_v1(truth, given):
    """Where evaluate-v1.1.py differs: two texts without words have none in common."""
    both = [squad_metrics.get_tokens(text) for text in (truth, given)]
    return squad_metrics.compute_f1(truth, given) if all(both) else 0


def version_1(given, references):
    exact = sum(max(squad_metrics.compute_exact(truth, given[key][0]) for truth in truths) for key, truths in references if key in given)
    f1 = sum(max(f1_v1(truth, given[key][0]) for truth in truths) for key, truths in references if key in given)
    return dict(exact_match=100 * exact / len(references), f1=100 * f1 / len(references))


def version_2(given, references, threshold):
    examples = [squad_metrics_example(key, truths) for key, truths in references]
    texts = {key: text for key, (text, _) in given.items()}
    chances = {key: chance for key, (_, chance) in given.items()}
    has_answer = {key: bool(truths) for key, truths in references}
    exact, f1 = squad_metrics.get_raw_scores(examples, texts)
    cut = [squad_metrics.apply_no_ans_threshold(scores, chances, has_answer, threshold) for scores in (exact, f1)]
    found = dict(squad_metrics.make_eval_dict(*cut))
    for name, wanted in [("HasAns", True), ("NoAns", False)]:
        keys = [key for key, answered in has_answer.items() if answered == wanted]
        if keys:
            squad_metrics.merge_eval(found, squad_metrics.make_eval_dict(*cut, qid_list=keys), name)
    squad_metrics.find_all_best_thresh(found, texts, exact, f1, chances, has_answer)
    return found


def squad_metrics_example(key, truths):
    return type("Example", (), dict(qas_id=key, answers=[dict(text=text) for text in truths]))()


def main():
    generator, cases = random.Random(3), []
    for number in range(24):
        version_1_only = number % 2 == 0
        references, predictions = [], []
        for row in range(generator.choice([1, 3, 12])):
            truths = [answer(generator, 4) for _ in range(generator.randint(1 if version_1_only else 0, 3))]
            text = generator.choice([answer(generator, 4), generator.choice(truths or [""]), ""])
            references.append([str(row), truths])
            if not version_1_only or generator.random() < 0.9:
                predictions.append([str(row), text, generator.choice([0, 0.25, 0.5, 0.75])])
        generator.shuffle(predictions)
        given = {key: (text, chance) for key, text, chance in predictions}
        threshold = generator.choice([1.0, 0.5, 0.2])
        case = dict(predictions=predictions, references=references, threshold=threshold)
        if version_1_only:
            case["v1"] = version_1(given, references)
        else:
            case["v2"] = version_2(given, references, threshold)
        cases.append(case)
    text = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    (HERE / "squad.json").write_text(f"[\n{text}\n]\n")


if __name__ == "__main__":
    main()
