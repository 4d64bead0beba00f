// The page's worker: runs Python (Pyodide) and trains in it, in short slices, so that it hears the page in between.
//   from the page   {type: "train", seed, epochs, threads} | "pause" | "resume" | {type: "look", pixels}
//   to the page     loading, ready, begun, steps, epoch, done, seen, error: each posted below where it happens

const SLICE_MS = 40;
const RATE_WINDOW_MS = 1500;

const post = (type, content = {}) => self.postMessage({ type, ...content });
const nextTask = () => new Promise((resolve) => {
  const { port1, port2 } = new MessageChannel();
  port2.onmessage = resolve;
  port1.postMessage(0);
});

let pyodide, program, run;
let generation = 0;
let paused = false;
let wake = () => {};
let lookingAt = null;

// ---- loading ----

// The server's answer to a request; anything but success is an error that names the address.
const browserFetch = self.fetch;
async function download(...request) {
  const address = String(request[0]?.url ?? request[0]);
  const response = await browserFetch(...request).catch((error) => {
    throw new Error(`${address} could not be fetched: ${error.message}`);
  });
  if (!response.ok) throw new Error(`${address} could not be fetched: the server answered ${response.status}`);
  return response;
}

// From here on every download, Pyodide's own too, is counted, so that the page can say how much is still to come. Returns a
// promise that fails with the first download that does: Pyodide waits for ever for a file that does not come.
function countDownloads(sizes) {
  const total = Object.values(sizes).reduce((sum, size) => sum + size, 0);
  let done = 0;
  const counter = () => new TransformStream({
    transform(chunk, controller) {
      done = Math.min(done + chunk.byteLength, total);
      post("loading", { what: "download", done, total });
      controller.enqueue(chunk);
    },
  });
  return new Promise((_, reject) => {
    self.fetch = async (...request) => {
      try {
        const { body, status, headers } = await download(...request);
        return new Response(body.pipeThrough(counter()), { status, headers });
      } catch (error) {
        reject(error);
        throw error;
      }
    };
  });
}

async function load() {
  const site = await (await download("site.json")).json();
  const brokenDownload = countDownloads(site.sizes);
  return Promise.race([brokenDownload, loadParts(site)]);
}

async function loadParts(site) {
  const [wheel, text, python] = await Promise.all([
    fetch(site.wheel).then((response) => response.arrayBuffer()),
    fetch("train_digits.py").then((response) => response.text()),
    import("./pyodide/pyodide.mjs").then(({ loadPyodide }) => loadPyodide()),
  ]);
  post("loading", { what: "package" });
  pyodide = python;
  pyodide.unpackArchive(wheel, "wheel");
  pyodide.FS.writeFile("/home/pyodide/train_digits.py", text);
  program = pyodide.pyimport("train_digits");
  return { site, text };
}

function describe() {
  const found = pyodide.runPython(`
import platform, pywasmtorch
from pywasmtorch._core.host import load
{"python": platform.python_version(), "version": pywasmtorch.__version__, "binary": load().sha256}`);
  const plain = found.toJs({ dict_converter: Object.fromEntries });
  found.destroy();
  return plain;
}

async function useThreads(wanted) {
  if (!self.crossOriginIsolated) return 1;
  const torch = pyodide.pyimport("pywasmtorch");
  try {
    await torch.start_threads(wanted);
    return torch.get_num_threads();
  } finally {
    torch.destroy();
  }
}

// ---- training ----

function list(tensor) {
  const items = tensor.tolist();
  const plain = items.toJs();
  items.destroy();
  tensor.destroy();
  return plain;
}

function prepare(seed, epochs) {
  run?.destroy();
  run = program.Training.callKwargs({ seed, epochs });
  const flat = run.test_images.flatten();
  const pixels = Uint8Array.from(list(flat), (value) => Math.round(value * 16));
  return { totalSteps: run.total_steps, pixels, labels: list(run.test_labels) };
}

// Steps per second over the last moments, not counting pauses.
class Rate {
  marks = [];
  active = 0;
  steps = 0;

  add(steps, milliseconds) {
    this.active += milliseconds;
    this.steps += steps;
    this.marks.push([this.active, this.steps]);
    while (this.marks.length > 2 && this.active - this.marks[0][0] > RATE_WINDOW_MS) this.marks.shift();
  }

  get recent() {
    const [time, steps] = this.marks[0];
    return this.marks.length < 2 ? this.overall : (1000 * (this.steps - steps)) / (this.active - time);
  }

  get overall() {
    return (1000 * this.steps) / this.active;
  }
}

function takeSteps(steps) {
  const states = [];
  const start = performance.now();
  let finished = false;
  while (!finished && performance.now() - start < SLICE_MS) {
    const { done, value } = steps.next();
    finished = done;
    if (value) {
      states.push(value.toJs({ dict_converter: Object.fromEntries }));
      value.destroy();
    }
  }
  return { states, finished, milliseconds: performance.now() - start };
}

async function train({ seed, epochs, threads }) {
  const own = ++generation;
  paused = false;
  wake();
  const working = await useThreads(threads);
  if (own !== generation) return;
  post("begun", { ...prepare(seed, epochs), threads: working });
  const steps = run.steps();
  const rate = new Rate();
  try {
    for (let finished = false; !finished; ) {
      const slice = takeSteps(steps);
      finished = slice.finished;
      rate.add(slice.states.length, slice.milliseconds);
      report(slice.states, rate.recent);
      await nextTask();
      while (paused && own === generation) await new Promise((resolve) => (wake = resolve));
      if (own !== generation) return;
    }
  } finally {
    steps.destroy();
  }
  post("done", { sha256: run.sha256(), accuracy: run.accuracy(), rate: rate.overall, seconds: rate.active / 1000 });
}

function report(states, rate) {
  post("steps", { states, rate });
  if (states.some((state) => state.accuracy !== undefined)) post("epoch", { guesses: list(run.guesses()) });
  if (lookingAt) look(lookingAt);
}

function look(pixels) {
  lookingAt = pixels;
  if (!pixels || !run) return;
  const image = pyodide.toPy(pixels);
  const found = run.probabilities(image);
  post("seen", { probabilities: found.toJs() });
  found.destroy();
  image.destroy();
}

// ---- messages ----

const handlers = {
  train,
  pause: () => (paused = true),
  resume: () => {
    paused = false;
    wake();
  },
  look: ({ pixels }) => look(pixels),
};

// A Python error is a traceback whose last line says what went wrong.
function fail(doing, error) {
  const text = String(error?.message ?? error).trim();
  const summary = error?.type ? text.split("\n").at(-1) : text;
  post("error", { doing, summary, detail: error?.stack && !error.type ? error.stack : text });
}

const doing = { train: "Training stopped", look: "The drawing could not be read" };
self.onmessage = async ({ data }) => {
  try {
    await handlers[data.type](data);
  } catch (error) {
    fail(doing[data.type] ?? "The worker stopped", error);
  }
};

try {
  const { site, text } = await load();
  post("loading", { what: "core" });
  post("ready", { site, text, ...describe(), ...prepare(program.SEED, program.EPOCHS), pyodide: pyodide.version,
    isolated: self.crossOriginIsolated, cores: navigator.hardwareConcurrency });
} catch (error) {
  fail("The page could not start", error);
}
