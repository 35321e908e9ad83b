#include "plugin/ffi/ffi_table.h"

#include <cstdlib>
#include <memory>
#include <string>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace plugin {
namespace ffi {

struct Error {
  Code code;
  std::string message;
};

namespace {

Error* give(Code code, const char* message) { return new Error{code, message}; }

Error* error_create(ErrorCreateArgs* args) { return give(args->code, args->message); }
void error_message(ErrorMessageArgs* args) { args->message = args->error->message.c_str(); }
void error_destroy(ErrorDestroyArgs* args) { delete args->error; }

Error* lack(void*) {
  return give(Code::unimplemented,
              "the software TPU runs foreign functions without streams, state, user data or "
              "results that come later");
}

Error* allocate(AllocateArgs* args) {
  constexpr size_t least = 64;
  const size_t alignment = args->alignment > least ? args->alignment : least;
  args->data = std::aligned_alloc(alignment, (args->size + alignment - 1) / alignment * alignment);
  return args->data != nullptr ? nullptr
                               : give(Code::resource_exhausted, "no memory for a function's own");
}
Error* free_memory(FreeArgs* args) {
  std::free(args->data);
  return nullptr;
}

// Tasks may run on the caller's thread; our own threads belong to the engine's steps.
Error* schedule(ScheduleArgs* args) {
  args->task(args->data);
  return nullptr;
}
Error* threads(ThreadsArgs* args) {
  *args->threads = 1;
  return nullptr;
}

Error* run_id(RunIdArgs* args) {
  args->run_id = 0;
  return nullptr;
}
Error* device_ordinal(DeviceOrdinalArgs* args) {
  args->device = 0;
  return nullptr;
}

Table make_table() {
  Table made = {};
  made.struct_size = sizeof(Table);
  made.version.struct_size = sizeof(Version);
  made.version.minor = 3;
  made.error_create = error_create;
  made.error_message = error_message;
  made.error_destroy = error_destroy;
  made.handler_register = lack;
  made.stream_get = lack;
  made.type_register = lack;
  made.context_get = lack;
  made.state_set = lack;
  made.state_get = lack;
  made.allocate = allocate;
  made.free = free_memory;
  made.schedule = schedule;
  made.threads = threads;
  made.future_create = lack;
  made.future_set_available = lack;
  made.future_set_error = lack;
  made.run_id = run_id;
  made.device_ordinal = device_ordinal;
  return made;
}

}  // namespace

const Table& table() {
  static const Table made = make_table();
  return made;
}

void raise_error(const char* function, Error* error) {
  if (error == nullptr) return;
  const std::unique_ptr<Error> owned(error);
  const std::string what = str("foreign function ", function, ": ", owned->message);
  switch (owned->code) {
    case Code::invalid_argument:
      raise<InvalidArgument>({.what = what});
    case Code::unimplemented:
      raise<Unimplemented>({.what = what});
    case Code::resource_exhausted:
      raise<ResourceExhausted>({.what = what});
    default:
      raise<FunctionFailed>({.what = what});
  }
}

}  // namespace ffi
}  // namespace plugin
}  // namespace systolic::inline v0
