"""Step time of the MNIST convnet in Keras on TensorFlow: model.fit on batches that are already in memory.

The times are those between the ends of successive batches inside one fit, after the warm-up: what a user sees.
--jit 1 asks for XLA; without it TensorFlow's own kernels (oneDNN) run, which is faster on a CPU.
"""
import os

import timing

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import keras_timing
import numpy as np
import tensorflow as tf


def convnet(filters):
    return keras.Sequential([
        keras.Input((28, 28, 1)),
        keras.layers.Conv2D(filters, 3, activation="relu"),
        keras.layers.Conv2D(filters, 3, activation="relu"),
        keras.layers.Flatten(),
        keras.layers.Dense(256, activation="relu"),
        keras.layers.Dense(128, activation="relu"),
        keras.layers.Dense(10)])


def main():
    args = timing.arguments(__doc__, filters=256, batch=200, steps=5, warm_up=2, jit=0)
    rng = np.random.default_rng(0)
    image = rng.random((args.batch, 28, 28, 1), np.float32)
    label = rng.integers(0, 10, args.batch).astype(np.int32)
    batches = tf.data.Dataset.from_tensors((image, label)).repeat()
    model = convnet(args.filters)
    model.compile(optimizer="adam",
                  loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                  metrics=["sparse_categorical_accuracy"], jit_compile=bool(args.jit))
    clock = keras_timing.StepTimes()
    model.fit(batches, epochs=1, steps_per_epoch=args.warm_up + args.steps, verbose=0, callbacks=[clock])
    timing.report(f"convnet{args.filters}", "tensorflow", tf.__version__, clock.after(args.warm_up), batch=args.batch,
                  jit=args.jit)


main()
