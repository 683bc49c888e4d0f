"""Build entry point; extension modules have no key in pyproject.toml.

The one that there is brings no module: it is the library that stops a program before a change of a file
(`pytest_vindex3/contract/preload.py`). It knows nothing of Python, so that one build serves every
interpreter. Without a C compiler, or off Linux, the kit is built without it.
"""

import os
import shutil
import sys
import sysconfig

from setuptools import Extension, setup

COMPILER = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"

SHIM = Extension(
    "pytest_vindex3.contract.shim.changes",
    ["pytest_vindex3/contract/shim/changes.c"],
    libraries=["dl"],
    py_limited_api=True,
    optional=True,
)

if sys.platform == "linux" and shutil.which(COMPILER.split()[0]):
    setup(ext_modules=[SHIM], options={"bdist_wheel": {"py_limited_api": "cp311"}})
else:
    setup()
