// One worker thread of the core: enters it with its own stack and does not return. In a page the data arrives as a
// message, in Node as `workerData`.
(() => {
  const work = ({ module, memory, id, stack }) => {
    const refuse = () => 1;
    const { exports } = new WebAssembly.Instance(module, { env: { memory }, host: { call: refuse } });
    exports.__stack_pointer.value = stack;
    try {
      exports.pwt_worker_loop(id);
    } catch (error) {
      exports.pwt_worker_failed(); // the caller of the loop reports it
      console.error(`pywasmtorch's worker ${id} stopped: ${error.message}`);
    }
  };
  if (typeof self === "object" && typeof importScripts === "function") {
    self.onmessage = (event) => {
      work(event.data);
      self.close();
    };
  } else {
    work(require("node:worker_threads").workerData);
  }
})();
