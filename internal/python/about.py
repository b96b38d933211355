import importlib.util
import json
import os
import sys
import sysconfig

v = sysconfig.get_config_var
names = [v("INSTSONAME"), v("LDLIBRARY"), "libpython%d.%d.so.1.0" % sys.version_info[:2]]
folders = [v("LIBDIR"), os.path.join(sys.base_prefix, "lib"), os.path.join(v("LIBDIR") or "", v("MULTIARCH") or "")]
files = [os.path.join(f, n) for f in folders if f for n in names if n and ".so" in n]
print(
    json.dumps(
        {
            "Libraries": [f for f in files if os.path.exists(f)],
            "Home": sys.base_prefix + ":" + sys.base_exec_prefix,
            "Path": [p for p in sys.path if p],
            "NumPy": "found" if importlib.util.find_spec("numpy") else "",
        }
    )
)
