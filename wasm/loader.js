// Loads the core next to Pyodide. An expression: the function that pywasmtorch/_core/host/pyodide_host.py calls with
//   source   {bytes, module?}: the WebAssembly file, and the compiled module where the page has one already
//   staging  a Python buffer (proxy) of 32-bit words that stands in for the core's frame and release area
//   layout   {slots, shortSlots, releaseSlots, quietCalls}: 8-byte slots in the frame, in what is moved at every call,
//            in the release area; the kinds of callbacks that leave the frame as it is
//   options  {flagOffset, minimumPages, maximumPages, onCall}
// Python writes arguments into its own memory, which is quick; `invoke` moves them over, calls, and moves results back.
(source, staging, layout, options) => {
  const isNode = typeof process === "object" && !!process.versions?.node;
  const isolated = typeof SharedArrayBuffer === "function" && (isNode || globalThis.crossOriginIsolated === true);

  // The file says that its memory is shared. Where it cannot be, the byte that says so is flipped.
  const onPlainMemory = (bytes) => {
    const copy = bytes.slice();
    if (copy[options.flagOffset] !== 3) throw new Error("the memory import is not where it was expected");
    copy[options.flagOffset] = 1;
    return copy;
  };
  const shared = isolated;
  const module = shared && source.module ? source.module
    : new WebAssembly.Module(shared ? source.bytes : onPlainMemory(source.bytes));

  const newMemory = () => {
    for (let maximum = options.maximumPages; ; maximum >>= 1) {
      try {
        return [new WebAssembly.Memory({ initial: options.minimumPages, maximum, shared }), maximum];
      } catch (error) {
        if (maximum >> 1 < options.minimumPages || maximum < 1024) throw error;
      }
    }
  };
  const [memory, maximumPages] = newMemory();
  const call = (kind, id) => {
    look();
    if (layout.quietCalls.includes(kind)) {
      const kept = core.slice(frame, frame + 8 * usedSlots(coreWords));
      const status = options.onCall(kind, id);
      look();
      core.set(kept, frame);
      return status;
    }
    receive();
    const status = options.onCall(kind, id);
    look();
    send();
    return status;
  };
  const instance = new WebAssembly.Instance(module, { env: { memory }, host: { call } });
  const exports = instance.exports, stackPointer = exports.__stack_pointer, run = exports.pwt_invoke;

  const mayBlock = () => {
    try {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 0);
      return true;
    } catch {
      return false;
    }
  };
  exports.pwt_set_may_block(shared && mayBlock() ? 1 : 0);

  const frame = exports.pwt_start() >>> 0, releaseArea = exports.pwt_release_area() >>> 0;
  const shortBytes = 8 * layout.shortSlots, releaseStart = 8 * layout.slots;
  let buffer, python, pythonShort, pythonWords, pythonRelease, core, coreShort, coreWords, coreRelease;
  const lookAtPython = () => {
    buffer?.release();
    buffer = staging.getBuffer("u8");
    python = buffer.data;
    pythonShort = python.subarray(0, shortBytes);
    pythonWords = new Int32Array(python.buffer, python.byteOffset, 2 * layout.slots);
    pythonRelease = new Int32Array(python.buffer, python.byteOffset + releaseStart, 2 * layout.releaseSlots);
  };
  const lookAtCore = () => {
    core = new Uint8Array(memory.buffer);
    coreShort = core.subarray(frame, frame + shortBytes);
    coreWords = new Int32Array(memory.buffer, frame, 2 * layout.slots);
    coreRelease = new Int32Array(memory.buffer, releaseArea, 2 * layout.releaseSlots);
  };
  lookAtPython();
  lookAtCore();
  // growing a plain memory detaches the views of it
  const look = () => {
    if (python.length === 0) lookAtPython();
    if (core.length === 0) lookAtCore();
  };
  const whole = (end) => {
    look();
    if (end > core.length) lookAtCore();
    if (end > core.length) throw new RangeError(`address ${end} is outside the core's memory of ${core.length} bytes`);
    return core;
  };

  // Frames are filled from the start, without gaps. A mark stands in the first slot beyond a short frame, and in every
  // slot at twice the distance; where a mark was overwritten the frame is longer, and more is moved.
  const [low, high] = crypto.getRandomValues(new Int32Array(2));
  const usedSlots = (words) => {
    let slots = layout.shortSlots;
    while (slots < layout.slots && (words[2 * slots] !== low || words[2 * slots + 1] !== high)) slots *= 2;
    return slots;
  };
  const mark = (words, end) => {
    for (let slot = layout.shortSlots; slot < end; slot *= 2) {
      words[2 * slot] = low;
      words[2 * slot + 1] = high;
    }
  };
  mark(pythonWords, layout.slots);
  mark(coreWords, layout.slots);
  const send = () => {
    const slots = usedSlots(pythonWords);
    if (slots === layout.shortSlots) return coreShort.set(pythonShort);
    core.set(python.subarray(0, 8 * slots), frame);
    mark(pythonWords, slots);
  };
  const receive = () => {
    const slots = usedSlots(coreWords);
    if (slots === layout.shortSlots) return pythonShort.set(coreShort);
    python.set(core.subarray(frame, frame + 8 * slots));
    mark(coreWords, slots);
  };

  let trap = "";
  const guarded = (action) => {
    const top = stackPointer.value;
    try {
      return action();
    } catch (error) {
      trap = String(error?.message ?? error);
      stackPointer.value = top;
      return 0;
    }
  };
  // Both areas are filled in turn: a slot that holds 0 was taken.
  let handed = 0;
  const handOverDead = () => {
    while (pythonRelease[handed] && !coreRelease[handed]) {
      coreRelease[handed] = pythonRelease[handed];
      pythonRelease[handed] = 0;
      handed = (handed + 2) % coreRelease.length;
    }
  };

  return {
    exports, module, memory, shared, isNode, maximumPages,
    invoke(word) {
      look();
      send();
      if (pythonRelease[handed]) handOverDead();
      const top = stackPointer.value;
      let result = 0;
      try {
        result = run(word);
      } catch (error) {
        trap = String(error?.message ?? error);
        stackPointer.value = top;
      }
      look();
      receive();
      return result >>> 0;
    },
    releaseDead() {
      look();
      handOverDead();
      guarded(() => exports.pwt_release_dead());
      look();
    },
    callExport: (name, ...values) => guarded(() => exports[name](...values) >>> 0),
    setMemoryLimit: (bytes) => exports.pwt_set_memory_limit(BigInt(bytes)),
    takeTrap() {
      const message = trap;
      trap = "";
      return message;
    },
    window: (address, bytes) => whole(address + bytes).subarray(address, address + bytes),
    // small pieces go through a scratch area at the end of the stand-in
    fetch(address, bytes, at) {
      const from = whole(address + bytes); // first: it renews `python` where Python's memory has grown
      python.set(from.subarray(address, address + bytes), at);
    },
    store(address, bytes, at) {
      whole(address + bytes).set(python.subarray(at, at + bytes), address);
    },
  };
}
