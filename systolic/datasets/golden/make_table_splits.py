"""Writes table_splits.json: the rows that `datasets` chooses when it shuffles and splits, and the classes that it encodes.

    python3 make_table_splits.py                  # datasets 5.2, numpy 2.4
"""
import json
import pathlib

import datasets

datasets.disable_progress_bars()


def table(rows, classes):
    """Row i has the class that a fixed sequence gives it: all occur twice at least."""
    return datasets.Dataset.from_dict({"n": list(range(rows)), "label": [(i * i + i // 3) % classes for i in range(rows)]})


def splits():
    for rows, classes in ((10, 2), (101, 5), (997, 7), (20_000, 3)):
        data = table(rows, classes).class_encode_column("label")
        for seed in (0, 7, 2**40 + 3):
            for options in ({"test_size": 0.25}, {"test_size": 0.1, "train_size": 0.5}, {"test_size": 5, "train_size": 4},
                            {"test_size": 0.2, "shuffle": False}, {"test_size": 0.3, "stratify_by_column": "label"},
                            {"test_size": 0.21, "train_size": 0.55, "stratify_by_column": "label"}):
                if rows == 10 and options.get("stratify_by_column") and classes > 2:
                    continue
                try:
                    parts = data.train_test_split(seed=seed, **options)
                except ValueError as error:
                    yield {"rows": rows, "classes": classes, "seed": seed, **options, "error": str(error)[:40]}
                    continue
                yield {"rows": rows, "classes": classes, "seed": seed, **options,
                       **{name: summary(part["n"]) for name, part in parts.items()}}


def summary(values):
    """The first ten, how many, and a sum in which the order counts."""
    values = list(values)
    total = 0
    for value in values:
        total = (total * 31 + value) % 1_000_003
    return {"first": values[:10], "count": len(values), "sum": total}


def shuffles():
    for rows in (1, 2, 10, 1000, 70_000):
        for seed in (0, 42, 2**63):
            yield {"rows": rows, "seed": seed, **summary(table(rows, 2).shuffle(seed=seed)["n"])}


def classes():
    for values in (["b", "a", "b", "C"], [10, 9, 10, -1], [True, False, True]):
        encoded = datasets.Dataset.from_dict({"x": values}).class_encode_column("x")
        yield {"values": values, "names": encoded.features["x"].names, "encoded": list(encoded["x"])}


golden = {"splits": list(splits()), "shuffles": list(shuffles()), "classes": list(classes())}
(pathlib.Path(__file__).parent / "table_splits.json").write_text(json.dumps(golden, indent=None).replace("}, {", "},\n{") + "\n")
