"""Build entry point; extension modules have no key in pyproject.toml."""

from setuptools import setup

setup()
