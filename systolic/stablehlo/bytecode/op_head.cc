// What an op is, without its regions: name, attributes, types, operands.
#include <array>

#include "systolic/base/error.h"
#include "systolic/stablehlo/bytecode/ir_reader.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

// Which parts an op has.
enum Mask : uint8_t {
  has_attributes = 1,
  has_results = 2,
  has_operands = 4,
  has_successors = 8,
  has_regions = 16,
  has_use_orders = 32,
  has_properties = 64,
};

// The attributes that ops other than VHLO's encode, in their order; "?" where one may be missing.
struct OtherOp {
  std::string_view name, attributes;
};
constexpr std::array other_ops{
    OtherOp{"builtin.module", "sym_name? sym_visibility?"},
    OtherOp{"func.func", "arg_attrs? function_type res_attrs? sym_name sym_visibility?"},
    OtherOp{"func.call", "arg_attrs? callee no_inline? res_attrs?"},
    OtherOp{"sdy.mesh", "mesh sym_name"},
    OtherOp{"sdy.manual_computation", "in_shardings manual_axes out_shardings"},
    OtherOp{"sdy.sharding_constraint", "sharding"},
    OtherOp{"sdy.reshard", "sharding"},
    OtherOp{"sdy.sharding_group", "group_id"},
    OtherOp{"sdy.propagation_barrier", "allowed_direction"},
    OtherOp{"sdy.named_computation", "in_shardings? name out_shardings?"},
};

}  // namespace

void IrReader::make_name(const OpName& op) {
  Name& name = names_.emplace_back();
  name.original =
      reader_.implied(op.name.empty() ? str(op.dialect) : str(op.dialect, ".", op.name));
  name.full = name.original;
  name.registered = op.registered;
  if (op.dialect == "vhlo") {
    name.vhlo = find_vhlo_op(op.name);
    if (name.vhlo == nullptr) return;
    name.full = reader_.implied(stablehlo_name(op.name));
    name.encoded = name.vhlo->attributes;
    name.properties_known = true;
  }
  for (const OtherOp& row : other_ops) {
    if (row.name != name.original) continue;
    name.encoded = row.attributes;
    name.properties_known = true;
  }
}

void IrReader::add_dictionary(const Bytes& bytes, Attribute dictionary, OpHead& head) {
  if (dictionary.kind != Attribute::Kind::dictionary) {
    bytes.fail("an op's attributes", {}, "a dictionary");
  }
  for (NamedAttribute& field : dictionary.fields) head.attributes.push_back(std::move(field));
}

void IrReader::properties(Bytes& bytes, const Name& name, OpHead& head) {
  if (!name.registered) return add_dictionary(bytes, reader_.attribute(bytes), head);
  const auto& all = reader_.sections().properties;
  const uint64_t index = bytes.varint();
  if (index >= all.size()) {
    bytes.fail("the number of an op's properties", str(index), str("less than ", all.size()));
  }
  if (!name.properties_known) {
    raise<Unimplemented>({.what = str(place_of(program_, head.offset), ": op ", name.original,
                                      " in its dialect's own encoding"),
                          .hint = "serialize the module as a StableHLO portable artifact"});
  }
  Bytes encoded = all[static_cast<size_t>(index)];
  for (std::string_view word : words_of(name.encoded)) {
    const std::string_view attribute = word.substr(0, word.find_first_of("?!-="));
    if (word.back() != '?') {
      head.attributes.push_back({attribute, reader_.attribute(encoded)});
    } else if (std::optional<Attribute> value = reader_.optional_attribute(encoded)) {
      head.attributes.push_back({attribute, std::move(*value)});
    }
  }
  if (!encoded.empty()) {
    encoded.fail(str("the properties of ", name.original), str(encoded.left(), " bytes too many"));
  }
}

ValueId IrReader::operand(Bytes& bytes) {
  const uint64_t number = bytes.varint();
  if (number >= scope_.size() || scope_[static_cast<size_t>(number)] < 0) {
    bytes.fail("an operand", str("value ", number), "one that is defined before it is used");
  }
  return scope_[static_cast<size_t>(number)];
}

// In which order the users of values stand says nothing about the program.
void IrReader::use_orders(Bytes& bytes, size_t values) const {
  const size_t count = values > 1 ? bytes.count("use orders") : 1;
  for (size_t i = 0; i < count; ++i) {
    if (values > 1) bytes.varint();
    const uint64_t numbers = bytes.flagged().first;
    if (numbers > bytes.left()) bytes.fail("a use order", str(numbers), "as many as there are");
    for (uint64_t k = 0; k < numbers; ++k) bytes.varint();
  }
}

OpHead IrReader::head(Bytes& bytes) {
  OpHead head;
  head.offset = bytes.offset();
  const uint64_t index = bytes.varint();
  if (index >= names_.size()) {
    bytes.fail("the number of an op's name", str(index), str("less than ", names_.size()));
  }
  head.name = static_cast<size_t>(index);
  const Name& name = names_[head.name];
  if (name.original.substr(0, 5) == "vhlo." && name.vhlo == nullptr) {
    raise<Unimplemented>({.what = str(place_of(program_, head.offset), ": op ", name.original),
                          .wanted = "an op of VHLO 0.9 to 1.20"});
  }
  const uint8_t mask = bytes.byte();
  head.location = reader_.attribute(bytes).text;
  if ((mask & has_attributes) != 0) add_dictionary(bytes, reader_.attribute(bytes), head);
  if ((mask & has_properties) != 0) properties(bytes, name, head);
  if ((mask & has_results) != 0) head.result_types = reader_.types(bytes);
  if ((mask & has_operands) != 0) {
    head.operands.resize(bytes.count("operands"));
    for (ValueId& value : head.operands) value = operand(bytes);
  }
  if ((mask & has_successors) != 0) {
    bytes.fail("an op with successors", std::string(name.original), "regions of one block");
  }
  if ((mask & has_use_orders) != 0 && reader_.sections().version >= with_use_orders) {
    use_orders(bytes, head.result_types.size());
  }
  if ((mask & has_regions) != 0) {
    const auto [count, isolated] = bytes.flagged();
    if (count > bytes.left()) bytes.fail("the number of regions", str(count));
    head.region_count = static_cast<size_t>(count);
    head.isolated = isolated;
  }
  return head;
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
