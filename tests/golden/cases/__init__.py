"""Recorded cases: one module per family of operators or programs."""
