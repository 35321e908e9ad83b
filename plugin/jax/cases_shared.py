"""Programs whose arguments are cut over the processes, so that each computes its rows; and some that each computes whole.

A process has 8 rows of each batch. compare_processes.py holds SHARED and WHOLE against the programs that were compiled.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P
from registry_processes import case, mesh, numbers, own_parts, rows

OWN_ROWS = 8
# Jitted functions by name; how the type of an argument goes on after its rows.
SHARED = {
    "step": "x7xf32",
    "convnet_step": "x12x12x3xf32",
    "attention_step": "x6xi32",
    "recurrent_forward": "x5x4xf32",
    "recurrent_step": "x50x4xf32",
    "wide_step": "x6xf32",
    "loops": "x4xf32",
    "folds": "x6xi8",
    "doubled": "x3xf32",
    "mapped_step": "x7xf32",
    "mesh_step": "x8xf32",
    "differing": "x5xf32",
}
WHOLE = ["factored", "turned_rows", "rows_in_turn"]


def batch_size():
    return 4 * len(jax.devices())


def by_rows(whole, meshed=None):
    meshed = meshed or mesh((len(jax.devices()),), ("data",))
    return rows(meshed, P("data"), whole)


def everywhere(tree):
    sharding = NamedSharding(mesh((len(jax.devices()),), ("data",)), P())
    return jax.tree.map(
        lambda array: jax.make_array_from_callback(array.shape, sharding, lambda index: array[index]), tree)


def whole(tree):
    """Every array of a tree, whole: a platform may choose how a result lies on the devices."""
    everywhere_again = jax.jit(lambda array: array, out_shardings=everywhere(np.zeros(1)).sharding)
    return [np.asarray(everywhere_again(array).addressable_data(0)) for array in jax.tree.leaves(tree)]


def integers(*shape, below, seed=0):
    return np.random.default_rng(seed).integers(0, below, shape).astype(np.int32)


def cross_entropy(logits, labels):
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1)
    return -chosen.mean()


@case
def convnet_with_batch_moments_and_dropout():
    parameters = {"kernel": numbers(3, 3, 3, 8, seed=1) * 0.2, "scale": np.ones(8, np.float32),
                  "offset": np.zeros(8, np.float32), "dense": numbers(288, 5, seed=2) * 0.1}
    moved = {"mean": np.zeros(8, np.float32), "variance": np.ones(8, np.float32)}
    momenta = jax.tree.map(np.zeros_like, parameters)

    def loss_of(parameters, moved, images, labels, key):
        x = jax.lax.conv_general_dilated(images, parameters["kernel"], (1, 1), "SAME",
                                         dimension_numbers=("NHWC", "HWIO", "NHWC"))
        mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
        x = (x - mean) * jax.lax.rsqrt(variance + 1e-3) * parameters["scale"] + parameters["offset"]
        x = jax.lax.reduce_window(jax.nn.relu(x), -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        x = x.reshape(len(x), -1)
        x = jnp.where(jax.random.bernoulli(key, 0.8, x.shape), x / 0.8, 0)
        logits = x @ parameters["dense"]
        moved = {"mean": 0.9 * moved["mean"] + 0.1 * mean, "variance": 0.9 * moved["variance"] + 0.1 * variance}
        return cross_entropy(logits, labels), (moved, (logits.argmax(-1) == labels).sum())

    @functools.partial(jax.jit, donate_argnums=(0, 1, 2))
    def convnet_step(parameters, moved, momenta, images, labels, seed):
        (loss, (moved, right)), gradients = jax.value_and_grad(loss_of, has_aux=True)(
            parameters, moved, images, labels, jax.random.key(seed))
        momenta = jax.tree.map(lambda m, g: 0.9 * m + g, momenta, gradients)
        parameters = jax.tree.map(lambda p, m: p - 0.05 * m, parameters, momenta)
        return parameters, moved, momenta, loss, right

    parameters, moved, momenta = everywhere((parameters, moved, momenta))
    seen = []
    for i in range(3):
        images = by_rows(numbers(batch_size(), 12, 12, 3, seed=10 + i))
        labels = by_rows(integers(batch_size(), below=5, seed=20 + i))
        parameters, moved, momenta, loss, right = convnet_step(parameters, moved, momenta, images, labels, i)
        seen += [loss, right]
    return whole((seen, parameters, moved))


@case
def attention_over_layers_in_a_scan():
    layers, width, words = 3, 12, 20
    parameters = {"table": numbers(words, width, seed=1), "qkv": numbers(layers, width, 3 * width, seed=2) * 0.2,
                  "out": numbers(layers, width, width, seed=3) * 0.2}

    def loss_of(parameters, ids, mask, labels):
        x = parameters["table"][ids]

        @jax.checkpoint
        def layer(x, weights):
            qkv, out = weights
            q, k, v = jnp.split(jnp.einsum("btw,wk->btk", x, qkv), 3, axis=-1)
            scores = jnp.einsum("btw,bsw->bts", q, k) / width ** 0.5
            scores = jnp.where(mask[:, None, :] > 0, scores, -1e9)
            x = x + jnp.einsum("bts,bsw->btw", jax.nn.softmax(scores), v) @ out
            return x / (1e-6 + jnp.sqrt((x ** 2).mean(-1, keepdims=True))), None

        x, _ = jax.lax.scan(layer, x, (parameters["qkv"], parameters["out"]))
        return cross_entropy(x[:, 0] @ parameters["table"].T, labels)

    @jax.jit
    def attention_step(parameters, ids, mask, labels):
        loss, gradients = jax.value_and_grad(loss_of)(parameters, ids, mask, labels)
        norm = jnp.sqrt(sum(jnp.sum(g ** 2) for g in jax.tree.leaves(gradients)))
        return jax.tree.map(lambda p, g: p - 0.1 * g / jnp.maximum(norm, 1), parameters, gradients), loss

    parameters, losses = everywhere(parameters), []
    for i in range(3):
        ids = integers(batch_size(), 6, below=words, seed=30 + i)
        parameters, loss = attention_step(parameters, by_rows(ids), by_rows((ids != 3).astype(np.int32)),
                                          by_rows(ids[:, 0]))
        losses.append(loss)
    return whole((losses, parameters))


@case
def recurrence_over_time():
    parameters = everywhere({"w": numbers(4, 6, seed=1) * 0.4, "u": numbers(6, 6, seed=2) * 0.4})

    def states(parameters, x):
        def turn(h, x):
            h = jnp.tanh(x @ parameters["w"] + h @ parameters["u"])
            return h, h.mean(-1)

        return jax.lax.scan(turn, jnp.zeros((x.shape[0], 6)), x.transpose(1, 0, 2))

    @jax.jit
    def recurrent_forward(parameters, x):
        last, means = states(parameters, x)
        return last, means.T

    @jax.jit
    def recurrent_step(parameters, x):
        gradients = jax.grad(lambda p: (states(p, x)[0] ** 2).mean())(parameters)
        return jax.tree.map(lambda p, g: p - 0.3 * g, parameters, gradients)

    forward = recurrent_forward(parameters, by_rows(numbers(batch_size(), 5, 4, seed=3)))
    for i in range(2):
        parameters = recurrent_step(parameters, by_rows(numbers(batch_size(), 50, 4, seed=4 + i)))
    return whole((forward, parameters))


@case
def weights_cut_as_the_batch_is():
    meshed = mesh((len(jax.devices()),), ("data",))
    wide = 12 * len(jax.devices())
    cut = {"w1": P(None, "data"), "w2": P("data", None), "b": P("data")}
    start = {"w1": numbers(6, wide, seed=1) * 0.3, "w2": numbers(wide, 3, seed=2) * 0.3,
             "b": np.zeros(wide, np.float32)}
    parameters = {name: rows(meshed, cut[name], start[name]) for name in cut}

    @functools.partial(jax.jit, donate_argnums=0,
                       out_shardings=({name: NamedSharding(meshed, cut[name]) for name in cut}, None))
    def wide_step(parameters, x, y):
        def loss_of(p):
            return ((jax.nn.gelu(x @ p["w1"] + p["b"]) @ p["w2"] - y) ** 2).mean()

        loss, gradients = jax.value_and_grad(loss_of)(parameters)
        return jax.tree.map(lambda p, g: p - 0.1 * g, parameters, gradients), loss

    losses = []
    for i in range(3):
        parameters, loss = wide_step(parameters, by_rows(numbers(batch_size(), 6, seed=5 + i), meshed),
                                     by_rows(numbers(batch_size(), 3, seed=8 + i), meshed))
        losses.append(loss)
    return [*whole(losses), *[part for name in sorted(cut) for part in own_parts(parameters[name])]]


@case
def parts_of_each_device():
    n = len(jax.devices())
    line, square = mesh((n,), ("data",)), mesh((n // 2, 2), ("data", "model"))

    @jax.jit
    @functools.partial(jax.shard_map, mesh=line, in_specs=(P(), P("data"), P("data")), out_specs=(P(), P(), P("data")))
    def mapped_step(w, x, y):
        loss, gradient = jax.value_and_grad(lambda w: ((jnp.tanh(x @ w) - y) ** 2).sum())(w)
        return w - 0.01 * gradient, jax.lax.psum(loss, "data"), x * jax.lax.axis_index("data")

    # A layer cut over the devices of a process, on rows cut over the processes.
    @jax.jit
    @functools.partial(jax.shard_map, mesh=square, in_specs=(P(None, "model"), P("model", None), P("data")),
                       out_specs=(P(None, "model"), P("model", None), P()))
    def mesh_step(w1, w2, x):
        def loss_of(w1, w2):
            return (jax.lax.psum(jax.nn.relu(x @ w1) @ w2, "model") ** 2).mean()

        loss, gradients = jax.value_and_grad(loss_of, argnums=(0, 1))(w1, w2)
        return w1 - 0.1 * gradients[0], w2 - 0.1 * gradients[1], jax.lax.pmean(loss, "data")

    @jax.jit
    @functools.partial(jax.shard_map, mesh=line, in_specs=P("data"), out_specs=P(), check_vma=False)
    def differing(x):
        return x.sum(0) * 0 + jax.lax.axis_index("data")

    w, w1, w2 = numbers(7, 2, seed=1) * 0.3, numbers(8, 10, seed=2) * 0.3, numbers(10, 4, seed=3) * 0.3
    w, w1, w2 = everywhere(w), rows(square, P(None, "model"), w1), rows(square, P("model", None), w2)
    losses = []
    for i in range(3):
        w, loss, numbered = mapped_step(w, by_rows(numbers(batch_size(), 7, seed=20 + i)),
                                        by_rows(numbers(batch_size(), 2, seed=30 + i)))
        w1, w2, other = mesh_step(w1, w2, by_rows(numbers(batch_size(), 8, seed=40 + i), square))
        losses += [loss, other]
    apart = own_parts(differing(by_rows(numbers(batch_size(), 5))))
    return [*whole((losses, w, numbered, w1, w2)), *apart]


@case
def loops_and_branches():
    @jax.jit
    def loops(x, limit):
        def halve(state):
            return state[0] * 0.5, state[1] + 1

        # How often depends on what it computes; nothing is exchanged within.
        near, count = jax.lax.while_loop(lambda state: state[1] < limit, halve, (x, 0))
        branch = jax.lax.cond(count > 3, lambda a: jnp.tanh(a), lambda a: a * 3, x)
        chosen = jax.lax.switch(count % 3, [jnp.sin, jnp.cos, jnp.exp], x)
        added = jax.lax.fori_loop(0, 4, lambda i, total: total + x[:, i], jnp.zeros(x.shape[0]))
        return near, count, branch, chosen, added, jax.vmap(jnp.outer)(x, x).sum(0)

    @jax.jit
    def rows_in_turn(x):
        return jax.lax.scan(lambda last, row: ((last + row) * 0.5, jnp.sort(row)[:2]), jnp.zeros(4), x)

    x = by_rows(numbers(batch_size(), 4))
    return whole((loops(x, 5), rows_in_turn(x)))


@case
def folds_of_every_kind():
    @jax.jit
    def folds(x, y, z):
        one_type = [x.sum(0), x.max(0), x.min(), jnp.prod(x % 3 + 1, axis=0), jnp.bitwise_xor.reduce(x, axis=1),
                    (x > 3).any(0), (x > 3).all(0), x.argmax(0), x.argmin(1), jnp.cumsum(x, axis=1)]
        along_rows = [jnp.sort(x, axis=0), jnp.cumsum(x, axis=0), jax.lax.top_k(x.T, 3)[0], jnp.roll(x, 1, axis=0),
                      x[::-1], jnp.median(y, axis=0), jnp.concatenate([x, x[:2]]), x[1:5], jnp.diff(y, axis=0)]
        counted = jnp.zeros(10, jnp.int32).at[x.ravel() % 10].add(1)
        kept = jax.ops.segment_sum(y, x[:, 0] % 4, num_segments=4)
        last = jnp.zeros((4, 6)).at[x[:, 0] % 4].max(y)
        narrow = (y.astype(jnp.bfloat16) * 0 + 1).sum(0)
        return (one_type, along_rows, counted, kept, last, narrow.astype(jnp.float32),
                (y + 1j * y).sum(0), jnp.fft.rfft(y, axis=1).sum(0), z.sum(0, dtype=jnp.int8),
                jax.nn.one_hot(x[:, 1], 5).sum(0), jnp.einsum("bi,bj->ij", y, y), y.var(0), jnp.nanmax(y, axis=0))

    results = folds(by_rows(integers(batch_size(), 6, below=9)), by_rows(numbers(batch_size(), 6)),
                    by_rows(integers(batch_size(), 6, below=100, seed=4).astype(np.int8)))
    return whole(results)


@case
def programs_one_after_the_other():
    meshed = mesh((len(jax.devices()),), ("data",))

    @jax.jit
    def doubled(x):
        return x * 2

    @jax.jit
    def factored(x):
        return jnp.linalg.qr(x.reshape(-1, 3, 1) * jnp.ones((1, 1, 3)) + jnp.eye(3))[1] + x.sum()

    x = by_rows(numbers(batch_size(), 3), meshed)
    twice = doubled(x)
    upper = factored(twice)  # by foreign functions: each process computes it whole, from the pieces of all
    again = jax.jit(lambda a: a.reshape(-1, 3) * 3)(upper)
    # Devices in another order: no process has neighbouring rows.
    order = np.array(jax.devices()).reshape(jax.process_count(), -1).T.ravel()
    turned = jax.sharding.Mesh(order, ("data",))

    @functools.partial(jax.jit, out_shardings=NamedSharding(turned, P("data")))
    def turned_rows(x):
        return x[::-1] + 1

    other = turned_rows(rows(turned, P("data"), numbers(batch_size(), 3, seed=2)))
    moved = jax.device_put(twice, NamedSharding(meshed, P()))
    return [*own_parts(twice), *own_parts(other), *own_parts(moved), *whole((upper, again))]
