"""Writes tfds/things/1.0.0, a data set of every kind of feature, and things.json, what tfds reads of it.

    python systolic/datasets/golden/make_tfds.py        (tensorflow_datasets 4.9.10, TensorFlow 2.21)

tfds_golden_test.cc reads the same by datasets::load.
"""
import base64
import json
import os
import shutil

import numpy as np
import tensorflow as tf
import tensorflow_datasets as tfds

HERE = os.path.dirname(os.path.abspath(__file__))
F = tfds.features


class Things(tfds.core.GeneratorBasedBuilder):
    """Three elements of 0, 1 and 2 members in their sequences."""

    VERSION = tfds.core.Version("1.0.0")
    pkg_dir_path = None

    def _info(self):
        return tfds.core.DatasetInfo(builder=self, supervised_keys=("who", "objects"), features=F.FeaturesDict({
            "id": np.int64,
            "tokens": F.Sequence(np.int32),
            "pair": F.Sequence(np.float32, length=2),
            "tags": F.Sequence(F.ClassLabel(names=["a", "b", "c"])),
            "words": F.Sequence(F.Text()),
            "objects": F.Sequence({"bbox": F.BBoxFeature(), "label": F.ClassLabel(names=["cat", "dog"]),
                                   "crowd": np.bool_}),
            "nested": F.Sequence(F.Sequence(np.int64)),
            "deep": F.Sequence(F.Sequence(F.Sequence(F.Text()))),
            "boxes": F.Sequence(F.Sequence(F.BBoxFeature())),
            "points": F.Tensor(shape=(None, 2), dtype=np.float32),
            "packed": F.Tensor(shape=(2, 3), dtype=np.uint8, encoding="zlib"),
            "masks": F.Sequence(F.Tensor(shape=(2, 2), dtype=np.bool_, encoding="bytes")),
            "raw": F.Tensor(shape=(None, None), dtype=np.int16, encoding="bytes"),
            "who": {"name": F.Text(), "age": np.int32},
            "frames": F.Sequence(F.Image(shape=(2, 2, 1), encoding_format="png")),
            "video": F.Video(shape=(None, 2, 2, 3)),
            "text": F.Translation(["en", "de"]),
            "wide": np.float64,
            "big": np.uint64,
            "small": F.Scalar(np.int8),
        }))

    def _split_generators(self, dl_manager):
        return {"train": self._generate_examples(3), "test": self._generate_examples(1)}

    def _generate_examples(self, count):
        for n in range(count):
            some = range(n)
            yield n, {
                "id": n, "tokens": [10 * k for k in some], "pair": [n, 0.5], "tags": ["c" if k else "b" for k in some],
                "words": [f"w{k}" for k in some],
                "objects": [{"bbox": F.BBox(0.25 * k, 0.125, 0.5, 1.0), "label": "dog", "crowd": k % 2 == 0}
                            for k in some],
                "nested": [[1, 2], [], [3]][:n + 1], "deep": [[["a"], []], [], [["b", "c"]]][:n + 1],
                "boxes": [[F.BBox(0.0, 0.0, 0.5, 1.0)] * k for k in some],
                "points": np.full((n, 2), n + 0.5, np.float32), "packed": np.full((2, 3), n, np.uint8),
                "masks": [np.array([[True, False], [False, k > 0]]) for k in some],
                "raw": np.arange(2 * n + 2, dtype=np.int16).reshape(n + 1, 2) - 3,
                "who": {"name": f"n{n}", "age": 30 + n}, "frames": [np.full((2, 2, 1), k, np.uint8) for k in some],
                "video": np.full((n + 1, 2, 2, 3), n, np.uint8), "text": {"en": f"e{n}", "de": f"d{n}"},
                "wide": 0.25, "big": 2**64 - 1 - n, "small": -n}


def array(value):
    value = np.asarray(value)
    values = [base64.b64encode(v).decode() for v in value.ravel()] if value.dtype == object else value.ravel().tolist()
    return {"shape": list(value.shape), "values": values}


def arrays(element, name=""):
    """The arrays of an element by their paths; of ragged ones the values and the row splits."""
    if isinstance(element, dict):
        return {path: value for key, part in element.items() for path, value in arrays(
            part, f"{name}/{key}" if name else key).items()}
    if isinstance(element, tf.RaggedTensor):
        splits = [array(part) for part in element.nested_row_splits]
        names = ["_row_splits"] if len(splits) == 1 else [f"_row_splits_{i}" for i in range(len(splits))]
        return {name: array(element.flat_values), **{name + end: part for end, part in zip(names, splits)}}
    return {name: array(element)}


if __name__ == "__main__":
    shutil.rmtree(f"{HERE}/tfds", ignore_errors=True)
    builder = Things(data_dir=f"{HERE}/tfds")
    builder.download_and_prepare()
    elements = [arrays(element) for element in builder.as_dataset(split="train")]
    with open(f"{HERE}/things.json", "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(json.dumps(element) for element in elements) + "\n]\n")
