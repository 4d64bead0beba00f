// The page: shows the worker's reports and sends it the person's commands.
import { showBits } from "./bits.js";
import { Chart } from "./chart.js";
import { halftone, inkedStrip, Wall } from "./digits.js";
import { Pad } from "./pad.js";
import { showSource } from "./source.js";
import { followTheme } from "./theme.js";

const $ = (id) => document.getElementById(id);
const percent = (fraction) => `${(100 * fraction).toFixed(1)}\u00a0%`;
const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

let site = null;
let labels = [];
let latest = null; // the run that is under way or was the last: {seed, epochs, threads, totalSteps}
let guess = null; // the digit that the verdict names

const setProgress = inkedStrip($("strip"));
const chart = new Chart($("chart"));
const seen = halftone();
$("seen").append(seen.svg);
const bars = makeBars();
const pad = new Pad($("pad"), (pixels) => lookAt(pixels, null));
const wall = new Wall($("wall"), showTestDigit);
followTheme($("theme"), () => {
  chart.redraw();
  pad.draw();
  wall.draw();
});

const worker = new Worker("worker.js", { type: "module" });
worker.onmessage = ({ data }) => on[data.type](data);
worker.onerror = (event) => {
  event.preventDefault();
  fail({ doing: "The page could not start", summary: event.message || "worker.js could not be loaded",
    detail: `${event.filename ?? "worker.js"}:${event.lineno ?? 0} ${event.message ?? ""}` });
};

// ---- what the worker reports ----

const on = {
  loading({ what, done, total }) {
    if (what === "download") {
      say(`Fetching Python and the network’s parts: ${megabytes(done)} of ${megabytes(total)} MB`);
      load(0.85 * (done / total));
    } else {
      say(what === "package" ? "Python is running. Unpacking pywasmtorch…" : "Starting the tensor core and reading the digits…");
      load(what === "package" ? 0.92 : 0.97);
    }
  },

  ready(found) {
    ({ site } = found);
    load(1);
    setState("ready");
    const threads = setThreadChoices(found);
    say(`Ready: Python ${found.python} and pywasmtorch ${found.version}. Press Train.`);
    showTestSet(found);
    chart.clear(found.totalSteps);
    showSource($("source"), found.text);
    showBinary(found.binary);
    showExpected();
    $("versions").textContent = `pywasmtorch ${found.version} · Python ${found.python} · Pyodide ${found.pyodide} · `
      + `wheel ${Math.round(site.sizes[site.wheel] / 1000)} kB · ${threads}`;
    for (const id of ["run", "sample"]) $(id).disabled = false;
    look();
  },

  begun({ totalSteps, pixels, labels: found, threads }) {
    Object.assign(latest, { totalSteps, threads });
    setState("training");
    say(`Training on ${plural(threads, "thread")}…`);
    showTestSet({ pixels, labels: found });
    chart.clear(totalSteps);
    showStep(0);
  },

  steps({ states, rate }) {
    if (!states.length) return;
    chart.add(states);
    const last = states.at(-1);
    showStep(last.step);
    $("loss").textContent = last.loss.toFixed(4);
    $("rate").textContent = Math.round(rate);
    for (const { accuracy } of states) if (accuracy !== undefined) $("accuracy").textContent = percent(accuracy);
  },

  epoch({ guesses }) {
    const marks = guesses.map((each, i) => each !== labels[i]);
    wall.show(null, marks);
    const wrong = marks.filter(Boolean).length;
    $("wall-note").textContent = wrong === 0 ? "All 360 read correctly"
      : `${labels.length - wrong} of ${labels.length} read correctly; the ${plural(wrong, "mistake")} in colour`;
    $("chart").setAttribute("aria-label", `Learning curve. Step ${$("step").dataset.step} of ${latest.totalSteps}, loss `
      + `${$("loss").textContent}, test accuracy ${$("accuracy").textContent}.`);
  },

  done({ sha256, accuracy, rate, seconds }) {
    setState("done");
    $("rate").textContent = Math.round(rate);
    say(`Trained in ${seconds.toFixed(1)} s on ${plural(latest.threads, "thread")}: reads ${percent(accuracy)} of the test digits. `
      + "Draw one, or compare the bits.");
    showWeights(sha256);
  },

  seen({ probabilities }) {
    showProbabilities(probabilities);
  },

  error(problem) {
    fail(problem);
  },
};

// ---- what the person does ----

$("controls").addEventListener("submit", (event) => {
  event.preventDefault();
  const { state } = document.body.dataset;
  if (state === "training") pause();
  else if (state === "paused") resume();
  else train();
});
$("restart").addEventListener("click", () => $("controls").reportValidity() && train());
$("clear").addEventListener("click", () => {
  pad.clear();
  $("clear").focus();
});
$("sample").addEventListener("click", () => showTestDigit(Math.floor(Math.random() * wall.count)));
$("reload").addEventListener("click", () => location.reload());
for (const id of ["seed", "epochs"]) $(id).addEventListener("input", showExpected);

function train() {
  latest = { seed: $("seed").valueAsNumber, epochs: $("epochs").valueAsNumber, threads: Number($("threads").value) };
  $("failure").hidden = true;
  for (const id of ["loss", "accuracy", "rate"]) $(id).textContent = "–";
  clearWeights();
  setState("training");
  worker.postMessage({ type: "train", ...latest });
}

function pause() {
  worker.postMessage({ type: "pause" });
  setState("paused");
  say("Paused. Drawing still works, with the network as it is now.");
}

function resume() {
  worker.postMessage({ type: "resume" });
  setState("training");
  say(`Training on ${plural(latest.threads, "thread")}…`);
}

// ---- showing ----

function say(text) {
  if ($("status").textContent !== text) $("status").textContent = text;
}

function load(fraction) {
  $("progress").value = fraction;
  setProgress(fraction);
}

function setState(state) {
  document.body.dataset.state = state;
  $("restart").hidden = state !== "training" && state !== "paused";
  $("run").textContent = { training: "Pause", paused: "Resume", done: "Train again" }[state] ?? "Train";
}

function showStep(step) {
  $("step").dataset.step = step;
  $("step").innerHTML = `${step} <small>of ${latest.totalSteps}</small>`;
}

function fail({ doing, summary, detail }) {
  const running = document.body.dataset.state !== "loading";
  setState("error");
  say(`${doing}.`);
  $("failure-title").textContent = doing;
  $("failure-summary").textContent = summary;
  $("failure-detail").textContent = detail;
  $("failure").hidden = false;
  $("run").disabled = !running;
  $("failure").scrollIntoView({ block: "nearest" });
}

function setThreadChoices({ isolated, cores }) {
  const most = isolated ? Math.max(2, Math.min(cores, 8)) : 1;
  const wanted = Number(new URLSearchParams(location.search).get("threads")) || Math.min(2, most);
  $("threads").replaceChildren(...Array.from({ length: most }, (_, i) => new Option(i + 1, i + 1, false, i + 1 === wanted)));
  $("threads").disabled = !isolated;
  $("form-note").hidden = isolated;
  $("form-note").textContent = "One thread: the server did not isolate this page (COOP and COEP headers), so memory cannot be shared.";
  return isolated ? `isolated, ${plural(cores, "core")}` : "not isolated";
}

function showTestSet({ pixels, labels: found }) {
  labels = found;
  wall.show(pixels, []);
  $("wall-note").textContent = `${labels.length} digits that it never learns from`;
  $("train-note").textContent = `1,437 digits to learn from, ${labels.length} kept back for the test`;
}

// ---- drawing and reading ----

let shown = null; // what the network looks at: {pixels, label}; label is null for a drawing

function makeBars() {
  return Array.from({ length: 10 }, (_, digit) => {
    const item = document.createElement("li");
    item.innerHTML = `<span>${digit}</span><span class="track"><span class="fill"></span></span><span class="value">–</span>`;
    $("bars").append(item);
    return { item, fill: item.querySelector(".fill"), value: item.querySelector(".value") };
  });
}

function lookAt(pixels, label) {
  shown = pixels && { pixels, label };
  seen.show(pixels ?? new Array(64).fill(0));
  if (!pixels) clearProbabilities();
  look();
}

function look() {
  if (site) worker.postMessage({ type: "look", pixels: shown?.pixels ?? null });
  else if (shown) $("verdict").textContent = "It will read this as soon as the page has loaded.";
}

function showTestDigit(index) {
  pad.strokes = [];
  pad.draw();
  lookAt(Array.from(wall.digit(index)), labels[index]);
}

function clearProbabilities() {
  guess = null;
  $("verdict").textContent = "Draw, and it says what it reads.";
  for (const { item, fill, value } of bars) {
    item.className = "";
    fill.style.width = "0";
    value.textContent = "–";
  }
}

function showProbabilities(probabilities) {
  if (!shown) return;
  const best = probabilities.indexOf(Math.max(...probabilities));
  bars.forEach(({ item, fill, value }, digit) => {
    item.className = digit === best ? "best" : "";
    fill.style.width = `${100 * probabilities[digit]}%`;
    value.textContent = percent(probabilities[digit]);
    item.dataset.probability = probabilities[digit];
  });
  showVerdict(best, probabilities[best]);
}

// the sentence changes only when the reading does, so that a screen reader is not flooded
function showVerdict(best, probability) {
  const digit = `${best === 8 ? "an" : "a"} <b>${best}</b>`;
  const reading = probability > 0.9 ? `It reads ${digit}` : probability > 0.5 ? `It reads ${digit}, but is not sure`
    : `It can only guess: ${digit}`;
  const truth = shown.label === null ? "" : shown.label === best ? " Right." : ` Wrong: this is ${shown.label}.`;
  const untrained = latest ? "" : " It has not been trained yet.";
  const sentence = `${reading}.${truth}${untrained}`;
  if (sentence === guess) return;
  guess = sentence;
  $("verdict").innerHTML = sentence;
}

// ---- hashes ----

function showHash(name, hex) {
  $(`${name}-sha`).textContent = hex;
  showBits($(`${name}-bits`), hex);
}

function showMatch(element, equal, text) {
  element.className = equal === null ? "match" : equal ? "match equal" : "match different";
  element.textContent = text;
}

function showBinary(sha256) {
  showHash("binary", sha256);
  const equal = sha256 === site.binary_sha256;
  showMatch($("binary-match"), equal, equal ? "Equal to the file that CPython loads" : "Not the file that CPython loads");
}

const recorded = () => site?.expected.find((run) => run.seed === $("seed").valueAsNumber && run.epochs === $("epochs").valueAsNumber);

function showExpected() {
  if (!site) return;
  const run = recorded();
  const settings = `seed ${$("seed").value}, ${plural($("epochs").valueAsNumber || 0, "epoch")}`;
  $("command").textContent = `python web-demo/train_digits.py --seed ${$("seed").value} --epochs ${$("epochs").value}`;
  $("there").textContent = run ? `${run.host}, ${settings}` : settings;
  showHash("expected", run?.sha256 ?? "");
  $("expected-sha").textContent = run?.sha256 ?? "–";
  showMatch($("expected-note"), null, run ? "" : "Not recorded for these settings. Run the command below to compare.");
  compareWeights();
}

function clearWeights() {
  delete latest.sha256;
  showHash("weights", "");
  $("weights-sha").textContent = "–";
  $("here").textContent = `seed ${latest.seed}, ${plural(latest.epochs, "epoch")}, training…`;
  compareWeights();
}

function showWeights(sha256) {
  latest.sha256 = sha256;
  showHash("weights", sha256);
  $("here").textContent = `seed ${latest.seed}, ${plural(latest.epochs, "epoch")}, ${plural(latest.threads, "thread")}`;
  compareWeights();
}

function compareWeights() {
  const run = recorded();
  const same = run && latest?.sha256 && run.seed === latest.seed && run.epochs === latest.epochs;
  const equal = same && run.sha256 === latest.sha256;
  for (const id of ["weights-bits", "expected-bits"]) $(id).classList.toggle("equal-bits", Boolean(equal));
  if (!same) showMatch($("weights-match"), null, "");
  else showMatch($("weights-match"), equal, equal ? "Equal to CPython’s, bit for bit" : "Different from CPython’s");
}

const query = new URLSearchParams(location.search);
for (const id of ["seed", "epochs"]) if (query.has(id)) $(id).value = query.get(id);
