#include "plugin/table.h"

#include "plugin/error.h"
#include "plugin/ffi/ffi_extension.h"
#include "plugin/serve.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace plugin {
namespace {

[[noreturn]] void raise_short(const char* name, size_t size, size_t least) {
  raise<InvalidArgument>({.what = str("the arguments of ", name, " have ", size, " bytes"),
                          .wanted = str(least, " or more"),
                          .hint = "the caller is of an older version of PJRT than 0.90"});
}

template <class Args>
abi::Error* call(Args* args) noexcept {
  try {
    if (args->struct_size < least_size<Args>) {
      raise_short(abi::Entry<Args>::name, args->struct_size, least_size<Args>);
    }
    serve(*args);
    return nullptr;
  } catch (...) {
    return current_error();
  }
}

// These two have no way to report an error.
void destroy_error(abi::ErrorDestroyArgs* args) noexcept { destroy(args->error); }
void error_message(abi::ErrorMessageArgs* args) noexcept {
  args->message = message(args->error).c_str();
  args->message_size = message(args->error).size();
}

template <size_t slot>
abi::Error* missing(void*) noexcept {
  try {
    raise<Unimplemented>({.what = str("function ", slot, " of PJRT's table"),
                          .hint = "the software TPU's plugin does not offer it"});
  } catch (...) {
    return current_error();
  }
}

// As abi::Table, with its functions counted.
struct FullTable {
  size_t struct_size = abi::table_size;
  abi::Extension* extensions = nullptr;
  abi::Version version;
  abi::AnyFunction functions[abi::slot_count];
};

template <size_t... slots>
void fill_missing(FullTable& table, std::index_sequence<slots...>) {
  ((table.functions[slots] = reinterpret_cast<abi::AnyFunction>(&missing<slots>)), ...);
}

FullTable make_table() {
  FullTable table;
  table.extensions = ffi::extension();
  table.version.struct_size = sizeof(abi::Version);
  table.version.major = 0;
  table.version.minor = 90;
  fill_missing(table, std::make_index_sequence<abi::slot_count>());
  table.functions[abi::Entry<abi::ErrorDestroyArgs>::slot] =
      reinterpret_cast<abi::AnyFunction>(&destroy_error);
  table.functions[abi::Entry<abi::ErrorMessageArgs>::slot] =
      reinterpret_cast<abi::AnyFunction>(&error_message);
#define SYSTOLIC_FILL(name)                            \
  table.functions[abi::Entry<abi::name##Args>::slot] = \
      reinterpret_cast<abi::AnyFunction>(&call<abi::name##Args>);
  SYSTOLIC_PLUGIN_FUNCTIONS(SYSTOLIC_FILL)
#undef SYSTOLIC_FILL
  return table;
}

}  // namespace

const abi::Table* table() {
  static const FullTable table = make_table();
  return reinterpret_cast<const abi::Table*>(&table);
}

}  // namespace plugin
}  // namespace systolic::inline v0
