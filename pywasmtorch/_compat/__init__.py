"""Being taken for torch: `import torch` that finds this package, private names that programs touch, the array API's namespace."""
