"""What JAX tells of compiled programs: their text, costs and memory, and that of devices.

Where JAX's CPU backend says the same thing, both say it. Work and memory it counts otherwise; there the numbers stand
here, derived by hand, and are returned in place of its own.
"""

import re

import numpy as np

from registry import case, mesh, numbers


def ours(jax):
    return jax.default_backend() == "systolic"


def text(value):
    return np.frombuffer(str(value).encode(), np.uint8)


def told(jax, measured, derived):
    """`measured` on the software TPU, else `derived`."""
    return np.array(measured() if ours(jax) else derived, np.float64)


def sharded(jax, m, x, *spec):
    return jax.device_put(x, jax.sharding.NamedSharding(m, jax.sharding.PartitionSpec(*spec)))


def programs(jax, jnp):
    """Compiled programs: donation, one result and several, types, scalars, nothing at all, a mesh."""
    p, x = jnp.asarray(numbers(16, 8)), jnp.asarray(numbers(8, 32))
    m = mesh(jax, (4, 2), ("x", "y"))
    cut, whole = sharded(jax, m, numbers(16, 8), "x", "y"), sharded(jax, m, numbers(8), None)

    def types(a):
        return [a.astype(t) for t in ("bfloat16", "float16", "int8", "uint32", "bool", "complex64", "float8_e4m3fn")]

    def compiled(f, *arguments, **options):
        return jax.jit(f, **options).lower(*arguments).compile()

    return [
        compiled(lambda p, x: (p @ x, p * 0.5), p, x, donate_argnums=0),
        compiled(lambda p, g: p - 0.1 * g, p, p, donate_argnums=0),
        compiled(lambda p, q: (q + 1, p * 2), p, x, donate_argnums=(0, 1)),
        compiled(types, x),
        compiled(lambda i: i + 1, 3),
        compiled(lambda x: (), x, keep_unused=True),
        compiled(lambda a, w: (a * w, (a * w).sum()), cut, whole, donate_argnums=0),
    ]


def header(module):
    """The fields of a text's first line that say what callers may rely on."""
    line = module.splitlines()[0]
    found = [re.match(r"HloModule (\w+)", line)[1]]
    for field in (r"input_output_alias=\{ .*? \}(?=, \w+=)", r"entry_computation_layout=.*?\}(?=, \w+=|$)",
                  r"num_partitions=\d+"):
        match = re.search(field, line)
        found.append(match[0] if match else "")
    return found


@case
def text_of_compiled_programs(jax, jnp):
    return [text(header(program.as_text())) for program in programs(jax, jnp)]


@case
def collectives_of_compiled_programs(jax, jnp):
    """Which kinds of exchange the text shows, as XLA's partitioner writes them."""
    m = mesh(jax, (4, 2), ("d", "m"))

    def put(shape, *spec):
        return jax.device_put(numbers(*shape), jax.sharding.NamedSharding(m, jax.sharding.PartitionSpec(*spec)))

    x, whole = put((16, 8), "d"), put((8, 8))
    gradient = jax.grad(lambda w, x: jnp.tanh(x @ w).sum())
    summed = jax.shard_map(lambda x: jax.lax.psum(x, "d"), mesh=m, in_specs=jax.sharding.PartitionSpec("d"),
                           out_specs=jax.sharding.PartitionSpec())
    found = []
    for function, arguments in ((jnp.tanh, (x,)), (lambda x: x.sum(1), (x,)), (lambda x: x.sum(), (x,)),
                                (gradient, (whole, x)), (jnp.matmul, (put((16, 8), None, "m"), put((8, 8), "m"))),
                                (jnp.matmul, (x, put((8, 8), "d"))), (jnp.linalg.cholesky, (put((8, 8), "d"),)),
                                (summed, (x,))):
        program = jax.jit(function).lower(*arguments).compile().as_text()
        found.append(text(sorted({kind for kind in ("all-gather", "all-reduce") if f"{kind}(" in program})))
    return found


def devices_of(sharding):
    """Which devices hold which tiles, however it is written."""
    if sharding.tuple_elements():
        return [devices_of(element) for element in sharding.tuple_elements()]
    if sharding.is_replicated():
        return "everywhere"
    return sharding.tile_assignment_dimensions(), list(sharding.tile_assignment_devices())


@case
def modules_of_compiled_programs(jax, jnp):
    from jaxlib import _hlo

    found = []
    for program in programs(jax, jnp):
        (module,) = program.runtime_executable().hlo_modules()
        if ours(jax):  # of the CPU backend's own modules some parts are lost on the way
            again = _hlo.HloModule.from_serialized_hlo_module_proto(module.as_serialized_hlo_module_proto())
            assert again.to_string().splitlines()[1:] == module.to_string().splitlines()[1:]
            parsed = _hlo.hlo_module_from_text(program.as_text())
            assert header(parsed.to_string()) == header(program.as_text())
            layout = re.search(r"entry_computation_layout=\{\((.*)\)->", header(program.as_text())[2])[1]
            parameters = re.findall(r"%arg(\d+) = (\S+) parameter\((\d+)\)", program.as_text())
            assert [int(place) for _, _, place in parameters] == list(range(len(parameters)))
            assert ", ".join(shape for _, shape, _ in parameters) == re.sub(r"/\*.*?\*/", "", layout), layout
        found.append(text(module.name))
        for shardings in ([module.spmd_output_sharding], module.spmd_parameters_shardings or []):
            found += [text(devices_of(_hlo.HloSharding.from_proto(s))) for s in shardings if s is not None]
    return found


@case
def places_of_compiled_programs(jax, jnp):
    def plain(tree):
        shardings = jax.tree.leaves(tree)
        return text([getattr(s, "spec", type(s).__name__) for s in shardings])

    found = []
    for program in programs(jax, jnp):
        layouts = jax.tree.leaves((program.input_formats, program.output_formats))
        found += [plain(program.input_shardings), plain(program.output_shardings), text([f.layout for f in layouts])]
        found += [text([(i.shape, i.dtype) for i in jax.tree.leaves(program.out_info)])]
        found += [text([i.donated for i in jax.tree.leaves(program.args_info)])]
    return found


@case
def costs_of_compiled_programs(jax, jnp):
    """[flops, bytes] of one device: two flops for a multiplication and an addition, each array once."""
    P = jax.sharding.PartitionSpec
    a, b, square = numbers(16, 8), numbers(8, 32), numbers(16, 16)
    images, kernel = numbers(2, 10, 10, 3), numbers(3, 3, 3, 8)
    m = mesh(jax, (8,), ("x",))

    def convolution(x, w):
        return jax.lax.conv_general_dilated(x, w, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def padded(x, w):
        return jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    weights = numbers(2, 10, 10, 8)

    def normed(a, b):
        return jax.lax.psum(jnp.maximum(a @ b, 0), "x")

    product, cubed = 2 * 16 * 8 * 32, 2 * 16 ** 3
    product_bytes = 4 * (16 * 8 + 8 * 32 + 16 * 32)
    rows = [
        (jax.jit(jnp.matmul), (a, b), product, product_bytes),
        (jax.jit(jnp.matmul), (a.astype(jnp.bfloat16), b.astype(jnp.bfloat16)), product, product_bytes / 2),
        (jax.jit(convolution), (images, kernel), 2 * (2 * 8 * 8 * 8) * (3 * 3 * 3),
         4 * (2 * 10 * 10 * 3 + 3 * 3 * 3 * 8 + 2 * 8 * 8 * 8)),
        # With padding: of a window's 3 x 10 places along an axis 28 lie within the image.
        (jax.jit(padded), (images, kernel), 2 * (2 * 8) * (3 * 28 * 28),
         4 * (2 * 10 * 10 * 3 + 3 * 3 * 3 * 8 + 2 * 10 * 10 * 8)),
        # Its gradients are sums of as many products, each.
        (jax.jit(jax.grad(lambda x, w: (padded(x, w) * weights).sum(), argnums=(0, 1))), (images, kernel),
         2 * 2 * (2 * 8) * (3 * 28 * 28), None),
        (jax.jit(lambda a: a + 1), (a,), 16 * 8, 2 * 4 * 16 * 8),
        # An elementwise chain reads and writes once.
        (jax.jit(lambda a: (a + 1) * 2 - a), (a,), 3 * 16 * 8, 2 * 4 * 16 * 8),
        (jax.jit(jnp.transpose), (a,), 0, 2 * 4 * 16 * 8),
        # Rows of a over eight devices, b on each of them.
        (jax.jit(jnp.matmul), (sharded(jax, m, a, "x"), sharded(jax, m, b)), product / 8, None),
        (jax.pmap(lambda a: a @ a), (np.stack([square] * 8),), cubed, None),
        (jax.jit(lambda s: jax.lax.fori_loop(0, 7, lambda i, c: c @ s, s)), (square,), 7 * cubed, None),
        (jax.jit(lambda s: jax.lax.scan(lambda c, x: (c @ s, None), s, np.arange(5.0))[0]), (square,), 5 * cubed, None),
        # A loop within a loop.
        (jax.jit(lambda s: jax.lax.fori_loop(0, 3, lambda i, c: jax.lax.fori_loop(0, 4, lambda j, d: d @ s, c), s)),
         (square,), 12 * cubed, None),
        # A loop whose number of rounds is not known beforehand counts one.
        (jax.jit(lambda s: jax.lax.while_loop(lambda c: c.sum() < 1e6, lambda c: c @ s, s)), (square,), cubed, None),
        # Each core its two rows; then the sum of eight such products.
        (jax.jit(jax.shard_map(normed, mesh=m, in_specs=(P("x"), P()), out_specs=P())), (a, b), product / 8, None),
    ]
    found = []
    for f, arguments, flops, bytes_accessed in rows:

        def measured():
            cost = f.lower(*arguments).compile().cost_analysis()
            # Counting the rounds of a loop, and sums over cores, are flops as well: few.
            counted = flops if flops and 1 <= cost["flops"] / flops < 1.2 and bytes_accessed is None else cost["flops"]
            return [counted, cost["bytes accessed"] if bytes_accessed else 0]

        found.append(told(jax, measured, [flops, bytes_accessed or 0]))
    return found


@case
def memory_of_compiled_programs(jax, jnp):
    """Bytes of arguments, results, what they share, and of code, on one device."""
    p, x = 16 * 8, 8 * 32
    derived = [
        (4 * (p + x), 4 * (16 * 32 + p), 4 * p, 0),
        (4 * 2 * p, 4 * p, 4 * p, 0),
        (4 * (p + x), 4 * (p + x), 4 * (p + x), 0),
        (4 * x, x * (2 + 2 + 1 + 4 + 1 + 8 + 1), 0, 0),
        (4, 4, 0, 0),
        (4 * x, 0, 0, 0),
        (4 * (p // 8 + 8), 4 * (p // 8 + 1), 4 * p // 8, 0),
    ]
    found = []
    for program, numbers_of_it in zip(programs(jax, jnp), derived):
        memory = program.memory_analysis()

        def measured():
            parts = (memory.argument_size_in_bytes, memory.output_size_in_bytes, memory.alias_size_in_bytes,
                     memory.generated_code_size_in_bytes)
            whole = parts[0] + parts[1] - parts[2] + memory.temp_size_in_bytes
            assert memory.peak_memory_in_bytes == whole, (memory.peak_memory_in_bytes, whole)
            assert memory.host_argument_size_in_bytes == memory.host_temp_size_in_bytes == 0
            return parts

        found.append(told(jax, measured, numbers_of_it))

    # What lives between two products that cannot be one: at least the first of them, and not many times as much.
    def chain(a):
        return jnp.tanh(a @ a) @ a

    temporaries = jax.jit(chain).lower(numbers(256, 256)).compile().memory_analysis().temp_size_in_bytes
    return found, temporaries >= 4 * 256 * 256, temporaries < 16 * 4 * 256 * 256


@case
def memory_of_devices(jax, jnp):
    """Bytes on each device after each step, less those before the first."""
    m = mesh(jax, (8,), ("x",))
    size = 4 * 64 * 64
    before = [device.memory_stats()["bytes_in_use"] if ours(jax) else 0 for device in jax.devices()]
    found, derived = [], np.zeros(8)

    def expect(device, change):
        derived[device] += change
        found.append(told(jax, lambda: [device.memory_stats()["bytes_in_use"] - was
                                        for device, was in zip(jax.devices(), before)], derived))

    third = jax.device_put(numbers(64, 64), jax.devices()[3])
    expect(3, size)
    doubled = jax.block_until_ready(jax.jit(lambda y: y * 2)(third))
    expect(3, size)
    del third
    expect(3, -size)
    increased = jax.jit(lambda y: y + 1, donate_argnums=0)(doubled)  # in the same place
    expect(3, 0)
    cut = sharded(jax, m, numbers(64, 64), "x")
    expect(slice(8), size / 8)
    cut = jax.block_until_ready(jax.jit(lambda y: y * 2)(cut))
    expect(slice(8), 0)
    everywhere = sharded(jax, m, numbers(64, 64))
    expect(slice(8), size)
    everywhere = jax.block_until_ready(jax.jit(lambda y: y * 2)(everywhere))
    expect(slice(8), 0)
    everywhere.delete()
    expect(slice(8), -size)
    del increased, cut
    limits = told(jax, lambda: [device.memory_stats()["bytes_limit"] for device in jax.devices()], [2.0 ** 34] * 8)
    return found, limits
