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

// Of a program whose functions call each other again and again.
constexpr int64_t most_ops = 1'000'000;
constexpr int most_depth = 100;

bool is_control_flow(std::string_view name) {
  return name == "stablehlo.while" || name == "stablehlo.case" || name == "stablehlo.if";
}

bool is_made_on_parts(const Operation& call) {
  for (const char* name : {"mhlo.backend_config", "backend_config"}) {
    const Attribute* options = call.find(name);
    if (options == nullptr || options->kind != Attribute::Kind::dictionary) continue;
    const Attribute* said = stablehlo::find(options->fields, "partitioned");
    return said != nullptr && said->integer != 0;
  }
  return false;
}

}  // namespace

ValueShardings::ValueShardings(const stablehlo::Program& program,
                               const stablehlo::Function& function, int64_t cores)
    : program_(program), cores_(cores), frame_{&function} {
  if (cores == 1) return;
  for (const stablehlo::Function& each : program.functions) functions_[each.name] = &each;
  for (size_t i = 0; i < function.body.arguments.size(); ++i) {
    const ValueId value = function.body.arguments[i];
    if (!is_array(value)) continue;
    const Shape shape = shape_of(value);
    Parts parts = parts_of(program, function.argument_attributes[i], shape, cores);
    if (!parts.whole(shape)) frame_.known.emplace(value, std::move(parts));
  }
  visit_all(function.body.operations);
}

// What is not visited counts as whole.
void ValueShardings::visit_all(const std::vector<Operation>& ops) {
  for (const Operation& op : ops) {
    if (++visited_ > most_ops) return;
    visit(op);
  }
}

bool ValueShardings::is_array(ValueId value) const {
  return program_.type(frame_.function->type(value)).kind == stablehlo::Type::Kind::tensor;
}

Shape ValueShardings::shape_of(ValueId value) const {
  return Shape(program_.type(frame_.function->type(value)).dims);
}

void ValueShardings::visit(const Operation& op) {
  if (op.name == "func.return") {
    frame_.returned = op.operands;
  } else if (op.name == "sdy.sharding_constraint" || op.name == "sdy.reshard") {
    constraint(op);
  } else if (op.name == "sdy.manual_computation") {
    manual(op);
  } else if (op.name == "stablehlo.custom_call") {
    foreign_call(op);
  } else if (op.name == "func.call") {
    call(op);
  } else if (op.results.size() == 1 && is_elementwise(op.name)) {
    elementwise(op);
  } else if (is_control_flow(op.name)) {
    regions(op);
  }
}

void ValueShardings::constraint(const Operation& op) {
  const Attribute* sharding = op.find("sharding");
  if (sharding == nullptr || op.results.size() != 1 || !is_array(op.results[0])) return;
  frame_.known[op.results[0]] =
      parts_of(read_sharding(program_, *sharding), shape_of(op.results[0]), cores_);
}

void ValueShardings::manual(const Operation& op) {
  const Attribute* out = op.find("out_shardings");
  if (out == nullptr) return;
  const auto shardings = read_shardings(program_, *out);
  for (size_t i = 0; i < std::min(shardings.size(), op.results.size()); ++i) {
    if (!is_array(op.results[i])) continue;
    frame_.known[op.results[i]] = parts_of(shardings[i], shape_of(op.results[i]), cores_);
  }
}

void ValueShardings::elementwise(const Operation& op) {
  for (ValueId operand : op.operands) {
    const auto found = frame_.known.find(operand);
    if (found == frame_.known.end() || !(shape_of(operand) == shape_of(op.results[0]))) continue;
    frame_.known[op.results[0]] = Parts(found->second);
    return;
  }
}

// A loop's arguments lie as what it starts with, and so do its results; branches have none.
void ValueShardings::regions(const Operation& op) {
  const auto take = [&](const std::vector<ValueId>& values) {
    for (size_t i = 0; i < std::min(values.size(), op.operands.size()); ++i) {
      const auto found = frame_.known.find(op.operands[i]);
      if (found != frame_.known.end()) frame_.known[values[i]] = Parts(found->second);
    }
  };
  for (const stablehlo::Region& region : op.regions) {
    take(region.arguments);
    visit_all(region.operations);
  }
  if (op.name == "stablehlo.while") take(op.results);
}

void ValueShardings::call(const Operation& op) {
  const Attribute* callee = op.find("callee");
  const auto found = callee == nullptr ? functions_.end() : functions_.find(callee->text);
  if (found == functions_.end() || depth_ == most_depth) return;
  const auto take = [](const Frame& from, const std::vector<ValueId>& given, Frame& to,
                       const std::vector<ValueId>& values) {
    for (size_t i = 0; i < std::min(given.size(), values.size()); ++i) {
      const auto known = from.known.find(given[i]);
      if (known != from.known.end()) to.known[values[i]] = Parts(known->second);
    }
  };
  Frame inside{found->second};
  take(frame_, op.operands, inside, inside.function->body.arguments);
  std::swap(frame_, inside);
  ++depth_;
  visit_all(frame_.function->body.operations);
  --depth_;
  std::swap(frame_, inside);
  take(inside, inside.returned, frame_, op.results);
}

void ValueShardings::foreign_call(const Operation& op) {
  if (!is_made_on_parts(op)) return;
  std::vector<Parts>& parts = call_parts_[&op];
  for (ValueId operand : op.operands) {
    const auto found = frame_.known.find(operand);
    parts.push_back(found != frame_.known.end()
                        ? found->second
                        : stablehlo::whole_parts(shape_of(operand), cores_));
  }
  // One call for each device, even if there is nothing to give it.
  if (parts.empty()) parts.push_back(stablehlo::whole_parts(Shape{}, cores_));
}

std::vector<Parts> ValueShardings::operands(const Operation& call) const {
  const auto found = call_parts_.find(&call);
  return found == call_parts_.end() ? std::vector<Parts>{} : found->second;
}

Parts ValueShardings::result(size_t i, const Shape& shape) const {
  if (i < frame_.returned.size()) {
    const auto found = frame_.known.find(frame_.returned[i]);
    if (found != frame_.known.end()) return found->second;
  }
  return stablehlo::whole_parts(shape, cores_);
}

}  // namespace plugin
}  // namespace systolic::inline v0
