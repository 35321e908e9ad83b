"""Times of single functions of JAX, jitted, on arrays that are on the device: linear algebra, Fourier transforms, ...

The line has one figure a function and size, in milliseconds: the median of as many calls as fit into its share of time.
"""
import json
import statistics
import time

import jax_platform
import timing

ARGS = timing.arguments(__doc__, seconds=0.2, only="", platform="cpu", library="")
jax_platform.use(ARGS)
import jax
import jax.numpy as jnp
import numpy as np


def normal(*shape, dtype=np.float32):
    return np.random.default_rng(0).standard_normal(shape).astype(dtype)


def complex_normal(*shape):
    return normal(*shape) + 1j * normal(*shape)


def positive(n):
    a = normal(n, n)
    return a @ a.T + n * np.eye(n, dtype=np.float32)


def bytes_of(*shape):
    return np.random.default_rng(0).integers(-128, 128, shape).astype(np.int8)


def int8_product(a, b):
    return jax.lax.dot(a, b, preferred_element_type=jnp.int32)


def functions():
    """name: (function, arguments)"""
    found = {}
    for n in (16, 512):
        found |= {f"qr_{n}": (jnp.linalg.qr, [normal(n, n)]), f"inv_{n}": (jnp.linalg.inv, [positive(n)]),
                  f"cholesky_{n}": (jnp.linalg.cholesky, [positive(n)]),
                  f"solve_{n}": (jnp.linalg.solve, [positive(n), normal(n)]),
                  f"eigh_{n}": (jnp.linalg.eigh, [positive(n)]), f"svd_{n}": (jnp.linalg.svd, [normal(n, n)])}
    rows = np.random.default_rng(0).integers(0, 1000, (1024, 16)).astype(np.int32)
    return found | {
        "fft_1024": (jnp.fft.fft, [complex_normal(256, 1024)]),
        "fft_prime_1009": (jnp.fft.fft, [complex_normal(256, 1009)]),
        "fft_prime_10007": (jnp.fft.fft, [complex_normal(10007)]),
        "fft_prime_101": (jnp.fft.fft, [complex_normal(1024, 101)]),
        "rfft2_512": (jnp.fft.rfft2, [normal(512, 512)]),
        "irfft2_512": (jnp.fft.irfft2, [complex_normal(512, 257)]),
        "rfft2_64": (jnp.fft.rfft2, [normal(64, 64, 64)]),
        "take_along_axis_columns": (lambda x, i: jnp.take_along_axis(x, i, axis=1), [normal(1024, 1000), rows]),
        "take_along_axis_one": (lambda x, i: jnp.take_along_axis(x, i, axis=1), [normal(1024, 1000), rows[:, :1]]),
        "take_along_axis_rows": (lambda x, i: jnp.take_along_axis(x, i, axis=0), [normal(1024, 512), rows[:, :1]]),
        "take_along_axis_sort": (lambda x, i: jnp.take_along_axis(x, i, axis=1),
                                 [normal(512, 512), np.argsort(normal(512, 512), axis=1).astype(np.int32)]),
        "int8_dot_512": (int8_product, [bytes_of(512, 512), bytes_of(512, 512)]),
        "int8_dot_64": (int8_product, [bytes_of(64, 64), bytes_of(64, 64)]),
        "int8_dot_row": (int8_product, [bytes_of(1, 1024), bytes_of(1024, 1024)]),
    }


def milliseconds(function, arguments):
    jitted, arrays = jax.jit(function), [jax.device_put(x) for x in arguments]
    for _ in range(5):
        jax.block_until_ready(jitted(*arrays))
    times, end = [], time.perf_counter() + ARGS.seconds
    while time.perf_counter() < end or len(times) < 5:
        start = time.perf_counter()
        jax.block_until_ready(jitted(*arrays))
        times.append(1e3 * (time.perf_counter() - start))
    return round(statistics.median(times), 5)


print(json.dumps({name: milliseconds(*case) for name, case in functions().items() if ARGS.only in name}), flush=True)
