"""What is recorded: one module for each family of operators or programs."""
