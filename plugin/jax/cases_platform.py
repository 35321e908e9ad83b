"""What JAX writes by the platform's name, and what it asks a platform for."""

import jax.experimental.buffer_callback
import jax.experimental.checkify
import jax.experimental.layout
import jax.experimental.shard_alike
import jax.experimental.sparse
import jax.experimental.sparse.linalg
import jax.export
import numpy as np
from registry import case, mesh, numbers


@case
def products_of_two_types(jax, jnp):
    lax = jax.lax
    q = jnp.asarray(numbers(1, 4, 2, 8)).astype(jnp.bfloat16)
    gradient = jax.jit(jax.grad(lambda q: jax.nn.dot_product_attention(q, q, q).astype(jnp.float32).sum()))
    rounded, exact = (np.asarray(gradient(x).astype(jnp.float32)) for x in (q, q.astype(jnp.float32)))
    bytes_ = np.arange(-12, 12, dtype=np.int8)
    a, b = bytes_.reshape(4, 6), bytes_.reshape(6, 4)
    f8 = [jnp.asarray(numbers(4, 4)).astype(t) for t in (jnp.float8_e4m3fn, jnp.float8_e5m2)]
    wide = {"preferred_element_type": jnp.float32}
    over = (((1,), (0,)), ((), ()))
    image, kernel = bytes_.reshape(1, 1, 4, 6), bytes_[:4].reshape(1, 1, 2, 2)
    return (np.abs(rounded - exact).max() < 0.02 * np.abs(exact).max(),
            jax.jit(lambda a, b: lax.dot_general(a, b, over, **wide))(a, b),
            jax.jit(lambda a, b: lax.dot_general(a, b, over, **wide))(*f8),
            jax.jit(lambda a, b: lax.dot_general(a, b, over, **wide))(
                jnp.asarray(numbers(4, 6)), jnp.asarray(numbers(6, 4)).astype(jnp.bfloat16)),
            jax.jit(lambda x, k: lax.conv(x, k, (1, 1), "VALID", **wide))(image, kernel),
            jax.jit(lambda a, b: lax.dot_general(a, b, over, preferred_element_type=jnp.int32))(a, b))


@case
def branches_by_platform(jax, jnp):
    """Without a branch of its own the platform takes the CPU's, before the default."""
    lax = jax.lax
    x = numbers(3)

    def chosen(x):
        return lax.platform_dependent(x, cpu=jnp.sin, cuda=jnp.cos, tpu=jnp.tan)

    return (jax.jit(chosen)(x), chosen(x), jax.jit(jax.grad(lambda x: chosen(x).sum()))(x), jax.jit(jax.vmap(chosen))(x),
            jax.jit(lambda x: lax.platform_dependent(x, tpu=jnp.sin, default=jnp.cos))(x),
            jax.jit(jax.grad(lambda x: lax.platform_dependent(x, cpu=jnp.sin, default=jnp.cos).sum()))(x))


@case
def layouts(jax, jnp):
    """Orders of axes that are asked for, and those that are left open, as they are reported and read."""
    from jax.experimental.layout import Format, Layout

    one = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    x = jax.device_put(numbers(3, 4, 5), Format(Layout((1, 0, 2)), one))
    made = jax.jit(lambda x: x * 2, out_shardings=Format(Layout((2, 0, 1)), one))(numbers(3, 4, 5))
    turned = jax.jit(lambda x: x.transpose(2, 0, 1), in_shardings=Format(Layout.AUTO),
                     out_shardings=Format(Layout.AUTO)).lower(numbers(3, 4, 5)).compile()
    again = jax.jit(lambda x: jnp.tanh(x).sum(1))
    orders = [jnp.asarray(array.format.layout.major_to_minor) for array in (x, made, again(made))]
    if jax.default_backend() == "systolic":
        assert turned.output_formats.layout.major_to_minor == (1, 2, 0), turned.output_formats
    return x, made, turned(numbers(3, 4, 5)), again(x), again(made), np.asarray(made), *orders


@case
def buffer_callbacks(jax, jnp):
    call = jax.experimental.buffer_callback.buffer_callback
    told = []

    def add(context, out, x, y):
        told.append((context.stage.name == "EXECUTE", x.shape, x.writeable, out.writeable, out.ndim))
        np.asarray(out)[...] = np.asarray(x) + np.from_dlpack(y)

    def in_place(context, out, x):
        np.asarray(out)[...] *= 3

    def two(context, out, x):
        np.asarray(out["a"])[...] = np.asarray(x).sum()
        np.asarray(out["b"])[...] = np.asarray(x)[::-1]

    x, y = numbers(3, 4), numbers(3, 4, seed=1)
    like = jax.ShapeDtypeStruct.like
    sums = jax.jit(call(add, like(x)))(x, y)
    rows = jax.vmap(call(add, like(x[0]), vmap_method="sequential"))(x, y)
    tripled = jax.jit(call(in_place, like(x), input_output_aliases={0: 0}))(x)
    both = jax.jit(call(two, {"a": jax.ShapeDtypeStruct((), np.float32), "b": like(x)}))(x)
    halves = jax.jit(call(in_place, like(x.astype(np.float16)), input_output_aliases={0: 0}))(x.astype(np.float16))
    return sums, rows, tripled, both, halves, np.array([bool(t[0]) + t[2] * 2 + t[3] * 4 for t in told[:1]])


@case
def callbacks_under_an_explicit_mesh(jax, jnp):
    P = jax.sharding.PartitionSpec
    with jax.set_mesh(mesh(jax, (2,), ("x",), explicit=True)):
        x = jax.device_put(jnp.arange(4.0), P("x"))

        def add(s):
            return jax.pure_callback(lambda a: a + 1, jax.ShapeDtypeStruct.like(s), s)

        def through_io(s):
            return jax.experimental.io_callback(lambda a: jnp.sin(a), jax.ShapeDtypeStruct.like(s), s)

        mapped = [jax.jit(jax.shard_map(f, in_specs=P("x"), out_specs=P("x")))(x) for f in (add, through_io)]
        return mapped, jax.jit(jax.shard_map(lambda s: jnp.cos(add(jnp.sin(s))), in_specs=P("x"), out_specs=P("x")))(x)


@case
def constraints_that_do_not_divide(jax, jnp):
    P, named, m = jax.sharding.PartitionSpec, jax.sharding.NamedSharding, mesh(jax, (2, 2), ("x", "y"))

    def held(x, *axes):
        return jax.lax.with_sharding_constraint(x, named(m, P(*axes)))

    return (jax.jit(lambda x: held(x + 1, "x") * 2)(jnp.arange(3.0)),
            jax.jit(lambda x: held(x, ("x", "y")).sum())(jnp.arange(6.0)),
            jax.jit(lambda x: held(x, "x", "y") @ x.T)(numbers(5, 7)),
            jax.jit(jax.grad(lambda x: (held(x * x, "y") ** 2).sum()))(jnp.arange(5.0)))


@case
def arrays_sharded_alike(jax, jnp):
    P, named, m = jax.sharding.PartitionSpec, jax.sharding.NamedSharding, mesh(jax, (2, 4), ("x", "y"))
    alike = jax.experimental.shard_alike.shard_alike
    x = jax.device_put(numbers(8, 8), named(m, P("x", "y")))
    row = jax.device_put(jnp.arange(8.0), named(m, P("y")))

    def where(value):
        return np.array(value.sharding.shard_shape(value.shape))

    of_iota = jax.jit(lambda x: alike(x, jnp.arange(64.0).reshape(8, 8))[1])(x)
    of_argument = jax.jit(lambda x, y: alike(x, y)[1])(x, numbers(8, 8))
    of_product = jax.jit(lambda x: alike(x * 2, jnp.ones((8, 8)) @ numbers(8, 8))[1])(x)
    of_row = jax.jit(lambda r: alike(r, jnp.zeros(8))[1] + 1)(row)
    return [(value, where(value)) for value in (of_iota, of_argument, of_product, of_row)]


@case
def sparse_products(jax, jnp):
    matrix = jax.experimental.sparse.BCSR.fromdense(np.where(numbers(6, 5) > 0, numbers(6, 5), 0))
    product = jax.jit(lambda m, x: m @ x)
    return [product(matrix, numbers(*shape)) for shape in ((5,), (5, 3), (5, 1))]


@case
def sparse_solves(jax, jnp):
    dense = np.eye(5, dtype=np.float32) * 4 + np.diag(np.ones(4, np.float32), 1)
    matrix = jax.experimental.sparse.BCSR.fromdense(dense)
    b = numbers(5)

    def solve(data, b):
        return jax.experimental.sparse.linalg.spsolve(data, matrix.indices, matrix.indptr, b)

    return (jax.jit(solve)(matrix.data, b), solve(matrix.data, b), jax.grad(lambda b: (solve(matrix.data, b) ** 2).sum())(b),
            jax.grad(lambda data: solve(data, b).sum())(matrix.data))


@case
def what_a_platform_is_asked_for(jax, jnp):
    """Options, accuracies, layouts: taken or refused as by JAX's own backend; and the user's settings stay."""
    x = jnp.asarray(numbers(4, 6))

    def refused(run):
        try:
            run()
        except jax.errors.JaxRuntimeError as error:
            return "No such compile option" in str(error)
        return False

    options = [refused(lambda o=o: jax.jit(lambda x: x + 1, compiler_options=o)(x))
               for o in ({"no_such_option": 1}, {"xla_embed_ir_in_executable": True}, {"xla": "1"}, {})]
    tolerance = jax.lax.Tolerance(atol=1e-3, rtol=1e-3, ulps=0)
    exact = [np.abs(np.asarray(jax.jit(lambda x, f=f: f(x, accuracy=tolerance))(x)) - np.asarray(f(x))).max() < 1e-3
             for f in (jax.lax.tanh, jax.lax.exp, jax.lax.sin, jax.lax.log)]
    layout = jax.experimental.layout.Layout((1, 0))
    laid = jax.jit(lambda x: jax.experimental.layout.with_layout_constraint(x * 2, layout) + 1)(x)
    error, _ = jax.experimental.checkify.checkify(jax.jit(lambda x: jax.experimental.checkify.check(x.sum() < 0, "sum")))(
        jnp.ones(3))
    exported = jax.export.export(jax.jit(jax.scipy.linalg.lu))(x)
    factors = exported.call(x)
    before = jax.config.jax_platforms
    jax.jit(lambda x: jax.pure_callback(np.sin, jax.ShapeDtypeStruct.like(x), x))(x)
    kept = jax.config.jax_platforms == before
    return np.array(options), np.array(exact), laid, np.array(error.get() is not None), np.array(kept), factors
