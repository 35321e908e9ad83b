"""Pictures a second from JPEG files of 500 x 375 to 224 x 224 floats, normalized: tf.data, or Pillow on one thread.

--who tensorflow|pillow. The pictures are those that our benchmark image_jpeg wrote to --dir.
"""
import io
import json
import os
import pathlib
import time

import timing

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np

MEAN, STD = np.float32([0.485, 0.456, 0.406]), np.float32([0.229, 0.224, 0.225])


def with_tensorflow(files, threads):
    import tensorflow as tf

    scale, offset = tf.constant(1 / (255 * STD)), tf.constant(-MEAN / STD)

    def read(data):
        return tf.image.resize(tf.io.decode_jpeg(data, channels=3), [224, 224]) * scale + offset

    options = tf.data.Options()
    if threads == 1:
        options.threading.private_threadpool_size = 1
    batches = (tf.data.Dataset.from_tensor_slices(files).repeat().map(read, num_parallel_calls=threads)
               .batch(32, drop_remainder=True).prefetch(2).with_options(options))
    iterator = iter(batches)
    return tf.__version__, lambda: next(iterator)


def with_pillow(files, threads):
    import PIL
    from PIL import Image

    scale, offset = 1 / (255 * STD), -MEAN / STD
    position = 0

    def batch():
        nonlocal position
        pictures = np.empty((32, 224, 224, 3), np.float32)
        for i in range(32):
            image = Image.open(io.BytesIO(files[(position + i) % len(files)])).resize((224, 224), Image.BILINEAR)
            pictures[i] = np.asarray(image) * scale + offset
        position += 32
        return pictures

    return PIL.__version__, batch


def main():
    args = timing.arguments(__doc__, who="tensorflow", dir="build/bench/pictures", threads=1, seconds=3.0)
    files = [path.read_bytes() for path in sorted(pathlib.Path(args.dir).glob("*.jpg"))]
    version, batch = {"tensorflow": with_tensorflow, "pillow": with_pillow}[args.who](files, args.threads)
    for _ in range(4):
        batch()
    start, count = time.perf_counter(), 0
    while time.perf_counter() - start < args.seconds:
        batch()
        count += 32
    rate = count / (time.perf_counter() - start)
    print(json.dumps({"work": "image_jpeg", "who": args.who, "version": version,
                      "pictures_per_second": round(rate, 1)}), flush=True)


main()
