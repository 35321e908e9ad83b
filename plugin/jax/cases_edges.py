"""Values at the edge of what is defined: windows partly outside, infinities of complex numbers, subnormals, donation."""

import numpy as np
from registry import case, mesh, numbers


@case
def windows_partly_outside(jax, jnp):
    """A scatter drops a window that does not lie inside as a whole; so do its gradients."""
    lax = jax.lax
    at = lax.ScatterDimensionNumbers((1,), (), (0,))
    rows = lax.ScatterDimensionNumbers((1, 2), (), (1, 0))
    indices, starts = jnp.array([[2], [-1], [0], [9], [1]]), jnp.array([[0, 0], [3, 2], [-1, 1], [2, 1], [9, 0]])
    updates, blocks = jnp.asarray(numbers(5, 2)), jnp.asarray(numbers(5, 2, 2))
    operand, matrix = jnp.asarray(numbers(3, seed=1)), jnp.asarray(numbers(3, 4, seed=1))
    found = []
    for function in (lax.scatter, lax.scatter_add, lax.scatter_mul, lax.scatter_min, lax.scatter_max):
        found += [jax.jit(lambda x, u, f=function: f(x, indices[:1], u[:1], at))(operand, updates),
                  jax.jit(lambda x, u, f=function: f(x, starts[1:2], u[1:2], rows))(matrix, blocks)]
        if function in (lax.scatter, lax.scatter_add):
            def loss(x, u, f=function):
                return (f(x, indices, u, at) ** 2).sum()
            found += jax.jit(jax.grad(loss, argnums=(0, 1)))(operand, updates)
    found += [jax.jit(lambda x, u: lax.scatter_add(x, starts, u, rows))(matrix, blocks)]
    return found


def parts(x):
    return np.real(x), np.imag(x)


@case
def complex_infinities(jax, jnp):
    values = [0.0, -0.0, 1.0, -1.5, 1e10, -1e10, np.inf, -np.inf, np.nan]
    points = np.array([complex(a, b) for a in values for b in values], np.complex64)
    functions = (jnp.expm1, jnp.tan, jnp.tanh, jnp.exp, jnp.log, jnp.log1p, jnp.sin, jnp.cos, jnp.sqrt, jax.lax.rsqrt,
                 jax.lax.logistic)
    return [parts(jax.jit(f)(points)) for f in functions]


@case
def subnormal_constants(jax, jnp):
    x = np.array([0, -0.0, 1, -2.5, np.inf, np.nan], np.float32)
    tiny = np.float32(1e-45)
    return ([jnp.spacing(x.astype(t)).astype(jnp.float32).view(jnp.int32)
             for t in (np.float32, np.float16, jnp.bfloat16)],
            jax.jit(lambda x: jnp.where(x == 0, tiny, x))(x).view(jnp.int32),
            jax.jit(lambda x: jnp.copysign(tiny, x))(x).view(jnp.int32))


@case
def results_said_to_be_the_same_everywhere(jax, jnp):
    """They need not be: each device holds what it computed, and the array is the first device's.

    A program that takes such an array is not compared: on the software TPU it gets the first device's everywhere.
    """
    P, m = jax.sharding.PartitionSpec, mesh(jax, (8,), ("i",))
    of_pmap = jax.pmap(lambda x: x * 2, out_axes=None)(jnp.arange(8.0))
    of_map = jax.jit(jax.shard_map(lambda x: (x[0] * 3, x + 1), mesh=m, in_specs=P("i"), out_specs=(P(), P("i")),
                                   check_vma=False))(jnp.arange(8.0))
    shards = [[s.data for s in sorted(x.addressable_shards, key=lambda s: s.device.id)] for x in (of_pmap, *of_map)]
    return shards, of_pmap + 1, of_map


@case
def what_is_donated_in_vain(jax, jnp):
    P, named = jax.sharding.PartitionSpec, jax.sharding.NamedSharding
    m = mesh(jax, (2,), ("x",))
    found = []
    for function in (lambda x: x @ x.T, lambda x: x + 1, lambda x: (x.sum(), x[:, :1])):
        x = jax.device_put(jnp.asarray(numbers(8, 2)), named(m, P("x")))
        found += [jax.jit(function, donate_argnums=0)(x), np.int32(x.is_deleted())]
    return found
