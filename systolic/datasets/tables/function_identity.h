// Which function a map is given, as far as that shows: its type, where in the program it lies, and
// the program's bytes. A function that was changed lies in a program that was built anew.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <typeinfo>

namespace systolic::inline v0 {
namespace datasets {

struct FunctionIdentity {
  const char* type = "";
  const void* place = nullptr;  // in the program or shared library that it was compiled into
  bool holds_values = false;    // captures and members, which cannot be compared
};

// Two functions of one type that is not a lambda's, as pointers to functions are, differ by their
// place.
template <class Function>
FunctionIdentity identity_of(const Function& function) {
  static const char mark = 0;  // another for each type
  if constexpr (std::is_pointer_v<Function>) {
    return {typeid(Function).name(), reinterpret_cast<const void*>(function), false};
  } else {
    return {typeid(Function).name(), &mark, !std::is_empty_v<Function>};
  }
}

// A text that differs where the function or its program does; nothing for one that holds values.
std::optional<std::string> fingerprint_of(const FunctionIdentity& function);

}  // namespace datasets
}  // namespace systolic::inline v0
