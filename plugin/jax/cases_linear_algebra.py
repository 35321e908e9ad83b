"""jax.numpy.linalg and jax.scipy.linalg. Factors are compared where they are unique, else what they multiply to."""

import numpy as np
from registry import case, numbers


@case
def lu_and_inverse(jax, jnp):
    a = numbers(6, 6) + 3 * np.eye(6, dtype=np.float32)
    return (jnp.linalg.inv(a), jnp.linalg.det(a), jnp.linalg.slogdet(a), jnp.linalg.solve(a, numbers(6, 2, seed=1)),
            jax.scipy.linalg.lu(a), jnp.linalg.matrix_power(a / 4, 5))


@case
def qr(jax, jnp):
    tall, wide = numbers(7, 4), numbers(4, 6, seed=1)
    stack = numbers(3, 5, 5, seed=2)
    whole = jnp.linalg.qr(tall, mode="complete")
    return jnp.linalg.qr(tall), jnp.linalg.qr(wide), jnp.linalg.qr(stack), whole, jnp.linalg.qr(tall, mode="r")


@case
def qr_gradient(jax, jnp):
    def loss(a):
        q, r = jnp.linalg.qr(a)
        return (q * jnp.arange(12.0).reshape(4, 3)).sum() + (r**2).sum()

    return jax.jit(jax.grad(loss))(numbers(4, 3))


@case
def least_squares(jax, jnp):
    a, b = numbers(8, 3), numbers(8, 2, seed=1)
    q, r = jnp.linalg.qr(a)
    return jax.scipy.linalg.solve_triangular(r, q.T @ b), jax.scipy.linalg.cho_solve(
        jax.scipy.linalg.cho_factor(a.T @ a), a.T @ b)


@case
def eigh(jax, jnp):
    a = numbers(3, 6, 6)
    a = a + a.transpose(0, 2, 1)
    values, vectors = jnp.linalg.eigh(a)
    return values, (vectors * values[:, None, :]) @ vectors.transpose(0, 2, 1), jnp.linalg.eigvalsh(a[0])


@case
def eigh_of_an_odd_size(jax, jnp):
    a = numbers(7, 7)
    a = a @ a.T
    values, vectors = jnp.linalg.eigh(a)
    return values, vectors.T @ vectors, (vectors * values) @ vectors.T


@case
def svd(jax, jnp):
    results = []
    for a in (numbers(6, 4), numbers(4, 7, seed=1), numbers(2, 5, 5, seed=2)):
        u, s, vt = jnp.linalg.svd(a, full_matrices=False)
        results += [s, (u * s[..., None, :]) @ vt]
    return results


@case
def from_svd(jax, jnp):
    a = numbers(6, 3)
    return (jnp.linalg.pinv(a), jnp.linalg.matrix_rank(a), jnp.linalg.cond(a), jnp.linalg.norm(a, 2),
            jnp.linalg.lstsq(a, numbers(6, seed=1))[0])


@case
def matrix_functions(jax, jnp):
    a = numbers(4, 4) / 3
    return jax.scipy.linalg.expm(a), jnp.linalg.multi_dot([a, a, a]), jnp.vander(jnp.arange(4.0), 3), jnp.trace(a)


@case
def cholesky_gradient(jax, jnp):
    def loss(a):
        return jnp.log(jnp.diag(jnp.linalg.cholesky(a @ a.T + 4 * jnp.eye(4)))).sum()

    return jax.jit(jax.grad(loss))(numbers(4, 4)), jax.jit(jax.vmap(jnp.linalg.cholesky))(
        np.stack([np.eye(3, dtype=np.float32) * s for s in (1, 4, 9)]))


@case
def triangular_solves(jax, jnp):
    a = np.tril(numbers(2, 5, 5)) + 4 * np.eye(5, dtype=np.float32)
    solve = jax.scipy.linalg.solve_triangular
    return (solve(a[0], numbers(5, 3), lower=True), solve(a[0].T, numbers(5)),
            solve(a[0], numbers(5), trans=1, lower=True),
            jax.lax.linalg.triangular_solve(a, numbers(2, 3, 5), left_side=False, lower=True))
