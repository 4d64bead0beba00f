// Starts Pyodide under Node with our wheel and others installed. Shared by run_script.mjs and run_pytest.mjs.
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { loadPyodide } from "pyodide";

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

// Everything after the options that we know is left to the script: `--wheel W --threads 2 script.py --its-own option`.
export function splitArguments(usage, ours) {
  const own = process.argv.slice(2);
  let end = 0;
  while (end < own.length && ours[own[end].replace(/^--/, "")] !== undefined) end += 2;
  const { values } = parseArgs({ args: own.slice(0, end), options: ours });
  const rest = own.slice(end);
  if (!values.wheel || rest.length === 0) {
    console.error(`usage: node ${usage}`);
    process.exit(2);
  }
  return { values, rest };
}

export async function start({ wheel, wheels = [], threads = 1, folders = {} }) {
  const settings = Object.entries(process.env).filter(([name]) => name.startsWith("PYWASMTORCH_"));
  const pyodide = await loadPyodide({
    env: { HOME: "/home/pyodide", PYTHONDONTWRITEBYTECODE: "1", ...Object.fromEntries(settings) },
  });
  for (const [inside, outside] of Object.entries(folders)) {
    pyodide.FS.mkdirTree(inside);
    pyodide.mountNodeFS(inside, outside);
  }
  await pyodide.loadPackage([...wheels, wheel].map((file) => path.resolve(file)), { messageCallback: () => {} });
  if (threads > 1) await startThreads(pyodide, threads);
  return pyodide;
}

async function startThreads(pyodide, wanted) {
  const working = await pyodide.runPythonAsync(`
import pywasmtorch
await pywasmtorch.start_threads(${wanted})
pywasmtorch.get_num_threads()`);
  if (working !== wanted) throw new Error(`asked for ${wanted} threads and got ${working}`);
}

export function wheelsIn(folder) {
  return fs.readdirSync(folder).filter((name) => name.endsWith(".whl")).map((name) => path.join(folder, name));
}
