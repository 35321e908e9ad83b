// Ops that run regions or functions, and those that put values together.
#include "systolic/base/error.h"
#include "systolic/stablehlo/import/handlers.h"
#include "systolic/stablehlo/print.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

std::vector<ir::Type> types_of(const std::vector<ir::Value>& values) {
  std::vector<ir::Type> types;
  for (const ir::Value& value : values) types.push_back(value.type());
  return types;
}

}  // namespace

void import_after_all(OpImport& op) { op.set(std::vector<Slot>{Slot{}}); }

void import_branches(OpImport& op) {
  std::vector<ir::Block> regions;
  for (size_t i = 0; i < op.op().regions.size(); ++i) {
    regions.push_back(op.region(i, std::vector<ir::Type>{}));
  }
  const std::vector<ir::Value> index{op.operand(0)};
  op.divide(op.builder().append(op.code(), index, {}, std::move(regions)));
}

void import_while(OpImport& op) {
  const std::vector<ir::Value> initial = op.operands();
  if (initial.empty()) op.lack("a loop that carries nothing");
  const std::vector<ir::Type> types = types_of(initial);
  std::vector<ir::Block> regions;
  regions.push_back(op.region(0, types));
  regions.push_back(op.region(1, types));
  op.divide(op.builder().append(ir::OpCode::while_, initial, {}, std::move(regions)));
}

void import_optimization_barrier(OpImport& op) {
  const std::vector<ir::Value> values = op.operands();
  if (values.empty()) return op.divide({});
  op.divide(op.builder().append(ir::OpCode::optimization_barrier, values));
}

void import_call(OpImport& op) {
  const Attribute& callee = op.required("callee");
  std::vector<Slot> arguments;
  for (size_t i = 0; i < op.operand_count(); ++i) arguments.push_back(op.slot(i));
  op.set(op.importer().call(callee.text, std::move(arguments), op.op().offset));
}

void import_composite(OpImport& op) {
  const Attribute& decomposition = op.required("decomposition");
  std::vector<Slot> arguments;
  for (size_t i = 0; i < op.operand_count(); ++i) arguments.push_back(op.slot(i));
  op.set(op.importer().call(decomposition.text, std::move(arguments), op.op().offset));
}

// Nothing runs behind the program's back, so the work is done where it starts.
void import_async_start(OpImport& op) {
  std::vector<ir::Value> arguments;
  if (!op.written_region(0).arguments.empty()) arguments = op.operands();
  op.set(std::vector<Slot>{op.region_ops(0, arguments)});
}

void import_async_done(OpImport& op) { op.divide(op.slot(0)); }

void import_infeed(OpImport& op) {
  const bool outermost = &op.builder().block() == &op.builder().function().body;
  if (!op.importer().options().host_queues) op.lack("nobody feeds this program");
  if (!outermost) op.lack("an infeed in a region");
  std::vector<ir::Value> arrays;
  for (ValueId result : op.op().results) {
    const TypeId type = op.importer().frame().function->type(result);
    for (ir::Type& array : op.importer().arrays_of(type, op.op().offset)) {
      arrays.push_back(op.builder().argument(std::move(array)));
    }
  }
  op.divide(arrays);
}

void import_outfeed(OpImport& op) {
  if (!op.importer().options().host_queues) op.lack("nobody takes what this program sends");
  op.set(std::vector<Slot>{Slot{}});
}

void import_exchange(OpImport& op) {
  op.lack("outside the functions of interpreter.run_parallel, or in a region or a call of them",
          "use collective_permute between cores, and arguments and results with the host");
}

void import_tuple(OpImport& op) { op.set(std::vector<Slot>{op.operands()}); }

void import_get_tuple_element(OpImport& op) {
  const Type& tuple = op.operand_type(0);
  const int64_t index = op.integer("index");
  if (tuple.kind != Type::Kind::tuple || index < 0 ||
      index >= static_cast<int64_t>(tuple.parts.size())) {
    op.fail("index", str(index), str("a part of a tuple of ", tuple.parts.size()));
  }
  size_t begin = 0, count = 0;
  for (int64_t i = 0; i <= index; ++i) {
    begin += count;
    count = op.importer().arrays_of(tuple.parts[static_cast<size_t>(i)], op.op().offset).size();
  }
  const Slot& slot = op.slot(0);
  if (begin + count > slot.size()) op.fail("operand 0", "no such tuple");
  op.set(std::vector<Slot>{Slot(slot.begin() + static_cast<std::ptrdiff_t>(begin),
                                slot.begin() + static_cast<std::ptrdiff_t>(begin + count))});
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
