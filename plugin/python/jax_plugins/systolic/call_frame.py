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


class Table(Head):
    _fields_ = [("version", Version), ("internal", ctypes.c_void_p),
                ("error_create", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(ErrorCreateArgs)))]


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
