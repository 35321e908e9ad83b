"""Functions of arrays: what jax.numpy, jax.nn, jax.lax and jax.random offer."""

import numpy as np
from registry import case, numbers


@case
def activations(jax, jnp):
    def all_of_them(x):
        nn = jax.nn
        return [nn.gelu(x), nn.gelu(x, approximate=False), nn.silu(x), nn.softplus(x), nn.elu(x), nn.selu(x),
                nn.leaky_relu(x), nn.sigmoid(x), nn.log_sigmoid(x), nn.hard_tanh(x), nn.relu6(x), nn.celu(x),
                nn.mish(x), nn.glu(x), nn.standardize(x), nn.logsumexp(x, axis=-1), nn.hard_swish(x)]

    x = 3 * numbers(4, 6)
    gradient = jax.grad(lambda x: sum(y.sum() for y in all_of_them(x)))
    return jax.jit(all_of_them)(x), jax.jit(gradient)(x)


@case
def einsums(jax, jnp):
    a, b, c = numbers(2, 3, 4), numbers(2, 4, 5, seed=1), numbers(5, 3, 4, seed=2)

    @jax.jit
    def f(a, b, c):
        return (jnp.einsum("bij,bjk->bik", a, b), jnp.einsum("bij,kij->bk", a, c),
                jnp.einsum("bij,bjk,kij->i", a, b, c), jnp.einsum("bij->jb", a),
                jnp.einsum("bii->b", a[:, :3, :3]), jnp.tensordot(a, c, ((1, 2), (1, 2))))

    return f(a, b, c)


@case
def reductions(jax, jnp):
    x = jnp.asarray(numbers(4, 5, 6))
    return (x.mean((0, 2)), x.std(1), x.var(), jnp.prod(x, axis=2), jnp.argmin(x, axis=1), jnp.median(x, axis=0),
            jnp.quantile(x, 0.3, axis=2), jnp.ptp(x, axis=0), jnp.nansum(x), (x > 0).any(1), (x > 0).all(2),
            jnp.count_nonzero(x, axis=0), jnp.linalg.norm(x, axis=-1))


@case
def shapes(jax, jnp):
    x = jnp.arange(24).reshape(2, 3, 4)
    return (jnp.roll(x, 2, axis=1), jnp.flip(x, 2), jnp.tile(x, (1, 2, 1)), jnp.repeat(x, 3, axis=0), jnp.rot90(x[0]),
            jnp.pad(x, ((0, 0), (1, 2), (0, 1)), mode="reflect"), jnp.pad(x, 1, constant_values=7),
            jnp.concatenate([x, x + 1], axis=1), jnp.stack([x, x]), jnp.moveaxis(x, 0, 2), jnp.diff(x, axis=2),
            jnp.triu(x[0]), jnp.kron(x[0], x[1]), jnp.meshgrid(jnp.arange(3), jnp.arange(2)), jnp.diag(x[0, 0]))


@case
def sorting_and_searching(jax, jnp):
    x = jnp.asarray(numbers(5, 9))
    ordered = jnp.sort(x[0])
    return (jnp.argsort(x, axis=1), jnp.lexsort((x[0], x[1] > 0)), jnp.searchsorted(ordered, x[1]),
            jnp.unique(jnp.array([3, 1, 3, 2, 1]), size=4), jnp.bincount(jnp.array([0, 1, 1, 4]), length=6),
            jnp.histogram(x, bins=5)[0], jnp.partition(x[0], 3)[3], jax.lax.sort((x[0], x[1]), num_keys=1),
            jnp.digitize(x[0], jnp.array([-1.0, 0.0, 1.0])), jnp.interp(x[0], ordered, jnp.arange(9.0)))


@case
def integers_and_bits(jax, jnp):
    a, b = jnp.array([7, -8, 13, 2**31 - 1, -(2**31)]), jnp.array([2, 3, -5, 7, 11])
    u = a.astype(jnp.uint32)
    return (a // b, a % b, jnp.fmod(a, b), a << 2, a >> 1, u >> 3, a & b, a | b, a ^ b, ~a, jnp.abs(a), jnp.sign(a),
            jax.lax.population_count(u), jax.lax.clz(u), jnp.gcd(a[:3], b[:3]), jnp.clip(a, -5, 9),
            jax.lax.bitcast_convert_type(u, jnp.float32) > 0, a.astype(jnp.int8), jnp.left_shift(u, 33))


@case
def complex_numbers(jax, jnp):
    z = jnp.asarray(numbers(4, 3) + 1j * numbers(4, 3, seed=1))
    w = z @ z.T
    # NumPy's files hold complex numbers; comparing wants real ones.
    parts = [z * z[::-1], jnp.exp(z), jnp.sqrt(z), jnp.log(z), w, 1 / z, jnp.fft.ifft(z), jnp.sin(z), z**2]
    return [(p.real, p.imag) for p in parts] + [jnp.abs(z), jnp.angle(z)]


@case
def more_fft(jax, jnp):
    x = numbers(4, 12)
    f = jax.jit(lambda x: jnp.fft.irfft2(jnp.fft.rfft2(x) * 0.5))
    gradient = jax.grad(lambda x: (jnp.abs(jnp.fft.rfft(x)) ** 2).sum())
    whole = jnp.fft.fftn(numbers(3, 4, 5))
    return (f(x), jax.jit(gradient)(x), whole.real, whole.imag, jnp.fft.fftshift(x),
            jax.scipy.signal.convolve(x[0], x[1]))


@case
def convolutions(jax, jnp):
    x, conv = numbers(2, 9, 8, 4), jax.lax.conv_general_dilated
    names = ("NHWC", "HWIO", "NHWC")

    def f(x, w, depthwise, grouped):
        return (conv(x, w, (2, 2), "SAME", dimension_numbers=names),
                conv(x, w, (1, 1), "VALID", rhs_dilation=(2, 2), dimension_numbers=names),
                conv(x, depthwise, (1, 1), "SAME", dimension_numbers=names, feature_group_count=4),
                conv(x, grouped, (1, 2), "SAME", dimension_numbers=names, feature_group_count=2),
                jax.lax.conv_transpose(x, w, (2, 2), "SAME", dimension_numbers=names),
                conv(x.transpose(0, 3, 1, 2), w.transpose(3, 2, 0, 1), (1, 1), [(1, 1), (0, 2)]))

    def total(*arguments):
        return sum((y**2).mean() for y in f(*arguments))

    arguments = x, numbers(3, 3, 4, 6, seed=1), numbers(3, 3, 1, 4, seed=2), numbers(3, 3, 2, 6, seed=3)
    return jax.jit(f)(*arguments), jax.jit(jax.grad(total, argnums=(0, 1, 2, 3)))(*arguments)


@case
def convolutions_of_one_and_three_axes(jax, jnp):
    one = jax.lax.conv_general_dilated(numbers(2, 11, 3), numbers(4, 3, 5), (2,), "SAME",
                                       dimension_numbers=("NWC", "WIO", "NWC"))
    three = jax.lax.conv_general_dilated(numbers(1, 4, 5, 6, 2), numbers(2, 3, 2, 2, 3), (1, 2, 1), "VALID",
                                         dimension_numbers=("NDHWC", "DHWIO", "NDHWC"))
    return one, three


@case
def pooling_windows(jax, jnp):
    def f(x):
        window = (1, 3, 3, 1), (1, 2, 2, 1)
        average = jax.lax.reduce_window(x, 0.0, jax.lax.add, *window, "SAME")
        return average, jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, *window, "SAME")

    x = numbers(2, 7, 7, 3)
    return jax.jit(f)(x), jax.jit(jax.grad(lambda x: sum((y**2).sum() for y in f(x))))(x)


@case
def image_resizing(jax, jnp):
    x = numbers(1, 6, 7, 2)
    return [jax.image.resize(x, (1, 9, 5, 2), method) for method in ("nearest", "linear", "cubic")]


@case
def indexing(jax, jnp):
    x = jnp.asarray(numbers(6, 7))
    rows, columns = jnp.array([0, 2, 5]), jnp.array([1, 1, 6])
    return (x[rows, columns], x[rows[:, None], columns], x[:, ::2], x[..., -1], x.at[rows].multiply(2),
            x.at[rows, columns].set(0), x.at[1:3, 2].max(0.3), x.at[rows].get(mode="fill", fill_value=1),
            jnp.take(x, jnp.array([0, 9]), axis=0, mode="clip"), x[x[:, 0].argmax()],
            jax.ops.segment_sum(x, jnp.array([0, 0, 1, 2, 1, 0]), num_segments=4), jax.nn.one_hot(columns, 8))


@case
def more_special_functions(jax, jnp):
    x, scipy = np.linspace(0.2, 2.5, 16, dtype=np.float32), jax.scipy
    return (scipy.special.betainc(x, 1.5, x / 3), scipy.special.gammainc(x, 1.0), scipy.special.i0(x),
            scipy.special.i1e(x), scipy.special.ndtr(x), scipy.special.logit(x / 3), scipy.special.xlogy(x, x),
            scipy.special.zeta(x + 1.5, 1.0), scipy.special.polygamma(1, x), jnp.sinh(x), jnp.arcsinh(x),
            jnp.arctanh(x / 3), jnp.cbrt(x), jnp.hypot(x, 2 * x), jnp.exp2(x), jnp.logaddexp(x, -x), jnp.sinc(x),
            scipy.stats.norm.logpdf(x), scipy.special.bernoulli(4))


@case
def random_distributions(jax, jnp):
    r, key = jax.random, jax.random.key(5)
    return (r.gumbel(key, (40,)), r.exponential(key, (40,)), r.laplace(key, (40,)),
            r.truncated_normal(key, -1, 1, (40,)), r.choice(key, 10, (4,), replace=False),
            r.dirichlet(key, jnp.ones(3), (5,)), r.gamma(key, 2.0, (20,)), r.poisson(key, 3.0, (20,)), r.rademacher(key, (20,)), r.orthogonal(key, 1), r.cauchy(key, (9,)),
            r.key_data(r.fold_in(key, 7)), r.beta(key, 2.0, 3.0, (10,)),
            r.multivariate_normal(key, jnp.zeros(2), jnp.eye(2)))


@case
def random_bit_generators(jax, jnp):
    key = jax.random.key(3, impl="rbg")
    return jax.random.key_data(key), jax.random.uniform(jax.random.key(3, impl="threefry2x32"), (3, 5), minval=-1.0)


@case
def narrow_numbers(jax, jnp):
    def loss(w, x):
        y = (x.astype(jnp.bfloat16) @ w.astype(jnp.bfloat16)).astype(jnp.float32)
        return (y**2).mean()

    w, x = np.round(4 * numbers(8, 4)) / 8, np.round(4 * numbers(6, 8, seed=1)) / 8  # exact in bfloat16
    halves = jnp.asarray(x, jnp.float16)
    return (jax.jit(jax.value_and_grad(loss))(w, x), (halves + halves).astype(jnp.float32),
            jax.lax.reduce_precision(jnp.asarray(numbers(9)), 8, 7),
            jnp.asarray(x, jnp.float8_e4m3fn).astype(jnp.float32))


@case
def integer_products(jax, jnp):
    a, b = np.arange(-6, 6, dtype=np.int8).reshape(3, 4), np.arange(8, dtype=np.int8).reshape(4, 2)
    return jax.lax.dot(a, b, preferred_element_type=jnp.int32), jnp.asarray(a, jnp.int32) @ jnp.asarray(b, jnp.int32)


@case
def tree_utilities(jax, jnp):
    from jax.flatten_util import ravel_pytree

    tree = {"a": jnp.arange(3.0), "b": [jnp.ones((2, 2)), 4.0]}
    flat, unravel = ravel_pytree(tree)
    return flat, unravel(flat * 2), jax.tree.reduce(lambda a, b: a + jnp.sum(b), tree, 0.0)


@case
def products_to_wider_types(jax, jnp):
    x = jnp.asarray(numbers(5, 7) * 50)
    pairs = [(jnp.int8, jnp.int16), (jnp.int8, jnp.int32), (jnp.int16, jnp.int32), (jnp.uint8, jnp.uint32),
             (jnp.float8_e4m3fn, jnp.float32), (jnp.float8_e5m2, jnp.float32), (jnp.bfloat16, jnp.float32)]
    return [jnp.dot(x.astype(a), x.T.astype(a), preferred_element_type=b) for a, b in pairs]
