"""Between Python and the core: hosts, the frame, calls and their arguments, dtypes and sizes, and what is generated."""
