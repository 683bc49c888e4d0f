"""`python -m pytest_vindex3.command`: the command without its script."""

from pytest_vindex3.command import main

main()
