// What a bytecode file lists once and refers to by numbers: strings, names of ops, attributes,
// types, properties. Sections.h reads them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "systolic/stablehlo/bytecode/encoding/byte_writer.h"

namespace systolic::inline v0 {
namespace stablehlo {

enum class BytecodeDialect : uint8_t { builtin, vhlo };

class BytecodeTables {
 public:
  // Each gives the number of what is told; the same number where it was told before.
  uint64_t string(std::string_view text);
  uint64_t op_name(BytecodeDialect dialect, std::string_view name);
  uint64_t attribute(BytecodeDialect dialect, const ByteWriter& encoded);
  uint64_t type(BytecodeDialect dialect, const ByteWriter& encoded);
  uint64_t properties(const ByteWriter& encoded);

  // The whole file.
  std::string file(std::string_view producer, const ByteWriter& ir);

 private:
  struct Numbered {
    std::vector<std::string> entries;
    std::unordered_map<std::string, uint64_t> numbers;
    uint64_t number(std::string entry);
  };
  ByteWriter dialects(const std::vector<uint64_t>& dialect_names, const std::vector<uint64_t>& ops);

  // The first character of an op's name, an attribute and a type is its dialect.
  Numbered strings_, op_names_, attributes_, types_, properties_;
};

}  // namespace stablehlo
}  // namespace systolic::inline v0
