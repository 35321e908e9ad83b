#include "systolic/stablehlo/bytecode/write_bytecode.h"

#include <optional>

#include "systolic/base/error.h"
#include "systolic/stablehlo/bytecode/encoding/sections.h"
#include "systolic/stablehlo/bytecode/vhlo/vhlo_op_attributes.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

// Which parts an op has, as op_head.cc reads them.
constexpr uint8_t has_attributes = 1, has_results = 2, has_operands = 4, has_regions = 16,
                  has_properties = 64;

// An op without its regions.
struct OpParts {
  uint64_t name = 0;
  std::optional<uint64_t> attributes = {};
  std::optional<uint64_t> properties = {};  // of ops that have attributes of their own
  std::vector<uint64_t> result_types = {}, operands = {};
  size_t regions = 0;
  bool isolated = false;  // its regions see no values from outside
};

class IrWriter {
 public:
  IrWriter(const Program& program, BytecodeTables& tables)
      : program_(program), writer_(program, tables) {}

  // A block with one op, the module.
  ByteWriter ir() {
    ByteWriter functions;
    functions.varint(1);  // blocks
    functions.varint(0);  // values
    functions.flagged(program_.functions.size(), false);
    for (const Function& function : program_.functions) write_function(function, functions);
    for (const Operation& op : program_.operations) fail(op);
    ByteWriter properties, bytes;
    properties.flagged(program_.name.empty() ? 0 : writer_.builtin_text(program_.name),
                       !program_.name.empty());
    properties.flagged(0, false);  // visibility
    OpParts module{.name = writer_.tables().op_name(BytecodeDialect::builtin, "module"),
                   .properties = writer_.tables().properties(properties),
                   .regions = 1,
                   .isolated = true};
    std::vector<std::pair<std::string_view, uint64_t>> attributes;
    for (const NamedAttribute& one : program_.attributes)
      attributes.emplace_back(one.name, writer_.builtin_attribute(one.value));
    if (!attributes.empty()) module.attributes = writer_.builtin_dictionary(attributes);
    bytes.flagged(1, false);
    write_head(module, bytes);
    write_isolated(functions, bytes);
    return bytes;
  }

 private:
  // The numbers of a function's values, in a region and those around it.
  struct Scope {
    std::vector<uint64_t> numbers;
    uint64_t next = 0;
  };

  [[noreturn]] void fail(const Operation& op) const {
    raise<Unimplemented>({.what = str(place_of(program_, op.offset), ": op ", op.name, " in VHLO ",
                                      written_vhlo_version, " bytecode")});
  }

  uint64_t vhlo_name(std::string_view name) {
    return writer_.tables().op_name(BytecodeDialect::vhlo, name);
  }
  uint64_t properties_of(const std::vector<uint64_t>& attributes) {
    ByteWriter bytes;
    for (const uint64_t one : attributes) bytes.varint(one);
    return writer_.tables().properties(bytes);
  }

  void write_head(const OpParts& op, ByteWriter& to) {
    to.varint(op.name);
    to.byte(static_cast<uint8_t>(
        (op.attributes ? has_attributes : 0) | (op.properties ? has_properties : 0) |
        (op.result_types.empty() ? 0 : has_results) | (op.operands.empty() ? 0 : has_operands) |
        (op.regions == 0 ? 0 : has_regions)));
    to.varint(writer_.unknown_location());
    if (op.attributes) to.varint(*op.attributes);
    if (op.properties) to.varint(*op.properties);
    for (const auto* list : {&op.result_types, &op.operands}) {
      if (list->empty()) continue;
      to.varint(list->size());
      for (const uint64_t one : *list) to.varint(one);
    }
    if (op.regions > 0) to.flagged(op.regions, op.isolated);
  }
  static void write_isolated(const ByteWriter& regions, ByteWriter& to) {
    to.byte(static_cast<uint8_t>(SectionId::ir));
    to.sized(regions.bytes());
  }

  uint64_t list_of_dictionaries(const std::vector<std::vector<NamedAttribute>>& all) {
    std::vector<uint64_t> items;
    bool is_empty = true;
    for (const auto& one : all) {
      is_empty = is_empty && one.empty();
      items.push_back(writer_.dictionary(one));
    }
    return writer_.list(is_empty ? std::vector<uint64_t>{} : items);
  }

  void write_function(const Function& function, ByteWriter& to) {
    std::vector<TypeId> inputs;
    for (const ValueId argument : function.body.arguments)
      inputs.push_back(function.type(argument));
    const uint64_t type =
        writer_.type_attribute(writer_.function_type(inputs, function.result_types));
    OpParts parts{.name = vhlo_name("func_v1"),
                  .properties = properties_of(
                      {list_of_dictionaries(function.argument_attributes), type,
                       list_of_dictionaries(function.result_attributes),
                       writer_.text(function.name), writer_.text(function.visibility)}),
                  .regions = 1,
                  .isolated = true};
    std::vector<std::pair<std::string_view, uint64_t>> others;
    for (const NamedAttribute& one : function.attributes)
      others.emplace_back(one.name, writer_.attribute(one.value));
    if (!others.empty()) parts.attributes = writer_.builtin_dictionary(others);
    write_head(parts, to);
    Scope scope{.numbers = std::vector<uint64_t>(function.values.size())};
    function_ = &function;
    ByteWriter body;
    if (function.declared_only) {
      body.varint(0);  // blocks
    } else {
      write_region(function.body, scope, body);
    }
    write_isolated(body, to);
  }

  // All values of a region are counted before those of the regions in it.
  void write_region(const Region& region, Scope& scope, ByteWriter& to) {
    const uint64_t first = scope.next;
    const auto define = [&](ValueId value) {
      scope.numbers[static_cast<size_t>(value)] = scope.next++;
    };
    for (const ValueId argument : region.arguments) define(argument);
    for (const Operation& op : region.operations) {
      for (const ValueId result : op.results) define(result);
    }
    to.varint(1);  // blocks
    to.varint(scope.next - first);
    to.flagged(region.operations.size(), !region.arguments.empty());
    if (!region.arguments.empty()) {
      to.varint(region.arguments.size());
      for (const ValueId argument : region.arguments)
        to.flagged(writer_.type(function_->type(argument)), false);  // without a location
      to.byte(0);                                                    // and an order of uses
    }
    for (const Operation& op : region.operations) write_op(op, scope, to);
    scope.next = first;
  }

  void write_op(const Operation& op, Scope& scope, ByteWriter& to) {
    OpParts parts = parts_of(op);
    for (const ValueId result : op.results)
      parts.result_types.push_back(writer_.type(function_->type(result)));
    for (const ValueId operand : op.operands)
      parts.operands.push_back(scope.numbers[static_cast<size_t>(operand)]);
    parts.regions = op.regions.size();
    write_head(parts, to);
    for (const Region& region : op.regions) write_region(region, scope, to);
  }

  OpParts parts_of(const Operation& op) {
    if (op.name == "chlo.erf") return custom_call("mhlo.erf");
    const size_t dot = op.name.find('.');
    const std::string_view dialect = op.name.substr(0, dot);
    const VhloOp* vhlo = dialect == "stablehlo" || dialect == "func"
                             ? find_vhlo_op(str(op.name.substr(dot + 1), "_v1"))
                             : nullptr;
    if (vhlo == nullptr) fail(op);
    const VhloOpAttributes attributes = to_vhlo(writer_, *vhlo, op);
    OpParts parts{.name = vhlo_name(vhlo->name)};
    if (!attributes.own.empty()) parts.properties = properties_of(attributes.own);
    if (!attributes.others.empty())
      parts.attributes = writer_.builtin_dictionary(attributes.others);
    return parts;
  }

  // As XLA takes ops that StableHLO has not: without side effects, version 1 of the op.
  OpParts custom_call(std::string_view target) {
    const uint64_t none = writer_.list({});
    OpParts parts{
        .name = vhlo_name("custom_call_v1"),
        .properties = properties_of({writer_.api_version(1), writer_.text(""), writer_.text(target),
                                     none, writer_.boolean(false), none, none, none})};
    parts.attributes = writer_.builtin_dictionary(
        {{"mhlo.attributes", writer_.dictionary({})}, {"mhlo.version", writer_.integer(1)}});
    return parts;
  }

  const Program& program_;
  VhloWriter writer_;
  const Function* function_ = nullptr;
};

}  // namespace

std::string write_bytecode(const Program& program) {
  BytecodeTables tables;
  const ByteWriter ir = IrWriter(program, tables).ir();
  return tables.file(str("StableHLO_v", written_vhlo_version), ir);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
