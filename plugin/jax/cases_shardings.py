"""How results lie on the devices whose sharding JAX leaves open: as JAX's own partitioner has them."""

import numpy as np
from registry import case, mesh, numbers


def places(jax, values):
    """Of each array, where each device's part begins and ends."""
    found = []
    for value in jax.tree.leaves(values):
        parts = value.sharding.devices_indices_map(value.shape)
        found.append(np.array([[index.indices(size)[:2] for index, size in zip(parts[device], value.shape)]
                               for device in jax.devices()], np.int32))
    return found


def put(jax, m, x, *spec):
    return jax.device_put(x, jax.sharding.NamedSharding(m, jax.sharding.PartitionSpec(*spec)))


@case
def open_shardings_of_ops(jax, jnp):
    m = mesh(jax, (2, 4), ("d", "m"))

    def reduced(a):
        return a.sum(1), a.sum(0), a.sum(), a.mean(1, keepdims=True), jnp.argmax(a, 0), jax.nn.logsumexp(a, axis=1)

    def moved(a):
        return (a.T + 1, a.reshape(-1), a.reshape(4, 4, 12), a.reshape(16, 3, 4), a.reshape(16, 4, 3), a.reshape(32, 6),
                a.reshape(8, 24), a[None], a[:, :, None] * jnp.ones((16, 12, 5)), jnp.broadcast_to(a, (3, 16, 12)))

    def sliced(a):
        return (a[:8], a[:, :3], a[2], a[:, 2], a[::2], a[::-1], jnp.roll(a, 1, 0), jnp.concatenate([a, a]),
                jnp.stack([a, a], 1), jnp.pad(a, ((0, 0), (1, 1))), jnp.tile(a, (2, 1)), a[np.array([1, 2, 0, 3])],
                jnp.take_along_axis(a, jnp.argsort(a, 1), 1), a.at[0].set(1), jnp.cumsum(a, 0), jax.lax.top_k(a, 3))

    def others(a):
        loop = jax.lax.scan(lambda c, x: (jnp.tanh(c + x), c * 2), a[:, 0], a.T)
        return (loop, jax.lax.cond(a.sum() > 0, lambda a: a * 2, lambda a: a - 1, a), jnp.fft.fft(a),
                jnp.zeros((16, 12)) + 1, jnp.arange(16), jax.nn.softmax(a), jnp.eye(16) @ a)

    a = put(jax, m, numbers(16, 12), "d", "m")
    parts = [places(jax, jax.jit(f)(a)) for f in (reduced, moved, sliced, others)]
    one = mesh(jax, (8,), ("x",))
    b, c = put(jax, one, numbers(8, 8), "x"), put(jax, one, numbers(8, 8), None, "x")
    conflicts = jax.jit(lambda b, c: (b + c, c + b, b @ c, c @ b, b * c.T, b @ b.T))(b, c)
    matrices = put(jax, one, np.stack([np.eye(4, dtype=np.float32)] * 8), "x")
    solved = jax.jit(lambda a: (jnp.linalg.cholesky(a), jnp.linalg.inv(a), jnp.linalg.det(a)))(matrices)
    return parts, places(jax, conflicts), places(jax, solved), places(jax, jax.jit(lambda a, b: (b + 1, a @ b))(
        a, numbers(12, 8)))


@case
def open_shardings_of_models(jax, jnp):
    m = mesh(jax, (2, 4), ("d", "m"))

    def feed_forward(p, x):
        return ((jax.nn.gelu(x @ p["up"] + p["b"]) @ p["down"] - x) ** 2).mean()

    def attention(p, x):
        q, k, v = (jnp.einsum("btd,dhk->bthk", x, w) for w in p["qkv"])
        weights = jax.nn.softmax(jnp.einsum("bthk,bshk->bhts", q, k))
        return (jnp.einsum("bthk,hkd->btd", jnp.einsum("bhts,bshk->bthk", weights, v), p["out"]) ** 2).mean()

    def convolution(p, x):
        y = jax.lax.conv_general_dilated(x, p, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        y = jax.lax.reduce_window(y, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        return (y.reshape(y.shape[0], -1) ** 2).mean()

    def embedded(p, x):
        return (p[x] ** 2).mean()

    def step(loss):
        def run(p, x):
            value, gradient = jax.value_and_grad(loss)(p, x)
            return value, gradient, jax.tree.map(lambda p, g: p - 0.1 * g, p, gradient)

        return jax.jit(run)

    dense = {"up": put(jax, m, numbers(12, 24), None, "m"), "b": put(jax, m, numbers(24), "m"),
             "down": put(jax, m, numbers(24, 12), "m")}
    heads = {"qkv": [put(jax, m, numbers(16, 4, 8, seed=i), None, "m") for i in range(3)],
             "out": put(jax, m, numbers(4, 8, 16), "m")}
    tokens = put(jax, m, np.arange(32).reshape(8, 4), "d")
    return [places(jax, step(loss)(p, x)) for loss, p, x in (
        (feed_forward, dense, put(jax, m, numbers(16, 12), "d")),
        (attention, heads, put(jax, m, numbers(8, 6, 16), "d")),
        (convolution, put(jax, m, numbers(3, 3, 4, 8), None, None, None, "m"), put(jax, m, numbers(8, 8, 8, 4), "d")),
        (embedded, put(jax, m, numbers(48, 32), None, "m"), tokens),
        (embedded, put(jax, m, numbers(48, 32), "m"), tokens))]


@case
def arrays_without_elements_over_a_mesh(jax, jnp):
    m = mesh(jax, (4, 2), ("a", "b"))
    programs = [lambda a: a * 2, lambda a: a.T, lambda a: a.sum(0), lambda a: a @ a.T, lambda a: jnp.concatenate([a, a]),
                lambda a: a.reshape(2, -1, 8), lambda a: jnp.sort(a, 0), lambda a: jnp.pad(a, 1), lambda a: a[:, 1:]]
    arrays = [put(jax, m, np.zeros(shape, np.float32), *spec) for shape, spec in (
        ((0, 8), (None, "b")), ((8, 0), ("a",)), ((8, 0), (("a", "b"), None)), ((0, 8), ()))]
    return [jax.jit(program)(a) for a in arrays for program in programs]


@case
def inspected_shardings(jax, jnp):
    """What jax.debug.inspect_array_sharding is told of values within a program."""
    m = mesh(jax, (4, 2), ("a", "b"))
    told = []

    def tell(name):
        return lambda sharding: told.append(
            (name, sorted((device.id, str(places)) for device, places in sharding.devices_indices_map((6, 8)).items())))

    def turned(x):
        y = jnp.tanh(x).T
        jax.debug.inspect_array_sharding(y, callback=tell("turned"))
        z = y @ y.T
        jax.debug.inspect_array_sharding(y * z.sum(), callback=tell("scaled"))
        return z

    result = jax.jit(turned)(put(jax, m, numbers(8, 6), "a", "b"))
    return result, np.frombuffer(str(sorted(told)).encode(), np.uint8)
