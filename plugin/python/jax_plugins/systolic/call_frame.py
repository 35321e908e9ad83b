"""What a handler of XLA's foreign function interface is given (xla/ffi/api/c_api.h), for ctypes.

plugin/ffi/ffi_abi.h has the same for the plugin.
"""

import ctypes

MAJOR, MINOR = 0, 3  # the version of the interface
INTERNAL = 13  # an error's code


class Head(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("extensions", ctypes.c_void_p)]


class Version(Head):
    _fields_ = [("major", ctypes.c_int32), ("minor", ctypes.c_int32)]


class Metadata(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("version", Version)]


class MetadataExtension(ctypes.Structure):  # asks what the handler is instead of running it
    _fields_ = [("struct_size", ctypes.c_size_t), ("type", ctypes.c_int32), ("next", ctypes.c_void_p),
                ("metadata", ctypes.POINTER(Metadata))]


class ErrorCreateArgs(Head):
    _fields_ = [("message", ctypes.c_char_p), ("code", ctypes.c_int32)]


class ErrorArgs(Head):
    _fields_ = [("error", ctypes.c_void_p), ("message", ctypes.c_char_p)]  # the message comes out


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]


class HandlerRegisterArgs(Head):
    _fields_ = [("name", Text), ("platform", Text), ("instantiate", ctypes.c_void_p), ("prepare", ctypes.c_void_p),
                ("initialize", ctypes.c_void_p), ("execute", ctypes.c_void_p), ("traits", ctypes.c_uint32)]


class TypeInfo(Head):
    _fields_ = [("deleter", ctypes.c_void_p)]


class TypeRegisterArgs(Head):
    _fields_ = [("name", Text), ("type_id", ctypes.c_void_p), ("info", ctypes.c_void_p)]


class StateArgs(Head):
    _fields_ = [("context", ctypes.c_void_p), ("stage", ctypes.c_int32), ("type_id", ctypes.POINTER(ctypes.c_int64)),
                ("state", ctypes.c_void_p)]


def _asks(kind):
    return ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(kind))


class Table(Head):
    _fields_ = [("version", Version), ("internal", ctypes.c_void_p), ("error_create", _asks(ErrorCreateArgs)),
                ("error_message", ctypes.CFUNCTYPE(None, ctypes.POINTER(ErrorArgs))),
                ("error_destroy", ctypes.CFUNCTYPE(None, ctypes.POINTER(ErrorArgs))),
                ("handler_register", _asks(HandlerRegisterArgs)), ("stream_get", ctypes.c_void_p),
                ("type_register", _asks(TypeRegisterArgs)), ("context_get", ctypes.c_void_p),
                ("state_set", _asks(StateArgs)), ("state_get", _asks(StateArgs))]


def sized(kind, *fields):
    """A structure of what this module knows; its fields after the head."""
    return kind(ctypes.sizeof(kind), None, *fields)


def text(string):
    return Text(string, len(string))


def raise_error(table, error):
    """Raises what the plugin returned; None means no error."""
    if not error:
        return
    args = sized(ErrorArgs, error)
    table.error_message(ctypes.byref(args))
    message = args.message.decode()
    table.error_destroy(ctypes.byref(args))
    raise RuntimeError(message)


class Buffer(Head):
    _fields_ = [("dtype", ctypes.c_int32), ("data", ctypes.c_void_p), ("rank", ctypes.c_int64),
                ("dims", ctypes.POINTER(ctypes.c_int64))]


class Buffers(Head):
    _fields_ = [("size", ctypes.c_int64), ("types", ctypes.POINTER(ctypes.c_int32)),
                ("buffers", ctypes.POINTER(ctypes.POINTER(Buffer)))]


class Scalar(ctypes.Structure):
    _fields_ = [("dtype", ctypes.c_int32), ("value", ctypes.POINTER(ctypes.c_uint64))]


class Options(Head):
    _fields_ = [("size", ctypes.c_int64), ("types", ctypes.POINTER(ctypes.c_int32)), ("names", ctypes.c_void_p),
                ("values", ctypes.POINTER(ctypes.POINTER(Scalar)))]


class CallFrame(Head):
    _fields_ = [("table", ctypes.POINTER(Table)), ("context", ctypes.c_void_p), ("stage", ctypes.c_int32),
                ("arguments", Buffers), ("results", Buffers), ("options", Options)]


Handler = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(CallFrame))


def answers(frame):
    """Whether the handler was only asked what it is; it has answered then."""
    if not frame.extensions:
        return False
    asked = ctypes.cast(frame.extensions, ctypes.POINTER(MetadataExtension)).contents
    asked.metadata.contents.version.major = MAJOR
    asked.metadata.contents.version.minor = MINOR
    return True
