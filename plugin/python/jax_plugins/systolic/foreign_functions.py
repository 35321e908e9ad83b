"""Foreign functions of JAX (jax.ffi) on the software TPU: those of its CPU backend, LAPACK's among them.

A handler is a C function that takes a call frame (XLA's foreign function interface). The plugin's PJRT extension takes
its address; jaxlib hands addresses out in capsules.
"""

import ctypes

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


def _address(capsule):
    name_of = ctypes.pythonapi.PyCapsule_GetName
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return pointer_of(capsule, name_of(capsule))


def accept(platform, library):
    """From now on jax.ffi.register_ffi_target(..., platform=platform) registers with the plugin.

    Returns the function that registers a handler's address under a name.
    """
    from jax._src.lib import xla_client

    extension = _extension(library)

    def add(name, address):
        name, where = name.encode(), platform.encode()
        error = extension.register_handler(
            ctypes.byref(
                _Registration(ctypes.sizeof(_Registration), name, len(name), address, where, len(where), 0)))
        if error:
            raise RuntimeError(f"the plugin refuses the foreign function {name.decode()}")

    def register(name, function, platform_name, api_version=1, traits=0):
        if api_version != 1:
            raise NotImplementedError(f"{name}: the untyped interface, version {api_version}, of foreign functions")
        if isinstance(function, dict):
            if set(function) != {"execute"}:
                raise NotImplementedError(f"{name}: a foreign function with the stages {sorted(function)}")
            function = function["execute"]
        add(name if isinstance(name, str) else name.decode(), _address(function))

    xla_client.register_custom_call_handler(platform, register)
    return add
