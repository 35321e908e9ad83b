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


def _exchange_rows_by_a_function(platform, mlir, linalg):
    """A function of the plugin for what JAX writes as a loop over the rows, as it has one for GPUs."""
    primitive = getattr(linalg, "lu_pivots_to_permutation_p", None)
    by_name = getattr(linalg, "_lu_pivots_to_permutation_gpu_lowering", None)
    if primitive is not None and by_name is not None:
        mlir.register_lowering(primitive, functools.partial(by_name, target_name_prefix="systolic"), platform=platform)


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
    _exchange_rows_by_a_function(platform, mlir, linalg)
