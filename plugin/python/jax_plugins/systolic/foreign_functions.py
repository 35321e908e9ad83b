"""Foreign functions of JAX (jax.ffi) on the software TPU: those of its CPU backend, LAPACK's among them.

A handler is a C function that takes a call frame (XLA's foreign function interface); a function has one for each of its
stages. The plugin takes their addresses, which jaxlib hands out in capsules.
"""

import ctypes

from . import call_frame

PJRT_EXTENSION = 5  # of the foreign function interface


class _Extension(ctypes.Structure):
    pass


_Extension._fields_ = [
    ("struct_size", ctypes.c_size_t),
    ("type", ctypes.c_int32),
    ("next", ctypes.POINTER(_Extension)),
]


class _Registration(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("target_name", ctypes.c_char_p),
        ("target_name_size", ctypes.c_size_t),
        ("handler", ctypes.c_void_p),
        ("platform_name", ctypes.c_char_p),
        ("platform_name_size", ctypes.c_size_t),
        ("traits", ctypes.c_int32),
    ]


_Register = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_Registration))


class _ForeignFunctions(ctypes.Structure):
    _fields_ = [
        ("base", _Extension),
        ("type_register", ctypes.c_void_p),
        ("user_data_add", ctypes.c_void_p),
        ("register_handler", _Register),
    ]


class _Table(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("extensions", ctypes.POINTER(_Extension))]


def _extension(library):
    """The plugin's extension; its library is loaded already, and stays so."""
    get_table = ctypes.CDLL(library).GetPjrtApi
    get_table.restype = ctypes.POINTER(_Table)
    at = get_table().contents.extensions
    while at:
        if at.contents.type == PJRT_EXTENSION:
            return ctypes.cast(at, ctypes.POINTER(_ForeignFunctions)).contents
        at = at.contents.next
    raise NotImplementedError(f"{library} has no foreign functions")


def _table(library, platform):
    """What the plugin gives its handlers to ask for. It gives it to each that it asks what it is."""
    given = []

    @call_frame.Handler
    def see(frame):
        given.append(frame.contents.table.contents)
        call_frame.answers(frame.contents)

    name, where = b"systolic_table", platform.encode()
    _extension(library).register_handler(ctypes.byref(_Registration(
        ctypes.sizeof(_Registration), name, len(name), ctypes.cast(see, ctypes.c_void_p).value, where, len(where), 0)))
    if not given:
        raise NotImplementedError(f"{library} asks nothing of its foreign functions")
    return given[0]


def _address(capsule):
    name_of = ctypes.pythonapi.PyCapsule_GetName
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return pointer_of(capsule, name_of(capsule))


class Registry:
    """Where the plugin has its foreign functions and the types of their states."""

    def __init__(self, platform, library):
        self.platform, self.table = platform.encode(), _table(library, platform)

    def add(self, name, execute, instantiate=None, prepare=None, initialize=None, traits=0):
        """A function by the addresses of its handlers."""
        error = self.table.handler_register(ctypes.byref(call_frame.sized(
            call_frame.HandlerRegisterArgs, call_frame.text(name.encode()), call_frame.text(self.platform), instantiate,
            prepare, initialize, execute, traits)))
        call_frame.raise_error(self.table, error)

    def add_type(self, name, type_id, info=None):
        """A type of states by the addresses of its number, which may be given here, and of what destroys them."""
        error = self.table.type_register(ctypes.byref(call_frame.sized(
            call_frame.TypeRegisterArgs, call_frame.text(name.encode()), type_id, info)))
        call_frame.raise_error(self.table, error)


def accept(platform, library):
    """From now on jax.ffi.register_ffi_target(..., platform=platform) registers with the plugin. Returns its registry."""
    from jax._src.lib import xla_client

    registry = Registry(platform, library)

    def register(name, function, platform_name, api_version=1, traits=0):
        if api_version != 1:
            raise NotImplementedError(f"{name}: the untyped interface, version {api_version}, of foreign functions")
        handlers = function if isinstance(function, dict) else {"execute": function}
        registry.add(name if isinstance(name, str) else name.decode(),
                     **{stage: _address(handler) for stage, handler in handlers.items()}, traits=traits)

    def register_type(name, registration):
        info = registration.get("type_info")
        registry.add_type(name, _address(registration["type_id"]), _address(info) if info is not None else None)

    xla_client.register_custom_call_handler(platform, register)
    xla_client.register_custom_type_handler(platform, register_type)
    return registry
