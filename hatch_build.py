"""Hatchling's build hook: builds the WebAssembly binary and puts it, with the generated Python files, in the wheel."""
import sys
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WasmBuildHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict) -> None:
        sys.path.insert(0, self.root)
        from wasm.build import build

        root = Path(self.root)
        build(root)
        package = root / "pywasmtorch"
        build_data["artifacts"] += ["pywasmtorch/pywasmtorch.wasm", "pywasmtorch/pywasmtorch.json",
                                    "pywasmtorch/_core/host/*.js", "pywasmtorch/_core/generated/*.py"]
        if not (package / "pywasmtorch.wasm").exists():
            raise RuntimeError("the build left no pywasmtorch/pywasmtorch.wasm")
