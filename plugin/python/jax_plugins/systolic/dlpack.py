"""DLPack of arrays on the software TPU, which JAX has for the platforms that it knows by name.

A consumer (numpy.from_dlpack, torch.from_dlpack) gets a copy in the host's memory: JAX's C++ exports the memory of its
own backends only. Where the consumer forbids a copy, that is a BufferError.
"""


def on_host(array):
    """The array on JAX's CPU backend, which exports it."""
    import jax

    from . import host_backend

    return jax.device_put(array, host_backend.device())


def export_from_host(platform):
    """Lets arrays of the platform be exported; those of others stay as they are."""
    from jax._src import array

    kind = array.ArrayImpl
    export, device = kind.__dlpack__, kind.__dlpack_device__

    def is_ours(value):
        return len(value.sharding.device_set) == 1 and value.platform() == platform

    def __dlpack__(self, **options):
        if not is_ours(self):
            return export(self, **options)
        if options.get("copy") is False:
            raise BufferError(f"an array on {platform} leaves it as a copy, got copy=False. Ask for copy=None, or use "
                              "numpy.asarray(array).")
        return export(on_host(self), **{**options, "copy": None})

    def __dlpack_device__(self):
        return device(on_host(self)) if is_ours(self) else device(self)

    kind.__dlpack__, kind.__dlpack_device__ = __dlpack__, __dlpack_device__


def import_to_host():
    """Lets jax.dlpack.from_dlpack take what lies in the host's memory where JAX_PLATFORMS does not list `cpu`."""
    from jax._src import dlpack, xla_bridge

    from . import host_backend

    class WithHost:
        """JAX's module, with a CPU backend that is there when it is asked for."""

        def __getattr__(self, name):
            return getattr(xla_bridge, name)

        def get_backend(self, platform=None):
            return host_backend.client() if platform == "cpu" else xla_bridge.get_backend(platform)

    dlpack.xla_bridge = WithHost()
