#include "plugin/ffi/ffi_table.h"

#include <cstdlib>
#include <memory>
#include <string>

#include "plugin/ffi/ffi_function.h"
#include "plugin/ffi/ffi_future.h"
#include "plugin/ffi/ffi_state.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace plugin {
namespace ffi {

struct Error {
  Code code;
  std::string message;
};

Error* new_error(Code code, std::string message) { return new Error{code, std::move(message)}; }

namespace {

Error* error_create(ErrorCreateArgs* args) { return new_error(args->code, args->message); }
void error_message(ErrorMessageArgs* args) { args->message = args->error->message.c_str(); }
void error_destroy(ErrorDestroyArgs* args) { delete args->error; }

Error* lack(void*) {
  return new_error(Code::unimplemented,
                   "the software TPU runs foreign functions without streams or user data");
}

Error* allocate(AllocateArgs* args) {
  constexpr size_t least = 64;
  const size_t alignment = args->alignment > least ? args->alignment : least;
  args->data = std::aligned_alloc(alignment, (args->size + alignment - 1) / alignment * alignment);
  return args->data != nullptr
             ? nullptr
             : new_error(Code::resource_exhausted, "no memory for a function's own");
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

Error* handler_register(HandlerRegisterArgs* args) {
  try {
    register_handlers(std::string(args->name.data, args->name.size), args->bundle);
    return nullptr;
  } catch (const std::exception& error) {
    return new_error(Code::invalid_argument, error.what());
  }
}

Table make_table() {
  Table made = {};
  made.struct_size = sizeof(Table);
  made.version.struct_size = sizeof(Version);
  made.version.minor = 3;
  made.error_create = error_create;
  made.error_message = error_message;
  made.error_destroy = error_destroy;
  made.handler_register = handler_register;
  made.stream_get = lack;
  made.type_register = type_register;
  made.context_get = lack;
  made.state_set = state_set;
  made.state_get = state_get;
  made.allocate = allocate;
  made.free = free_memory;
  made.schedule = schedule;
  made.threads = threads;
  made.future_create = future_create;
  made.future_set_available = future_set_available;
  made.future_set_error = future_set_error;
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
