"""Cases of several processes, each with devices of its own: cases_processes.py FOLDER COORDINATOR COUNT INDEX

Process INDEX writes what it sees of each case to FOLDER/CASE.INDEX.npz. compare_processes.py runs them.
"""

import sys

import cases_shared  # noqa: F401  they add themselves to CASES
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P
from registry_processes import CASES, case, mesh, numbers, own_parts, rows

@case
def topology():
    counts = [len(jax.devices()), jax.local_device_count(), jax.process_count(), jax.process_index()]
    owners = [device.process_index for device in jax.devices()]
    ids = sorted(device.id for device in jax.devices())
    assert len(set(ids)) == len(ids)
    return [np.array(counts), np.array(owners)]


@case
def sums_over_all_devices():
    n = len(jax.devices())
    meshed = mesh((n,), ("x",))
    x = rows(meshed, P("x"), numbers(n * 3, 5))
    summed = jax.jit(jax.shard_map(lambda part: jax.lax.psum(part, "x"), mesh=meshed, in_specs=P("x"), out_specs=P()))(x)
    gathered = jax.jit(jax.shard_map(lambda part: jax.lax.all_gather(part, "x", tiled=True), mesh=meshed,
                                     in_specs=P("x"), out_specs=P(), check_vma=False))(x)
    turned = jax.jit(jax.shard_map(
        lambda part: jax.lax.ppermute(part, "x", [(i, (i + 1) % n) for i in range(n)]), mesh=meshed, in_specs=P("x"),
        out_specs=P("x")))(x)
    swapped = jax.jit(jax.shard_map(lambda part: jax.lax.all_to_all(part, "x", 1, 0, tiled=True), mesh=meshed,
                                    in_specs=P("x"), out_specs=P("x")))(rows(meshed, P("x"), numbers(n * 2, n * 2)))
    place = jax.jit(jax.shard_map(lambda part: part + jax.lax.axis_index("x"), mesh=meshed, in_specs=P("x"),
                                  out_specs=P("x")))(x)
    return [summed, gathered, *own_parts(turned), *own_parts(swapped), *own_parts(place)]


@case
def programs_over_whole_arrays():
    n = len(jax.devices())
    meshed = mesh((n // 2, 2), ("data", "model"))
    x = rows(meshed, P("data", "model"), numbers(4 * n, 8))
    w = rows(meshed, P("model", None), numbers(8, 6, seed=1))
    product = jax.jit(lambda a, b: a @ b, out_shardings=NamedSharding(meshed, P("data", None)))(x, w)
    mean = jax.jit(lambda a: (a.mean(0), jnp.sort(a.ravel())[:7]), out_shardings=NamedSharding(meshed, P()))(x)
    again = jax.jit(lambda a: jnp.tanh(a) * 2)(product)  # takes what an earlier program left on the devices
    turned = jax.jit(lambda a: a.T, out_shardings=NamedSharding(meshed, P("model", "data")))(x)
    return [*own_parts(product), *mean, *own_parts(again), *own_parts(turned)]


@case
def devices_of_one_process():
    own = jax.local_devices()
    meshed = jax.sharding.Mesh(np.array(own), ("x",))
    x = jax.device_put(numbers(len(own) * 2, 3, seed=jax.process_index()), NamedSharding(meshed, P("x")))
    alone = jax.jit(lambda a: a @ a.T)(x)
    return [np.asarray(alone), np.asarray(jnp.arange(5) * jax.process_index())]


@case
def training():
    n = len(jax.devices())
    meshed = mesh((n,), ("data",))
    everywhere = NamedSharding(meshed, P())

    def put(array):
        return jax.make_array_from_callback(array.shape, everywhere, lambda index: array[index])

    weights = {"w1": put(numbers(7, 16, seed=1) * 0.3), "w2": put(numbers(16, 1, seed=2) * 0.3)}

    def loss(parameters, x, y):
        hidden = jax.nn.relu(x @ parameters["w1"])
        return jnp.mean((hidden @ parameters["w2"] - y) ** 2)

    @jax.jit
    def step(parameters, x, y):
        value, gradients = jax.value_and_grad(loss)(parameters, x, y)
        return jax.tree.map(lambda p, g: p - 0.05 * g, parameters, gradients), value

    losses = []
    for i in range(10):
        x, y = numbers(4 * n, 7, seed=10 + i), numbers(4 * n, 1, seed=100 + i)
        weights, value = step(weights, rows(meshed, P("data"), x), rows(meshed, P("data"), y))
        losses.append(np.asarray(value))
    return [np.array(losses), *[np.asarray(weights[name].addressable_shards[0].data) for name in sorted(weights)]]


@case
def tools_for_several_hosts():
    multihost_utils.sync_global_devices("begin")
    told = multihost_utils.broadcast_one_to_all(np.arange(6, dtype=np.float32) + jax.process_index())
    all_own = multihost_utils.process_allgather(numbers(3, 2, seed=jax.process_index()))
    multihost_utils.assert_equal(np.array([1, 2, 3]), "the same")
    try:
        multihost_utils.assert_equal(np.array([jax.process_index()]), "not the same")
        differs = 0
    except AssertionError:
        differs = 1
    return [told, all_own, np.array(differs)]


def main():
    folder, coordinator, count, index = sys.argv[1:]
    jax.distributed.initialize(coordinator, int(count), int(index))
    for function in CASES:
        arrays = [np.asarray(array) for array in function()]
        np.savez(f"{folder}/{function.__name__}.{index}.npz", *arrays)
    jax.distributed.shutdown()


if __name__ == "__main__":
    main()
