"""Writes data/more_layers.json: what Keras's layers give on JAX, forward and backward.

    python tests/golden/make_more_layers.py        (Keras 3.15, JAX 0.10)

Each case: the layer's class and configuration, inputs, weights, outputs, and the gradients of the sum of
outputs * cotangents by inputs and trainable weights. With mask_value a Masking layer stands before the layer.
"""
import os

os.environ["KERAS_BACKEND"] = "jax"

from golden_values import Numbers, number, tensor, write  # noqa: E402

import jax  # noqa: E402
import keras  # noqa: E402
import numpy as np  # noqa: E402

draw = Numbers(seed=11)
jax.config.update("jax_default_matmul_precision", "highest")


def made(value):
    """Layers and regularizers from how configurations write them here."""
    if isinstance(value, list):
        return [made(one) for one in value]
    if isinstance(value, dict) and "class_name" in value:
        return getattr(keras.layers, value["class_name"])(**arguments(value["config"]))
    return value


def arguments(config):
    result = {}
    for name, value in config.items():
        if name.endswith("_regularizer"):
            result[name] = keras.regularizers.L1L2(**value)
        elif name == "merge_mode" and value == "none":
            result[name] = None
        else:
            result[name] = made(value)
    return result


def as_list(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def case(name, kind, config, inputs, training=False, mask_value=None, call_as="list", call_arguments=None):
    """call_as: how several inputs are given, as a "list", as "arguments", or the second to last as "states".
    call_arguments: of the call in Keras, and fields here."""
    layer = getattr(keras.layers, kind)(**arguments(config))
    masking = None if mask_value is None else keras.layers.Masking(mask_value)

    def call(xs):
        first = xs[0] if masking is None else masking(xs[0])
        if call_as == "list":
            return layer([first, *xs[1:]] if len(xs) > 1 else first, **training_argument)
        if call_as == "arguments":
            return layer(first, *xs[1:], **training_argument)
        return layer(first, initial_state=list(xs[1:]), **training_argument)

    training_argument = {"training": training} if layer._call_has_training_arg else {}
    training_argument.update(call_arguments or {})
    call([keras.KerasTensor(x.shape, x.dtype.name) for x in inputs])  # makes the weights
    values = []
    for weight in layer.weights:
        positive = weight.name in ("gamma", "moving_variance", "scale")
        values.append(draw(*weight.shape, low=0.5 if positive else -1.0, high=1.5 if positive else 1.0))
    layer.set_weights(values)
    trainable = [w for w in layer.trainable_variables]
    others = [v for v in layer.non_trainable_variables]

    def outputs_of(weights, xs):
        state = [*zip(trainable, weights), *((v, v.value) for v in others)]
        with keras.StatelessScope(state_mapping=state, collect_losses=True) as scope:
            ys = as_list(call(xs))
        return ys, sum(scope.losses) if scope.losses else 0.0

    floats = [i for i, x in enumerate(inputs) if np.issubdtype(x.dtype, np.floating)]
    current = [w.value for w in trainable]
    shapes = jax.eval_shape(lambda weights, xs: outputs_of(weights, xs)[0], current, list(inputs))
    cotangents = [np.round(draw.random.uniform(-1, 1, size=y.shape), 1).astype(np.float32) for y in shapes]

    def total(weights, given):
        xs = list(inputs)
        for i, x in zip(floats, given):
            xs[i] = x
        results, penalty = outputs_of(weights, xs)
        return sum((y * c).sum() for y, c in zip(results, cotangents)) + penalty, (results, penalty)

    (by_weight, by_input), (ys, loss) = jax.jit(jax.grad(total, argnums=(0, 1), has_aux=True))(
        current, [inputs[i] for i in floats])
    result = {"name": name, "class_name": kind, "config": {**config, **(call_arguments or {})}}
    if mask_value is not None:
        result["mask_value"] = mask_value
    if training:
        result["training"] = True
    result["inputs"] = [tensor(x) for x in inputs]
    if values:
        result["weights"] = [tensor(w) for w in values]
    result["outputs"] = [tensor(y) for y in ys]
    result["cotangents"] = [tensor(c) for c in cotangents]
    if float(loss):
        result["loss"] = number(loss)
    result["input_gradients"] = [tensor(g) for g in by_input]
    if by_weight:
        result["weight_gradients"] = [tensor(g) for g in by_weight]
    return result


def pooling():
    for kind in ("MaxPooling3D", "AveragePooling3D"):
        yield case(kind, kind, {"pool_size": [2, 2, 2]}, [draw(1, 4, 4, 2, 2)])
        yield case(f"{kind}, oblong", kind, {"pool_size": [1, 2, 3], "strides": [2, 1, 1]}, [draw(1, 3, 3, 4, 1)])
        yield case(f"{kind}, same", kind, {"pool_size": [2, 2, 2], "strides": [2, 2, 1], "padding": "same"},
                   [draw(1, 3, 3, 2, 2)])
    for kind in ("GlobalMaxPooling3D", "GlobalAveragePooling3D"):
        yield case(kind, kind, {}, [draw(2, 2, 2, 2, 2)])
        yield case(f"{kind}, kept", kind, {"keepdims": True}, [draw(1, 2, 1, 2, 2)])
    for kind in ("Max", "Average"):
        for shape, size in (((2, 7, 2), 3), ((1, 5, 2), 5), ((1, 4, 1), 7), ((1, 6, 2), 1)):
            yield case(f"Adaptive{kind}Pooling1D {shape} {size}", f"Adaptive{kind}Pooling1D", {"output_size": size},
                       [draw(*shape)])
        yield case(f"Adaptive{kind}Pooling2D", f"Adaptive{kind}Pooling2D", {"output_size": [2, 3]},
                   [draw(2, 5, 7, 2)])
        yield case(f"Adaptive{kind}Pooling3D", f"Adaptive{kind}Pooling3D", {"output_size": [2, 1, 2]},
                   [draw(1, 3, 4, 5, 1)])


def shapes():
    yield case("zero padding 1d", "ZeroPadding1D", {"padding": [2, 1]}, [draw(2, 3, 2)])
    yield case("zero padding 1d, default", "ZeroPadding1D", {}, [draw(1, 2, 2)])
    yield case("zero padding 3d", "ZeroPadding3D", {"padding": [[1, 0], [0, 2], [1, 1]]}, [draw(1, 2, 1, 2, 2)])
    yield case("cropping 1d", "Cropping1D", {"cropping": [2, 1]}, [draw(2, 5, 2)])
    yield case("cropping 2d", "Cropping2D", {"cropping": [[1, 0], [0, 2]]}, [draw(1, 3, 4, 2)])
    yield case("cropping 2d, default", "Cropping2D", {}, [draw(1, 2, 2, 1)])
    yield case("cropping 3d", "Cropping3D", {}, [draw(1, 3, 4, 3, 2)])
    yield case("up sampling 1d", "UpSampling1D", {"size": 3}, [draw(2, 3, 2)])
    yield case("up sampling 2d", "UpSampling2D", {"size": [2, 3]}, [draw(1, 2, 3, 2)])
    for interpolation in ("bilinear", "bicubic", "lanczos3", "lanczos5"):
        yield case(f"up sampling 2d {interpolation}", "UpSampling2D",
                   {"size": [3, 2], "interpolation": interpolation}, [draw(1, 4, 5, 2)])
    yield case("up sampling 3d", "UpSampling3D", {"size": [2, 1, 3]}, [draw(1, 2, 2, 2, 2)])
    yield case("repeat vector", "RepeatVector", {"n": 3}, [draw(2, 4)])


def convolutions():
    yield case("conv3d", "Conv3D", {"filters": 2, "kernel_size": [2, 2, 2]}, [draw(1, 3, 4, 3, 2)])
    yield case("conv3d, same, strided", "Conv3D",
               {"filters": 2, "kernel_size": [3, 2, 1], "strides": [2, 1, 2], "padding": "same", "activation": "tanh"},
               [draw(1, 4, 3, 3, 1)])
    yield case("conv3d, dilated, in groups", "Conv3D",
               {"filters": 2, "kernel_size": [2, 2, 1], "dilation_rate": [2, 1, 1], "groups": 2}, [draw(1, 4, 3, 2, 2)])
    yield case("conv2d, activity regularized", "Conv2D",
               {"filters": 2, "kernel_size": [2, 2], "activity_regularizer": {"l1": 0.1, "l2": 0.2}},
               [draw(2, 3, 3, 1)])
    for padding in ("valid", "same"):
        for kernel, stride, dilation, rest in ((3, 1, 1, None), (3, 2, 1, None), (2, 3, 1, None), (4, 2, 1, 1),
                                               (3, 2, 1, 0), (3, 1, 2, None)):
            config = {"filters": 3, "kernel_size": kernel, "strides": stride, "padding": padding,
                      "dilation_rate": dilation}
            if rest is not None:
                config["output_padding"] = rest
            yield case(f"conv1d transpose {padding} {kernel} {stride} {dilation} {rest}", "Conv1DTranspose", config,
                       [draw(2, 4, 2)])
        yield case(f"conv2d transpose {padding}", "Conv2DTranspose",
                   {"filters": 2, "kernel_size": [3, 2], "strides": [2, 3], "padding": padding, "activation": "relu"},
                   [draw(1, 3, 2, 2)])
        yield case(f"conv3d transpose {padding}", "Conv3DTranspose",
                   {"filters": 2, "kernel_size": [2, 3, 2], "strides": [2, 1, 2], "padding": padding},
                   [draw(1, 2, 2, 2, 1)])
    yield case("depthwise 1d", "DepthwiseConv1D", {"kernel_size": 3, "depth_multiplier": 2}, [draw(2, 5, 2)])
    yield case("depthwise 1d, same, strided", "DepthwiseConv1D", {"kernel_size": 2, "strides": 2, "padding": "same"},
               [draw(2, 5, 3)])
    yield case("separable 1d", "SeparableConv1D", {"filters": 3, "kernel_size": 3}, [draw(2, 5, 2)])
    yield case("separable 1d, same, two for each channel", "SeparableConv1D",
               {"filters": 2, "kernel_size": 2, "padding": "same", "depth_multiplier": 2, "activation": "sigmoid"},
               [draw(1, 4, 2)])


def plain():
    yield case("elu", "ELU", {"alpha": 0.7}, [draw(2, 4)])
    yield case("prelu", "PReLU", {}, [draw(2, 3, 2)])
    yield case("prelu, shared", "PReLU", {"shared_axes": [1, 2]}, [draw(2, 2, 3, 2)])
    yield case("identity", "Identity", {}, [draw(2, 3)])
    yield case("activity regularization", "ActivityRegularization", {"l1": 0.2, "l2": 0.1}, [draw(3, 4)])
    padded = draw(2, 4, 3)
    padded[0, 2:] = padded[1, 3] = 0.5
    yield case("masking", "Masking", {"mask_value": 0.5}, [padded])
    yield case("rms normalization", "RMSNormalization", {}, [draw(2, 5)])
    yield case("rms normalization over two axes", "RMSNormalization", {"axis": [1, 2], "epsilon": 0.1}, [draw(2, 3, 2)])
    yield case("unit normalization", "UnitNormalization", {}, [draw(2, 5)])
    yield case("unit normalization over two axes", "UnitNormalization", {"axis": [1, 2]}, [draw(2, 3, 2)])
    yield case("group normalization", "GroupNormalization", {"groups": 2}, [draw(2, 2, 3, 4)])
    yield case("group normalization, of instances", "GroupNormalization", {"groups": -1, "center": False},
               [draw(2, 3, 2)])
    yield case("group normalization along the second axis", "GroupNormalization",
               {"groups": 3, "axis": 1, "scale": False}, [draw(2, 6, 2)])
    for axes in (1, 2, [2, 1], [1, 2], -1):
        yield case(f"dot {axes}", "Dot", {"axes": axes}, [draw(2, 3, 3), draw(2, 3, 3)])
    yield case("dot of rows", "Dot", {"axes": 1}, [draw(2, 4), draw(2, 4)])
    yield case("dot of rows, normalized", "Dot", {"axes": 1, "normalize": True}, [draw(2, 4), draw(2, 4)])
    yield case("dot of a sequence and a row", "Dot", {"axes": [2, 1]}, [draw(2, 3, 4), draw(2, 4)])


def recurrent():
    padded = draw(3, 4, 2)
    padded[0, 2:] = padded[1, :1] = padded[2, 1:3] = 0
    for kind, states in (("SimpleRNN", 1), ("LSTM", 2), ("GRU", 1)):
        yield case(kind, kind, {"units": 3}, [draw(2, 4, 2)])
        yield case(f"{kind}, sequences and states", kind,
                   {"units": 2, "return_sequences": True, "return_state": True}, [draw(2, 3, 3)])
        yield case(f"{kind}, backwards", kind, {"units": 2, "go_backwards": True, "return_sequences": True},
                   [draw(2, 4, 2)])
        yield case(f"{kind}, from states", kind, {"units": 2}, [draw(2, 3, 2), *(draw(2, 2) for _ in range(states))],
                   call_as="states")
        yield case(f"{kind}, masked", kind, {"units": 2, "return_sequences": True, "return_state": True}, [padded],
                   mask_value=0.0)
        yield case(f"{kind}, masked, backwards", kind, {"units": 2, "go_backwards": True}, [padded], mask_value=0.0)
        yield case(f"{kind}, masked, zeros", kind,
                   {"units": 2, "return_sequences": True, "zero_output_for_mask": True}, [padded], mask_value=0.0)
        yield case(f"{kind}, unrolled, other activation", kind,
                   {"units": 2, "activation": "relu", "unroll": True, "use_bias": False}, [draw(1, 3, 2)])
        yield case(f"{kind} over 50 steps", kind, {"units": 2}, [draw(1, 50, 1)])
        cell = {"class_name": f"{kind}Cell", "config": {"units": 2}}
        yield case(f"{kind} as a cell", "RNN", {"cell": cell, "return_sequences": True}, [draw(2, 3, 2)])
        for mode in ("concat", "sum", "mul", "ave", "none"):
            yield case(f"bidirectional {kind} {mode}", "Bidirectional",
                       {"layer": {"class_name": kind, "config": {"units": 2, "return_sequences": mode != "ave"}},
                        "merge_mode": mode}, [draw(2, 3, 2)])
        yield case(f"bidirectional {kind}, masked, with states", "Bidirectional",
                   {"layer": {"class_name": kind,
                              "config": {"units": 2, "return_sequences": True, "return_state": True}}},
                   [padded], mask_value=0.0)
    yield case("GRU, reset before", "GRU", {"units": 3, "reset_after": False}, [draw(2, 3, 2)])
    yield case("GRU, hard sigmoid", "GRU", {"units": 3, "recurrent_activation": "hard_sigmoid"}, [draw(2, 3, 2)])
    stack = {"class_name": "StackedRNNCells", "config": {"cells": [
        {"class_name": "LSTMCell", "config": {"units": 3}}, {"class_name": "GRUCell", "config": {"units": 2}}]}}
    yield case("stacked cells", "RNN", {"cell": stack, "return_sequences": True}, [draw(2, 3, 2)])
    yield case("stacked cells, backwards, masked", "RNN",
               {"cell": stack, "return_sequences": True, "go_backwards": True}, [padded], mask_value=0.0)


if __name__ == "__main__":
    groups = (pooling, shapes, convolutions, plain, recurrent)
    write("more_layers", {"cases": [one for group in groups for one in group()]})
