"""Step time of a network in JAX, on the software TPU's plugin or on JAX's CPU backend: forward, backward, Adam.

--network lstm_lm: a language model of one LSTM; mobilenet_v2; gpt2: GPT-2 small without dropout; dlrm: 26 tables and MLPs.
Each step takes a batch from host memory and waits for its loss. Weights are random: the time does not depend on them.
"""
import jax_platform
import timing

ARGS = timing.arguments(__doc__, network="gpt2", batch=0, length=0, steps=5, warm_up=2, platform="cpu", library="")
jax_platform.use(ARGS)
import jax
import jax.numpy as jnp
import jax_training
import numpy as np
from jax import lax

RNG = np.random.default_rng(0)


def weight(*shape):
    """Of a product or a convolution: its last axis is what it makes."""
    return (RNG.standard_normal(shape) / np.sqrt(np.prod(shape[:-1]))).astype(np.float32)


def dense_weights(inputs, outputs):
    return weight(inputs, outputs), np.zeros(outputs, np.float32)


def dense(weights, x):
    return x @ weights[0] + weights[1]


# A language model: words, an LSTM, the next word.
VOCABULARY, FEATURES, UNITS = 10000, 256, 512


def lstm_lm():
    params = {"words": weight(VOCABULARY, FEATURES), "gates": dense_weights(FEATURES + UNITS, 4 * UNITS),
              "head": dense_weights(UNITS, VOCABULARY)}

    def loss_of(params, ids):
        def cell(carry, x):
            h, c = carry
            i, f, g, o = jnp.split(dense(params["gates"], jnp.concatenate([x, h], -1)), 4, -1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        words = params["words"][ids[:, :-1]].swapaxes(0, 1)
        zeros = jnp.zeros((ids.shape[0], UNITS))
        _, states = lax.scan(cell, (zeros, zeros), words)
        return jax_training.cross_entropy(dense(params["head"], states), ids[:, 1:].swapaxes(0, 1))

    return params, loss_of, lambda: (texts(VOCABULARY),)


def texts(vocabulary):
    return RNG.integers(0, vocabulary, (ARGS.batch, ARGS.length + 1)).astype(np.int32)


# MobileNetV2, with moments of the batch.
BLOCKS = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]


def normalized_weights(kernel):
    return kernel, np.ones(kernel.shape[-1], np.float32), np.zeros(kernel.shape[-1], np.float32)


def convolution(weights, x, stride=1, groups=1):
    kernel, scale, offset = weights
    x = lax.conv_general_dilated(x, kernel, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"),
                                 feature_group_count=groups)
    mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
    return (x - mean) * lax.rsqrt(variance + 1e-3) * scale + offset


def inverted(channels, filters, stride, expansion):
    wide = channels * expansion
    weights = {"depthwise": normalized_weights(weight(3, 3, 1, wide)), "narrow": normalized_weights(weight(1, 1, wide, filters))}
    if expansion > 1:
        weights["widen"] = normalized_weights(weight(1, 1, channels, wide))

    def run(weights, x):
        y = jax.nn.relu6(convolution(weights["widen"], x)) if expansion > 1 else x
        y = jax.nn.relu6(convolution(weights["depthwise"], y, stride, wide))
        y = convolution(weights["narrow"], y)
        return x + y if stride == 1 and channels == filters else y

    return weights, run


def mobilenet_v2():
    blocks, channels = [], 32
    for expansion, filters, count, stride in BLOCKS:
        for index in range(count):
            blocks.append(inverted(channels, filters, stride if index == 0 else 1, expansion))
            channels = filters
    runs = [run for _, run in blocks]
    params = {"stem": normalized_weights(weight(3, 3, 3, 32)), "blocks": [weights for weights, _ in blocks],
              "last": normalized_weights(weight(1, 1, channels, 1280)), "head": dense_weights(1280, 10)}

    def loss_of(params, image, label):
        x = jax.nn.relu6(convolution(params["stem"], image, 2))
        for weights, run in zip(params["blocks"], runs):
            x = run(weights, x)
        x = jax.nn.relu6(convolution(params["last"], x)).mean((1, 2))
        return jax_training.cross_entropy(dense(params["head"], x), label)

    def batch():
        return (RNG.random((ARGS.batch, ARGS.length, ARGS.length, 3), np.float32),
                RNG.integers(0, 10, ARGS.batch).astype(np.int32))

    return params, loss_of, batch


# GPT-2 small: the head is the table of words.
GPT2_VOCABULARY, WIDTH, HEADS, LAYERS = 50257, 768, 12, 12


def layer_norm(weights, x):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * weights[0] + weights[1]


def gpt2():
    def norm():
        return np.ones(WIDTH, np.float32), np.zeros(WIDTH, np.float32)

    def layer():
        return {"norm1": norm(), "qkv": dense_weights(WIDTH, 3 * WIDTH), "out": dense_weights(WIDTH, WIDTH),
                "norm2": norm(), "up": dense_weights(WIDTH, 4 * WIDTH), "down": dense_weights(4 * WIDTH, WIDTH)}

    params = {"words": weight(GPT2_VOCABULARY, WIDTH), "positions": weight(ARGS.length, WIDTH),
              "layers": [layer() for _ in range(LAYERS)], "norm": norm()}

    def attention(weights, x):
        batch, length, _ = x.shape
        q, k, v = (each.reshape(batch, length, HEADS, -1) for each in jnp.split(dense(weights["qkv"], x), 3, -1))
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(q.shape[-1]).astype(np.float32)
        scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e9)
        mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)
        return dense(weights["out"], mixed.reshape(batch, length, WIDTH))

    def loss_of(params, ids):
        x = params["words"][ids[:, :-1]] + params["positions"]
        for weights in params["layers"]:
            x = x + attention(weights, layer_norm(weights["norm1"], x))
            x = x + dense(weights["down"], jax.nn.gelu(dense(weights["up"], layer_norm(weights["norm2"], x))))
        return jax_training.cross_entropy(layer_norm(params["norm"], x) @ params["words"].T, ids[:, 1:])

    return params, loss_of, lambda: (texts(GPT2_VOCABULARY),)


# DLRM: numbers and rows of tables, products of all pairs, an MLP.
TABLES, ROWS, ROW = 26, 10000, 32


def dlrm():
    def mlp(*sizes):
        return [dense_weights(a, b) for a, b in zip(sizes, sizes[1:])]

    params = {"tables": weight(TABLES, ROWS, ROW), "bottom": mlp(13, 512, 256, ROW),
              "top": mlp(ROW + (TABLES + 1) ** 2, 512, 256, 10)}

    def through(layers, x):
        for weights in layers[:-1]:
            x = jax.nn.relu(dense(weights, x))
        return dense(layers[-1], x)

    def loss_of(params, numbers, ids, label):
        bottom = through(params["bottom"], numbers)
        rows = jax.vmap(lambda table, column: table[column], (0, 1), 1)(params["tables"], ids)
        vectors = jnp.concatenate([bottom[:, None], rows], 1)
        products = jnp.einsum("bid,bjd->bij", vectors, vectors).reshape(len(numbers), -1)
        return jax_training.cross_entropy(through(params["top"], jnp.concatenate([bottom, products], 1)), label)

    def batch():
        return (RNG.random((ARGS.batch, 13), np.float32), RNG.integers(0, ROWS, (ARGS.batch, TABLES)).astype(np.int32),
                RNG.integers(0, 10, ARGS.batch).astype(np.int32))

    return params, loss_of, batch


# name: (builder, batch, tokens of a text or edge of a picture)
NETWORKS = {"lstm_lm": (lstm_lm, 32, 64), "mobilenet_v2": (mobilenet_v2, 16, 224), "gpt2": (gpt2, 8, 128),
            "dlrm": (dlrm, 2048, 0)}


def main():
    build, batch, length = NETWORKS[ARGS.network]
    ARGS.batch, ARGS.length = ARGS.batch or batch, ARGS.length or length
    params, loss_of, make_batch = build()
    state = jax_training.adam_state(jax.device_put(params))
    jax_training.measure(ARGS.network, ARGS, jax_training.adam_step(loss_of), state, [make_batch() for _ in range(2)],
                         batch=ARGS.batch)


main()
