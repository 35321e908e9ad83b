"""Programs in JAX: each case returns arrays, the same on every platform.

    python cases.py OUTPUT_FOLDER [NAME...]

writes one .npz a case, or a .txt that says what went wrong. compare.py runs it on two platforms.
"""

import importlib.util
import pathlib
import sys
import traceback

import numpy as np

import cases_analysis  # noqa: F401  they add themselves to CASES
import cases_callbacks  # noqa: F401
import cases_control  # noqa: F401
import cases_edges  # noqa: F401
import cases_effects  # noqa: F401
import cases_functions  # noqa: F401
import cases_lapack  # noqa: F401
import cases_linear_algebra  # noqa: F401
import cases_parallel  # noqa: F401
import cases_platform  # noqa: F401
import cases_shardings  # noqa: F401
import cases_training  # noqa: F401
import cases_transformations  # noqa: F401
import cases_unreduced  # noqa: F401
from registry import CASES, NEEDS, case, mesh, numbers


@case
def add_one(jax, jnp):
    return jax.jit(lambda x: x + 1)(jnp.arange(6.0).reshape(2, 3))


@case
def eager_operators(jax, jnp):
    x = jnp.asarray(numbers(4, 5))
    return (x @ x.T, x.sum(axis=1), x.max(), jnp.where(x > 0, x, -x), x[::-1, 1:3], jnp.sort(x, axis=0))


@case
def types(jax, jnp):
    x = jnp.asarray(numbers(3, 4))
    return [x.astype(t).astype(jnp.float32) for t in ("bfloat16", "float16", "int32", "uint8", "bool", "int8")]


@case
def gradient(jax, jnp):
    def loss(w, x, y):
        return jnp.mean((jnp.tanh(x @ w) - y) ** 2)

    return jax.jit(jax.value_and_grad(loss))(numbers(5, 3), numbers(7, 5, seed=1), numbers(7, 3, seed=2))


@case
def vmap(jax, jnp):
    return jax.jit(jax.vmap(lambda a, b: jnp.dot(a, b) / jnp.linalg.norm(a)))(numbers(6, 8), numbers(6, 8, seed=1))


@case
def scan(jax, jnp):
    def step(carry, x):
        carry = jnp.tanh(carry + x)
        return carry, carry.sum()

    return jax.jit(lambda x: jax.lax.scan(step, jnp.zeros(4), x))(numbers(9, 4))


@case
def while_and_cond(jax, jnp):
    def collatz(n):
        def body(state):
            value, steps = state
            value = jax.lax.cond(value % 2 == 0, lambda v: v // 2, lambda v: 3 * v + 1, value)
            return value, steps + 1

        return jax.lax.while_loop(lambda s: s[0] != 1, body, (n, 0))

    return jax.jit(collatz)(27)


@case
def switch(jax, jnp):
    branches = [jnp.sin, jnp.cos, jnp.exp]
    f = jax.jit(lambda i, x: jax.lax.switch(i, branches, x))
    return [f(i, numbers(5)) for i in range(3)]


@case
def random_uniform(jax, jnp):
    key = jax.random.key(42)
    a, b = jax.random.split(key)
    return jax.random.uniform(a, (5, 7)), jax.random.bits(b, (11,)), jax.random.randint(key, (9,), 0, 100)


@case
def random_normal(jax, jnp):
    key = jax.random.key(7)
    return (jax.random.normal(key, (100,)), jax.random.bernoulli(key, 0.3, (50,)), jax.random.permutation(key, 20),
            jax.random.categorical(key, jnp.zeros((4, 10))))


@case
def convolution(jax, jnp):
    def loss(w, x):
        y = jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        return jnp.sum(jax.nn.relu(y) ** 2)

    return jax.jit(jax.grad(loss, argnums=(0, 1)))(numbers(3, 3, 2, 4), numbers(2, 8, 8, 2, seed=1))


@case
def pooling(jax, jnp):
    def f(x):
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID").sum()

    return jax.jit(jax.value_and_grad(f))(numbers(2, 6, 6, 3))


@case
def gather_and_scatter(jax, jnp):
    index = np.array([3, 1, 1, 0])

    def f(x):
        return (x[index] * 2).sum() + x.at[index].add(1.5)[1].sum()

    x = numbers(5, 4)
    return jax.jit(jax.value_and_grad(f))(x), jax.jit(lambda x: x.at[2].set(0))(x), jnp.take_along_axis(
        jnp.asarray(x), jnp.argsort(jnp.asarray(x), axis=1), axis=1)


@case
def softmax_cross_entropy(jax, jnp):
    labels = np.array([1, 0, 3])

    def loss(logits):
        return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1).mean()

    return jax.jit(jax.value_and_grad(loss))(numbers(3, 4))


@case
def top_k_and_cumsum(jax, jnp):
    x = numbers(4, 9)
    return jax.lax.top_k(x, 3), jnp.cumsum(jnp.asarray(x), axis=1), jnp.argmax(jnp.asarray(x), axis=0)


@case
def special_functions(jax, jnp):
    x = np.linspace(0.1, 3, 20, dtype=np.float32)
    return (jax.scipy.special.erf(x), jax.scipy.special.erfinv(x / 4), jax.scipy.special.gammaln(x),
            jax.scipy.special.digamma(x), jnp.log1p(x), jnp.expm1(x), jnp.arctan2(x, x[::-1]))


@case
def fft(jax, jnp):
    x = numbers(3, 16)
    return jnp.abs(jnp.fft.fft(x)), jnp.fft.irfft(jnp.fft.rfft(x)), jnp.fft.fft2(x).real


@case
def linear_algebra(jax, jnp):
    a = numbers(5, 5)
    a = a @ a.T + 5 * np.eye(5, dtype=np.float32)
    factor = jnp.linalg.cholesky(a)
    return factor, jax.scipy.linalg.solve_triangular(factor, numbers(5, 2, seed=1), lower=True)


@case
def mlp_training(jax, jnp):
    def init(key):
        keys = jax.random.split(key, 2)
        return [(jax.random.normal(k, (m, n)) / np.sqrt(m), jnp.zeros(n)) for k, m, n in zip(keys, (8, 16), (16, 1))]

    def loss(params, x, y):
        for w, b in params[:-1]:
            x = jax.nn.relu(x @ w + b)
        w, b = params[-1]
        return jnp.mean((x @ w + b - y) ** 2)

    @jax.jit
    def step(params, x, y):
        value, gradients = jax.value_and_grad(loss)(params, x, y)
        return jax.tree.map(lambda p, g: p - 0.05 * g, params, gradients), value

    params, x = init(jax.random.key(0)), numbers(32, 8)
    y = x[:, :1] * x[:, 1:2]
    losses = []
    for _ in range(20):
        params, value = step(params, x, y)
        losses.append(value)
    return losses


@case
def donated_training(jax, jnp):
    step = jax.jit(lambda p, x: p - 0.1 * (p - x.mean(0)), donate_argnums=0)
    p = jnp.zeros(4)
    for i in range(5):
        p = step(p, numbers(3, 4, seed=i))
    return p


def transformer(jax, jnp, params, tokens, key, training):
    """One block with dropout: embedding, causal attention, a feed-forward layer, logits."""
    x = params["embed"][tokens]
    batch, length, width = x.shape
    heads = 4

    def norm(x, scale):
        mean = x.mean(-1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5) * scale

    def dropout(x, key):
        kept = jax.random.bernoulli(key, 0.9, x.shape)
        return jnp.where(kept, x / 0.9, 0) if training else x

    keys = jax.random.split(key, 2)
    q, k, v = jnp.split(norm(x, params["scale1"]) @ params["qkv"], 3, axis=-1)
    q, k, v = (t.reshape(batch, length, heads, width // heads).transpose(0, 2, 1, 3) for t in (q, k, v))
    scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(width // heads)
    scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e9)
    mixed = (jax.nn.softmax(scores) @ v).transpose(0, 2, 1, 3).reshape(batch, length, width)
    x = x + dropout(mixed @ params["out"], keys[0])
    x = x + dropout(jax.nn.gelu(norm(x, params["scale2"]) @ params["up"]) @ params["down"], keys[1])
    return x @ params["embed"].T


def transformer_params(jax, jnp, vocabulary=50, width=32):
    keys = jax.random.split(jax.random.key(1), 5)
    shapes = {"embed": (vocabulary, width), "qkv": (width, 3 * width), "out": (width, width),
              "up": (width, 4 * width), "down": (4 * width, width)}
    params = {name: 0.1 * jax.random.normal(k, shape) for k, (name, shape) in zip(keys, shapes.items())}
    return params | {"scale1": jnp.ones(width), "scale2": jnp.ones(width)}


def transformer_step(jax, jnp):
    def loss(params, tokens, key):
        logits = transformer(jax, jnp, params, tokens[:, :-1], key, True)
        logp = jax.nn.log_softmax(logits)
        return -jnp.take_along_axis(logp, tokens[:, 1:, None], axis=-1).mean()

    def step(params, moments, tokens, key):
        value, gradients = jax.value_and_grad(loss)(params, tokens, key)
        moments = jax.tree.map(lambda m, g: 0.9 * m + g, moments, gradients)
        return jax.tree.map(lambda p, m: p - 0.1 * m, params, moments), moments, value

    return step


@case
def transformer_training(jax, jnp):
    params = transformer_params(jax, jnp)
    moments = jax.tree.map(jnp.zeros_like, params)
    step = jax.jit(transformer_step(jax, jnp))
    key, losses = jax.random.key(3), []
    for i in range(5):
        tokens = np.random.default_rng(i).integers(0, 50, (4, 17))
        params, moments, value = step(params, moments, tokens, jax.random.fold_in(key, i))
        losses.append(value)
    return losses, params


@case
def sharded_matmul(jax, jnp):
    P, named = jax.sharding.PartitionSpec, jax.sharding.NamedSharding
    m = mesh(jax, (4, 2), ("x", "y"))
    x = jax.device_put(numbers(8, 6), named(m, P("x", "y")))
    w = jax.device_put(numbers(6, 4, seed=1), named(m, P("y", None)))
    result = jax.jit(lambda x, w: x @ w, out_shardings=named(m, P("x")))(x, w)
    assert result.sharding.is_equivalent_to(named(m, P("x")), 2), result.sharding
    return result


@case
def sharding_of_results_left_open(jax, jnp):
    P, named = jax.sharding.PartitionSpec, jax.sharding.NamedSharding
    m = mesh(jax, (8,), ("x",))
    x = jax.device_put(numbers(16, 3), named(m, P("x")))
    y, total = jax.jit(lambda x: (jnp.tanh(x) * 2, x.sum(0)))(x)
    return y, total, jax.jit(lambda y: y + 1)(y)


@case
def data_parallel_training(jax, jnp):
    P, named = jax.sharding.PartitionSpec, jax.sharding.NamedSharding
    m = mesh(jax, (8,), ("batch",))
    step = jax.jit(transformer_step(jax, jnp))
    params = jax.device_put(transformer_params(jax, jnp), named(m, P()))
    moments = jax.tree.map(jnp.zeros_like, params)
    losses = []
    for i in range(3):
        tokens = np.random.default_rng(i).integers(0, 50, (8, 17))
        tokens = jax.device_put(tokens, named(m, P("batch")))
        params, moments, value = step(params, moments, tokens, jax.random.key(i))
        losses.append(value)
    return losses, params


@case
def explicit_mesh(jax, jnp):
    P = jax.sharding.PartitionSpec
    m = mesh(jax, (2, 4), ("x", "y"), explicit=True)
    with jax.set_mesh(m):
        x = jax.device_put(numbers(4, 8), P("x", "y"))
        return jax.jit(lambda x: jnp.sin(x) * 2)(x), jax.jit(lambda x: x.sum(1))(x)


@case
def shard_map(jax, jnp):
    P = jax.sharding.PartitionSpec
    m = mesh(jax, (2, 4), ("x", "y"))

    def body(x):
        scaled = x * (1 + jax.lax.axis_index("y"))
        return jax.lax.psum(scaled, "y"), jax.lax.all_gather(x, "x", tiled=True), jax.lax.ppermute(
            x, "y", [(i, (i + 1) % 4) for i in range(4)])

    f = jax.shard_map(body, mesh=m, in_specs=P("x", "y"), out_specs=(P("x"), P(None, "y"), P("x", "y")),
                      check_vma=False)
    return jax.jit(f)(numbers(4, 8))


@case
def shard_map_training(jax, jnp):
    P = jax.sharding.PartitionSpec
    m = mesh(jax, (8,), ("cores",))

    def body(w, x, y):
        gradient = jax.grad(lambda w: jnp.mean((x @ w - y) ** 2))(w)
        return w - 0.1 * jax.lax.pmean(gradient, "cores")

    step = jax.jit(jax.shard_map(body, mesh=m, in_specs=(P(), P("cores"), P("cores")), out_specs=P(),
                                 check_vma=False))
    w, x = jnp.zeros((4, 1)), numbers(32, 4)
    for _ in range(10):
        w = step(w, x, x @ numbers(4, 1, seed=1))
    return w


@case
def pmap(jax, jnp):
    f = jax.pmap(lambda x: (x / jax.lax.psum(x, "i"), jax.lax.axis_index("i")), axis_name="i")
    return f(numbers(8, 5))


@case
def fewer_devices_than_there_are(jax, jnp):
    P, named = jax.sharding.PartitionSpec, jax.sharding.NamedSharding
    m = jax.sharding.Mesh(np.array(jax.devices()[2:6]), ("x",))
    x = jax.device_put(numbers(8, 2), named(m, P("x")))
    summed = jax.shard_map(lambda x: jax.lax.psum(x, "x"), mesh=m, in_specs=P("x"), out_specs=P())
    return jax.jit(lambda x: x * 2, out_shardings=named(m, P()))(x), jax.jit(summed)(x)


def run(name, folder):
    import jax
    import jax.numpy as jnp

    try:
        for package in NEEDS.get(name, ()):
            if importlib.util.find_spec(package) is None:
                (folder / f"{name}.txt").write_text(f"not tested: this Python has no {package}")
                return
        leaves = jax.tree.leaves(CASES[name](jax, jnp))
        np.savez(folder / f"{name}.npz", *[np.asarray(leaf) for leaf in leaves])
    except Exception:  # the other cases run all the same
        (folder / f"{name}.txt").write_text(traceback.format_exc())


if __name__ == "__main__":
    output = pathlib.Path(sys.argv[1])
    for wanted in sys.argv[2:] or CASES:
        run(wanted, output)
