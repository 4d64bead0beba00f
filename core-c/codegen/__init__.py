"""Reads the operator tables and writes the C dispatch, the ABI, the Python bindings, the stubs and the reference page."""
