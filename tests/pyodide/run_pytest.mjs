// Runs pytest in Pyodide under Node, in the project's folder. run_pytest.py calls it with everything in place.
import { ROOT, splitArguments, start, wheelsIn } from "./pyodide.mjs";

const { values, rest } = splitArguments("run_pytest.mjs --wheel FILE --wheels FOLDER [--threads N] PYTEST-ARGUMENTS", {
  wheel: { type: "string" },
  wheels: { type: "string" },
  threads: { type: "string", default: "1" },
});
const pyodide = await start({
  wheel: values.wheel,
  wheels: wheelsIn(values.wheels),
  threads: Number(values.threads),
  folders: { "/mnt/project": ROOT },
});
// the package comes from the wheel, not from the source tree that pytest would put first
const status = pyodide.runPython(
  `
import os, pytest, pywasmtorch
os.chdir("/mnt/project")
int(pytest.main([*ARGUMENTS, "-p", "no:cacheprovider", "--override-ini=pythonpath="]))`,
  { globals: pyodide.toPy({ ARGUMENTS: rest }) },
);
process.exit(status);
