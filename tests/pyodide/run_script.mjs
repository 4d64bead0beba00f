// Runs one Python file in Pyodide under Node, as `python FILE ARGUMENTS` would.
import path from "node:path";
import { splitArguments, start } from "./pyodide.mjs";

const { values, rest } = splitArguments("run_script.mjs --wheel FILE [--threads N] SCRIPT [ARGUMENTS]", {
  wheel: { type: "string" },
  threads: { type: "string", default: "1" },
});
const script = path.resolve(rest[0]);
const pyodide = await start({
  wheel: values.wheel,
  threads: Number(values.threads),
  folders: { "/mnt/script": path.dirname(script) },
});
const status = pyodide.runPython(
  `
import runpy, sys, traceback
sys.argv = list(ARGUMENTS)
status = 0
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
except SystemExit as end:
    status = end.code if isinstance(end.code, int) else int(end.code is not None)
except BaseException:
    traceback.print_exc()
    status = 1
sys.stdout.flush()
sys.stderr.flush()
status`,
  { globals: pyodide.toPy({ ARGUMENTS: [`/mnt/script/${path.basename(script)}`, ...rest.slice(1)] }) },
);
process.exit(status);
