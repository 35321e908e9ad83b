"""JAX's CPU backend beside the software TPU, on which lies what JAX hands to callbacks and to DLPack.

Where JAX_PLATFORMS lists `cpu` it is JAX's own; else one is made when it is first needed, and `jax_platforms` stays
as the user set it.
"""

import functools


@functools.lru_cache(maxsize=1)
def _own_client():
    from jax._src import xla_bridge

    return xla_bridge.make_cpu_client()


def client():
    from jax._src import xla_bridge

    return xla_bridge.get_backend("cpu") if "cpu" in xla_bridge.backends() else _own_client()


def device():
    from jax._src import xla_bridge

    return xla_bridge.local_devices(backend="cpu")[0]


def offer():
    """From now on JAX's own code finds devices of the CPU, whatever JAX_PLATFORMS lists."""
    from jax._src import xla_bridge

    listed = xla_bridge.local_devices

    @functools.wraps(listed)
    def local_devices(process_index=None, backend=None, host_id=None):
        if backend == "cpu" and "cpu" not in xla_bridge.backends():
            return _own_client().local_devices()
        return listed(process_index, backend, host_id)

    xla_bridge.local_devices = local_devices
