#include "backends/pjrt/api/api.h"

#include "backends/pjrt/api/plugin_error.h"
#include "backends/pjrt/api/teardown.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace pjrt {

Api::Api(const abi::Table* table, std::string plugin) : table_(table), plugin_(std::move(plugin)) {
  if (table_ == nullptr) {
    raise<Unavailable>({.what = str(plugin_, ": GetPjrtApi returned nothing"),
                        .hint = "the library is broken; install it again"});
  }
  constexpr size_t least = abi::table_head_size + 3 * sizeof(abi::AnyFunction);
  if (table_->struct_size < least) {
    raise<Unavailable>({.what = str(plugin_, ": its PJRT table has ", table_->struct_size,
                                    " bytes, too few to report errors"),
                        .wanted = str("at least ", least)});
  }
  if (table_->version.major != 0) {
    raise<Unavailable>(
        {.what = str(plugin_, " speaks PJRT ", version()),
         .wanted = "a version 0.x",
         .hint = "install a plugin of a release that JAX 0.10 runs on, or a newer Systolic"});
  }
}

std::string Api::version() const { return str(table_->version.major, ".", table_->version.minor); }

abi::AnyFunction Api::function(size_t slot) const noexcept {
  const size_t end = abi::table_head_size + (slot + 1) * sizeof(abi::AnyFunction);
  return end <= table_->struct_size ? table_->functions[slot] : nullptr;
}

bool Api::ending() noexcept { return process_is_ending(); }

void Api::raise_missing(const char* name) const {
  raise<Unimplemented>({.what = str(plugin_, " (PJRT ", version(), ") has no ", name),
                        .hint = "a newer release of the plugin may have it"});
}

void Api::check(abi::Error* error, const char* call) const {
  if (error == nullptr) return;
  const PluginError report = read_error(*this, error);
  destroy(error);
  raise_plugin_error(*this, report, call);
}

void Api::destroy(abi::Error* error) const noexcept {
  if (error == nullptr) return;
  using Entry = abi::Entry<abi::ErrorDestroyArgs>;
  const abi::AnyFunction found = function(Entry::slot);
  if (found == nullptr) return;
  abi::ErrorDestroyArgs args{};
  args.struct_size = Entry::struct_size;
  args.error = error;
  reinterpret_cast<void (*)(abi::ErrorDestroyArgs*)>(found)(&args);
}

}  // namespace pjrt
}  // namespace systolic::inline v0
