"""What compare_with_keras.py draws: random configurations of layers, losses, metrics and optimizers."""
import dataclasses
import random

import keras
import numpy as np

L, ROWS = keras.layers, 6


@dataclasses.dataclass
class Case:
    kind: str
    seed: int
    text: str
    model: keras.Model
    inputs: list
    labels: np.ndarray = None
    weights: np.ndarray = None
    compiled: dict = dataclasses.field(default_factory=dict)
    steps: int = 0
    policy: str = "float32"
    recurrent: bool = False
    differentiable: bool = True


class Draw:
    """Random options. Constants are told of in errors by the text of what was drawn."""

    def __init__(self, seed, chance):
        self.chance, self.numbers, self.told = chance, np.random.default_rng(seed), {}

    def one(self, *options):
        return self.chance.choice(options)

    def size(self, low=1, high=4):
        return self.chance.randint(low, high)

    def activation(self):
        return self.one(None, "relu", "tanh", "gelu", "silu", "sigmoid", "elu", "softplus", "selu", "hard_sigmoid", "mish")

    def initializer(self):
        i = keras.initializers
        return self.one("glorot_uniform", "he_normal", "lecun_uniform", i.RandomNormal(stddev=0.3), i.TruncatedNormal(stddev=0.5),
                        i.VarianceScaling(2.0, "fan_out", "uniform"), i.Orthogonal(), i.RandomUniform(-0.4, 0.4))

    def regularizer(self, matrix=False):
        r = keras.regularizers
        options = [None, None, "l1", "l2", r.L1L2(0.02, 0.03), r.L1(0.05), r.L2(0.04)]
        if matrix:
            options.append(r.OrthogonalRegularizer(0.1, self.one("rows", "columns")))
        return self.one(*options)

    def constraint(self):
        c = keras.constraints
        return self.one(None, None, "non_neg", c.MaxNorm(self.one(0.5, 1.0)), c.UnitNorm(), c.MinMaxNorm(0.3, 0.9, self.one(1.0, 0.5)))

    def weight(self, *names, matrix=False):
        """Initializer, regularizer and constraint of the weights of these names."""
        options = {}
        for name in names:
            if name in ("beta", "gamma"):
                options[f"{name}_initializer"] = self.one("zeros", "ones", keras.initializers.RandomNormal(stddev=0.3))
            elif name != "bias":
                options[f"{name}_initializer"] = self.initializer()
            options[f"{name}_regularizer"] = self.regularizer(matrix and name != "bias")
            options[f"{name}_constraint"] = self.constraint()
        return options

    def normal(self, *shape):
        return self.numbers.normal(size=(ROWS, *shape)).astype("float32")

    def integers(self, limit, *shape):
        return self.numbers.integers(0, limit, size=(ROWS, *shape)).astype("int32")


def layer_of(d, name, **options):
    policy = d.one(*["float32"] * 6, "mixed_bfloat16", "mixed_float16")
    if policy != "float32":
        options["dtype"] = policy
    d.told = {"layer": name, **options}
    d.policy = policy
    return getattr(L, name)(**options)


def plain(name, *shapes, **options):
    """A layer of one input, of one of these shapes; options are values or functions of the draw."""

    def draw(d):
        chosen = {key: value(d) if callable(value) else value for key, value in options.items()}
        return layer_of(d, name, **chosen), [d.normal(*d.one(*shapes))]

    return draw


def sizes(rank, low=1, high=3):
    return lambda d: d.one(d.size(low, high), tuple(d.size(low, high) for _ in range(rank)))


SPACE = {1: (9,), 2: (7, 6), 3: (5, 4, 5)}


def window_options(d, rank, causal=False):
    """Keras refuses strides and dilation together."""
    many = d.chance.random() < 0.4
    options = {"strides": d.one(1, 2, tuple(d.size(1, 2) for _ in range(rank)))}
    if many:
        options = {"dilation_rate": d.one(1, 2, tuple(d.size(1, 2) for _ in range(rank)))}
    padding = ["valid", "same"] + (["causal"] if causal else [])
    return {"kernel_size": sizes(rank)(d), "padding": d.one(*padding), **options}


def convolution(rank):
    def draw(d):
        groups = d.one(1, 1, 2)
        return layer_of(d, f"Conv{rank}D", filters=2 * d.size(), groups=groups, activation=d.activation(), use_bias=d.one(True, False),
                        activity_regularizer=d.one(None, "l2"), **window_options(d, rank, rank == 1),
                        **d.weight("kernel", "bias")), [d.normal(*SPACE[rank], 4)]
    return draw


def transposed(rank):
    def draw(d):
        options = window_options(d, rank)
        if rank == 1 and isinstance(options["kernel_size"], tuple):
            options["kernel_size"] = options["kernel_size"][0]
        for name in ("strides", "dilation_rate"):
            if isinstance(options.get(name), tuple):
                options[name] = options[name][0]
        return layer_of(d, f"Conv{rank}DTranspose", filters=d.size(), activation=d.activation(), use_bias=d.one(True, False),
                        **options, **d.weight("kernel", "bias")), [d.normal(*(s - 2 for s in SPACE[rank]), 3)]
    return draw


def depthwise(rank, separable):
    def draw(d):
        options = window_options(d, rank)
        for name in ("strides", "dilation_rate"):  # one number for all axes
            if isinstance(options.get(name), tuple):
                options[name] = options[name][0]
        shape = [d.normal(*SPACE[rank], 3)]
        common = dict(depth_multiplier=d.size(1, 2), activation=d.activation(), use_bias=d.one(True, False))
        if separable:
            return layer_of(d, f"SeparableConv{rank}D", filters=d.size(), **common, **options,
                            **d.weight("depthwise", "pointwise", "bias")), shape
        return layer_of(d, f"DepthwiseConv{rank}D", **common, **options, **d.weight("depthwise", "bias")), shape
    return draw


def pooling(kind, rank):
    def draw(d):
        return layer_of(d, f"{kind}Pooling{rank}D", pool_size=d.size(1, 3), strides=d.one(None, 1, 2), padding=d.one("valid", "same")), \
            [d.normal(*SPACE[rank], 3)]
    return draw


def normalization(name, *weights, **more):
    def draw(d):
        shape = d.one((6,), (4, 6), (3, 4, 6))
        options = {key: value(d) for key, value in more.items()}
        return layer_of(d, name, **options, **{k: v for w in weights for k, v in d.weight(w).items()}), [d.normal(*shape)]
    return draw


def sequence(d, masked):
    """[batch, steps, features], with steps of zeros at the end where a Masking layer finds them."""
    x = d.normal(d.size(3, 7), 4)
    if masked:
        for row in range(ROWS):
            x[row, d.size(1, x.shape[1]):] = 0
    return x


def rnn_options(d, cell=False):
    weights = d.weight("kernel", "recurrent", "bias")
    options = dict(units=d.size(1, 5), activation=d.one("tanh", "relu", "sigmoid"), use_bias=d.one(True, False), **weights)
    if not cell:
        options |= dict(return_sequences=d.one(True, False), go_backwards=d.one(True, False), unroll=d.one(False, False, True))
    return options


def more_of(name, d):
    if name == "LSTM":
        return dict(recurrent_activation=d.one("sigmoid", "hard_sigmoid"), unit_forget_bias=d.one(True, False))
    if name == "GRU":
        return dict(recurrent_activation=d.one("sigmoid", "hard_sigmoid"), reset_after=d.one(True, False))
    return {}


def recurrent(name):
    def draw(d):
        d.recurrent = True
        masked = d.one(True, False)
        d.first = L.Masking() if masked else None
        return layer_of(d, name, **rnn_options(d), **more_of(name, d)), [sequence(d, masked)]
    return draw


def bidirectional(d):
    name = d.one("LSTM", "GRU", "SimpleRNN")
    options = rnn_options(d)
    options["go_backwards"] = False
    d.recurrent, masked = True, d.one(True, False)
    d.first = L.Masking() if masked else None
    merge = d.one("concat", "sum", "mul", "ave")
    d.told = {"layer": "Bidirectional", "of": name, "merge_mode": merge, **options}
    return L.Bidirectional(getattr(L, name)(**options, **more_of(name, d)), merge_mode=merge), [sequence(d, masked)]


def cells(d):
    d.recurrent = True
    made, told = [], []
    for _ in range(d.size(1, 3)):
        name = d.one("LSTM", "GRU", "SimpleRNN")
        options = {**rnn_options(d, True), **more_of(name, d)}
        made.append(getattr(L, f"{name}Cell")(**options))
        told.append((name, options))
    d.told = {"layer": "RNN", "cells": told}
    cell = made[0] if len(made) == 1 else L.StackedRNNCells(made)
    return L.RNN(cell, return_sequences=d.one(True, False)), [sequence(d, False)]


def conv_lstm(rank):
    def draw(d):
        d.recurrent = True
        space = {1: (5,), 2: (4, 5), 3: (3, 3, 4)}[rank]
        return layer_of(d, f"ConvLSTM{rank}D", filters=d.size(1, 3), kernel_size=d.one(1, 2, 3), padding=d.one("valid", "same"),
                        return_sequences=d.one(True, False), use_bias=d.one(True, False),
                        **d.weight("kernel", "recurrent", "bias")), [d.normal(3, *space, 2)]
    return draw


def time_distributed(d):
    inner, shape = d.one((L.Dense(3, "tanh"), (4, 5)), (L.Conv2D(2, 2), (3, 5, 4, 2)), (L.Flatten(), (3, 4, 2)),
                         (L.LayerNormalization(), (4, 5)), (L.GlobalAveragePooling1D(), (3, 4, 2)))
    d.told = {"layer": "TimeDistributed", "of": type(inner).__name__}
    return L.TimeDistributed(inner), [d.normal(*shape)]


def spectral(d):
    inner, shape = d.one((L.Dense(3), (5,)), (L.Conv2D(2, 2), (5, 4, 2)))
    d.told, d.steps = {"layer": "SpectralNormalization", "of": type(inner).__name__}, 0  # of jax, steps forget the kernel
    return L.SpectralNormalization(inner, power_iterations=d.size(1, 3)), [d.normal(*shape)]


def einsum_dense(d):
    equation, shape, bias = d.one(("ab,bc->ac", 5, "c"), ("abc,cd->abd", (None, 4), "d"), ("abc,cde->abde", (None, 2, 3), "de"),
                                  ("...x,xy->...y", 4, "y"), ("abc,bd->adc", (3, 4), None))
    if equation.startswith("ab,"):
        shape = 5
    return layer_of(d, "EinsumDense", equation=equation, output_shape=shape, bias_axes=bias, activation=d.activation(),
                    **d.weight("kernel", "bias")), [d.normal(*((5,) if equation.startswith("ab,") else (3, 4)))]


def embedding(d):
    d.first = None
    return layer_of(d, "Embedding", input_dim=7, output_dim=d.size(), mask_zero=d.one(True, False), **d.weight("embeddings")), \
        [d.integers(7, d.size(2, 5))]


def attention(name):
    def draw(d):
        options = dict(use_scale=d.one(True, False), dropout=0.0)
        if name == "Attention":
            options["score_mode"] = d.one("dot", "concat")
        steps, width = d.size(2, 5), d.size(2, 4)
        return layer_of(d, name, **options), [d.normal(d.size(2, 4), width), d.normal(steps, width), d.normal(steps, width)]
    draw.several = "list"
    return draw


def multi_head(d):
    width = d.size(2, 5)
    return layer_of(d, "MultiHeadAttention", num_heads=d.size(1, 3), key_dim=d.size(1, 4), value_dim=d.one(None, 3),
                    use_bias=d.one(True, False), output_shape=d.one(None, 3), **d.weight("kernel", "bias")), \
        [d.normal(3, width), d.normal(4, width)]


multi_head.several = "arguments"


def grouped_query(d):
    groups = d.size(1, 2)
    return layer_of(d, "GroupQueryAttention", head_dim=d.size(1, 4), num_query_heads=groups * d.size(1, 2),
                    num_key_value_heads=groups, use_bias=d.one(True, False), **d.weight("kernel", "bias")), \
        [d.normal(3, 4), d.normal(5, 4)]


grouped_query.several = "arguments"


def merging(name, **options):
    def draw(d):
        shape = d.one((5,), (3, 4), (2, 3, 4))
        count = 2 if name in ("Subtract", "Dot") else d.size(2, 3)
        given = {key: value(d, len(shape)) for key, value in options.items()}
        if name == "Dot":
            given = dict(axes=d.one(-1, 1), normalize=d.one(True, False))
            shape = (4, 4) if len(shape) > 1 else shape
        return layer_of(d, name, **given), [d.normal(*shape) for _ in range(count)]
    draw.several = "list"
    return draw


def any_rank(name, **options):
    return plain(name, (6,), (3, 4), (2, 3, 4), **options)


LAYERS = {
    "Dense": lambda d: (layer_of(d, "Dense", units=d.size(1, 6), activation=d.activation(), use_bias=d.one(True, False),
                                 activity_regularizer=d.one(None, "l2", "l1"), **d.weight("kernel", "bias", matrix=True)),
                        [d.normal(*d.one((5,), (3, 5)))]),
    "EinsumDense": einsum_dense, "Embedding": embedding,
    "Flatten": any_rank("Flatten"), "Activation": any_rank("Activation", activation=lambda d: d.activation() or "linear"),
    "ReLU": any_rank("ReLU", negative_slope=lambda d: d.one(0.0, 0.2), max_value=lambda d: d.one(None, 0.7), threshold=lambda d: d.one(0.0, 0.3)),
    "ELU": any_rank("ELU", alpha=lambda d: d.one(1.0, 0.5)), "LeakyReLU": any_rank("LeakyReLU", negative_slope=lambda d: d.one(0.3, 0.1)),
    "PReLU": lambda d: (layer_of(d, "PReLU", shared_axes=d.one(None, [1]), **d.weight("alpha")), [d.normal(3, 4)]),
    "Softmax": any_rank("Softmax", axis=lambda d: d.one(-1, 1)),
    "Dropout": any_rank("Dropout", rate=0.5), "GaussianNoise": any_rank("GaussianNoise", stddev=0.5),
    "GaussianDropout": any_rank("GaussianDropout", rate=0.3), "AlphaDropout": any_rank("AlphaDropout", rate=0.3),
    "SpatialDropout1D": plain("SpatialDropout1D", (4, 3), rate=0.3),
    "ActivityRegularization": any_rank("ActivityRegularization", l1=lambda d: d.one(0.0, 0.1), l2=lambda d: d.one(0.0, 0.2)),
    "Reshape": plain("Reshape", (12,), (3, 4), (2, 3, 2), target_shape=lambda d: d.one((12,), (2, -1), (3, 2, 2))),
    "Permute": plain("Permute", (3, 4, 2), dims=lambda d: d.one((2, 1, 3), (3, 1, 2), (1, 3, 2))),
    "RepeatVector": plain("RepeatVector", (4,), n=lambda d: d.size()),
    "Rescaling": any_rank("Rescaling", scale=0.5, offset=lambda d: d.one(0.0, -1.0)),
    "UnitNormalization": any_rank("UnitNormalization", axis=lambda d: d.one(-1, 1)),
    "RMSNormalization": any_rank("RMSNormalization", axis=-1, epsilon=lambda d: d.one(1e-6, 1e-3)),
    "LayerNormalization": normalization("LayerNormalization", "beta", "gamma", center=lambda d: d.one(True, False),
                                        scale=lambda d: d.one(True, False), epsilon=lambda d: d.one(1e-3, 1e-5)),
    "GroupNormalization": normalization("GroupNormalization", "beta", "gamma", groups=lambda d: d.one(1, 2, 3, -1),
                                        center=lambda d: d.one(True, False), scale=lambda d: d.one(True, False)),
    "BatchNormalization": normalization("BatchNormalization", "beta", "gamma", momentum=lambda d: d.one(0.99, 0.5),
                                        center=lambda d: d.one(True, False), scale=lambda d: d.one(True, False)),
    "SpectralNormalization": spectral, "TimeDistributed": time_distributed, "Bidirectional": bidirectional, "RNN": cells,
    "SimpleRNN": recurrent("SimpleRNN"), "LSTM": recurrent("LSTM"), "GRU": recurrent("GRU"),
    "Attention": attention("Attention"), "AdditiveAttention": attention("AdditiveAttention"), "MultiHeadAttention": multi_head,
    "GroupQueryAttention": grouped_query,
    "Add": merging("Add"), "Subtract": merging("Subtract"), "Multiply": merging("Multiply"), "Average": merging("Average"),
    "Maximum": merging("Maximum"), "Minimum": merging("Minimum"), "Dot": merging("Dot"),
    "Concatenate": merging("Concatenate", axis=lambda d, rank: d.one(-1, 1)),
}
for _rank in (1, 2, 3):
    LAYERS[f"Conv{_rank}D"] = convolution(_rank)
    LAYERS[f"Conv{_rank}DTranspose"] = transposed(_rank)
    LAYERS[f"ConvLSTM{_rank}D"] = conv_lstm(_rank)
    for _kind in ("Max", "Average"):
        LAYERS[f"{_kind}Pooling{_rank}D"] = pooling(_kind, _rank)
        LAYERS[f"Global{_kind}Pooling{_rank}D"] = plain(f"Global{_kind}Pooling{_rank}D", (*SPACE[_rank], 3), keepdims=lambda d: d.one(True, False))
        LAYERS[f"Adaptive{_kind}Pooling{_rank}D"] = plain(f"Adaptive{_kind}Pooling{_rank}D", (*SPACE[_rank], 3), output_size=lambda d: d.size(1, 4))
    LAYERS[f"UpSampling{_rank}D"] = plain(f"UpSampling{_rank}D", (*(s - 2 for s in SPACE[_rank]), 3), size=lambda d: d.size(1, 3))
    LAYERS[f"Cropping{_rank}D"] = plain(f"Cropping{_rank}D", (*SPACE[_rank], 2), cropping=lambda d: d.size(0, 1))
    LAYERS[f"ZeroPadding{_rank}D"] = plain(f"ZeroPadding{_rank}D", (*SPACE[_rank], 2), padding=lambda d: d.size(0, 2))
for _rank in (1, 2):
    LAYERS[f"DepthwiseConv{_rank}D"] = depthwise(_rank, False)
    LAYERS[f"SeparableConv{_rank}D"] = depthwise(_rank, True)

RANDOM = {"Dropout", "GaussianNoise", "GaussianDropout", "AlphaDropout", "SpatialDropout1D"}


def layer_case(kind, seed, d):
    d.first, d.recurrent, d.steps, d.policy = None, False, 3, "float32"
    draw = LAYERS[kind]
    layer, arrays = draw(d)
    symbols = [keras.Input(x.shape[1:], dtype=str(x.dtype)) for x in arrays]
    several = getattr(draw, "several", None)
    y = d.first(symbols[0]) if d.first else symbols[0]
    y = layer(*symbols) if several == "arguments" else layer(symbols) if several == "list" else layer(y)
    model = keras.Model(symbols, y)
    steps = 0 if kind in RANDOM or not model.trainable_variables else 50 if d.recurrent and d.one(True, False, False) else d.steps
    if d.policy != "float32":
        steps = 0
    labels = d.normal(*(y.shape if None not in y.shape[1:] else model(arrays[0]).shape)[1:])
    compiled = dict(optimizer=keras.optimizers.SGD(0.01, momentum=0.5), loss="mse", auto_scale_loss=False)
    return Case(kind, seed, str(d.told), model, arrays, labels, None, compiled, steps, d.policy, d.recurrent)


def classes(d, one_hot):
    y = d.integers(3)
    return keras.utils.to_categorical(y, 3).astype("float32") if one_hot else y


def scores(kind, d, name):
    """The output's activation, and labels, for a loss or a metric of that name."""
    if "SparseCategorical" in name or "SparseTopK" in name:
        return 3, "softmax", classes(d, False)
    if name == "CTC":
        return None, None, None
    if "Categorical" in name or "OneHot" in name or name in ("KLDivergence", "TopKCategoricalAccuracy", "F1Score", "FBetaScore"):
        return 3, "softmax", classes(d, True)
    if name in ("IoU", "MeanIoU"):
        return 1, lambda x: x, None
    if "Binary" in name or name in ("AUC", "Precision", "Recall", "TruePositives", "TrueNegatives", "FalsePositives", "FalseNegatives",
                                    "PrecisionAtRecall", "RecallAtPrecision", "SensitivityAtSpecificity", "SpecificityAtSensitivity",
                                    "Dice", "Tversky"):
        return 2, "sigmoid", d.integers(2, 2).astype("float32")
    if name in ("Poisson", "MeanSquaredLogarithmicError", "MeanAbsolutePercentageError"):
        return 2, "softplus", np.abs(d.normal(2)) + 0.1
    if "Hinge" in name:
        return 2, "tanh", (2 * d.integers(2, 2) - 1).astype("float32")
    return 2, "linear", d.normal(2)


def options_of_loss(d, name):
    options = {"reduction": d.one("sum_over_batch_size", "sum", "mean", "mean_with_sample_weight")}
    if "Crossentropy" in name and "CrossEntropy" not in name:
        options["from_logits"] = d.one(True, False)
    if name in ("BinaryCrossentropy", "CategoricalCrossentropy", "BinaryFocalCrossentropy", "CategoricalFocalCrossentropy"):
        options["label_smoothing"] = d.one(0.0, 0.1)
    if name == "BinaryFocalCrossentropy":
        options |= dict(apply_class_balancing=d.one(True, False), alpha=d.one(0.25, 0.6), gamma=d.one(2.0, 1.5))
    if name == "CategoricalFocalCrossentropy":
        options |= dict(alpha=d.one(0.25, 0.6), gamma=d.one(2.0, 1.5))
    if name == "Tversky":
        options |= dict(alpha=d.one(0.5, 0.3), beta=d.one(0.5, 0.8))
    return options


LOSSES = [name for name in dir(keras.losses) if isinstance(getattr(keras.losses, name), type)
          and name not in ("Loss", "CTC", "Circle") and issubclass(getattr(keras.losses, name), keras.losses.Loss)]
METRICS = ["AUC", "BinaryAccuracy", "BinaryCrossentropy", "BinaryIoU", "CategoricalAccuracy", "CategoricalCrossentropy", "CategoricalHinge",
           "ConcordanceCorrelation", "CosineSimilarity", "F1Score", "FBetaScore", "FalseNegatives", "FalsePositives", "Hinge",
           "KLDivergence", "LogCoshError", "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredError",
           "MeanSquaredLogarithmicError", "OneHotIoU", "OneHotMeanIoU", "PearsonCorrelation", "Poisson", "Precision",
           "PrecisionAtRecall", "R2Score", "Recall", "RecallAtPrecision", "RootMeanSquaredError", "SensitivityAtSpecificity",
           "SparseCategoricalAccuracy", "SparseCategoricalCrossentropy", "SparseTopKCategoricalAccuracy",
           "SpecificityAtSensitivity", "SquaredHinge", "TopKCategoricalAccuracy", "TrueNegatives", "TruePositives"]


def options_of_metric(d, name):
    if name in ("PrecisionAtRecall", "RecallAtPrecision", "SensitivityAtSpecificity", "SpecificityAtSensitivity"):
        return {{"PrecisionAtRecall": "recall", "RecallAtPrecision": "precision", "SensitivityAtSpecificity": "specificity",
                 "SpecificityAtSensitivity": "sensitivity"}[name]: 0.5, "num_thresholds": d.one(200, 20)}
    if name == "AUC":
        return dict(curve=d.one("ROC", "PR"), summation_method=d.one("interpolation", "minoring", "majoring"), num_thresholds=d.one(200, 30))
    if name in ("Precision", "Recall"):
        return dict(thresholds=d.one(None, 0.3), class_id=d.one(None, 1))
    if name in ("FalseNegatives", "FalsePositives", "TrueNegatives", "TruePositives", "BinaryIoU"):
        return {} if name == "BinaryIoU" else dict(thresholds=d.one(None, 0.4))
    if name in ("F1Score", "FBetaScore"):
        return dict(average=d.one("micro", "macro", "weighted"), threshold=d.one(None, 0.4))
    if name in ("OneHotIoU", "OneHotMeanIoU"):
        return dict(num_classes=3, **({"target_class_ids": [0, 2]} if name == "OneHotIoU" else {}))
    if "TopK" in name:
        return dict(k=d.one(1, 2))
    if name == "R2Score":
        return dict(class_aggregation=d.one("uniform_average", "variance_weighted_average"))
    return {}


def measured_case(kind, seed, d):
    """A loss or a metric, of a small model."""
    what, name = kind.split(":")
    width, activation, labels = scores(what, d, name)
    options = options_of_loss(d, name) if what == "loss" else options_of_metric(d, name)
    if options.get("from_logits"):
        activation = "linear"
    inputs = keras.Input((4,))
    y = L.Dense(width, activation)(inputs if d.one(True, False) else L.Dense(5, "tanh")(inputs))
    weights = d.one(None, None, np.abs(d.numbers.normal(size=ROWS)).astype("float32"))
    if "IoU" in name and weights is not None:  # Keras counts whole numbers alone
        weights = np.ceil(weights)
    made = getattr(keras.losses if what == "loss" else keras.metrics, name)(**options)
    compiled = dict(optimizer=keras.optimizers.SGD(0.05), loss=made if what == "loss" else "mse")
    if what == "metric":
        compiled[d.one("metrics", "weighted_metrics")] = [made]
        if labels.ndim == 1:
            compiled["loss"] = "sparse_categorical_crossentropy"
    return Case(kind, seed, str({what: name, "weights": weights is not None, **options}), keras.Model(inputs, y), [d.normal(4)],
                labels, weights, compiled, 3)


OPTIMIZERS = ["Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "Ftrl", "Lamb", "Lion", "Muon", "Nadam", "RMSprop", "SGD",
              "ScheduleFreeAdamW"]


def rate_of(d):
    rate, s = d.one(0.1, 0.01), keras.optimizers.schedules
    return d.one(rate, rate, s.ExponentialDecay(rate, 3, 0.8), s.CosineDecay(rate, 5), s.PolynomialDecay(rate, 4, rate / 5),
                 s.InverseTimeDecay(rate, 2, 0.5), s.PiecewiseConstantDecay([1, 3], [rate, rate / 2, rate / 4]),
                 s.CosineDecayRestarts(rate, 3))


def optimizer_case(kind, seed, d):
    name = kind.split(":")[1]
    options = dict(learning_rate=rate_of(d), weight_decay=d.one(None, None, 0.01), **d.one({}, {}, {"clipnorm": 0.5}, {"clipvalue": 0.1},
                                                                                             {"global_clipnorm": 0.7}))
    if d.one(True, False, False):
        options |= dict(use_ema=True, ema_momentum=d.one(0.9, 0.5), ema_overwrite_frequency=d.one(None, 2))
    options |= d.one({}, {}, {"gradient_accumulation_steps": 2}, {"loss_scale_factor": 8.0})
    if name in ("Adam", "AdamW"):
        options["amsgrad"] = d.one(True, False)
    if name == "AdamW":
        options["weight_decay"] = 0.01
    if name in ("SGD", "RMSprop"):
        options["momentum"] = d.one(0.0, 0.9)
    if name == "SGD":
        options["nesterov"] = d.one(True, False)
    if name == "RMSprop":
        options["centered"] = d.one(True, False)
    if name == "Muon":
        options["exclude_layers"] = []
    if name == "ScheduleFreeAdamW":
        options["learning_rate"] = d.one(0.1, 0.01)
    text = {"optimizer": name, **options, "learning_rate": getattr(options["learning_rate"], "get_config", lambda: options["learning_rate"])()}
    made = getattr(keras.optimizers, name)(**options)
    if "loss_scale_factor" not in options and d.one(True, False, False, False):
        made, text["scaled"] = keras.optimizers.LossScaleOptimizer(made, initial_scale=16.0, dynamic_growth_steps=2), True
    inputs = keras.Input((4,))
    y = L.Dense(2, kernel_constraint=d.constraint())(L.Dense(5, "tanh", kernel_regularizer=d.regularizer())(inputs))
    return Case(kind, seed, str(text), keras.Model(inputs, y), [d.normal(4)], d.normal(2), None, dict(optimizer=made, loss="mse"), 5)


KINDS = list(LAYERS) + [f"loss:{name}" for name in LOSSES] + [f"metric:{name}" for name in METRICS] + \
    [f"optimizer:{name}" for name in OPTIMIZERS]


def drawn(kind, seed, chance: random.Random):
    d = Draw(seed, chance)
    if ":" not in kind:
        return layer_case(kind, seed, d)
    return (optimizer_case if kind.startswith("optimizer") else measured_case)(kind, seed, d)
