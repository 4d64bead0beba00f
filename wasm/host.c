/* host.call: the callback into the host, the module's only imported function. */
#include "host.h"

#ifdef __wasm__
__attribute__((import_module("host"), import_name("call"))) int32_t host_call(int32_t kind, int32_t id);

int32_t pwt_host_call(int32_t kind, int32_t id) { return host_call(kind, id); }
#else
/* A native program that has hooks brings its own. */
__attribute__((weak)) int32_t pwt_host_call(int32_t kind, int32_t id) {
  (void)kind, (void)id;
  return 1;
}
#endif
