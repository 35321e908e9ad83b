"""Writes data/layers.json: what Keras's layers give, forward and backward.

    python tests/golden/make_layers.py        (TensorFlow 2.21)

Each case: the layer's class and configuration, inputs, weights, output, and the gradients of
sum(output * cotangent) by inputs and trainable weights; for training=true also the weights after.
"""
from golden_values import Numbers, number, tensor, write

import keras
import numpy as np
import tensorflow as tf

draw = Numbers(seed=3)


def regularized(config):
    """Regularizers are {"l1": ..., "l2": ...} in the files."""
    made = dict(config)
    for name, value in config.items():
        if name.endswith("_regularizer"):
            made[name] = keras.regularizers.L1L2(**value)
        if name.endswith("_initializer") and isinstance(value, dict):
            made[name] = keras.initializers.Constant(value["value"])
    return made


def cotangent_for(shape):
    return np.round(draw.random.uniform(-1, 1, size=shape), 1).astype(np.float32)


def set_drawn_weights(layer):
    values = []
    for weight in layer.weights:
        positive = weight.name in ("gamma", "moving_variance")
        low, high = (0.5, 1.5) if positive else (-1.0, 1.0)
        values.append(draw(*weight.shape, low=low, high=high))
    layer.set_weights(values)
    return values


def case(name, kind, config, inputs, training=False):
    layer = getattr(keras.layers, kind)(**regularized(config))
    layer.build([x.shape for x in inputs] if len(inputs) > 1 else inputs[0].shape)

    def call(xs):
        return layer(xs if len(xs) > 1 else xs[0], training=training)
    return recorded(name, kind, config, inputs, layer, call, training)


def recorded(name, kind, config, inputs, layer, call, training=False):
    """The case of a layer that is built; `config` is how it is written here."""
    weights = set_drawn_weights(layer)
    xs = [tf.constant(x) for x in inputs]
    with tf.GradientTape() as tape:
        tape.watch([x for x in xs if x.dtype.is_floating])
        y = call(xs)
        cotangent = cotangent_for(y.shape)
        loss = tf.reduce_sum(y * cotangent) + sum(layer.losses)
    differentiable = [x for x in xs if x.dtype.is_floating]
    variables = [w.value for w in layer.trainable_weights]
    by_input, by_weight = tape.gradient(loss, [differentiable, variables])
    result = {"name": name, "class_name": kind, "config": config}
    if training:
        result["training"] = True
    result["inputs"] = [tensor(x) for x in inputs]
    if weights:
        result["weights"] = [tensor(w) for w in weights]
    result["output"] = tensor(y)
    result["cotangent"] = tensor(cotangent)
    if layer.losses:
        result["loss"] = number(sum(layer.losses))
    result["input_gradients"] = [tensor(tf.convert_to_tensor(g)) for g in by_input]
    if by_weight:
        result["weight_gradients"] = [tensor(tf.convert_to_tensor(g)) for g in by_weight]
    if training and weights:
        result["weights_after"] = [tensor(w) for w in layer.get_weights()]
    return result


def dense():
    yield case("dense", "Dense", {"units": 3, "activation": "tanh"}, [draw(2, 4)])
    yield case("dense on a sequence", "Dense", {"units": 3, "use_bias": False}, [draw(2, 3, 4)])
    yield case("dense, regularized", "Dense",
               {"units": 2, "kernel_regularizer": {"l1": 0.1, "l2": 0.2},
                "bias_regularizer": {"l1": 0.0, "l2": 0.5},
                "activity_regularizer": {"l1": 0.03, "l2": 0.01}}, [draw(3, 4)])


def conv1d():
    def one(name, length, channels=2, **config):
        settings = {"filters": 2, "kernel_size": 3, **config}
        return case(f"conv1d {name}", "Conv1D", settings, [draw(2, length, channels)])

    yield one("valid", 6)
    yield one("valid, strided", 7, strides=2)
    yield one("valid, strides leave a rest", 8, strides=3)
    yield one("valid, dilated", 8, dilation_rate=2)
    yield one("same", 5, padding="same", activation="relu")
    yield one("same, even kernel", 5, padding="same", kernel_size=2)
    yield one("same, strided, odd length", 7, padding="same", strides=2)
    yield one("same, strided, even length", 8, padding="same", strides=2)
    yield one("same, stride beyond the kernel", 9, padding="same", strides=4, kernel_size=2)
    yield one("same, dilated", 6, padding="same", dilation_rate=2)
    yield one("causal", 5, padding="causal")
    yield one("causal, strided", 7, padding="causal", strides=2)
    yield one("causal, dilated", 6, padding="causal", dilation_rate=2)
    yield one("in groups", 6, channels=4, groups=2, filters=4, use_bias=False)


def conv2d():
    def one(name, height, width, channels=2, **config):
        settings = {"filters": 2, "kernel_size": [3, 3], **config}
        return case(f"conv2d {name}", "Conv2D", settings, [draw(1, height, width, channels)])

    yield one("valid", 4, 5)
    yield case("conv2d valid, batch of three", "Conv2D", {"filters": 2, "kernel_size": [2, 2]},
               [draw(3, 3, 3, 1)])
    yield one("valid, kernel of one", 3, 4, kernel_size=[1, 1])
    yield one("valid, oblong kernel", 4, 5, kernel_size=[2, 3])
    yield one("valid, strided", 6, 5, strides=[2, 2])
    yield one("valid, oblong strides", 6, 5, strides=[3, 1])
    yield one("valid, dilated", 6, 6, dilation_rate=[2, 2])
    yield one("valid, dilated one way", 4, 6, dilation_rate=[1, 2])
    yield one("same", 4, 4, padding="same", activation="sigmoid")
    yield one("same, even kernel", 4, 5, padding="same", kernel_size=[2, 4])
    yield one("same, strided, odd", 5, 5, padding="same", strides=[2, 2])
    yield one("same, strided, even", 4, 6, padding="same", strides=[2, 2])
    yield one("same, oblong strides", 5, 6, padding="same", strides=[1, 3])
    yield one("same, dilated", 5, 4, padding="same", dilation_rate=[2, 2])
    yield one("in groups", 4, 4, channels=4, groups=2, filters=4)
    yield one("in groups, same, strided", 5, 4, channels=4, groups=2, filters=2, padding="same",
              strides=[2, 2], use_bias=False)
    yield one("one filter a channel in groups", 4, 3, channels=3, groups=3, filters=3)
    yield one("regularized", 3, 3, kernel_size=[2, 2], kernel_regularizer={"l1": 0.01, "l2": 0.1})


def depthwise():
    def one(kind, name, height, width, **config):
        settings = {"kernel_size": [3, 3], **config}
        return case(f"{kind} {name}", kind, settings, [draw(1, height, width, 2)])

    yield one("DepthwiseConv2D", "valid", 4, 4)
    yield one("DepthwiseConv2D", "valid, two for each channel", 4, 4, depth_multiplier=2)
    yield one("DepthwiseConv2D", "same, strided", 5, 4, padding="same", strides=[2, 2])
    yield one("DepthwiseConv2D", "dilated", 5, 6, dilation_rate=[2, 2], activation="relu")
    yield one("DepthwiseConv2D", "same, oblong kernel", 4, 3, padding="same", kernel_size=[3, 2],
              use_bias=False)
    yield one("SeparableConv2D", "valid", 4, 4, filters=3)
    yield one("SeparableConv2D", "valid, strided", 5, 5, filters=2, strides=[2, 2])
    yield one("SeparableConv2D", "same, two for each channel", 3, 4, filters=2, padding="same",
              depth_multiplier=2, activation="tanh")
    yield one("SeparableConv2D", "dilated", 5, 5, filters=2, dilation_rate=[2, 2], use_bias=False)


def pooling():
    for kind in ("MaxPooling", "AveragePooling"):
        for name, length, config in (
                ("", 6, {"pool_size": 2}), ("rest", 7, {"pool_size": 3}),
                ("overlapping", 7, {"pool_size": 3, "strides": 2}),
                ("same", 7, {"pool_size": 3, "strides": 2, "padding": "same"}),
                ("same, even", 6, {"pool_size": 4, "strides": 1, "padding": "same"}),
                ("same, gaps", 7, {"pool_size": 2, "strides": 3, "padding": "same"})):
            yield case(f"{kind}1D {name}", f"{kind}1D", config, [draw(2, length, 2)])
        for name, shape, config in (
                ("", (4, 5), {"pool_size": [2, 2]}), ("oblong", (4, 5), {"pool_size": [2, 3], "strides": [1, 2]}),
                ("same", (5, 5), {"pool_size": [2, 2], "padding": "same"}),
                ("same, overlapping", (5, 4), {"pool_size": [3, 3], "strides": [2, 2],
                                               "padding": "same"}),
                ("same, stride 1", (3, 4), {"pool_size": [2, 2], "strides": [1, 1],
                                            "padding": "same"})):
            yield case(f"{kind}2D {name}", f"{kind}2D", config, [draw(2, *shape, 2)])
    for kind in ("GlobalMaxPooling", "GlobalAveragePooling"):
        yield case(f"{kind}1D", f"{kind}1D", {}, [draw(2, 4, 3)])
        yield case(f"{kind}1D kept", f"{kind}1D", {"keepdims": True}, [draw(2, 3, 2)])
        yield case(f"{kind}2D", f"{kind}2D", {}, [draw(2, 2, 3, 2)])
        yield case(f"{kind}2D kept", f"{kind}2D", {"keepdims": True}, [draw(1, 3, 2, 2)])


def shapes():
    yield case("flatten", "Flatten", {}, [draw(2, 2, 3)])
    yield case("flatten of scalars", "Flatten", {}, [draw(3)])
    yield case("reshape", "Reshape", {"target_shape": [3, -1]}, [draw(2, 2, 6)])
    yield case("reshape to more axes", "Reshape", {"target_shape": [2, 1, 3]}, [draw(2, 6)])
    yield case("permute", "Permute", {"dims": [3, 1, 2]}, [draw(2, 2, 3, 2)])
    yield case("zero padding", "ZeroPadding2D", {"padding": [[1, 0], [0, 2]]}, [draw(1, 2, 2, 2)])
    yield case("zero padding all around", "ZeroPadding2D", {}, [draw(2, 1, 2, 1)])
    yield case("concatenate", "Concatenate", {}, [draw(2, 2), draw(2, 3), draw(2, 1)])
    yield case("concatenate, other axis", "Concatenate", {"axis": 1},
               [draw(2, 1, 2), draw(2, 3, 2)])


def normalization():
    for training in (False, True):
        mode = "training" if training else "inference"
        for name, config, shape in (
                ("of rows", {}, (4, 3)),
                ("of images", {"momentum": 0.8, "epsilon": 0.01}, (2, 2, 3, 2)),
                ("without scale and center", {"scale": False, "center": False}, (4, 2)),
                ("along the second axis", {"axis": 1, "momentum": 0.5}, (3, 2, 4))):
            yield case(f"batch normalization {name}, {mode}", "BatchNormalization", config,
                       [draw(*shape)], training)
    yield case("batch normalization far from 0, training", "BatchNormalization", {},
               [draw(4, 2) + np.float32(1000)], True)
    yield case("layer normalization", "LayerNormalization", {}, [draw(2, 4)])
    yield case("layer normalization over two axes", "LayerNormalization", {"axis": [1, 2]},
               [draw(2, 3, 2)])
    yield case("layer normalization over a middle axis", "LayerNormalization",
               {"axis": [1], "epsilon": 0.1}, [draw(2, 3, 2)])
    yield case("layer normalization, plain", "LayerNormalization",
               {"scale": False, "center": False}, [draw(2, 5)])
    yield case("normalization", "Normalization", {"mean": [1.0, -1.0], "variance": [4.0, 0.25]},
               [draw(3, 2)])


def other():
    yield case("embedding", "Embedding", {"input_dim": 5, "output_dim": 3},
               [draw.integers(5, 2, 4)])
    yield case("rescaling", "Rescaling", {"scale": 0.5, "offset": -1.0}, [draw(2, 3)])
    yield case("softmax", "Softmax", {}, [draw(2, 4)])
    yield case("softmax over another axis", "Softmax", {"axis": 1}, [draw(2, 3, 2)])
    yield case("relu", "ReLU", {}, [draw(2, 4)])
    yield case("relu with a ceiling and a slope", "ReLU",
               {"max_value": 1.0, "negative_slope": 0.25, "threshold": 0.5},
               [draw(3, 4) + np.float32(0.01)])
    yield case("relu with a threshold", "ReLU", {"threshold": 0.75}, [draw(3, 4)])
    yield case("leaky relu", "LeakyReLU", {}, [draw(2, 4)])
    yield case("dropout, inference", "Dropout", {"rate": 0.5}, [draw(2, 3)])
    for kind in ("Add", "Multiply", "Average", "Maximum", "Minimum"):
        # Rows of one draw: no two inputs are equal, so that a maximum is unique.
        yield case(kind, kind, {}, list(draw(3, 2, 3)))
        wide, narrow = draw(2, 3, 3)[:, :2], draw(2, 1, 3)
        yield case(f"{kind}, broadcast", kind, {}, [wide, narrow + np.float32(0.001)])
        yield case(f"{kind}, an axis fewer", kind, {}, [narrow[:, 0] + np.float32(0.001), wide])
    yield case("Subtract", "Subtract", {}, list(draw(2, 2, 3)))
    steps = np.array([[-9, -4, -3, -2.5, -1, -0.5, -0.1, 0.05, 0.5, 1, 2.5, 3.5, 5, 6.5, 11]],
                     np.float32)
    for name in ("linear", "relu", "relu6", "leaky_relu", "elu", "selu", "gelu", "silu", "swish",
                 "softplus", "softsign", "sigmoid", "hard_sigmoid", "tanh", "softmax",
                 "log_softmax", "exponential", "mish", "celu", "hard_silu", "hard_swish", "hard_tanh",
                 "log_sigmoid"):
        yield case(f"activation {name}", "Activation", {"activation": name}, [steps])


def attention():
    """Inputs stand as query, value, key, masks; each mask under Keras's name for it."""
    def one(name, query, others=(), masks=(), causal=False, **config):
        settings = {"num_heads": 2, "key_dim": 3, **config}
        layer = keras.layers.MultiHeadAttention(**settings)
        floats = [query, *others]
        value = floats[min(1, len(others))]
        key = floats[len(others)]
        layer.build(query.shape, value.shape, key.shape)

        def call(xs):
            given = xs[:len(floats)] if others else [xs[0], xs[0]]
            named = {mask: tf.cast(x, "bool") for (mask, _), x in zip(masks, xs[len(floats):])}
            return layer(*given, use_causal_mask=causal, **named)
        if causal:
            settings = {**settings, "use_causal_mask": True}
        return recorded(f"attention {name}", "MultiHeadAttention", settings,
                        [*floats, *(x for _, x in masks)], layer, call)

    padding = np.array([[1, 1, 1, 0], [1, 1, 0, 0]], np.int32)
    some = np.array([[[1, 0, 1, 1], [0, 1, 0, 0]], [[1, 1, 1, 1], [0, 0, 1, 0]]], np.int32)
    # Each query may attend to something: where it may not, Keras's ways differ from each other.
    most = np.array([[[1, 0, 1, 1], [0, 1, 0, 0]], [[1, 1, 1, 1], [1, 0, 1, 0]]], np.int32)
    yield one("to itself", draw(2, 3, 4))
    yield one("to another", draw(2, 3, 4), [draw(2, 5, 4)])
    yield one("to another, with keys", draw(2, 2, 4), [draw(2, 4, 3), draw(2, 4, 5)], value_dim=2,
              output_shape=[3])
    yield one("without biases", draw(2, 3, 4), use_bias=False, num_heads=1)
    yield one("causal", draw(2, 4, 4), causal=True)
    yield one("behind padding", draw(2, 4, 4), [draw(2, 4, 4)], [("value_mask", padding)])
    yield one("behind a mask", draw(2, 2, 4), [draw(2, 4, 4)], [("attention_mask", some)])
    yield one("behind all masks", draw(2, 2, 4), [draw(2, 4, 4)],
              [("value_mask", padding), ("attention_mask", most)], causal=True)
    yield one("over two axes", draw(1, 2, 3, 4), output_shape=[2, 2])


class Recipe(keras.layers.Layer):
    """Layers put together by formula; weights in the order in which the formula first uses them."""

    def __init__(self, formula, layers):
        super().__init__()
        self.formula, self.parts = formula, layers

    def call(self, *xs):
        return self.formula(*xs)

    @property
    def weights(self):
        return [weight for part in self.parts for weight in part.weights]

    trainable_weights = weights


def transformer():
    """The blocks of Vaswani et al. 2017, out of Keras's layers."""
    def one(name, kind, x, others=(), masks=(), first=False, causal=False, **config):
        features = x.shape[-1]
        settings = {"intermediate_dim": 5, "num_heads": 2, "normalize_first": first, **config}
        layers = []

        def attend(memory):
            layer = keras.layers.MultiHeadAttention(2, features // 2)
            layer.build([None, None, features], [None, None, memory], [None, None, memory])
            return layer

        def norm():
            layer = keras.layers.LayerNormalization(epsilon=config.get("layer_norm_epsilon", 1e-5))
            layer.build([None, None, features])
            return layer

        def dense(units, came, activation=None):
            layer = keras.layers.Dense(units, activation=activation)
            layer.build([None, None, came])
            return layer

        def step(inner):
            around = norm()
            layers.extend([around, *inner] if first else [*inner, around])
            return around

        def residual(x, around, inner):
            return x + inner(around(x)) if first else around(x + inner(x))

        attention = attend(features)
        attention_norm = step([attention])
        cross = [attend(memory.shape[-1]) for memory in others]
        cross_norms = [step([layer]) for layer in cross]
        wide, narrow = dense(5, features, config.get("activation", "relu")), dense(features, 5)
        dense_norm = step([wide, narrow])
        of_self = {k: tf.constant(v, "bool") for k, v in masks if not k.startswith("cross ")}
        of_other = {k[6:]: tf.constant(v, "bool") for k, v in masks if k.startswith("cross ")}

        def formula(x, *memories):
            x = residual(x, attention_norm,
                         lambda y: attention(y, y, use_causal_mask=causal, **of_self))
            for layer, around, memory in zip(cross, cross_norms, memories):
                x = residual(x, around, lambda y: layer(y, memory, **of_other))
            return residual(x, dense_norm, lambda y: narrow(wide(y)))

        inputs = [x, *(v for k, v in masks if not k.startswith("cross ")), *others,
                  *(v for k, v in masks if k.startswith("cross "))]

        def call(xs):
            return formula(*[x for x in xs if x.dtype.is_floating])
        return recorded(f"{kind} {name}", kind, settings, inputs, Recipe(formula, layers), call)

    padding = np.array([[1, 1, 1, 0], [1, 1, 0, 0]], np.int32)
    yield one("", "TransformerEncoder", draw(2, 3, 4))
    yield one("behind padding", "TransformerEncoder", draw(2, 4, 4), masks=[("value_mask", padding)],
              activation="gelu", layer_norm_epsilon=1e-3)
    yield one("normalized first", "TransformerEncoder", draw(2, 3, 4), first=True)
    yield one("", "TransformerDecoder", draw(2, 3, 4), causal=True)
    yield one("of an encoder", "TransformerDecoder", draw(2, 3, 4), [draw(2, 4, 6)],
              [("cross value_mask", padding)], causal=True)
    yield one("of an encoder, normalized first, padded", "TransformerDecoder", draw(2, 4, 4),
              [draw(2, 4, 4)], [("value_mask", padding)], causal=True, first=True)


def masked_attention():
    """Masks that come with the arrays, of query and value, as Embedding(mask_zero=True) gives them.

    Inputs stand as query, value, masks: the query's as [batch, target, 1], the value's as [batch, source].
    """
    def one(name, query, value, masks, **config):
        settings = {"num_heads": 2, "key_dim": 3, **config}
        layer = keras.layers.MultiHeadAttention(**settings)
        layer.build(query.shape, value.shape, value.shape)

        def call(xs):
            for x, mask in zip(xs, masks):
                x._keras_mask = None if mask is None else tf.constant(mask, "bool")
            return layer(xs[0], xs[1])
        given = [None if masks[0] is None else masks[0][:, :, None], masks[1]]
        return recorded(f"attention with masks of its arrays, {name}", "MultiHeadAttention", settings,
                        [query, value, *(x for x in given if x is not None)], layer, call)

    short = np.array([[1, 1, 0], [1, 0, 0]], np.int32)
    long = np.array([[1, 1, 1, 0], [1, 1, 0, 0]], np.int32)
    yield one("the query's", draw(2, 3, 4), draw(2, 4, 4), [short, None])
    yield one("the value's", draw(2, 3, 4), draw(2, 4, 4), [None, long])
    yield one("both", draw(2, 3, 4), draw(2, 4, 4), [short, long])
    yield one("both, with dropout", draw(2, 3, 4), draw(2, 4, 4), [short, long], dropout=0.5)


if __name__ == "__main__":
    groups = (dense, conv1d, conv2d, depthwise, pooling, shapes, normalization, other, attention, transformer,
              masked_attention)
    write("layers", {"cases": [one for group in groups for one in group()]})
