// StableHLO's types and attributes in VHLO's encoding: what vhlo_types.cc and vhlo_attributes.cc
// read.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/stablehlo/bytecode/encoding/tables.h"
#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace stablehlo {

// Each function gives a number in the tables.
class VhloWriter {
 public:
  VhloWriter(const Program& program, BytecodeTables& tables) : program_(program), tables_(tables) {}

  uint64_t type(TypeId id);
  uint64_t scalar(ElementType element);
  uint64_t function_type(std::span<const TypeId> inputs, std::span<const TypeId> results);

  // The kind must be one that VHLO has; others are Unimplemented.
  uint64_t attribute(const Attribute& value);
  uint64_t integer(int64_t value, ElementType element = ElementType::i64);
  uint64_t boolean(bool value);
  uint64_t text(std::string_view value);
  uint64_t word(std::string_view enumeration, std::string_view name);
  uint64_t api_version(int64_t value);
  uint64_t list(const std::vector<uint64_t>& attributes);
  uint64_t dictionary(const std::vector<NamedAttribute>& fields);
  uint64_t type_attribute(uint64_t type);
  // Constants of i64 and i1.
  uint64_t numbers(std::span<const int64_t> values, std::vector<int64_t> dims);
  uint64_t axes(std::span<const int64_t> values) {
    return numbers(values, {static_cast<int64_t>(values.size())});
  }
  uint64_t booleans(std::span<const int64_t> values);

  // What stands beside VHLO's: the module's attributes, and the dictionaries of ops.
  uint64_t unknown_location();
  uint64_t builtin_attribute(const Attribute& value);
  uint64_t builtin_text(std::string_view value);
  uint64_t builtin_dictionary(const std::vector<std::pair<std::string_view, uint64_t>>& fields);

  const Program& program() const { return program_; }
  BytecodeTables& tables() { return tables_; }

 private:
  uint64_t tensor_type(std::span<const int64_t> dims, ElementType element);
  uint64_t constant(const Attribute& value);
  uint64_t add(const ByteWriter& encoded) {
    return tables_.attribute(BytecodeDialect::vhlo, encoded);
  }

  const Program& program_;
  BytecodeTables& tables_;
};

// "a \22quoted\22 text" without its escapes.
std::string without_escapes(std::string_view text);

}  // namespace stablehlo
}  // namespace systolic::inline v0
