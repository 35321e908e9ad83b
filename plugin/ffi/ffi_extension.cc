#include "plugin/ffi/ffi_extension.h"

#include "plugin/error.h"
#include "plugin/ffi/ffi_function.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace plugin {
namespace ffi {
namespace {

pjrt::abi::Error* lack(void*) noexcept {
  try {
    raise<Unimplemented>({.what = "types and user data of foreign functions",
                          .hint = "the software TPU runs functions without state"});
  } catch (...) {
    return current_error();
  }
}

pjrt::abi::Error* serve_register(RegisterHandlerArgs* args) noexcept {
  try {
    constexpr size_t least = offsetof(RegisterHandlerArgs, platform_name);
    if (args->struct_size < least || args->target_name == nullptr || args->handler == nullptr) {
      raise<InvalidArgument>({.what = "a foreign function without a name or a handler"});
    }
    register_handlers(std::string(args->target_name, args->target_name_size),
                      {.instantiate = nullptr,
                       .prepare = nullptr,
                       .initialize = nullptr,
                       .execute = reinterpret_cast<Handler*>(args->handler)});
    return nullptr;
  } catch (...) {
    return current_error();
  }
}

}  // namespace

Extension* extension() {
  static PjrtExtension served = {
      {sizeof(PjrtExtension), pjrt_extension, nullptr}, lack, lack, serve_register};
  return &served.base;
}

}  // namespace ffi
}  // namespace plugin
}  // namespace systolic::inline v0
