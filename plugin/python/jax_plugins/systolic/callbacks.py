"""Callbacks to Python on the software TPU: jax.pure_callback, jax.experimental.io_callback, jax.debug.

JAX writes a callback as a call of a foreign function. Here that function is one handler for all of them, written in
Python, which finds the callback by a number that the call holds.
"""

import collections
import ctypes
import secrets
import traceback
import weakref

import ml_dtypes
import numpy as np

from . import call_frame

TARGET = "systolic_python_callback"


class Callback:
    """A function of Python, and the arrays that it takes and gives."""

    def __init__(self, function, arguments, results):
        from jax._src import core

        self.function = function
        self.arguments, self.results = ([core.physical_aval(aval) for aval in avals] for avals in (arguments, results))

    def views(self, frame):
        """The arrays where they lie: those taken, those to give."""
        return ([view(frame.arguments.buffers[i], aval.dtype) for i, aval in enumerate(self.arguments)],
                [view(frame.results.buffers[i], aval.dtype) for i, aval in enumerate(self.results)])

    def run(self, frame):
        # Copies: what a callback keeps outlives the memory of the run.
        given, wanted = self.views(frame)
        values = _checked(self.function(*[array.copy() for array in given]), self.results)
        for memory, value in zip(wanted, values):
            _put(memory, value)


# By number, which no other process has: a program that was compiled there finds nothing here. A callback lives as long as
# the programs that call it: each call in one of them holds it once, as the state that the plugin destroys with the program.
_callbacks = weakref.WeakValueDictionary()
_held = collections.defaultdict(list)
_state_type = ctypes.c_int64(0)


def view(buffer, dtype):
    """The array where it lies."""
    buffer, dtype = buffer.contents, np.dtype(dtype)
    shape = tuple(buffer.dims[:buffer.rank])
    size = int(np.prod(shape)) * dtype.itemsize
    if size == 0:
        return np.empty(shape, dtype)
    return np.frombuffer((ctypes.c_char * size).from_address(buffer.data), dtype).reshape(shape)


def _checked(values, avals):
    from jax._src import dtypes

    if len(values) != len(avals):
        raise RuntimeError(f"the callback returned {len(values)} arrays, expected {len(avals)}")
    values = [dtypes.canonicalize_value(np.asarray(value)) for value in values]
    for i, (value, aval) in enumerate(zip(values, avals)):
        if value.shape != aval.shape or value.dtype != aval.dtype:
            raise RuntimeError(f"the callback's result {i} is {value.dtype}{list(value.shape)}, "
                               f"expected {np.dtype(aval.dtype)}{list(aval.shape)}")
    return values


def _put(memory, value):
    if memory.dtype.name in ("int2", "uint2", "int4", "uint4"):  # a byte that is the number; NumPy's has it in few bits
        memory, value = memory.view(np.int8), value.astype(np.int8)
    memory[...] = value


def _number(frame):
    return frame.options.values[0].contents.value[0]


def _call(frame):
    from jax._src import mesh, sharding_impls

    number = _number(frame)
    callback = _callbacks.get(number)
    if callback is None:
        raise RuntimeError("a callback of a program that was compiled by another process")
    # What it computes with JAX is not on the mesh of the program that calls it.
    with sharding_impls._internal_use_concrete_mesh(mesh.empty_concrete_mesh), \
            mesh.use_abstract_mesh(mesh.empty_abstract_mesh):
        callback.run(frame)


@call_frame.Handler
def _handler(frame):
    frame = frame.contents
    if call_frame.answers(frame):
        return None
    try:
        _call(frame)
        return None
    except BaseException:  # nothing may pass through the C function that called this one
        arguments = call_frame.ErrorCreateArgs(ctypes.sizeof(call_frame.ErrorCreateArgs), None,
                                               traceback.format_exc().encode(), call_frame.INTERNAL)
        return frame.table.contents.error_create(ctypes.byref(arguments))


@call_frame.Handler
def _hold(frame):
    frame = frame.contents
    if call_frame.answers(frame):
        return None
    number = _number(frame)
    callback = _callbacks.get(number)
    if callback is None:  # said when it is called
        return None
    _held[number].append(callback)
    return frame.table.contents.state_set(ctypes.byref(call_frame.sized(
        call_frame.StateArgs, frame.context, frame.stage, ctypes.pointer(_state_type), number)))


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _release(number, held=_held):  # of its own: programs may outlive this module's names
    held[number].pop()
    if not held[number]:
        del held[number]


_state_info = call_frame.sized(call_frame.TypeInfo, ctypes.cast(_release, ctypes.c_void_p))


def _as_bits(aval):
    """The type in which a call takes the array: floats of 4 and 8 bits that the engine lacks go as their bits.

    They are wider within a program, so that their bytes are not at hand there.
    """
    name = "" if _is_key(aval) else np.dtype(aval.dtype).name
    if not name.startswith(("float8", "float4")) or name in ("float8_e4m3fn", "float8_e5m2"):
        return aval
    return aval.update(dtype=np.dtype("uint8") if name.startswith("float8") else ml_dtypes.uint4)


def _bitcast(ctx, value, aval, wanted):
    from jax._src.lib.mlir.dialects import hlo
    from jax.interpreters import mlir

    return value if wanted is aval else hlo.bitcast_convert(mlir.aval_to_ir_type(ctx.module_context, wanted), value)


def _is_key(aval):
    from jax import dtypes

    return not hasattr(aval, "dtype") or dtypes.issubdtype(aval.dtype, dtypes.extended)


def _number_of(callback):
    number = secrets.randbits(63)
    _callbacks[number] = callback
    return np.uint64(number)


def call(ctx, callback, operands, operand_avals, result_avals, has_side_effect, partitioned=False, sharding=None):
    """Writes the call into the program; its results."""
    from jax._src import ffi
    from jax._src.interpreters import mlir

    taken, given = ([_as_bits(aval) for aval in avals] for avals in (operand_avals, result_avals))
    operands = [_bitcast(ctx, *of) for of in zip(operands, operand_avals, taken)]
    ctx.module_context.add_keepalive(callback)
    write = ffi.build_ffi_lowering_function(TARGET, has_side_effect=has_side_effect)
    written = write(ctx.replace(avals_in=taken, avals_out=given), *operands,
                    number=_number_of(callback), partitioned=np.bool_(partitioned))
    if sharding is not None:
        mlir.set_sharding(ctx.module_context, written, sharding)
    return [_bitcast(ctx, *of) for of in zip(written.results, given, result_avals)]


def lower_as_foreign_functions(platform, registry):
    from jax._src import callback as jax_callback
    from jax.interpreters import mlir as jax_mlir

    registry.add_type(TARGET, ctypes.addressof(_state_type), ctypes.addressof(_state_info))
    registry.add(TARGET, ctypes.cast(_handler, ctypes.c_void_p).value, ctypes.cast(_hold, ctypes.c_void_p).value)
    elsewhere = jax_callback.emit_python_callback

    def emit(ctx, callback, token, operands, operand_avals, result_avals, *, has_side_effect, partitioned=False,
             sharding=None, **others):
        if tuple(ctx.module_context.platforms) != (platform,):
            return elsewhere(ctx, callback, token, operands, operand_avals, result_avals,
                             has_side_effect=has_side_effect, partitioned=partitioned, sharding=sharding, **others)
        if partitioned and result_avals:
            raise ValueError("a callback on each device's part of an array (partitioned=True) that returns values")
        # The plugin runs calls with side effects in the order of the program, so that a token needs no thread.
        results = call(ctx, Callback(callback, operand_avals, result_avals), operands, operand_avals, result_avals,
                       has_side_effect, partitioned, sharding)
        return results, token, callback

    jax_callback.emit_python_callback = emit
    jax_mlir.emit_python_callback = emit  # by which others write theirs
