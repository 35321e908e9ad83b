"""The register of the cases that compare.py runs, and what they share."""

import numpy as np

CASES = {}
NEEDS = {}  # packages, by case


def case(function):
    CASES[function.__name__] = function
    return function


def needs(*packages):
    """Beside @case: packages without which the case is not run."""

    def note(function):
        NEEDS[function.__name__] = packages
        return function

    return note


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def mesh(jax, shape, names, explicit=False):
    kind = jax.sharding.AxisType.Explicit if explicit else jax.sharding.AxisType.Auto
    return jax.make_mesh(shape, names, axis_types=(kind,) * len(names))
