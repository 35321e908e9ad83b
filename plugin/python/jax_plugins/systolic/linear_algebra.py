"""jax.numpy.linalg on the software TPU: the lowerings of JAX's CPU backend, which call LAPACK.

jaxlib brings handlers that call the LAPACK of SciPy, which JAX needs anyway. So there is one LAPACK in the process, and
results are those of JAX's CPU backend.
"""

import functools


def _on_cpu(primitive, mlir):
    """How JAX writes the primitive for its CPU backend; None where that is as everywhere."""
    rules = mlir._platform_specific_lowerings["cpu"]
    entry = rules.get(primitive)
    return getattr(entry, "rule", entry)


def lower_as_on_cpu(platform):
    from jax._src.interpreters import mlir
    from jax._src.lax import linalg
    from jax._src.lib import lapack, xla_client

    for name, function, api_version in lapack.registrations()["cpu"]:
        if api_version == 1:
            xla_client.register_custom_call_target(name, function, platform=platform, api_version=api_version)
    for name in sorted(vars(linalg)):
        rule = _on_cpu(getattr(linalg, name), mlir) if name.endswith("_p") else None
        if rule is not None:
            mlir.register_lowering(getattr(linalg, name), rule, platform=platform)
