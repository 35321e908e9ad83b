"""Programs that call back into Python: values from it, and what it is told."""

import functools
import gc

import numpy as np

from registry import case, mesh, numbers


def host(jax, function, like):
    return functools.partial(jax.pure_callback, function, jax.ShapeDtypeStruct(like.shape, like.dtype))


@case
def pure_callbacks(jax, jnp):
    x = numbers(3, 4)
    several = (jax.ShapeDtypeStruct((3,), np.float32), jax.ShapeDtypeStruct((), np.int32))
    row_sums = jax.jit(lambda x: jax.pure_callback(lambda v: (np.asarray(v).sum(1), np.int32(7)), several, x))
    in_loop = jax.jit(lambda x: jax.lax.fori_loop(0, 3, lambda i, y: host(jax, np.tanh, y)(y) + i, x))
    batched = jax.jit(jax.vmap(lambda v: jax.pure_callback(
        np.sort, jax.ShapeDtypeStruct(v.shape, v.dtype), v, vmap_method="sequential")))
    return jax.jit(lambda x: host(jax, np.sin, x)(x) * 2)(x), row_sums(x), in_loop(x), batched(x)


@case
def pure_callbacks_of_other_types(jax, jnp):
    arrays = [numbers(4).astype(t) for t in (np.float16, np.int8, np.uint32, bool, np.complex64)]
    arrays += [jnp.asarray(numbers(4)).astype(jnp.bfloat16), np.zeros((0, 3), np.float32), np.float32(2)]
    same = [jax.jit(lambda x: host(jax, lambda v: np.asarray(v), x)(x))(x) for x in map(jnp.asarray, arrays)]
    return [x.astype(jnp.float32) if x.dtype == jnp.bfloat16 else x for x in same]


@case
def pure_callbacks_of_narrow_floats(jax, jnp):
    import ml_dtypes

    results = []
    for name in ("float4_e2m1fn", "float8_e3m4", "float8_e4m3", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"):
        x = np.arange(1, 9).astype(getattr(ml_dtypes, name))
        swapped = jax.jit(lambda x: host(jax, lambda v: np.asarray(v)[::-1], x)(x))(x)
        results.append(np.asarray(swapped).astype(np.float32))
    return results


@case
def callbacks_outlive_what_made_them(jax, jnp):
    def programs():
        for i in range(4):
            yield jax.jit(lambda x, i=i: jax.pure_callback(lambda v: v + i, x, x))

    x = jnp.arange(3.0)
    made = [(f, f(x)) for f in programs()]
    gc.collect()
    return [(first, f(x), f(x)) for f, first in made]


@case
def gradient_from_the_host(jax, jnp):
    @jax.custom_vjp
    def sine(x):
        return host(jax, np.sin, x)(x)

    sine.defvjp(lambda x: (sine(x), x), lambda x, g: (g * host(jax, np.cos, x)(x),))
    return jax.jit(jax.value_and_grad(lambda x: (sine(x) ** 2).sum()))(numbers(5))


@case
def io_callbacks(jax, jnp):
    told, count = [], [0]

    def tell(i, value):
        told.append((int(i), float(value)))

    def number():
        count[0] += 1
        return np.int32(count[0])

    @jax.jit
    def program(x):
        io = jax.experimental.io_callback
        first = io(number, jax.ShapeDtypeStruct((), np.int32))

        def body(i, s):
            io(tell, None, i, s)
            return s * 2

        return jax.lax.fori_loop(0, 4, body, x), first

    results = program(1.5), program(2.5)
    jax.effects_barrier()
    return results, np.array(sorted(told))


@case
def io_callback_that_nobody_reads(jax, jnp):
    told = []
    program = jax.jit(lambda x: (jax.experimental.io_callback(lambda v: told.append(np.asarray(v)), None, x * 2), x)[1])
    result = program(numbers(3))
    jax.effects_barrier()
    return result, np.array(told)


def printed(jax, run):
    """What jax.debug.print writes, line by line."""
    import contextlib
    import io

    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        run()
        jax.effects_barrier()
    # JAX promises no order.
    return [np.frombuffer(line.encode(), np.uint8) for line in sorted(text.getvalue().splitlines())]


@case
def debug_prints(jax, jnp):
    def step(x):
        jax.debug.print("x = {x}, {}", x.sum(), x=x)
        return jax.lax.cond(x[0] > 0, lambda x: (jax.debug.print("positive"), x)[1],
                            lambda x: (jax.debug.print("not {}", x[0]), -x)[1], x)

    def loop(n):
        def body(i):
            jax.debug.print("at {}", i)
            return i + 1

        return jax.lax.while_loop(lambda i: i < n, body, 0)

    return [printed(jax, lambda: jax.jit(f)(x)) for f, x in (
        (step, jnp.arange(3.0) - 1), (step, jnp.arange(3.0) + 1), (loop, 4), (loop, 0),
        (jax.grad(lambda x: (jax.debug.print("in a gradient {}", x), x * x)[1]), 3.0),
        (jax.vmap(lambda x: (jax.debug.print("row {}", x), x)[1]), jnp.arange(3)),
        (lambda k: jax.debug.print("half {}", k), jnp.ones((2, 2), jnp.bfloat16)))]


@case
def debug_callback(jax, jnp):
    told = []
    jax.jit(lambda x: jax.debug.callback(lambda v: told.append(np.asarray(v)), x + 1))(numbers(2))
    jax.effects_barrier()
    return told


@case
def callbacks_over_a_mesh(jax, jnp):
    P, named = jax.sharding.PartitionSpec, jax.sharding.NamedSharding
    m = mesh(jax, (8,), ("x",))
    told = []

    def per_device(x):
        jax.debug.callback(lambda i, v: told.append((int(i), float(v))), jax.lax.axis_index("x"), x[0])
        return jax.pure_callback(lambda v: np.asarray(v) * 2, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    mapped = jax.jit(jax.shard_map(per_device, mesh=m, in_specs=P("x"), out_specs=P("x")))
    doubled = mapped(jnp.arange(16.0))
    jax.effects_barrier()
    parts = np.array(sorted(told))
    x = jax.device_put(jnp.arange(16.0), named(m, P("x")))
    whole = printed(jax, lambda: jax.jit(lambda x: (jax.debug.print("whole {}", x.sum()), x)[1])(x))
    return doubled, parts, whole


@case
def devices_that_leave_a_loop_at_different_times(jax, jnp):
    P = jax.sharding.PartitionSpec
    m = mesh(jax, (4,), ("x",))
    told = []

    def per_device(x):
        me = jax.lax.axis_index("x")

        def body(i):
            jax.debug.callback(lambda *v: told.append([int(n) for n in v]), me, i)
            return i + 1

        return x + jax.lax.while_loop(lambda i: i < me, body, me * 0)

    f = jax.jit(jax.shard_map(per_device, mesh=m, in_specs=P("x"), out_specs=P("x"), check_vma=False))
    result = f(jnp.arange(8))
    jax.effects_barrier()
    return result, np.array(sorted(told))


@case
def callbacks_that_fail(jax, jnp):
    def wrong_shape(v):
        return np.zeros(3, np.float32)

    def raises(v):
        raise ValueError("the callback's own words")

    said = []
    for function, words in ((wrong_shape, "expected float32[]"), (raises, "the callback's own words")):
        try:
            jax.block_until_ready(jax.jit(lambda x: host(jax, function, x)(x))(jnp.float32(1)))
            said.append(False)
        except Exception as error:  # whose class is jaxlib's own
            said.append(jax.default_backend() == "cpu" or words in str(error))
    return np.array(said)


@case
def callbacks_on_numbers_of_few_bits(jax, jnp):
    types = jnp.int4, jnp.uint4, jnp.int2, jnp.uint2, jnp.float8_e4m3fn, jnp.float8_e5m2
    arrays = [jnp.asarray(np.array([1, 0, -1 if "uint" not in np.dtype(t).name else 3]), t) for t in types]

    def there_and_back(x):
        return host(jax, lambda v: np.asarray(v)[::-1], x)(x)

    return [jax.jit(there_and_back)(x).astype(jnp.float32) for x in arrays]
