"""The register of the cases of several processes, and what they share."""

import jax
import numpy as np
from jax.sharding import NamedSharding

CASES = []


def case(function):
    CASES.append(function)
    return function


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def mesh(shape, names):
    return jax.make_mesh(shape, names, axis_types=(jax.sharding.AxisType.Auto,) * len(names))


def rows(meshed, spec, whole):
    """An array of all processes, each of which gives the parts of its own devices alone."""
    return jax.make_array_from_callback(whole.shape, NamedSharding(meshed, spec), lambda index: whole[index])


def own_parts(array):
    return [np.asarray(shard.data) for shard in sorted(array.addressable_shards, key=lambda one: one.device.id)]
