"""Writes splits.json: which elements of which splits a text such as "train[:80%]+test" asks for.

    python systolic/datasets/golden/make_splits.py        (tensorflow_datasets 4.9.10)

tfds_golden_test.cc asks datasets::split_parts for the same. Left out is where tfds contradicts itself: a part that begins
past its end is taken backwards, of two units the second one is passed over, and of shards an end of 0 is the end of the split.
"""
import itertools
import json
import os

import tensorflow_datasets as tfds
from tensorflow_datasets.core import splits

HERE = os.path.dirname(os.path.abspath(__file__))
SIZES = ({"train": [6, 4], "test": [3]}, {"train": [433, 433, 433], "test": [50]}, {"train": [60000], "test": [10000]})
BOUNDS = ("", "5%", "-5%", "12.5%", "33%", "80%", "100%", "-100%", "101%", "0", "3", "-3", "1_0", "11", "-1300",
          "1shard", "-1shard", "9shard", "2.5", "x")
TEXTS = ("train", "test+train", "train + test", "all", "train[10%:20%]+test", "test[:1]+train[-1:]+test[:1]",
         "train[1shard]", "train[-1shard]", "train[3]", "train[5%]", "other", "train[:3", "train]", "all[:5]", "")


def unit(bound):
    return bound.lstrip("-0123456789_.")


def parts(sizes, text):
    """[[split, begin, end], ...], or nothing where tfds refuses."""
    infos = [splits.SplitInfo(name=name, shard_lengths=lengths, num_bytes=0) for name, lengths in sizes.items()]
    try:
        found = splits._make_absolute_instructions(infos, text)  # pylint: disable=protected-access
    except (ValueError, NotImplementedError):
        return None
    return [[part.splitname, part.from_ or 0, sum(sizes[part.splitname]) if part.to is None else part.to]
            for part in found]


def cases(sizes):
    for text in TEXTS:
        yield text, parts(sizes, text)
    for begin, end in itertools.product(BOUNDS, BOUNDS):
        text = f"train[{begin}:{end}]"
        found = parts(sizes, text)
        two_units = unit(begin) and unit(end) and unit(begin) != unit(end)
        end_of_shards = end == "0" and unit(begin) == "shard"
        if begin + end and not two_units and not end_of_shards and not (found and found[0][1] > found[0][2]):
            yield text, found


if __name__ == "__main__":
    lines = [json.dumps({"sizes": sizes, "parts": dict(cases(sizes))}) for sizes in SIZES]
    with open(f"{HERE}/splits.json", "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(lines) + "\n]\n")
    print(tfds.__version__, sum(len(json.loads(line)["parts"]) for line in lines), "texts")
