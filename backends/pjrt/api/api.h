// Calling a plugin's functions: by slot, only those that its table has; errors are thrown as ours.
//
//   abi::EventAwaitArgs args{};
//   args.event = event;
//   api.call(args);
#pragma once

#include <memory>
#include <string>

#include "systolic/pjrt_abi/pjrt_abi.h"

namespace systolic::inline v0 {
namespace pjrt {

class Api {
 public:
  // `plugin` names it in errors: "libtpu.so". A table that is too short for the functions that
  // report errors, or of a major version other than 0, is an Unavailable.
  Api(const abi::Table* table, std::string plugin);

  const std::string& plugin() const { return plugin_; }
  // "0.116"
  std::string version() const;
  const abi::Table& table() const { return *table_; }

  template <class Args>
  bool has() const {
    return function(abi::Entry<Args>::slot) != nullptr;
  }

  // Calls the function that takes these arguments, and throws what it returns. A function that the
  // plugin does not have is an Unimplemented that names it and the plugin's version.
  template <class Args>
  void call(Args& args) const {
    using Entry = abi::Entry<Args>;
    const abi::AnyFunction found = function(Entry::slot);
    if (found == nullptr) raise_missing(Entry::name);
    args.struct_size = Entry::struct_size;
    check(reinterpret_cast<abi::Error* (*)(Args*)>(found)(&args), Entry::name);
  }

  // For destructors: nothing is thrown, a missing function or an error is ignored, and nothing is
  // called while the process ends, when the plugin may have destroyed what it needs.
  template <class Args>
  void call_quietly(Args& args) const noexcept {
    using Entry = abi::Entry<Args>;
    const abi::AnyFunction found = function(Entry::slot);
    if (found == nullptr || ending()) return;
    args.struct_size = Entry::struct_size;
    destroy(reinterpret_cast<abi::Error* (*)(Args*)>(found)(&args));
  }

  // Throws `error` (and destroys it) unless it is null. `call` is what returned it.
  void check(abi::Error* error, const char* call) const;
  void destroy(abi::Error* error) const noexcept;

 private:
  abi::AnyFunction function(size_t slot) const noexcept;
  static bool ending() noexcept;
  [[noreturn]] void raise_missing(const char* name) const;

  const abi::Table* table_;
  std::string plugin_;
};
using ApiPtr = std::shared_ptr<const Api>;

// Text that a plugin hands out; it may be null.
inline std::string text_of(const char* text, size_t size) {
  return text == nullptr ? std::string() : std::string(text, size);
}

}  // namespace pjrt
}  // namespace systolic::inline v0
