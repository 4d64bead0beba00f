"""Between Python and the core: hosts, the frame, arguments, dispatch, dtypes, sizes, devices, generated operators."""
