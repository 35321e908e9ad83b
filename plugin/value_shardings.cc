#include "plugin/value_shardings.h"

#include <algorithm>

#include "systolic/ir/op_code.h"

namespace systolic::inline v0 {
namespace plugin {

using stablehlo::Attribute;
using stablehlo::Operation;
using stablehlo::Parts;
using stablehlo::ValueId;

namespace {

// Ops whose result has, at each place, what the operands have there.
bool is_elementwise(std::string_view name) {
  constexpr std::string_view dialect = "stablehlo.";
  if (name.substr(0, dialect.size()) == dialect) name.remove_prefix(dialect.size());
  for (int i = 0; i < ir::op_count; ++i) {
    const ir::OpInfo& op = ir::info(static_cast<ir::OpCode>(i));
    if (op.name == name) return ir::is_elementwise(op.code);
  }
  return false;
}

}  // namespace

ValueShardings::ValueShardings(const stablehlo::Program& program,
                               const stablehlo::Function& function, int64_t cores)
    : program_(program), function_(function), cores_(cores) {
  if (cores == 1) return;
  for (size_t i = 0; i < function.body.arguments.size(); ++i) {
    const ValueId value = function.body.arguments[i];
    if (program.type(function.type(value)).kind != stablehlo::Type::Kind::tensor) continue;
    const Shape shape = shape_of(value);
    Parts parts = parts_of(program, function.argument_attributes[i], shape, cores);
    if (!parts.whole(shape)) known_.emplace(value, std::move(parts));
  }
  for (const Operation& op : function.body.operations) visit(op);
}

Shape ValueShardings::shape_of(ValueId value) const {
  return Shape(program_.type(function_.type(value)).dims);
}

void ValueShardings::visit(const Operation& op) {
  if (op.name == "func.return") {
    returned_ = op.operands;
  } else if (op.name == "sdy.sharding_constraint" || op.name == "sdy.reshard") {
    constraint(op);
  } else if (op.name == "sdy.manual_computation") {
    manual(op);
  } else if (op.results.size() == 1 && is_elementwise(op.name)) {
    elementwise(op);
  }
}

void ValueShardings::constraint(const Operation& op) {
  const Attribute* sharding = op.find("sharding");
  if (sharding == nullptr || op.results.size() != 1) return;
  known_[op.results[0]] =
      parts_of(read_sharding(program_, *sharding), shape_of(op.results[0]), cores_);
}

void ValueShardings::manual(const Operation& op) {
  const Attribute* out = op.find("out_shardings");
  if (out == nullptr) return;
  const auto shardings = read_shardings(program_, *out);
  for (size_t i = 0; i < std::min(shardings.size(), op.results.size()); ++i) {
    known_[op.results[i]] = parts_of(shardings[i], shape_of(op.results[i]), cores_);
  }
}

void ValueShardings::elementwise(const Operation& op) {
  for (ValueId operand : op.operands) {
    const auto found = known_.find(operand);
    if (found == known_.end() || !(shape_of(operand) == shape_of(op.results[0]))) continue;
    known_[op.results[0]] = Parts(found->second);
    return;
  }
}

Parts ValueShardings::result(size_t i, const Shape& shape) const {
  if (i < returned_.size()) {
    const auto found = known_.find(returned_[i]);
    if (found != known_.end()) return found->second;
  }
  return stablehlo::whole_parts(shape, cores_);
}

}  // namespace plugin
}  // namespace systolic::inline v0
