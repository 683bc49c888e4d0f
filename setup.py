"""Build entry point; extension modules have no key in pyproject.toml.

All are optional, and one build for every later Python: the kernels of the reference, which numpy stands in
for where they are not (`vindex3_reference/kernels/native.py`), and the libraries that stop a program before a
change of a file and that see its reads (`pytest_vindex3/contract/preload.py`), which know nothing of Python.
Without a C compiler, or off Linux, the kit is built without them.
"""

import os
import shutil
import sys
import sysconfig

from setuptools import Extension, setup

COMPILER = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"

SHIMS = [
    Extension(
        f"pytest_vindex3.contract.shim.{name}",
        [f"pytest_vindex3/contract/shim/{name}.c"],
        depends=["pytest_vindex3/contract/shim/preloaded.h"],
        libraries=["dl"],
        py_limited_api=True,
        optional=True,
    )
    for name in ("changes", "reads")
]

if sys.platform == "linux" and shutil.which(COMPILER.split()[0]):
    setup(
        ext_modules=SHIMS,
        cffi_modules=["reference/vindex3_reference/kernels/build.py:ffibuilder"],
        options={"bdist_wheel": {"py_limited_api": "cp311"}},
    )
else:
    setup()
