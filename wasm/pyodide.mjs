// Runs a Python program in Pyodide under Node, with this source tree's package or a wheel of it.
//
//   node wasm/pyodide.mjs [options] program.py [arguments]      node wasm/pyodide.mjs [options] -m module [arguments]
//
//   --wheel FILE    use this wheel of pywasmtorch instead of the source tree (build it first: make build)
//   --wheels DIR    load every wheel in this folder, too
//   --packages DIR  find packages in this folder of the machine's, after all others
//   --threads N     start N threads before the program (default: PYWASMTORCH_NUM_THREADS, or 1)
//   --plain         without shared memory, as in a page that is not isolated
//
// A program may define `async def async_main()`, which is awaited when the program has run.
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const mount = "/project";

function parseArguments(words) {
  const options = { wheel: null, wheels: null, packages: null, threads: Number(process.env.PYWASMTORCH_NUM_THREADS ?? 1), plain: false };
  while (words.length && words[0].startsWith("--")) {
    const name = words.shift().slice(2);
    if (!(name in options)) throw new Error(`unknown option --${name}`);
    options[name] = name === "plain" ? true : name === "threads" ? Number(words.shift()) : words.shift();
  }
  if (!words.length) throw new Error("which program? node wasm/pyodide.mjs [options] program.py [arguments]");
  return [options, words];
}

function pyodideFolder() {
  if (process.env.PYODIDE_DIR) return process.env.PYODIDE_DIR;
  try {
    return path.dirname(createRequire(path.join(root, "package.json")).resolve("pyodide/package.json"));
  } catch {
    throw new Error("Pyodide is missing: npm ci");
  }
}

function ownSettings() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith("PYWASMTORCH_")));
}

const RUN = `
import os, runpy, sys
os.chdir(FOLDER)
# the folder that the program is started in holds the source tree, which must not stand in for a wheel
sys.path[:] = [folder for folder in sys.path if folder]
for folder in PATHS:
    sys.path.insert(0, folder)
if PACKAGES:
    sys.path.append(PACKAGES)
if THREADS > 1:
    import pywasmtorch._core.host
    await pywasmtorch._core.host.load().start_threads(THREADS)
status = 0
try:
    if ARGUMENTS[0] == "-m":
        sys.argv = ARGUMENTS[1:]
        runpy.run_module(ARGUMENTS[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = ARGUMENTS
        sys.path.insert(0, os.path.dirname(os.path.abspath(ARGUMENTS[0])))
        program = runpy.run_path(ARGUMENTS[0], run_name="__main__")
        if "async_main" in program:
            await program["async_main"]()
except SystemExit as end:
    status = end.code if isinstance(end.code, int) else int(end.code is not None)
    if isinstance(end.code, str):
        print(end.code, file=sys.stderr)
except BaseException:
    import traceback
    traceback.print_exc()
    status = 1
sys.stdout.flush()
sys.stderr.flush()
status
`;

async function main() {
  const [options, words] = parseArguments(process.argv.slice(2));
  if (options.plain) delete globalThis.SharedArrayBuffer;
  const { loadPyodide } = await import(pathToFileURL(path.join(pyodideFolder(), "pyodide.mjs")).href);
  const python = await loadPyodide({ env: { HOME: "/home/pyodide", PYTHONDONTWRITEBYTECODE: "1", ...ownSettings() } });
  python.setStdout({ write: (bytes) => fs.writeSync(1, bytes) });
  python.setStderr({ write: (bytes) => fs.writeSync(2, bytes) });
  python.FS.mkdirTree(mount);
  python.FS.mount(python.FS.filesystems.NODEFS, { root }, mount);

  const quiet = { messageCallback: () => {} };
  const wheels = options.wheels ? fs.readdirSync(options.wheels).map((name) => path.join(options.wheels, name)) : [];
  if (options.wheel) wheels.push(options.wheel);
  for (const wheel of wheels.filter((name) => name.endsWith(".whl"))) {
    const bytes = new Uint8Array(fs.readFileSync(wheel));
    python.unpackArchive(bytes, "wheel", { extractDir: python.runPython("import site; site.getsitepackages()[0]") });
  }
  const packages = options.packages && "/packages";
  if (packages) {
    python.FS.mkdirTree(packages);
    python.FS.mount(python.FS.filesystems.NODEFS, { root: path.resolve(options.packages) }, packages);
  }
  const folder = path.posix.join(mount, path.relative(root, process.cwd()).split(path.sep).join("/"));
  if (!fs.existsSync(path.join(root, path.relative(mount, folder)))) throw new Error(`run this inside ${root}`);
  const globals = python.toPy({ FOLDER: folder, PATHS: options.wheel ? [] : [mount], PACKAGES: packages ?? "", THREADS: options.threads, ARGUMENTS: words });
  process.exitCode = await python.runPythonAsync(RUN, { globals });
}

main().then(() => process.exit(), (error) => {
  console.error(String(error?.message ?? error));
  process.exit(1);
});
