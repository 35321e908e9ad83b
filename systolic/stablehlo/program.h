// A StableHLO program as it is written: modules of functions of named ops, before anybody asks what
// the ops mean. Every way in (text now) gives this form, the printer writes it, and import.h makes
// an ir::Module of it.
//
// The pretty spelling of an op and its generic one give the same Operation: `stablehlo.slice %0
// [0:1]` has the attributes start_indices, limit_indices and strides. Texts are views into the
// source, which the Program keeps.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "systolic/stablehlo/element_type.h"

namespace systolic::inline v0 {
namespace stablehlo {

using ValueId = int32_t;  // into Function::values
using TypeId = int32_t;   // into Program::types
inline constexpr TypeId no_type = -1;
inline constexpr int64_t dynamic_size = -1;

// !quant.uniform<storage<min:max>:expressed:axis, {scale:zero_point, ...}>
struct Quantization {
  ElementType storage = ElementType::i8, expressed = ElementType::f32;
  int64_t storage_min = 0, storage_max = 0;
  bool names_range = false;     // the range was written out
  std::optional<int64_t> axis;  // per axis; nothing: one scale for all
  std::vector<double> scales;
  std::vector<int64_t> zero_points;  // one a scale
};

struct Type {
  enum class Kind : uint8_t {
    scalar,  // i64, f32 beside attributes
    tensor,
    token,
    tuple,     // parts
    future,    // parts: what will be there when it is waited for
    function,  // parts: inputs, then results
    opaque,    // any other !type, kept as text
  };
  Kind kind = Kind::tensor;
  ElementType element = ElementType::f32;
  std::vector<int64_t> dims;  // dynamic_size for "?"
  bool unranked = false;      // tensor<*xf32>
  std::shared_ptr<const Quantization> quantization;
  std::vector<TypeId> parts;
  int64_t leaves = 1;         // types in it that have no parts
  size_t inputs = 0;          // of a function type
  std::string_view encoding;  // tensor<?xf32, THIS>; the whole text of an opaque type
};

struct NamedAttribute;

struct Attribute {
  enum class Kind : uint8_t {
    unit,         // a name alone: use_global_device_ids
    boolean,      // integer is 0 or 1
    integer,      // text, type (no_type: none written)
    floating,     // text, type
    string,       // text without quotes, escapes as written
    symbol,       // text without "@"; nested symbols as written
    type,         // type
    array,        // items: [...]
    dense_array,  // array<i64: ...>: type of an element, text between ":" and ">"
    elements,     // dense<...> : tensor<...>: text between the brackets, type
    dictionary,   // fields: {...}
    enumeration,  // #stablehlo<comparison_direction EQ>: name "comparison_direction", text "EQ"
    structure,    // #stablehlo.gather<offset_dims = [0]>: name "stablehlo.gather", fields
    opaque,       // any other #attribute or loc(...): the whole text
  };
  Kind kind = Kind::unit;
  TypeId type = no_type;
  int64_t integer = 0;
  std::string_view name, text;
  std::vector<Attribute> items;
  std::vector<NamedAttribute> fields;
  size_t offset = 0;  // where in the source
};

struct NamedAttribute {
  std::string_view name;
  Attribute value;
};

struct Region;

struct Operation {
  std::string_view name;  // "stablehlo.add", "func.call", "func.return"
  std::vector<ValueId> operands, results;
  std::vector<NamedAttribute> attributes;
  std::vector<Region> regions;
  std::string_view location;  // "loc(...)" as written, or nothing
  size_t offset = 0;

  const Attribute* find(std::string_view attribute) const;
};

// A list of ops with arguments; the last op is its return. StableHLO's regions are one block.
struct Region {
  std::vector<ValueId> arguments;
  std::vector<Operation> operations;
};

struct Function {
  std::string name;
  std::string_view visibility;  // "public", "private" or nothing
  Region body;
  std::vector<std::vector<NamedAttribute>> argument_attributes, result_attributes;
  std::vector<NamedAttribute> attributes;
  std::vector<TypeId> result_types;
  std::vector<TypeId> values;  // the type of every value
  bool declared_only = false;  // without a body
  std::string_view location;   // "loc(...)" as written, or nothing
  size_t offset = 0;

  TypeId type(ValueId value) const { return values[static_cast<size_t>(value)]; }
};

struct Program {
  std::string name;  // of the module; may be empty
  std::vector<NamedAttribute> attributes;
  std::vector<Function> functions;
  // Ops of the module itself: sdy.mesh with its attributes sym_name and mesh.
  std::vector<Operation> operations;
  std::vector<Type> types;
  // What "#loc3" stands for in the locations: names and "loc(...)", in their order.
  std::vector<std::pair<std::string_view, std::string_view>> locations;
  // The section {-# ... #-} as written, and what its builtin resources hold by their names:
  // 0x, four bytes with the alignment, then the bytes of an array.
  std::string_view resource_section;
  std::unordered_map<std::string_view, std::string_view> resources;
  std::string file;  // for errors
  // What the views point into.
  std::shared_ptr<const std::string> source;
  // Texts that stand nowhere in the source: what the pretty form of an op implies.
  std::shared_ptr<std::deque<std::string>> implied = std::make_shared<std::deque<std::string>>();
  // The line of the file after which the source starts: a file may hold several programs.
  int first_line = 1;
  bool is_bytecode = false;  // the source has bytes instead of lines

  const Type& type(TypeId id) const { return types[static_cast<size_t>(id)]; }
  const Function* find(std::string_view function) const;
  // main, or the first function where there is no main.
  const Function& entry() const;
};

const Attribute* find(const std::vector<NamedAttribute>& attributes, std::string_view name);

struct Position {
  int line = 1, column = 1;
};
Position position_of(const Program& program, size_t offset);
// "model.mlir:3:17", "model.mlirbc: byte 305 (train.py:12:3)": the op's own source where bytecode
// names it.
std::string place_of(const Program& program, size_t offset);

// "model.mlir:3:17: what, got ..., expected ..."
[[noreturn]] void raise_at(const Program& program, size_t offset, std::string what,
                           std::string got = {}, std::string wanted = {}, std::string hint = {});

}  // namespace stablehlo
}  // namespace systolic::inline v0
