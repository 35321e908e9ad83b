"""Records a second of tf.data: MNIST-size TFRecords to parsed, normalized, shuffled batches of 200.

--form map parses record by record before batch, as most guides write it; --form batch is the vectorized form.
The files are written once, to --dir (sixteen, 60,000 records, raw bytes and a label each).
"""
import json
import os
import pathlib
import time

import timing

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow as tf

FEATURES = {"image": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64)}


def write_records(folder, count, shards=16):
    rng = np.random.default_rng(0)
    folder.mkdir(parents=True, exist_ok=True)
    for shard in range(shards):
        with tf.io.TFRecordWriter(str(folder / f"train-{shard:05d}-of-{shards:05d}.tfrec")) as writer:
            for _ in range(count // shards):
                image = rng.integers(0, 256, 784, np.uint8).tobytes()
                feature = {
                    "image": tf.train.Feature(bytes_list=tf.train.BytesList(value=[image])),
                    "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[int(rng.integers(10))]))}
                writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())


def normalize(parsed, shape):
    image = tf.reshape(tf.cast(tf.io.decode_raw(parsed["image"], tf.uint8), tf.float32) / 255.0, shape)
    return image, tf.cast(parsed["label"], tf.int32)


def pipeline(files, form, batch):
    records = tf.data.TFRecordDataset(files, num_parallel_reads=tf.data.AUTOTUNE).shuffle(10_000).repeat()
    if form == "map":
        return (records.map(lambda r: normalize(tf.io.parse_single_example(r, FEATURES), [28, 28, 1]),
                            num_parallel_calls=tf.data.AUTOTUNE)
                .batch(batch, drop_remainder=True).prefetch(tf.data.AUTOTUNE))
    return (records.batch(batch, drop_remainder=True)
            .map(lambda r: normalize(tf.io.parse_example(r, FEATURES), [-1, 28, 28, 1]),
                 num_parallel_calls=tf.data.AUTOTUNE)
            .prefetch(tf.data.AUTOTUNE))


def main():
    args = timing.arguments(__doc__, form="map", batch=200, seconds=5.0, dir="build/bench/tfrecords", count=60_000)
    folder = pathlib.Path(args.dir)
    if not list(folder.glob("*.tfrec")):
        write_records(folder, args.count)
    files = sorted(str(path) for path in folder.glob("*.tfrec"))
    batches = iter(pipeline(files, args.form, args.batch))
    for _ in range(100):
        next(batches)
    start, records = time.perf_counter(), 0
    while time.perf_counter() - start < args.seconds:
        next(batches)
        records += args.batch
    rate = records / (time.perf_counter() - start)
    print(json.dumps({"work": f"input_{args.form}", "who": "tensorflow", "version": tf.__version__,
                      "records_per_second": round(rate), "batch": args.batch}), flush=True)


main()
