"""What of jax.numpy.linalg and jax.scipy.linalg calls LAPACK, in each type it has, with gradients and in parallel."""

import os
import tempfile

import numpy as np
from registry import case, mesh, numbers

TYPES = ("float32", "complex64", "float64", "complex128")


def matrices(dtype, *shape, seed=0):
    real, imaginary = (np.random.default_rng(seed + i).standard_normal(shape) for i in (0, 1000))
    return (real + 1j * imaginary if dtype.startswith("complex") else real).astype(dtype)


def in_each_type(jax, results_of):
    results = []
    for dtype in TYPES:
        with jax.enable_x64(dtype in ("float64", "complex128")):
            results += [np.asarray(x) for x in jax.tree.leaves(results_of(lambda *a, **k: matrices(dtype, *a, **k)))]
    return results


def adjoint(a):
    return a.conj().swapaxes(-1, -2)


def hermitian(a):
    return a + adjoint(a)


@case
def qr_in_each_type(jax, jnp):
    def results(m):
        tall, stack = m(70, 33), m(2, 3, 5, 4)
        q, r = jnp.linalg.qr(tall)
        whole, _ = jnp.linalg.qr(stack, mode="complete")
        pivoted = jax.scipy.linalg.qr(m(6, 6), pivoting=True)
        return q @ r, adjoint(q) @ q, jnp.abs(r), adjoint(whole) @ whole, jnp.linalg.qr(m(3, 6), mode="r"), pivoted

    return in_each_type(jax, results)


@case
def eigh_in_each_type(jax, jnp):
    def results(m):
        a = hermitian(m(2, 40, 40))
        values, vectors = jnp.linalg.eigh(a)
        upper = jnp.linalg.eigvalsh(m(7, 7), UPLO="U")
        empty = jnp.linalg.eigh(hermitian(m(0, 3, 3)))
        return values, (vectors * values[:, None, :]) @ adjoint(vectors), adjoint(vectors) @ vectors, upper, empty

    return in_each_type(jax, results)


@case
def svd_in_each_type(jax, jnp):
    def results(m):
        found = []
        for a in (m(50, 20), m(4, 7), m(2, 3, 3)):
            u, s, vh = jnp.linalg.svd(a, full_matrices=False)
            found += [s, (u * s[..., None, :]) @ vh, adjoint(u) @ u, vh @ adjoint(vh)]
        u, _, vh = jnp.linalg.svd(m(5, 3), full_matrices=True)
        return found, adjoint(u) @ u, vh @ adjoint(vh), jnp.linalg.svdvals(m(9, 6)), jnp.linalg.pinv(m(6, 3))

    return in_each_type(jax, results)


@case
def eig_in_each_type(jax, jnp):
    def results(m):
        a = m(2, 12, 12)
        values, vectors = jnp.linalg.eig(a)
        return a @ vectors - vectors * values[..., None, :] + 1, values, jnp.linalg.eigvals(m(30, 30))

    return in_each_type(jax, results)


@case
def schur_in_each_type(jax, jnp):
    def results(m):
        a = m(9, 9)
        t, z = jax.scipy.linalg.schur(a)
        return t, z @ t @ adjoint(z), adjoint(z) @ z

    return in_each_type(jax, results)


@case
def solving_in_each_type(jax, jnp):
    def results(m):
        linalg, a, b = jnp.linalg, m(2, 20, 20), m(2, 20, 3, seed=1)
        positive = a @ adjoint(a) + 20 * np.eye(20, dtype=a.dtype)
        lower = np.tril(a[0]) + 9 * np.eye(20, dtype=a.dtype)
        solve = jax.scipy.linalg.solve_triangular
        return (linalg.solve(a, b), linalg.inv(a), linalg.det(a / 4), linalg.slogdet(a), jax.scipy.linalg.lu(a[0]),
                linalg.cholesky(positive), jax.scipy.linalg.cho_solve((linalg.cholesky(positive[0]), True), b[0]),
                solve(lower, b[0], lower=True), solve(lower, b[0], trans=2, lower=True),
                linalg.lstsq(m(9, 4), m(9, 2, seed=2))[0], linalg.cholesky(-positive[0]))

    return in_each_type(jax, results)


@case
def reductions_to_simpler_matrices(jax, jnp):
    def results(m):
        lax, a = jax.lax.linalg, m(8, 8)
        hessenberg, taus = lax.hessenberg(a)
        _, d, e, _ = lax.tridiagonal(hermitian(a))
        diagonals = [m(8, seed=i) for i in (1, 2, 3)]
        diagonals[1] = diagonals[1] + 5
        diagonals[0][0] = diagonals[2][-1] = 0
        return hessenberg, taus, d, e, lax.tridiagonal_solve(*diagonals, m(8, 2, seed=4))

    return in_each_type(jax, results)


@case
def functions_of_matrices(jax, jnp):
    def results(m):
        a = m(6, 6) / 4
        u, p = jax.scipy.linalg.polar(m(6, 4))
        return (jax.scipy.linalg.expm(a), jnp.linalg.matrix_power(a, -2), u @ p, adjoint(u) @ u,
                jnp.linalg.matrix_rank(a), jnp.linalg.cond(a), jnp.linalg.norm(a, "nuc"))

    return in_each_type(jax, results)


@case
def gradients_of_factors(jax, jnp):
    def results(m):
        a, b = m(5, 5), m(5, seed=1)
        linalg = jnp.linalg
        losses = (
            lambda x: jnp.abs(linalg.eigh(hermitian(x))[0] * jnp.arange(5)).sum(),
            lambda x: (linalg.svd(x, compute_uv=False) * jnp.arange(5)).sum(),
            lambda x: jnp.abs(linalg.qr(x)[1] ** 2 * jnp.arange(5)).sum(),
            lambda x: jnp.abs(linalg.solve(x, b)).sum(),
            lambda x: jnp.abs(linalg.cholesky(x @ adjoint(x) + 5 * jnp.eye(5)) * jnp.arange(5)).sum(),
            lambda x: jnp.abs(linalg.eigvals(x)).sum(),
            lambda x: linalg.slogdet(x)[1],
            lambda x: jnp.abs(jax.scipy.linalg.expm(x / 4)).sum(),
        )
        return [jax.jit(jax.grad(loss))(a) for loss in losses]

    return in_each_type(jax, results)


@case
def factors_of_parts_on_a_mesh(jax, jnp):
    P, named = jax.sharding.PartitionSpec, jax.sharding.NamedSharding
    cores = mesh(jax, (8,), ("x",))
    stack = hermitian(numbers(8, 6, 6))

    def values_of(a):
        return jnp.linalg.eigvalsh(a), jnp.linalg.inv(a + 9 * jnp.eye(6))

    per_core = jax.shard_map(values_of, mesh=cores, in_specs=P("x"), out_specs=P("x"), check_vma=False)
    whole = jax.device_put(stack, named(cores, P("x")))
    return jax.jit(per_core)(stack), jax.jit(values_of)(whole), jax.pmap(values_of)(stack)


@case
def loops_over_factors(jax, jnp):
    def step(a, _):
        q, r = jnp.linalg.qr(a)
        return r @ q, jnp.diag(r)

    a = hermitian(numbers(4, 4))
    values, diagonals = jax.jit(lambda a: jax.lax.scan(step, a, None, length=30))(a)
    return jnp.abs(jnp.diag(values)), jnp.abs(diagonals[-1]), jax.jit(jax.vmap(jnp.linalg.inv))(numbers(3, 2, 4, 4))


def said(run):
    """What is written to the process's stderr, by C and Fortran too."""
    kept = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            run()
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        file.seek(0)
        return np.frombuffer(file.read(), np.uint8)


@case
def matrices_without_elements(jax, jnp):
    linalg, scipy, empty = jnp.linalg, jax.scipy.linalg, jnp.zeros((0, 0))
    functions = [linalg.eigh, linalg.svd, linalg.qr, linalg.inv, linalg.cholesky, linalg.eig, linalg.det,
                 lambda a: linalg.solve(a, a), lambda a: scipy.solve_triangular(a, a)]
    results = []

    def run():
        results.extend(jax.block_until_ready(f(a)) for f in functions for a in (empty, jnp.zeros((2, 0, 0))))
        results.extend(jax.block_until_ready(f(empty)) for f in (scipy.lu, scipy.schur))

    return results, said(run)
