"""Step time of a network of benchmarks/networks.cc in Keras: model.fit on a batch that is already in memory.

--backend tensorflow or jax; --jit 1 asks for XLA (JAX always has it). The times are those between the ends of successive
batches inside one fit, after the warm-up: what a user sees.
"""
import os

import timing

ARGS = timing.arguments(__doc__, network="lstm", batch=0, size=0, width=0, steps=5, warm_up=2, backend="tensorflow", jit=0)
os.environ["KERAS_BACKEND"] = ARGS.backend
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import keras_timing
import numpy as np
from keras import layers


def mlp(s):
    return keras.Sequential([keras.Input((784,)), layers.Dense(s.width, activation="relu"),
                             layers.Dense(s.width, activation="relu"), layers.Dense(10)]), (784,)


def recurrent(layer):
    return lambda s: (keras.Sequential([keras.Input((s.size, s.width // 2)), layer(s.width), layers.Dense(10)]),
                      (s.size, s.width // 2))


def pooled(shape, layer, pooling):
    return keras.Sequential([keras.Input(shape), layer, pooling(), layers.Dense(10)]), shape


def conv_transpose(s):
    return pooled((s.size, s.size, s.width), layers.Conv2DTranspose(s.width // 2, 4, strides=2, padding="same"),
                  layers.GlobalAveragePooling2D)


def conv1d(s):
    return pooled((s.size, s.width), layers.Conv1D(s.width, 5, padding="same"), layers.GlobalAveragePooling1D)


def conv3d(s):
    return pooled((s.size, s.size, s.size, s.width), layers.Conv3D(s.width, 3, padding="same"),
                  layers.GlobalAveragePooling3D)


def depthwise(s):
    return pooled((s.size, s.size, s.width), layers.DepthwiseConv2D(3, padding="same"), layers.GlobalAveragePooling2D)


def unet(s):
    def two(x, filters):
        for _ in range(2):
            x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
        return x

    def up(x, beside, filters):
        larger = layers.Conv2DTranspose(filters, 2, strides=2, padding="same")(x)
        return two(layers.Concatenate()([larger, beside]), filters)

    x = keras.Input((s.size, s.size, 3))
    top = two(x, s.width)
    middle = two(layers.MaxPooling2D()(top), 2 * s.width)
    bottom = two(layers.MaxPooling2D()(middle), 4 * s.width)
    y = up(up(bottom, middle, 2 * s.width), top, s.width)
    return keras.Model(x, layers.Dense(10)(layers.GlobalAveragePooling2D()(y))), (s.size, s.size, 3)


def application(name):
    def build(s):
        shape = (s.size, s.size, 3)
        return getattr(keras.applications, name)(weights=None, input_shape=shape, classes=10,
                                                 classifier_activation=None), shape
    return build


def embedding(s):
    return keras.Sequential([keras.Input((26,), dtype="int32"), layers.Embedding(s.size, s.width),
                             layers.GlobalAveragePooling1D(), layers.Dense(10)]), None


def dlrm(s):
    def dense(x, *units):
        for count in units:
            x = layers.Dense(count, activation="relu")(x)
        return x

    numbers = keras.Input((13,), name="numbers")
    ids = [keras.Input((1,), dtype="int32", name=f"id{i}") for i in range(26)]
    bottom = dense(numbers, 512, 256, s.width)
    vectors = [layers.Reshape((1, s.width))(bottom)] + [layers.Embedding(s.size, s.width)(each) for each in ids]
    every = layers.Concatenate(axis=1)(vectors)
    products = layers.Flatten()(layers.Dot(axes=(2, 2))([every, every]))
    top = dense(layers.Concatenate()([bottom, products]), 512, 256)
    return keras.Model([numbers, *ids], layers.Dense(10)(top)), None


# name: (builder, optimizer), as in benchmarks/networks.cc
NETWORKS = {
    "mlp_wide": (mlp, "adam"),
    "lstm": (recurrent(layers.LSTM), "adam"),
    "gru": (recurrent(layers.GRU), "adam"),
    "conv_transpose": (conv_transpose, "adam"),
    "unet": (unet, "adam"),
    "conv1d": (conv1d, "adam"),
    "conv3d": (conv3d, "adam"),
    "depthwise": (depthwise, "adam"),
    "mobilenet_v2": (application("MobileNetV2"), "adam"),
    "efficientnet_b0": (application("EfficientNetB0"), "adam"),
    "resnet50": (application("ResNet50"), "adam"),
    "dlrm": (dlrm, "sgd"),
    "embedding_sgd": (embedding, "sgd"),
    "embedding_adagrad": (embedding, "adagrad"),
}


def batches(image, label):
    while True:
        yield image, label


def main():
    build, optimizer = NETWORKS[ARGS.network]
    timing.use_known_sizes(ARGS)
    model, shape = build(ARGS)
    rng = np.random.default_rng(1)
    if shape is None:
        image = rng.integers(0, ARGS.size, (ARGS.batch, 26)).astype(np.int32)
    else:
        image = rng.random((ARGS.batch, *shape), np.float32)
    if ARGS.network == "dlrm":
        image = (rng.random((ARGS.batch, 13), np.float32), *(image[:, i:i + 1] for i in range(26)))
    label = rng.integers(0, 10, ARGS.batch).astype(np.int32)
    model.compile(optimizer=optimizer, loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                  jit_compile=bool(ARGS.jit) if ARGS.backend == "tensorflow" else "auto")
    clock = keras_timing.StepTimes()
    if ARGS.backend == "tensorflow":
        import tensorflow as tf
        source = tf.data.Dataset.from_tensors((image, label)).repeat()
    else:
        source = batches(image, label)
    model.fit(source, epochs=1, steps_per_epoch=ARGS.warm_up + ARGS.steps, verbose=0, callbacks=[clock])
    timing.report(ARGS.network, f"keras on {ARGS.backend}" + (" jit" if ARGS.jit else ""), keras.__version__,
                  clock.after(ARGS.warm_up), batch=ARGS.batch, size=ARGS.size, width=ARGS.width)


main()
