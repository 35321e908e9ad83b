// What compile({.jit_compile = ...}) takes: true, false or "auto", as keras.Model.compile.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>

namespace systolic::inline v0 {

class JitCompile {
 public:
  template <std::same_as<bool> Bool>
  constexpr JitCompile(Bool on) : off_(!on) {}  // NOLINT
  template <size_t n>
  consteval JitCompile(const char (&name)[n]) {  // NOLINT
    if (std::string_view(name, n - 1) != "auto")
      throw "jit_compile must be true, false or \"auto\"";
  }
  constexpr bool off() const { return off_; }

 private:
  bool off_ = false;
};

}  // namespace systolic::inline v0
