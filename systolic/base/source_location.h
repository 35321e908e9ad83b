// Where a line stands in the user's program: what every error names.
//
// std::source_location is missing in clang 14 with libstdc++ 12, so this is our own, on the same
// builtins. Used as the last, defaulted argument of a function, or as the last, defaulted member of
// an aggregate, it holds the line of the caller:
//
//   Tensor matmul(const Tensor& a, const Tensor& b,
//                 SourceLocation location = SourceLocation::current());
#pragma once

namespace systolic::inline v0 {

struct SourceLocation {
  const char* file = "";
  int line = 0;

  static constexpr SourceLocation current(const char* file = __builtin_FILE(),
                                          int line = __builtin_LINE()) {
    return {file, line};
  }
  constexpr bool known() const { return line > 0; }
};

}  // namespace systolic::inline v0
