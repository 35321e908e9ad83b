#include "systolic/stablehlo/bytecode/ir_reader.h"

#include "systolic/base/error.h"
#include "systolic/stablehlo/bytecode/bytecode.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

constexpr ValueId undefined = -1;

}  // namespace

IrReader::IrReader(Reader& reader) : program_(reader.program()), reader_(reader) {
  for (const OpName& op : reader.sections().op_names) make_name(op);
}

// The section is a block with one op, the module.
void IrReader::read() {
  Bytes bytes = *reader_.sections().ir;
  const auto [ops, has_arguments] = bytes.flagged();
  if (ops != 1 || has_arguments) bytes.fail("the program", str(ops, " ops"), "one module");
  OpHead head = this->head(bytes);
  if (names_[head.name].original != "builtin.module" || head.region_count != 1) {
    bytes.fail("the program", std::string(names_[head.name].original), "builtin.module");
  }
  for (NamedAttribute& attribute : head.attributes) {
    if (attribute.name == "sym_name") {
      program_.name = attribute.value.text;
    } else if (attribute.name != "sym_visibility") {
      program_.attributes.push_back(std::move(attribute));
    }
  }
  Bytes regions = regions_of(bytes, head);
  module(regions);
}

// The bytes of an op's regions: a section of their own where they see nothing from outside.
Bytes IrReader::regions_of(Bytes& bytes, const OpHead& head) const {
  if (!head.isolated || reader_.sections().version < with_lazy_regions) return bytes;
  const Section section = read_section(bytes);
  if (section.id != SectionId::ir) bytes.fail("an op's regions", {}, "a section of IR");
  return section.bytes;
}

void IrReader::module(Bytes& bytes) {
  const uint64_t blocks = bytes.varint();
  if (blocks == 0) return;
  if (blocks != 1) bytes.fail("a module", str(blocks, " blocks"), "one");
  bytes.varint();  // values: a module has none
  const auto [ops, has_arguments] = bytes.flagged();
  if (ops > bytes.left() || has_arguments) bytes.fail("a module's block");
  for (uint64_t i = 0; i < ops; ++i) module_op(bytes);
}

void IrReader::module_op(Bytes& bytes) {
  OpHead head = this->head(bytes);
  const Name& name = names_[head.name];
  if (name.full == "func.func") return function(bytes, std::move(head));
  if (head.region_count != 0 || !head.result_types.empty() || !head.operands.empty()) {
    bytes.fail("an op beside the functions", std::string(name.original),
               "one without operands, results and regions");
  }
  Operation& op = program_.operations.emplace_back();
  op.name = name.full;
  op.attributes = std::move(head.attributes);
  op.location = head.location;
  op.offset = head.offset;
}

void IrReader::region_values(Bytes& bytes, Region& region, std::string_view parent) {
  const Reader::Depth depth(reader_, bytes);
  const uint64_t blocks = bytes.varint();
  if (blocks == 0) return;
  if (blocks != 1) {
    bytes.fail("a region", str(blocks, " blocks"), "one: StableHLO's regions have no more");
  }
  const size_t values = bytes.count("values");
  size_t next = scope_.size();
  scope_.resize(next + values, undefined);
  const size_t outside = next;
  block(bytes, region, next, parent);
  scope_.resize(outside);
}

void IrReader::block(Bytes& bytes, Region& region, size_t& next, std::string_view parent) {
  const auto [ops, has_arguments] = bytes.flagged();
  if (ops > bytes.left()) bytes.fail("the number of ops", str(ops), str("at most ", bytes.left()));
  if (has_arguments) block_arguments(bytes, region, next);
  for (uint64_t i = 0; i < ops; ++i) operation(bytes, region, next, parent);
}

void IrReader::block_arguments(Bytes& bytes, Region& region, size_t& next) {
  const size_t count = bytes.count("arguments");
  const uint64_t version = reader_.sections().version;
  for (size_t i = 0; i < count; ++i) {
    uint64_t type = 0;
    bool has_location = true;
    if (version >= with_optional_locations) {
      std::tie(type, has_location) = bytes.flagged();
    } else {
      type = bytes.varint();
    }
    const TypeId id = reader_.type_at(bytes, type);
    if (has_location) bytes.varint();
    region.arguments.push_back(define(bytes, id, next));
  }
  if (version >= with_use_orders && bytes.byte() != 0) use_orders(bytes, count);
}

void IrReader::bind(const Bytes& bytes, ValueId value, size_t& next) {
  if (next >= scope_.size()) bytes.fail("a value", {}, "as many as the region says it has");
  scope_[next++] = value;
}

ValueId IrReader::define(const Bytes& bytes, TypeId type, size_t& next) {
  const auto value = static_cast<ValueId>(function_->values.size());
  function_->values.push_back(type);
  bind(bytes, value, next);
  return value;
}

std::vector<ValueId> IrReader::define_results(const Bytes& bytes, const OpHead& head,
                                              size_t& next) {
  std::vector<ValueId> results;
  for (TypeId type : head.result_types) results.push_back(define(bytes, type, next));
  return results;
}

// Where dialects meet, values are cast from VHLO's types to builtin's, which here are the same.
void IrReader::cast(const Bytes& bytes, const OpHead& head, size_t& next) {
  if (head.operands.size() != head.result_types.size() || head.region_count != 0) {
    bytes.fail("builtin.unrealized_conversion_cast", str(head.operands.size(), " operands"),
               str(head.result_types.size()));
  }
  for (size_t i = 0; i < head.operands.size(); ++i) {
    if (function_->type(head.operands[i]) != head.result_types[i]) {
      bytes.fail("builtin.unrealized_conversion_cast", "another type", "the operand's type");
    }
    bind(bytes, head.operands[i], next);
  }
}

void IrReader::operation(Bytes& bytes, Region& region, size_t& next, std::string_view parent) {
  OpHead head = this->head(bytes);
  const Name& name = names_[head.name];
  if (name.original == "builtin.unrealized_conversion_cast") return cast(bytes, head, next);
  if (name.full == "func.func") bytes.fail("a function inside a function");
  Operation op;
  op.name = name.full;
  if (name.original == "vhlo.return_v1" && parent == "func.func") op.name = "func.return";
  op.location = head.location;
  op.offset = head.offset;
  op.operands = std::move(head.operands);
  op.results = define_results(bytes, head, next);
  op.attributes = name.vhlo == nullptr
                      ? std::move(head.attributes)
                      : to_stablehlo(reader_, bytes, *name.vhlo, std::move(head.attributes));
  if (head.region_count > 0) {
    Bytes own = regions_of(bytes, head);
    const bool apart = head.isolated && reader_.sections().version >= with_lazy_regions;
    Bytes& regions = apart ? own : bytes;
    Scope outer;
    if (head.isolated) outer.swap(scope_);
    for (size_t i = 0; i < head.region_count; ++i) {
      region_values(regions, op.regions.emplace_back(), op.name);
    }
    if (head.isolated) scope_.swap(outer);
  }
  region.operations.push_back(std::move(op));
}

bool is_bytecode(std::string_view data) { return data.starts_with(magic_number); }

Program read_bytecode(std::string data, std::string file) {
  Program program;
  program.file = std::move(file);
  program.source = std::make_shared<const std::string>(std::move(data));
  program.is_bytecode = true;
  Reader reader(program);
  IrReader(reader).read();
  return program;
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
