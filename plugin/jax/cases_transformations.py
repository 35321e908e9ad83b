"""jax's transformations and lax's ops in the combinations that programs use."""

import functools

import numpy as np
from registry import case, mesh, numbers


@case
def associative_scans(jax, jnp):
    x = 0.9 + 0.1 * numbers(3, 17)

    def recurrence(left, right):  # of h[t] = a[t] h[t-1] + b[t]
        return left[0] * right[0], left[1] * right[0] + right[1]

    scan = jax.lax.associative_scan
    return (scan(jnp.add, x, axis=1), scan(jnp.maximum, x, axis=1, reverse=True),
            scan(recurrence, (x[0], x[1])), jnp.cumprod(jnp.asarray(x), axis=1), jax.lax.cummax(x, axis=1),
            jax.lax.cumlogsumexp(x, axis=1))


@case
def second_derivatives(jax, jnp):
    def f(x):
        return jnp.sin(x[0]) * x[1] ** 2 + jnp.exp(x[2] * x[0]) / (1 + x[1] ** 2)

    x = jnp.array([0.3, -0.7, 0.5])
    step = functools.partial(jax.jvp, f)
    return (jax.jit(jax.jacfwd(jnp.cumsum))(x), jax.jit(jax.jacrev(lambda x: jnp.outer(x, x)))(x),
            jax.jit(jax.hessian(f))(x), step((x,), (jnp.ones(3),)), jax.linearize(f, x)[1](x),
            jax.vjp(f, x)[1](1.0), jax.grad(lambda x: jax.grad(f)(x).sum())(x))


@case
def rules_of_ones_own(jax, jnp):
    @jax.custom_vjp
    def clipped(x):
        return x

    clipped.defvjp(lambda x: (x, x), lambda x, g: (jnp.clip(g, -0.1, 0.1) * jnp.cos(x),))

    @jax.custom_jvp
    def softened(x):
        return jnp.log1p(jnp.exp(x))

    softened.defjvp(lambda x, t: (softened(x[0]), jax.nn.sigmoid(x[0]) * t[0]))
    x = numbers(6)
    return (jax.jit(jax.grad(lambda x: (clipped(x) ** 2).sum()))(x), jax.jit(jax.vmap(jax.grad(softened)))(x),
            jax.grad(lambda x: jax.lax.stop_gradient(x).sum() + (x * 2).sum())(x))


@case
def rematerialized(jax, jnp):
    @functools.partial(jax.checkpoint, policy=jax.checkpoint_policies.dots_saveable)
    def block(w, x):
        return jnp.tanh(x @ w) @ w.T

    def loss(ws, x):
        x = jax.lax.scan(lambda x, w: (block(w, x), None), x, ws)[0]
        return (x**2).mean()

    return jax.jit(jax.value_and_grad(loss))(numbers(3, 6, 8) / 3, numbers(5, 6, seed=1))


@case
def loops_within_loops(jax, jnp):
    def newton(a):
        return jax.lax.while_loop(lambda x: jnp.abs(x * x - a) > 1e-5 * a, lambda x: 0.5 * (x + a / x), a)

    def outer(i, total):
        return total + jax.lax.fori_loop(0, i, lambda j, s: s + j * i, 0)

    def masked(x):
        return jax.lax.cond(x.sum() > 0, lambda x: x * 2, lambda x: -x, x)

    x = jnp.abs(numbers(7)) + 0.5
    return (jax.jit(jax.vmap(newton))(x), jax.jit(lambda n: jax.lax.fori_loop(0, n, outer, 0))(9),
            jax.jit(jax.vmap(masked))(numbers(4, 3)), jax.lax.map(lambda r: jnp.sort(r)[::-1], numbers(3, 5)),
            jax.jit(jax.grad(lambda x: jax.lax.fori_loop(0, 5, lambda i, y: jnp.sin(y) + x, x)))(0.3))


@case
def batched_ops(jax, jnp):
    x, index = numbers(3, 6, 5), np.array([[0, 2], [5, 1], [3, 3]])
    start = jnp.array([[1, 2], [4, 0], [0, 3]])
    one = lambda a, s: jax.lax.dynamic_slice(a, (s[0], s[1]), (2, 2))  # noqa: E731
    put = lambda a, s: jax.lax.dynamic_update_slice(a, jnp.ones((2, 2)), (s[0], s[1]))  # noqa: E731
    return (jax.vmap(one)(x, start), jax.vmap(put)(x, start), jax.vmap(lambda a, i: a[i])(x, index),
            jax.vmap(lambda a, i: a.at[i].add(1.0))(x, index), jax.vmap(jnp.searchsorted, (None, 0))(jnp.arange(5.0), x[0]),
            jax.vmap(jax.vmap(jnp.vdot))(x, x), jax.vmap(jnp.interp, (0, None, None))(x[0], jnp.arange(4.0), jnp.arange(4.0) ** 2),
            jax.vmap(lambda k: jax.random.normal(k, (3,)))(jax.random.split(jax.random.key(1), 4)))


@case
def segments(jax, jnp):
    x, ids = numbers(9, 3), np.array([2, 0, 1, 1, 4, 2, 0, 0, 4])
    ops = jax.ops
    return [f(x, ids, num_segments=6) for f in (ops.segment_sum, ops.segment_max, ops.segment_min, ops.segment_prod)] + [
        jax.grad(lambda x: (ops.segment_sum(x, ids, num_segments=5) ** 2).sum())(x),
        jnp.zeros((3, 4)).at[jnp.array([0, 2, 0]), jnp.array([1, 3, 1])].add(jnp.array([1.0, 2.0, 3.0])),
        jnp.arange(10).at[::3].set(-1), jnp.zeros(5).at[jnp.array([1, 7])].add(1.0, mode="drop")]


@case
def all_random_distributions(jax, jnp):
    r, key = jax.random, jax.random.key(11)
    return (r.binomial(key, 10, 0.4, (12,)), r.chisquare(key, 3.0, shape=(8,)), r.geometric(key, 0.3, (12,)),
            r.gumbel(key, (5,)), r.logistic(key, (5,)), r.lognormal(key, shape=(6,)), r.maxwell(key, (6,)),
            r.pareto(key, 2.0, (6,)), r.rayleigh(key, 1.0, (6,)), r.t(key, 4.0, (6,)), r.triangular(key, -1.0, 0.2, 1.0, (6,)),
            r.wald(key, 1.0, (6,)), r.weibull_min(key, 1.0, 2.0, (6,)), r.loggamma(key, 1.5, (6,)), r.ball(key, 3, shape=(4,)),
            r.double_sided_maxwell(key, 0.0, 1.0, (6,)), r.generalized_normal(key, 1.5, (6,)),
            r.choice(key, jnp.arange(20), (5,), p=jnp.arange(20.0) / 190), r.shuffle(key, jnp.arange(9)) if hasattr(r, "shuffle") else 0,
            r.permutation(key, jnp.arange(12).reshape(4, 3), axis=1, independent=True), r.f(key, 3.0, 5.0, (6,)))


@case
def transposed_and_grouped_convolutions(jax, jnp):
    conv = jax.lax.conv_general_dilated
    x, names = numbers(2, 10, 9, 4), ("NHWC", "HWIO", "NHWC")

    def f(x, w, v):
        dilated = conv(x, w, (1, 1), ((2, 1), (0, 3)), lhs_dilation=(2, 1), rhs_dilation=(1, 2), dimension_numbers=names)
        grouped = conv(x, v, (2, 1), "SAME", feature_group_count=2, rhs_dilation=(2, 2), dimension_numbers=names)
        negative = conv(x, w, (1, 1), ((-1, -1), (0, 0)), dimension_numbers=names)
        return dilated, grouped, negative

    total = lambda *a: sum((y**2).mean() for y in f(*a))  # noqa: E731
    arguments = x, numbers(3, 2, 4, 5, seed=1), numbers(3, 3, 2, 6, seed=2)
    batched = conv(numbers(4, 8, 8, 3), numbers(3, 3, 3, 4, seed=3), (1, 1), "SAME", batch_group_count=2, dimension_numbers=names)
    return f(*arguments), jax.jit(jax.grad(total, argnums=(0, 1, 2)))(*arguments), batched


@case
def contractions(jax, jnp):
    a, b, c = numbers(2, 3, 4, 5), numbers(5, 4, 6, seed=1), numbers(2, 6, 7, seed=2)
    return (jnp.einsum("bijk,kjl->bil", a, b), jnp.einsum("bijk,kjl,blm->bim", a, b, c), jnp.einsum("...k,kjl->...jl", a, b),
            jnp.einsum("bijk->kb", a), jnp.matmul(a, jnp.swapaxes(a, -1, -2)), jnp.inner(b, b), jnp.outer(b[0, 0], c[0, 0]),
            jax.lax.dot_general(a, a, (((3,), (3,)), ((0, 1), (0, 1)))), jnp.vecdot(a, a), jnp.cross(c[..., :3], c[..., 3:6]),
            jax.lax.batch_matmul(c, jnp.swapaxes(c, 1, 2)), jnp.convolve(b[0, 0], c[0, 0], mode="same"))


@case
def small_types(jax, jnp):
    x = np.linspace(-7, 7, 24, dtype=np.float32).reshape(4, 6)
    rare = [jnp.float8_e4m3b11fnuz, jnp.float8_e5m2fnuz, jnp.float8_e4m3fnuz, jnp.float8_e3m4, jnp.float8_e4m3,
            jnp.float8_e8m0fnu, jnp.float4_e2m1fn]
    eights = [jnp.asarray(x, t).astype(jnp.float32) for t in (jnp.float8_e4m3fn, jnp.float8_e5m2)] + jax.jit(
        lambda x: [abs(x).astype(t).astype(jnp.float32) for t in rare])(x)
    # As arrays: there and back, into a program and out of it.
    arrays = [jax.device_put(np.abs(x).astype(t)) for t in rare]
    doubled = jax.jit(lambda arrays: [a + a for a in arrays])(arrays)
    eights += [np.asarray(a).astype(np.float32) for a in arrays + doubled]
    twos = [jnp.asarray(np.arange(-2, 2), jnp.int2), jnp.asarray(np.arange(4), jnp.uint2)]
    eights += [np.asarray(a).astype(np.float32) for a in twos + jax.jit(lambda a: [b + b[::-1] for b in a])(twos)]
    return (eights, jnp.asarray(x, jnp.bfloat16).sum(axis=1).astype(jnp.float32),
            jax.jit(lambda a: (a.astype(jnp.float8_e4m3fn).astype(jnp.float32) @ a.T))(x), jnp.asarray(x, jnp.int16) * 3)


@case
def integers_of_four_bits(jax, jnp):
    x = np.arange(-8, 8, dtype=np.float32)
    four, unsigned = jnp.asarray(x, jnp.int4), jnp.asarray(x + 8, jnp.uint4)
    return four.astype(jnp.int32), unsigned.astype(jnp.int32), (four // jnp.int4(2)).astype(jnp.int32)


@case
def complex_functions(jax, jnp):
    z = jnp.asarray(numbers(4, 4) + 1j * numbers(4, 4, seed=1))

    def loss(z):
        return jnp.abs(jnp.fft.fft(z * jnp.exp(1j * z.real))).sum()

    values = [jnp.tanh(z), jnp.cos(z), z**3, jnp.conj(z) @ z, jnp.linalg.inv(z), jnp.linalg.solve(z, z[::-1, :1].conj()), jnp.cumsum(z, 0),
              jax.grad(loss)(z), jnp.linalg.det(z), jnp.fft.ifftn(z), jnp.sqrt(z), jnp.expm1(z), jnp.log1p(z), z.sum(0), jnp.prod(z, 1)]
    return [(jnp.real(v), jnp.imag(v)) for v in values] + [jnp.abs(z), jnp.linalg.norm(z)]


@case
def an_optimizer_by_hand(jax, jnp):
    """Adam with weight decay, warm-up and a clipped global norm, as optax chains them."""
    x = numbers(64, 5)
    y = np.sin(x).sum(1, keepdims=True)

    def loss(p):
        return jnp.mean((jax.nn.gelu(x @ p["w1"] + p["b1"]) @ p["w2"] - y) ** 2)

    def step(state, i):
        p, m, v = state
        value, g = jax.value_and_grad(loss)(p)
        norm = jnp.sqrt(sum(jnp.sum(a**2) for a in jax.tree.leaves(g)))
        g = jax.tree.map(lambda a: a * jnp.minimum(1.0, 1.0 / (norm + 1e-6)), g)
        m = jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, m, g)
        v = jax.tree.map(lambda a, b: 0.99 * a + 0.01 * b * b, v, g)
        rate = 0.02 * jnp.minimum(1.0, (i + 1) / 5)
        p = jax.tree.map(lambda q, a, b: q - rate * (a / (1 - 0.9 ** (i + 1)) / (jnp.sqrt(b / (1 - 0.99 ** (i + 1))) + 1e-6) + 1e-3 * q), p, m, v)
        return (p, m, v), value

    p = {"w1": jnp.asarray(numbers(5, 16) / 2), "b1": jnp.zeros(16), "w2": jnp.asarray(numbers(16, 1, seed=1) / 4)}
    zero = jax.tree.map(jnp.zeros_like, p)
    return jax.jit(lambda s: jax.lax.scan(step, s, jnp.arange(15)))((p, zero, zero))[1]


@case
def sharded_training(jax, jnp):
    from jax.sharding import NamedSharding, PartitionSpec

    over = mesh(jax, (4, 2), ("data", "model"))
    place = lambda a, *axes: jax.device_put(a, NamedSharding(over, PartitionSpec(*axes)))  # noqa: E731
    w1, w2 = place(numbers(6, 8) / 3, None, "model"), place(numbers(8, 2, seed=1) / 3, "model", None)
    x, y = place(numbers(16, 6, seed=2), "data", None), place(numbers(16, 2, seed=3), "data", None)

    @functools.partial(jax.jit, donate_argnums=(0, 1))
    def step(w1, w2, x, y):
        value, g = jax.value_and_grad(lambda w: jnp.mean((jnp.tanh(x @ w[0]) @ w[1] - y) ** 2))((w1, w2))
        return w1 - 0.1 * g[0], w2 - 0.1 * g[1], value

    losses = []
    for _ in range(4):
        w1, w2, value = step(w1, w2, x, y)
        losses.append(value)
    return losses, w1, w2


@case
def per_device_collectives(jax, jnp):
    from jax.sharding import PartitionSpec as P

    over = mesh(jax, (8,), ("d",))

    def f(x):
        lax, n = jax.lax, 8
        return (lax.psum(x, "d"), lax.pmax(x, "d"), lax.all_gather(x, "d"), lax.psum_scatter(jnp.tile(x, (8, 1)), "d", tiled=True),
                lax.ppermute(x, "d", [(i, (i + 3) % n) for i in range(n)]), lax.all_to_all(jnp.tile(x, (1, 8)), "d", 1, 0, tiled=True),
                lax.axis_index("d") + x)

    specs = P(), P(), P(None, "d"), P("d"), P("d"), P("d"), P("d")
    return jax.jit(jax.shard_map(f, mesh=over, in_specs=P("d"), out_specs=specs, check_vma=False))(numbers(8, 3))
