"""The conformance tests, a folder per family, run under their own pytest.ini."""
