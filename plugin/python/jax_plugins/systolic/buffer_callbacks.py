"""jax.experimental.buffer_callback on the software TPU: functions of Python that write into a program's own arrays."""

from . import callbacks


class Buffer:
    """An array of the running program, for NumPy (`numpy.asarray`) and by DLPack; gone when the callback returns."""

    def __init__(self, array, writeable):
        self._array = array.view()
        self._array.flags.writeable = writeable

    dtype = property(lambda self: self._array.dtype)
    shape = property(lambda self: self._array.shape)
    ndim = property(lambda self: self._array.ndim)
    writeable = property(lambda self: bool(self._array.flags.writeable))

    def __array__(self, dtype=None, copy=None):
        array = self._array if dtype is None or dtype == self.dtype else self._array.astype(dtype)
        return array.copy() if copy and array is self._array else array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()

    def __repr__(self):
        return f"Buffer(shape={self.shape}, dtype={self.dtype}, writeable={self.writeable})"


class ExecutionContext:
    def __init__(self, stage):
        self.stage = stage

    @property
    def stream(self):
        from jax.errors import JaxRuntimeError

        raise JaxRuntimeError("XLA FFI GPU context is not available: the software TPU has no streams")


class _BufferCallback(callbacks.Callback):
    """`aliases`: pairs of an argument and a result that are one array."""

    def __init__(self, function, arguments, results, aliases):
        super().__init__(function, arguments, results)
        self.aliases = dict(aliases)

    def run(self, frame):
        from jax._src import buffer_callback

        given, wanted = self.views(frame)
        for i, k in self.aliases.items():
            wanted[k][...] = given[i]
            given[i] = wanted[k]
        context = ExecutionContext(buffer_callback.ExecutionStage.EXECUTE)
        self.function(context, *[Buffer(array, i in self.aliases) for i, array in enumerate(given)],
                      *[Buffer(array, True) for array in wanted])


def lower_as_foreign_functions(platform):
    from jax._src import buffer_callback, tree_util
    from jax._src.interpreters import mlir

    def lower(ctx, *operands, callback, in_tree, out_tree, has_side_effect, input_output_aliases, **_):
        def function(context, *arrays):
            given, wanted = arrays[:in_tree.num_leaves], arrays[in_tree.num_leaves:]
            values, named = tree_util.tree_unflatten(in_tree, given)
            if callback(context, tree_util.tree_unflatten(out_tree, wanted), *values, **named) is not None:
                raise ValueError("buffer_callback callback must not return any values.")

        kept = _BufferCallback(function, ctx.avals_in, ctx.avals_out, input_output_aliases)
        return callbacks.call(ctx, kept, operands, ctx.avals_in, ctx.avals_out, has_side_effect)

    mlir.register_lowering(buffer_callback.buffer_callback_p, lower, platform=platform)
