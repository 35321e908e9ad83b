"""Callbacks in order, on each device's part of an array, without results, and how long they live."""

import ctypes
import gc

import numpy as np

from registry import case, mesh, numbers


@case
def ordered_callbacks(jax, jnp):
    told = []
    io = jax.experimental.io_callback

    def doubled(v):
        told.append(float(v))
        return np.float32(v * 2)

    @jax.jit
    def program(x):
        y = io(doubled, jax.ShapeDtypeStruct((), np.float32), x, ordered=True)

        def body(i, c):
            io(lambda i: told.append(float(i)), None, i, ordered=True)
            return c + 1

        y = jax.lax.fori_loop(0, 3, body, y)
        jax.lax.cond(y > 6, lambda: io(lambda: told.append(-1.0), None, ordered=True), lambda: None)
        return y

    @jax.jit
    def another(x):
        jax.debug.callback(lambda v: told.append(float(v)), x, ordered=True)
        return io(doubled, jax.ShapeDtypeStruct((), np.float32), x, ordered=True)

    results = program(1.0), another(7.0), program(2.0)
    jax.effects_barrier()
    return results, np.array(told)


@case
def ordered_prints(jax, jnp):
    import contextlib
    import io

    @jax.jit
    def program(x):
        jax.debug.print("first {}", x, ordered=True)
        jax.debug.print("second {}", x + 1, ordered=True)
        return x

    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        program(1), program(2)
        jax.effects_barrier()
    return np.frombuffer(text.getvalue().encode(), np.uint8)


@case
def ordered_callbacks_over_a_mesh(jax, jnp):
    P, named = jax.sharding.PartitionSpec, jax.sharding.NamedSharding
    m = mesh(jax, (8,), ("x",))
    io, whole, parts = jax.experimental.io_callback, [], []

    def per_device(x):
        for value in (x[0], x[1] + 100):
            io(lambda i, v: parts.append((int(i), float(v))), None, jax.lax.axis_index("x"), value, ordered=True)
        return x

    tell = jax.jit(lambda x: (io(lambda v: whole.append(float(v)), None, x.sum(), ordered=True), x)[1])
    x = jax.device_put(jnp.arange(16.0), named(m, P("x")))
    tell(x), tell(x + 1)
    jax.jit(jax.shard_map(per_device, mesh=m, in_specs=P("x"), out_specs=P("x")))(x)
    tell(x + 2)
    jax.effects_barrier()
    return np.array(whole), np.array([[v for i, v in parts if i == device] for device in range(8)])


@case
def callbacks_on_each_devices_part(jax, jnp):
    P, named = jax.sharding.PartitionSpec, jax.sharding.NamedSharding
    m = mesh(jax, (4, 2), ("x", "y"))

    def told(tell, array):
        seen = []

        def note(*values):
            seen.append(np.concatenate([np.asarray(value).ravel() for value in values]))

        program = jax.jit(lambda x: (tell(lambda *v: jax.debug.callback(note, *v, partitioned=True), x), x)[1])
        program(array)
        jax.effects_barrier()
        return np.array(sorted(seen, key=tuple))

    def in_loop(tell, x):
        def body(i, y):
            tell(y)
            return y + 1

        return jax.lax.fori_loop(0, 2, body, x)

    def per_device(tell, x):
        jax.shard_map(lambda x: (tell(x), x)[1], mesh=m, in_specs=P("x"), out_specs=P("x"))(x)

    rows = jax.device_put(jnp.arange(16.0).reshape(8, 2), named(m, P("x")))
    tiles = jax.device_put(rows, named(m, P("x", "y")))
    everywhere = jax.device_put(rows, named(m, P()))
    return [told(*c) for c in (
        (lambda tell, x: tell(x * 2), rows), (lambda tell, x: tell(x, x + 1), tiles),
        (lambda tell, x: tell(x), everywhere), (in_loop, rows), (per_device, rows),
        (lambda tell, x: tell(jax.lax.with_sharding_constraint(x + x.sum(), named(m, P(None, "y")))), rows))]


@case
def callbacks_without_results(jax, jnp):
    P, named = jax.sharding.PartitionSpec, jax.sharding.NamedSharding
    told = []

    @jax.jit
    def program(x):
        jax.debug.callback(lambda v: told.append(float(v)), x.sum())

    program(jax.device_put(jnp.arange(16.0), named(mesh(jax, (8,), ("x",)), P("x"))))
    program(jnp.arange(4.0))
    jax.effects_barrier()
    return np.array(told)


@case
def callbacks_live_as_long_as_their_programs(jax, jnp):
    def run(k):
        program = jax.jit(lambda x: jax.pure_callback(lambda v: np.asarray(v) + k, jax.ShapeDtypeStruct((3,), np.float32),
                                                      x))
        return program(numbers(3)), program(numbers(3) + 1), program.lower(numbers(3)).compile()(numbers(3))

    results = [run(k) for k in range(3)]
    left = 0
    if jax.default_backend() != "cpu":
        from jax_plugins.systolic import callbacks

        jax.clear_caches()
        gc.collect()
        left = len(callbacks._callbacks)
    return results, np.array(left)


@case
def approximate_top_k(jax, jnp):
    lax, x = jax.lax, jnp.asarray(numbers(4, 300))
    largest = jax.jit(lambda x: lax.approx_max_k(x, 5))
    smallest = jax.jit(lambda x: lax.approx_min_k(x, 7, reduction_dimension=0, recall_target=0.9))
    all_of_them = jax.jit(lambda x: lax.approx_max_k(x, 5, aggregate_to_topk=False))
    gradient = jax.jit(jax.grad(lambda x: (lax.approx_max_k(x, 5)[0] ** 2).sum()))
    rows = jax.vmap(lambda row: lax.approx_min_k(row, 3))
    half = lax.approx_max_k(x.astype(jnp.bfloat16), 2)
    return largest(x), smallest(x.T), all_of_them(x), gradient(x), rows(x), half[0].astype(jnp.float32)


def read_memory(array, dtype):
    at = ctypes.cast(array.unsafe_buffer_pointer(), ctypes.POINTER(np.ctypeslib.as_ctypes_type(dtype)))
    return np.ctypeslib.as_array(at, array.shape).copy()


@case
def arrays_by_dlpack(jax, jnp):
    x = jnp.asarray(numbers(3, 4))
    taken = [np.from_dlpack(x), jnp.from_dlpack(x), np.from_dlpack(x[1]), np.from_dlpack(jnp.arange(3, dtype=jnp.int8)),
             np.from_dlpack(jax.device_put(x, jax.devices()[3]))]
    taken.append(read_memory(x, np.float32))
    m = mesh(jax, (8,), ("i",))
    spread = jax.device_put(numbers(8, 2), jax.sharding.NamedSharding(m, jax.sharding.PartitionSpec("i")))
    taken += [read_memory(shard.data, np.float32) for shard in spread.addressable_shards]
    try:
        np.from_dlpack(spread)
    except BufferError:
        return taken  # several devices have no memory in common
    raise AssertionError("an array of eight devices was taken")
