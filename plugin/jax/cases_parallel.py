"""Several devices: meshes, shard_map, pmap, and both in one program."""

import numpy as np
from registry import case, mesh, numbers


@case
def axes_that_stay_automatic(jax, jnp):
    P, m, x = jax.sharding.PartitionSpec, mesh(jax, (4, 2), ("a", "b")), jnp.asarray(numbers(8, 4))
    index = jax.shard_map(lambda x: x * jax.lax.axis_index("a"), mesh=m, in_specs=P("a"), out_specs=P("a"),
                          axis_names={"a"})
    other = jax.shard_map(lambda x: x + jax.lax.psum(x * (1 + jax.lax.axis_index("b")), "b"), mesh=m,
                          in_specs=P(None, "b"), out_specs=P(None, "b"), axis_names={"b"})
    return jax.jit(index)(x), jax.jit(other)(x)


@case
def all_collectives(jax, jnp):
    P = jax.sharding.PartitionSpec
    m = mesh(jax, (8,), ("i",))

    def body(x):
        lax = jax.lax
        return (lax.psum(x, "i"), lax.pmax(x, "i"), lax.pmin(x, "i"), lax.pmean(x, "i"),
                lax.psum_scatter(jnp.tile(x, (8, 1)), "i", tiled=True),
                lax.all_to_all(jnp.tile(x, (1, 4)), "i", 1, 0, tiled=True),
                lax.ppermute(x, "i", [(j, 7 - j) for j in range(8)]), lax.all_gather(x, "i"),
                lax.psum(x, "i", axis_index_groups=[[0, 1, 2, 3], [4, 5, 6, 7]]))

    out = (P(), P(), P(), P(), P("i"), P("i"), P("i"), P(None, "i"), P("i"))
    return jax.jit(jax.shard_map(body, mesh=m, in_specs=P("i"), out_specs=out, check_vma=False))(numbers(8, 2))


@case
def tensor_parallel_training(jax, jnp):
    """A feed-forward layer whose weights are split over one axis of the mesh and its batch over the other."""
    P, named = jax.sharding.PartitionSpec, jax.sharding.NamedSharding
    m = mesh(jax, (2, 4), ("data", "model"))
    up = jax.device_put(0.3 * numbers(6, 16), named(m, P(None, "model")))
    down = jax.device_put(0.3 * numbers(16, 6, seed=1), named(m, P("model", None)))

    @jax.jit
    def step(up, down, x):
        def loss(up, down):
            hidden = jax.lax.with_sharding_constraint(jnp.tanh(x @ up), named(m, P("data", "model")))
            return ((hidden @ down - x) ** 2).mean()

        value, (a, b) = jax.value_and_grad(loss, argnums=(0, 1))(up, down)
        return up - 0.1 * a, down - 0.1 * b, value

    losses = []
    for i in range(5):
        x = jax.device_put(numbers(8, 6, seed=i), named(m, P("data")))
        up, down, value = step(up, down, x)
        losses.append(value)
    return losses, up, down


@case
def pmapped_training(jax, jnp):
    def step(w, x, y):
        value, gradient = jax.value_and_grad(lambda w: ((x @ w - y) ** 2).mean())(w)
        return w - 0.1 * jax.lax.pmean(gradient, "i"), jax.lax.pmean(value, "i")

    step = jax.pmap(step, axis_name="i", donate_argnums=0)
    w, losses = np.zeros((8, 3, 1), np.float32), []
    for i in range(4):
        x = numbers(8, 5, 3, seed=i)
        w, value = step(w, x, x.sum(-1, keepdims=True))
        losses.append(value)
    return w, losses


@case
def pmap_of_a_sharded_batch_of_keys(jax, jnp):
    keys = jax.random.split(jax.random.key(1), 8)
    return jax.pmap(lambda k, s: s * jax.random.normal(k, (3,)), in_axes=(0, None))(keys, 2.0)


@case
def vmap_over_shard_map(jax, jnp):
    P = jax.sharding.PartitionSpec
    m = mesh(jax, (4,), ("i",))
    f = jax.shard_map(lambda x: x - jax.lax.pmean(x, "i"), mesh=m, in_specs=P("i"), out_specs=P("i"))
    return jax.jit(jax.vmap(f))(numbers(3, 8))


@case
def gradient_through_shard_map(jax, jnp):
    P = jax.sharding.PartitionSpec
    m = mesh(jax, (8,), ("i",))
    f = jax.shard_map(lambda w, x: jax.lax.psum((jnp.tanh(x @ w) ** 2).sum(), "i"), mesh=m, in_specs=(P(), P("i")),
                      out_specs=P())
    return jax.jit(jax.value_and_grad(f))(numbers(3, 2), numbers(16, 3, seed=1))


@case
def shard_map_inside_a_sharded_program(jax, jnp):
    P, named = jax.sharding.PartitionSpec, jax.sharding.NamedSharding
    m = mesh(jax, (2, 4), ("x", "y"))
    inner = jax.shard_map(lambda a: jax.lax.psum(a, "y"), mesh=m, in_specs=P("x", "y"), out_specs=P("x"))

    @jax.jit
    def f(a):
        b = jnp.sin(a) * 2
        return inner(b).sum(0), b

    return f(jax.device_put(numbers(4, 8), named(m, P("x", "y"))))


@case
def resharding_between_programs(jax, jnp):
    P, named = jax.sharding.PartitionSpec, jax.sharding.NamedSharding
    m = mesh(jax, (2, 4), ("x", "y"))
    a = jax.device_put(numbers(8, 8), named(m, P("x", "y")))
    b = jax.device_put(a, named(m, P("y", None)))
    c = jax.jit(lambda b: b.T + 1, out_shardings=named(m, P(None, "x")))(b)
    return b, c, jax.device_put(c, jax.devices()[5]), jax.jit(lambda c: c.sum(0))(c)


@case
def pipelined_ring(jax, jnp):
    """Each device multiplies by its own matrix and hands its rows on, in a scan."""
    P = jax.sharding.PartitionSpec
    m = mesh(jax, (4,), ("stage",))

    def body(w, x):
        def tick(carry, _):
            carry = jax.lax.ppermute(jnp.tanh(carry @ w[0]), "stage", [(i, (i + 1) % 4) for i in range(4)])
            return carry, None

        return jax.lax.scan(tick, x, None, length=4)[0]

    f = jax.shard_map(body, mesh=m, in_specs=(P("stage"), P("stage")), out_specs=P("stage"), check_vma=False)
    return jax.jit(f)(numbers(4, 3, 3), numbers(8, 3, seed=1))


@case
def groups_that_go_different_ways(jax, jnp):
    """Collectives over one axis of a mesh, in branches and loops on which the other axis decides."""
    P, lax = jax.sharding.PartitionSpec, jax.lax
    m = mesh(jax, (2, 4), ("x", "y"))

    def body(v):
        row = lax.axis_index("x")
        branch = lax.cond(row == 0, lambda v: lax.psum(v, "y"), lambda v: 2 * v + lax.pmax(v, "y"), v)
        both = lax.switch(row, [lambda v: lax.all_to_all(v, "y", 0, 0, tiled=True),
                                lambda v: jnp.tile(lax.psum_scatter(v, "y", tiled=True), (4, 1))], v)
        turns = lax.fori_loop(0, 2 + row, lambda i, v: 0.5 * v + 0.1 * lax.all_gather(v, "y").sum(0), v)
        halved = lax.while_loop(lambda v: lax.psum((v**2).sum(), "y") > 1, lambda v: 0.7 * v, v)
        return branch, both, turns, halved

    f = jax.shard_map(body, mesh=m, in_specs=P(("x", "y")), out_specs=P(("x", "y")), check_vma=False)
    return jax.jit(f)(numbers(32, 3))


@case
def donation_over_a_mesh(jax, jnp):
    P, named = jax.sharding.PartitionSpec, jax.sharding.NamedSharding
    m = mesh(jax, (8,), ("i",))
    step = jax.jit(lambda p, x: (p * 0.9 + x.sum(0), x * 2), donate_argnums=(0, 1))
    p = jax.device_put(numbers(4), named(m, P()))
    for i in range(4):
        p, x = step(p, jax.device_put(numbers(8, 4, seed=i), named(m, P("i"))))
    return p, x


@case
def functions_with_partitions_of_their_own(jax, jnp):
    from jax.experimental.custom_partitioning import custom_partitioning

    P, named = jax.sharding.PartitionSpec, jax.sharding.NamedSharding
    m = mesh(jax, (4, 2), ("a", "b"))

    @custom_partitioning
    def normed(x):
        return x / jnp.linalg.norm(x, axis=-1, keepdims=True)

    def partition(mesh, arguments, result):
        rows = named(mesh, P(arguments[0].sharding.spec[0]))
        return mesh, lambda x: x / jnp.linalg.norm(x, axis=-1, keepdims=True), rows, (rows,)

    normed.def_partition(partition=partition, sharding_rule="i j -> i j",
                         infer_sharding_from_operands=lambda mesh, arguments, result: arguments[0].sharding)
    x = jax.device_put(numbers(8, 6), named(m, P("a")))
    inner = jax.shard_map(normed, mesh=m, in_specs=P("a"), out_specs=P("a"), check_vma=False)
    return jax.jit(lambda x: normed(x * 2).sum(0))(x), jax.jit(normed)(numbers(3, 4)), jax.jit(inner)(x)
