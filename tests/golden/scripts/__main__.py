"""Record the output of the scripts with PyTorch."""

from . import FOLDER, NAMES, output_of, source

for name in NAMES:
    (FOLDER / f"{name}.txt").write_text(output_of(source(name)))
    print(name)
