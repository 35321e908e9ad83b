"""Arrays that are sums of what devices hold (PartitionSpec(unreduced=...)): made, handed on, and reduced at last."""

import numpy as np
from registry import case, mesh, numbers


def spec(jax, *axes, **options):
    return jax.sharding.PartitionSpec(*axes, **options)


def together(array):
    """The sum of what the devices hold, each an addend of its own."""
    return sum(np.asarray(shard.data) for shard in array.addressable_shards)


@case
def unreduced_products(jax, jnp):
    found = []
    for sizes, names, x, y, out in (
            ((2,), ("x",), (None, "x"), ("x", None), spec(jax, None, None, unreduced={"x"})),
            ((2, 2), ("x", "y"), ("x", "y"), ("y", None), spec(jax, "x", None, unreduced={"y"})),
            ((2, 4), ("x", "y"), (None, "y"), ("y", None), spec(jax, None, None, unreduced={"y"})),
            ((2, 2, 2), ("x", "y", "z"), ("x", "y"), ("y", None), spec(jax, "x", None, unreduced={"y"})),
            ((2, 2), ("x", "y"), (None, ("x", "y")), (("x", "y"), None), spec(jax, None, None, unreduced={"x", "y"}))):
        with jax.set_mesh(mesh(jax, sizes, names, explicit=True)):
            a = jax.device_put(numbers(4, 8), spec(jax, *x))
            b = jax.device_put(numbers(8, 6), spec(jax, *y))
            product = jax.jit(lambda a, b, out=out: jnp.einsum("ab,bc->ac", a, b, out_sharding=out))(a, b)
            twice = jax.jit(lambda p: p + p)(product)
            found += [jax.reshard(p, spec(jax)) for p in (product, twice)]
            found.append(jax.jit(lambda p: jax.reshard(p + p, spec(jax, "x")))(product))
    return found


@case
def unreduced_gradients(jax, jnp):
    with jax.set_mesh(mesh(jax, (2, 2), ("x", "y"), explicit=True)):
        w = jax.device_put(numbers(8, 4), spec(jax, "x", None))
        x = jax.device_put(numbers(6, 8, seed=1), spec(jax, None, "x"))

        def loss(w, x):
            part = jnp.einsum("ab,bc->ac", x, w, out_sharding=spec(jax, None, None, unreduced={"x"}))
            return (jax.reshard(part, spec(jax)) ** 2).sum()

        return jax.jit(jax.value_and_grad(loss, argnums=(0, 1)))(w, x)


@case
def unreduced_in_parts_per_device(jax, jnp):
    with jax.set_mesh(mesh(jax, (2,), ("x",), explicit=True)):
        sums = jax.sharding.PartitionSpec(unreduced={"x"})

        @jax.shard_map(in_specs=spec(jax, "x"), out_specs=sums)
        def add(x):
            return jax.lax.pcast(x * 2, "x", to="unreduced")

        @jax.shard_map(in_specs=sums, out_specs=spec(jax))
        def total(x):
            return jax.lax.psum(x, "x")

        parts = jax.jit(add)(jax.device_put(jnp.arange(8.0), spec(jax, "x")))
        from_host = jax.device_put(jnp.arange(6.0), sums)
        return (together(parts), jax.jit(total)(parts), jax.reshard(parts, spec(jax)), jax.jit(total)(from_host),
                jax.jit(lambda x: jax.reshard(x + x, spec(jax)))(from_host))


@case
def unreduced_sums_and_shapes(jax, jnp):
    with jax.set_mesh(mesh(jax, (2, 2), ("x", "y"), explicit=True)):
        x = jax.device_put(numbers(8, 4), spec(jax, "x", "y"))
        out = spec(jax, None, unreduced={"x"})

        def program(x):
            sums = jnp.einsum("ab->b", x, out_sharding=spec(jax, "y", unreduced={"x"}))
            dots = jnp.einsum("ab,ac->bc", x, x, out_sharding=spec(jax, "y", None, unreduced={"x"}))
            return jax.reshard(sums, spec(jax)), jax.reshard(dots.reshape(4, 2, 2), spec(jax)), jax.reshard(
                jax.reshard(numbers(3), out), spec(jax))

        return jax.jit(program)(x)
