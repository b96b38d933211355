import ctypes
import gc
import json
import weakref

_api = ctypes.pythonapi
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_api.PyCapsule_GetName.restype = ctypes.c_char_p
_api.PyCapsule_GetName.argtypes = [ctypes.py_object]
_api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
_api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]

# A capsule only points to its name.
_names = {False: b"dltensor", True: b"dltensor_versioned"}
_used = {b"dltensor": b"used_dltensor", b"dltensor_versioned": b"used_dltensor_versioned"}


def capsule(address, versioned):
    return _api.PyCapsule_New(address, _names[versioned], None)


class Lent:
    """A DLPack record of ours, as consumers want to be given it."""

    def __init__(self, address, versioned, device):
        self.address, self.versioned, self.device = address, versioned, device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **wishes):
        return capsule(self.address, self.versioned)


class Shown:
    """An object with an attribute of the array interface."""

    def __init__(self, attribute, record):
        setattr(self, attribute, record)


def take(c):
    """Takes the record out of a capsule: its address, and 1 if it is versioned."""
    name = _api.PyCapsule_GetName(c)
    address = _api.PyCapsule_GetPointer(c, name)
    for old, new in _used.items():
        if old == name:
            _api.PyCapsule_SetName(c, new)
    return [address, int(name == _names[True])]
