"""Step time of a small BERT in JAX: layers of attention and gelu, forward, backward, Adam.

--layers 1 --vocabulary 0 is a single block on vectors with a mean squared error; with a vocabulary there are an
embedding and a softmax over it. --dropout draws masks with jax.random.
"""
import jax_platform
import timing

ARGS = timing.arguments(__doc__, layers=1, width=384, heads=12, hidden=1536, vocabulary=0, batch=32, length=64,
                        dropout=0.0, steps=10, warm_up=3, platform="cpu", library="")
jax_platform.use(ARGS)
import jax
import jax.numpy as jnp
import jax_training
import numpy as np


def initial_params(rng):
    width, heads, hidden = ARGS.width, ARGS.heads, ARGS.hidden
    depth = width // heads

    def dense(fan_in, *shape):
        return (rng.standard_normal(shape) / np.sqrt(fan_in)).astype(np.float32)

    def layer():
        projections = {name: (dense(width, width, heads, depth), np.zeros((heads, depth), np.float32))
                       for name in "qkv"}
        norms = {name: (np.ones(width, np.float32), np.zeros(width, np.float32)) for name in ("norm1", "norm2")}
        return projections | norms | {
            "out": (dense(width, heads, depth, width), np.zeros(width, np.float32)),
            "up": (dense(width, width, hidden), np.zeros(hidden, np.float32)),
            "down": (dense(hidden, hidden, width), np.zeros(width, np.float32))}

    params = {"layers": [layer() for _ in range(ARGS.layers)]}
    if ARGS.vocabulary:
        params["embedding"] = dense(width, ARGS.vocabulary, width)
        params["positions"] = dense(width, ARGS.length, width)
    return params


def layer_norm(x, scale_and_bias):
    scale, bias = scale_and_bias
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-6) * scale + bias


def dropout(x, key):
    if not ARGS.dropout:
        return x
    kept = jax.random.bernoulli(key, 1 - ARGS.dropout, x.shape)
    return jnp.where(kept, x / (1 - ARGS.dropout), 0)


def block(params, x, key):
    def project(name):
        w, b = params[name]
        return jnp.einsum("btd,dhk->bthk", x, w) + b

    keys = jax.random.split(key, 3)
    q, k, v = project("q"), project("k"), project("v")
    scores = jnp.einsum("bqhd,bkhd->bhqk", q / np.sqrt(q.shape[-1]).astype(np.float32), k)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", dropout(jax.nn.softmax(scores), keys[0]), v)
    w, b = params["out"]
    x = layer_norm(x + dropout(jnp.einsum("bthk,hkd->btd", mixed, w) + b, keys[1]), params["norm1"])
    (up, up_bias), (down, down_bias) = params["up"], params["down"]
    hidden = jax.nn.gelu(x @ up + up_bias, approximate=False)
    return layer_norm(x + dropout(hidden @ down + down_bias, keys[2]), params["norm2"])


def loss_of(params, x, target, key):
    if ARGS.vocabulary:
        x = params["embedding"][x] + params["positions"]
    for index, layer in enumerate(params["layers"]):
        x = block(layer, x, jax.random.fold_in(key, index))
    if ARGS.vocabulary:
        return jax_training.cross_entropy(x @ params["embedding"].T, target)
    return jnp.mean((x - target) ** 2)


def make_batch(rng, index):
    shape = (ARGS.batch, ARGS.length)
    if ARGS.vocabulary:
        x, target = (rng.integers(0, ARGS.vocabulary, shape).astype(np.int32) for _ in range(2))
    else:
        x, target = (rng.standard_normal((*shape, ARGS.width)).astype(np.float32) for _ in range(2))
    return x, target, np.array([0, index], np.uint32)


def main():
    rng = np.random.default_rng(0)
    batches = [make_batch(rng, index) for index in range(4)]
    state = jax_training.adam_state(jax.device_put(initial_params(rng)))
    jax_training.measure(f"transformer{ARGS.layers}", ARGS, jax_training.adam_step(loss_of), state, batches,
                         batch=ARGS.batch)


main()
