"""How JAX writes its primitives for the software TPU: as for its CPU backend where it has rules for that alone.

jaxlib brings handlers that call the LAPACK of SciPy, which JAX needs anyway. So there is one LAPACK in the process, and
results are those of JAX's CPU backend.
"""

import dataclasses
import functools

# What JAX writes for its CPU backend only because XLA is slow there with what it writes elsewhere.
AS_ELSEWHERE = ("conv_general_dilated", "random_gamma", "select_and_scatter_add", "threefry2x32")


class _AsOnCpu(dict):
    """The rules of a platform; those that it lacks are the CPU's, of modules too that are imported later."""

    def __init__(self, own, on_cpu):
        super().__init__(own)
        self.on_cpu = on_cpu

    def __contains__(self, primitive):
        return super().__contains__(primitive) or (
            primitive in self.on_cpu and primitive.name not in AS_ELSEWHERE)

    def __missing__(self, primitive):
        return self.on_cpu[primitive]


def _exchange_rows_by_a_function(platform, mlir):
    """A function of the plugin for what JAX writes as a loop over the rows, as it has one for GPUs."""
    from jax._src.lax import linalg

    primitive = getattr(linalg, "lu_pivots_to_permutation_p", None)
    by_name = getattr(linalg, "_lu_pivots_to_permutation_gpu_lowering", None)
    if primitive is not None and by_name is not None:
        mlir.register_lowering(primitive, functools.partial(by_name, target_name_prefix="systolic"), platform=platform)
        _promise_to_keep("systolic_lu_pivots_to_permutation")


def _promise_to_keep(name):
    """Programs that are exported (jax.export) may call the function: later versions have it, too."""
    from jax._src.export import _export

    _export._CUSTOM_CALL_TARGETS_GUARANTEED_STABLE.add(name)


def _register_functions(platform):
    from jax._src.lib import cpu_sparse, lapack, xla_client

    for library in (lapack, cpu_sparse):
        for name, function, api_version in library.registrations()["cpu"]:
            if api_version == 1:
                xla_client.register_custom_call_target(name, function, platform=platform, api_version=api_version)


def _take_the_branch_of_the_cpu(platform, mlir):
    """jax.lax.platform_dependent without a branch for the platform: the one for "cpu", before the default.

    The default is what its author has for machines that he does not know; of this one, JAX's own rules are the CPU's.
    """
    from jax._src.lax.control_flow import conditionals

    chosen = mlir.lower_per_platform

    @functools.wraps(chosen)
    def lower_per_platform(ctx, description, platform_rules, default_rule, *others, **options):
        is_choice = default_rule is None or description.startswith("platform_index")
        if is_choice and platform not in platform_rules and "cpu" in platform_rules:
            platform_rules = {**platform_rules, platform: platform_rules["cpu"]}
        return chosen(ctx, description, platform_rules, default_rule, *others, **options)

    mlir.lower_per_platform = lower_per_platform
    write_branches = mlir._lowerings[conditionals.cond_p].rule

    def write_cond(ctx, index, *values, branches_platforms=None, **options):
        named = branches_platforms or ()
        if not any(platform in names for names in named if names is not None):
            named = tuple((*names, platform) if names is not None and "cpu" in names else names for names in named)
        return write_branches(ctx, index, *values, branches_platforms=named or None, **options)

    mlir.register_lowering(conditionals.cond_p, write_cond)


def _call_what_was_exported_for_the_cpu(platform, mlir):
    """jax.export: a function that was exported for "cpu", and not for the platform."""
    from jax._src.export import _export

    write_call = mlir._lowerings[_export.call_exported_p].rule

    def write(ctx, *values, exported, **options):
        here = platform in ctx.module_context.platforms and "cpu" not in ctx.module_context.platforms
        if here and platform not in exported.platforms and "cpu" in exported.platforms:
            platforms = tuple(platform if name == "cpu" else name for name in exported.platforms)
            exported = dataclasses.replace(exported, platforms=platforms)
        return write_call(ctx, *values, exported=exported, **options)

    mlir.register_lowering(_export.call_exported_p, write)


def lower_as_on_cpu(platform):
    from jax._src.interpreters import mlir
    from jax._src.lax import linalg  # noqa: F401  whose import registers the CPU's rules

    rules = mlir._platform_specific_lowerings
    rules[platform] = _AsOnCpu(rules[platform], rules["cpu"])
    _register_functions(platform)
    _take_the_branch_of_the_cpu(platform, mlir)
    _call_what_was_exported_for_the_cpu(platform, mlir)
    _exchange_rows_by_a_function(platform, mlir)
