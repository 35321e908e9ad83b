// Reads the text of one attribute that the parser keeps as it is: words, numbers, brackets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace stablehlo {

class TextReader {
 public:
  // Errors name `offset` of the program and call the text `what`.
  TextReader(const Program& program, std::string_view text, size_t offset,
             std::string_view what = "the sharding")
      : program_(program), text_(text), what_(what), offset_(offset) {}

  bool at_end();
  bool accept(std::string_view literal);
  void expect(std::string_view literal);
  bool next_is(std::string_view literal);
  // Letters, digits, "_", "." and "-".
  std::string_view word();
  std::string_view string();  // without its quotes
  int64_t integer();
  // "[1,2,3]"
  std::vector<int64_t> integers();
  // Moves past the next `literal`; an error where there is none.
  void skip_to(std::string_view literal);

  [[noreturn]] void fail(std::string wanted);
  const Program& program() const { return program_; }

 private:
  void skip_space();

  const Program& program_;
  std::string_view text_, what_;
  size_t offset_, at_ = 0;
};

}  // namespace stablehlo
}  // namespace systolic::inline v0
