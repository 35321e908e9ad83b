"""Records a second of tf.data's TFRecordDataset on one thread, in batches: the file that tfrecord_read wrote."""
import json
import os
import pathlib
import time

import timing

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf


def passes(path, batch):
    """Elements of one reading of the file."""
    options = tf.data.Options()
    options.threading.private_threadpool_size = 1
    return sum(1 for _ in tf.data.TFRecordDataset(path).batch(batch).with_options(options))


def main():
    args = timing.arguments(__doc__, dir="build/bench/records", record_bytes=100_000, seconds=3.0, batch=1000)
    path = str(pathlib.Path(args.dir) / f"{args.record_bytes}-bytes.tfrec")
    records = 200_000_000 // args.record_bytes
    passes(path, args.batch)
    start, count = time.perf_counter(), 0
    while time.perf_counter() - start < args.seconds:
        passes(path, args.batch)
        count += records
    rate = count / (time.perf_counter() - start)
    print(json.dumps({"work": "tfrecord_read", "who": "tensorflow", "version": tf.__version__,
                      "record_bytes": args.record_bytes, "records_per_second": round(rate),
                      "gigabytes_per_second": rate * args.record_bytes / 1e9}), flush=True)


main()
