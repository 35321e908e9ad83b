"""Milliseconds of psum over the processes of a run of JAX on the processor, by Gloo, as benchmarks/all_reduce.cc takes ours."""
import os

import timing

ARGS = timing.arguments(__doc__, bytes=100_000_000, steps=9, warm_up=2, process=0, processes=2, coordinator="127.0.0.1:9470")
os.environ["JAX_PLATFORMS"] = "cpu"
import jax

jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize(ARGS.coordinator, ARGS.processes, ARGS.process)
import jax.numpy as jnp
from jax.sharding import Mesh, NamedSharding, PartitionSpec

mesh = Mesh(jax.devices(), ("process",))
rows = NamedSharding(mesh, PartitionSpec("process"))
own = jnp.ones((1, ARGS.bytes // 4), jnp.float32)
values = jax.make_array_from_single_device_arrays((ARGS.processes, ARGS.bytes // 4), rows,
                                                  [jax.device_put(own, jax.local_devices()[0])])
psum = jax.jit(jax.shard_map(lambda x: jax.lax.psum(x, "process"), mesh=mesh, in_specs=PartitionSpec("process"),
                             out_specs=PartitionSpec()))
times = timing.step_times(lambda: psum(values).block_until_ready(), ARGS.warm_up, ARGS.steps)
if ARGS.process == 0:
    timing.report("all_reduce", "jax", jax.__version__, times, bytes=ARGS.bytes, processes=ARGS.processes)
