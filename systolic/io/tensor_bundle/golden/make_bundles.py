#!/usr/bin/env python3
"""Writes the checkpoints beside this one, which tensor_bundle_golden_test.cc reads:

    python systolic/io/tensor_bundle/golden/make_bundles.py      # tensorflow 2.21, tf_keras 2.21

Every tensor of numbers is value(i) = (3 i mod 7) - 2 in row-major order (its absolute value where the type has no sign,
whether it is 0 where it is bool), so that the test computes what it expects.
"""
import os
import pathlib
import tempfile

os.environ["TF_USE_LEGACY_KERAS"] = "1"
import numpy as np
import tensorflow as tf

HERE = pathlib.Path(__file__).parent
TYPES = ("bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128 "
         "float8_e5m2 float8_e4m3fn").split()


def values(shape):
    return np.arange(np.prod(shape, dtype=int)).reshape(shape) * 3 % 7 - 2


def tensor(dtype, shape):
    numbers = values(shape)
    if dtype == "bool":
        return tf.constant(numbers == 0)
    if dtype.startswith("uint"):
        numbers = abs(numbers)
    return tf.cast(tf.constant(numbers, tf.float64), dtype)


def save(prefix, tensors, slices=None):
    names = list(tensors)
    tf.raw_ops.SaveV2(prefix=str(prefix), tensor_names=names, shape_and_slices=slices or [""] * len(names),
                      tensors=list(tensors.values()))


def types():
    tensors = {name: tensor(name, (2, 3)) for name in TYPES}
    tensors |= {"scalar": tensor("float32", ()), "empty": tensor("float32", (0, 4)),
                "strings": tf.constant([[b"", b"a"], [b"b" * 300, b"\0\xff"]]), "text": tf.constant("one")}
    save(HERE / "types", tensors)


def many():
    """So many names that the table stores most keys by what they share with the one before."""
    save(HERE / "many", {f"layer_{i:04}/attention/output/kernel": tensor("int8", (i % 3,)) for i in range(500)})


def shards():
    """Two files of numbers."""
    with tempfile.TemporaryDirectory() as folder:
        parts = [pathlib.Path(folder) / "a", pathlib.Path(folder) / "b"]
        save(parts[0], {"first": tensor("float32", (4,)), "third": tensor("int64", (2, 2))})
        save(parts[1], {"second": tensor("float64", (3,))})
        tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=[str(part) for part in parts],
                                      destination_prefix=str(HERE / "shards"))


def parts():
    """Variables saved in parts, as partitioned ones are: by rows, and by rows and columns."""
    rows, tiles = tensor("float32", (200, 3)), tensor("int32", (4, 6))
    with tempfile.TemporaryDirectory() as folder:
        prefixes = []
        for i, (begin, end) in enumerate([(0, 70), (70, 199), (199, 200)]):
            prefixes.append(f"{folder}/rows{i}")
            save(prefixes[-1], {"rows": rows[begin:end]}, [f"200 3 {begin},{end - begin}:-"])
        for i, (row, column) in enumerate([(0, 0), (0, 2), (1, 0), (1, 2)]):
            height, width = (1, 3)[row], (2, 4)[column // 2]
            prefixes.append(f"{folder}/tiles{i}")
            save(prefixes[-1], {"tiles": tiles[row:row + height, column:column + width]},
                 [f"4 6 {row},{height}:{column},{width}"])
        tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=prefixes, destination_prefix=str(HERE / "parts"))


def objects():
    """A Keras model with its optimizer, and a step."""
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,), name="hidden"),
                                 tf.keras.layers.Dense(1, name="head")])
    model.compile(optimizer=tf.keras.optimizers.legacy.Adam(), loss="mse")
    model.fit(np.ones((2, 3)), np.ones((2, 1)), verbose=0)
    for variable in model.variables + model.optimizer.variables():
        variable.assign(tf.cast(tensor("float32", variable.shape), variable.dtype))
    dataset = iter(tf.data.Dataset.range(3))
    checkpoint = tf.train.Checkpoint(model=model, step=tf.Variable(7, dtype=tf.int64), iterator=dataset)
    checkpoint.write(str(HERE / "objects"))


for make in (types, many, shards, parts, objects):
    make()
