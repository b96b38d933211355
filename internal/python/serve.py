import ctypes
import json
import traceback

_names = {}


def _serve(code, reply, size):
    """Runs the code at an address; leaves the answer at another."""
    _names["answer"] = None
    try:
        exec(ctypes.string_at(code).decode(), _names)
        text = "ok " + json.dumps(_names["answer"])
    except BaseException:
        text = "failed " + traceback.format_exc()
    data = text.encode()[: size - 1] + b"\0"
    ctypes.memmove(reply, data, len(data))
