"""Writes data/datasets.json: the elements that tf.data's transformations give, one case a line.

    python tests/golden/make_datasets.py        (TensorFlow 2.21)

systolic/data/tf_data_golden_test.cc has the same table of pipelines under the same names.
"""
import tempfile

from golden_values import write

import numpy as np
import tensorflow as tf

Dataset = tf.data.Dataset
folder = tempfile.mkdtemp()


def text_file(name, content):
    path = f"{folder}/{name}"
    with open(path, "wb") as file:
        file.write(content)
    return path


def rows(n):
    """n, n, ... n times: elements of different lengths."""
    return tf.fill([tf.cast(n, tf.int32)], n)


def ragged(stop):
    return Dataset.range(stop).map(rows)


def stepped(n):
    return Dataset.range(10 * n, 10 * n + 3 + n % 2)


LINES = text_file("lines.txt", b"first\nsecond\r\n\nlast without end")
MORE_LINES = text_file("more.txt", b"a\nb\n")
RECORDS = text_file("records.bin", b"HEADabcdefghijFOOT")
CSV = text_file("table.csv", b"name,x,n\n\"a, \"\"b\"\"\",1.5,3\nplain,,4\n,2.25,\n")

boundaries, sizes = [3, 5], [2, 2, 3]


def buckets(**options):
    return ragged(9).repeat(2).bucket_by_sequence_length(
        lambda x: tf.shape(x)[0], boundaries, sizes, **options)


CASES = {
    "interleave": Dataset.range(5).interleave(stepped, cycle_length=2, block_length=2),
    "interleave, cycle 3": Dataset.range(7).interleave(stepped, cycle_length=3, block_length=1),
    "flat_map": Dataset.range(4).flat_map(stepped),
    "window": Dataset.range(7).window(3).flat_map(lambda w: w.batch(3)),
    "window, shifted": Dataset.range(7).window(3, shift=1, drop_remainder=True).flat_map(
        lambda w: w.batch(3)),
    "window, stride": Dataset.range(11).window(3, shift=2, stride=2).flat_map(lambda w: w.batch(4)),
    "window, gaps": Dataset.range(12).window(2, shift=5).flat_map(lambda w: w.batch(2)),
    "group_by_window": Dataset.range(13).group_by_window(
        key_func=lambda x: x % 3, reduce_func=lambda key, w: w.batch(10), window_size=2),
    "padded_batch": ragged(6).padded_batch(4),
    "padded_batch, shape and value": ragged(6).padded_batch(
        4, padded_shapes=[7], padding_values=tf.constant(-1, tf.int64), drop_remainder=True),
    "padded_batch, strings": ragged(4).map(tf.strings.as_string).padded_batch(
        2, padding_values="none"),
    "padded_batch, two axes": Dataset.range(1, 4).map(
        lambda n: tf.fill([tf.cast(n, tf.int32), 4 - tf.cast(n, tf.int32)], n)).padded_batch(3),
    "buckets": buckets(),
    "buckets, dropped": buckets(drop_remainder=True),
    "buckets to boundaries": ragged(5).bucket_by_sequence_length(
        lambda x: tf.shape(x)[0], [3, 7], [2, 2, 2], pad_to_bucket_boundary=True),
    "unbatch": ragged(4).unbatch(),
    "scan": Dataset.range(6).scan(np.int64(10), lambda state, x: (state + x, state * x)),
    "unique": Dataset.from_tensor_slices([3, 1, 3, 2, 1, 7]).unique(),
    "choose": Dataset.choose_from_datasets(
        [Dataset.range(3), Dataset.range(10, 20)],
        Dataset.from_tensor_slices(np.array([0, 1, 1, 0, 0, 1, 0, 1, 1], np.int64)),
        stop_on_empty_dataset=True),
    "choose, beyond the end": Dataset.choose_from_datasets(
        [Dataset.range(3), Dataset.range(10, 20)],
        Dataset.from_tensor_slices(np.array([0, 1, 1, 0, 0, 1, 0, 1, 1], np.int64)),
        stop_on_empty_dataset=False),
    "text lines": tf.data.TextLineDataset([LINES, MORE_LINES]),
    "fixed length records": tf.data.FixedLengthRecordDataset(
        [RECORDS, RECORDS], record_bytes=5, header_bytes=4, footer_bytes=4),
    "csv": tf.data.experimental.CsvDataset(
        CSV, ["none", tf.constant([0.0], tf.float32), tf.constant([9], tf.int64)], header=True),
    "csv, selected": tf.data.experimental.CsvDataset(
        CSV, [tf.constant([-1], tf.int64), "?"][::-1], header=True, select_cols=[0, 2]),
    "skip, take, shard": Dataset.range(20).skip(3).shard(4, 2).take(3).repeat(2),
}


def component(array):
    array = np.asarray(array)
    values = array.ravel().tolist()
    if array.dtype == object or array.dtype.kind in "SU":
        values = [value.decode() for value in values]
    return {"shape": list(array.shape), "values": values}


def element(value):
    return [component(part) for part in (value if isinstance(value, tuple) else (value,))]


write("datasets", {"cases": [
    {"name": name, "elements": [element(e) for e in dataset.as_numpy_iterator()]}
    for name, dataset in CASES.items()]})
