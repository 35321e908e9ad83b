#include "plugin/shardings/program_walk.h"

#include <algorithm>
#include <initializer_list>

namespace systolic::inline v0 {
namespace plugin {

using stablehlo::Attribute;
using stablehlo::MeshSharding;
using stablehlo::Operation;
using stablehlo::Parts;
using stablehlo::ValueId;

namespace {

// Limits, for a program whose functions call each other again and again.
constexpr int64_t most_ops = 1'000'000;
constexpr int most_depth = 100;

bool is_made_on_parts(const Operation& call) {
  for (const char* name : {"mhlo.backend_config", "backend_config"}) {
    const Attribute* options = call.find(name);
    if (options == nullptr || options->kind != Attribute::Kind::dictionary) continue;
    const Attribute* said = stablehlo::find(options->fields, "partitioned");
    return said != nullptr && said->integer != 0;
  }
  return false;
}

bool is_call_of(std::string_view target, const Operation& op) {
  const Attribute* name = op.find("call_target_name");
  return op.name == "stablehlo.custom_call" && name != nullptr && name->text == target;
}

// Calls that give their operand back.
bool is_hint(const Operation& op) {
  return is_call_of("Sharding", op) || is_call_of("LayoutConstraint", op);
}

bool is_among(std::string_view op, std::initializer_list<std::string_view> names) {
  constexpr std::string_view dialect = "stablehlo.";
  if (op.substr(0, dialect.size()) != dialect) return false;
  return std::find(names.begin(), names.end(), op.substr(dialect.size())) != names.end();
}

// f(a + b) = f(a) + f(b), of all its arrays together.
bool is_linear(std::string_view op) {
  return is_among(op, {"add", "broadcast_in_dim", "concatenate", "convert", "dynamic_slice",
                       "dynamic_update_slice", "negate", "reshape", "reverse", "slice", "subtract",
                       "transpose"});
}

// Results of parts are put together to those of the whole.
bool sums_up(std::string_view op) {
  return is_among(op,
                  {"convolution", "dot", "dot_general", "reduce", "scatter", "select_and_scatter"});
}

// What a part's result needs of other parts lies next to its own.
bool needs_borders(std::string_view op) {
  return is_among(op, {"concatenate", "convolution", "pad", "reduce_window", "reverse",
                       "select_and_scatter", "slice"});
}

Step::Kind kind_of(const Operation& op, bool elementwise) {
  using Kind = Step::Kind;
  const std::string_view name = op.name;
  if (elementwise || name == "stablehlo.reshape" || name == "stablehlo.transpose") {
    return Kind::elementwise;
  }
  if (name == "stablehlo.dynamic_slice" || name == "stablehlo.dynamic_update_slice") {
    return Kind::update;
  }
  return name == "stablehlo.broadcast_in_dim" ? Kind::broadcast : Kind::other;
}

}  // namespace

ProgramWalk::ProgramWalk(const stablehlo::Program& program, const stablehlo::Function& function,
                         int64_t cores)
    : program_(program), function_(function), cores_(cores) {
  for (const stablehlo::Function& each : program.functions) functions_[each.name] = &each;
  Frame frame(function);
  frame_ = &frame;
  arguments();
  visit_all(function.body.operations);
  results_of_main();
  frame_ = nullptr;
}

void ProgramWalk::arguments() {
  for (size_t i = 0; i < function_.body.arguments.size(); ++i) {
    const int array = make(function_.body.arguments[i]);
    const auto& attributes = function_.argument_attributes.at(i);
    if (!says_sharding(attributes)) continue;
    say(array, parts_of(program_, attributes, Shape(placement_.at(array).sizes), cores_));
  }
}

// A result is an array of its own, so that what is written for it does not bind the value returned.
void ProgramWalk::results_of_main() {
  for (size_t i = 0; i < frame_->returned.size(); ++i) {
    const stablehlo::Type& type = program_.type(function_.result_types.at(i));
    const Shape shape(type.dims);
    const int from = use(frame_->returned[i], type);
    const int to = like(from);
    results_.push_back(to);
    const auto& attributes = function_.result_attributes.at(i);
    if (says_sharding(attributes)) say(to, parts_of(program_, attributes, shape, cores_));
    same({from}, to);
  }
}

void ProgramWalk::visit_all(const std::vector<Operation>& ops) {
  for (const Operation& op : ops) {
    if (++visited_ > most_ops) return;
    visit(op);
  }
}

void ProgramWalk::visit(const Operation& op) {
  const std::string_view name = op.name;
  if (name == "func.return" || name == "stablehlo.return" || name == "sdy.return") {
    frame_->returned.clear();
    for (ValueId id : op.operands) frame_->returned.push_back(value(id));
  } else if (name == "sdy.sharding_constraint" || name == "sdy.reshard" || is_hint(op)) {
    constraint(op);
  } else if (name == "sdy.sharding_group") {
    group(op);
  } else if (name == "sdy.manual_computation") {
    manual(op);
  } else if (name == "func.call" || name == "stablehlo.composite") {
    const Attribute* callee = op.find(name == "func.call" ? "callee" : "decomposition");
    call(op, callee == nullptr ? std::string_view() : callee->text);
  } else if (name == "stablehlo.while") {
    loop(op);
  } else if (name == "stablehlo.case" || name == "stablehlo.if") {
    branches(op);
  } else if (name == "stablehlo.optimization_barrier") {
    barrier(op);
  } else if (is_call_of("InspectSharding", op)) {
    question(op);
  } else {
    other(op);
  }
}

const stablehlo::Type& ProgramWalk::type_of(ValueId id) const {
  return program_.type(frame_->function->type(id));
}

// Another array of the same type.
int ProgramWalk::like(int array) {
  return placement_.add(placement_.at(array).sizes, placement_.at(array).element);
}

int ProgramWalk::use(Value& value, const stablehlo::Type& type) {
  if (value.array >= 0) return value.array;
  const int array = placement_.add(type.dims, type.element);
  if (!value.constant) value.array = array;
  return array;
}

int ProgramWalk::make(ValueId id) {
  Value& made = value(id);
  made = {placement_.add(type_of(id).dims, type_of(id).element), false};
  return made.array;
}

void ProgramWalk::same(std::vector<int> from, int to) {
  Step step;
  step.kind = Step::Kind::edge;
  step.linear = true;
  Sizes sizes;
  for (int array : from) sizes.operands.push_back(placement_.at(array).sizes);
  sizes.results.push_back(placement_.at(to).sizes);
  step.rule = pointwise_rule(sizes);
  step.arrays = std::move(from);
  step.arrays.push_back(to);
  placement_.add(std::move(step));
}

void ProgramWalk::say(int array, const Parts& parts) {
  PlacedArray& placed = placement_.at(array);
  placed.said = placed.addend_said = true;
  for (size_t axis = 0; axis < placed.sizes.size(); ++axis) {
    placed.closed[axis] = true;
    const int64_t size = parts.size[axis];
    if (size == placed.sizes[axis] || size == 0) continue;
    Cut& cut = placed.cuts[axis];
    cut.pieces = placed.sizes[axis] / size;
    cut.index.clear();
    for (const auto& start : parts.start) cut.index.push_back(start[axis] / size);
  }
  if (parts.addend.empty()) return;
  const auto last = std::max_element(parts.addend.begin(), parts.addend.end());
  if (*last > 0) placed.addend = {*last + 1, parts.addend};
}

void ProgramWalk::say(int array, const MeshSharding& sharding) {
  const Shape shape(placement_.at(array).sizes);
  say(array, parts_of(stablehlo::dividing(sharding, shape), shape, cores_));
  PlacedArray& placed = placement_.at(array);
  for (size_t axis = 0; axis < placed.sizes.size(); ++axis) {
    placed.closed[axis] = !sharding.open.at(axis);
  }
}

// A constraint is one for what it reads, too, where nothing else is said of that.
void ProgramWalk::hint(int array, const MeshSharding& sharding) {
  const bool open =
      std::find(sharding.open.begin(), sharding.open.end(), true) != sharding.open.end();
  if (open || placement_.at(array).said) return;
  say(array, sharding);
  PlacedArray& placed = placement_.at(array);
  placed.addend_said = placed.addend.pieces > 1;
}

void ProgramWalk::constraint(const Operation& op) {
  if (op.results.size() != 1 || op.operands.size() != 1) return;
  const int from = use(op.operands[0]), to = make(op.results[0]);
  if (const Attribute* sharding = op.find("sharding")) {
    const MeshSharding said = read_sharding(program_, *sharding);
    hint(from, said);
    say(to, said);
  } else if (const Attribute* text = op.find("mhlo.sharding")) {
    say(to, parts_of(program_, *text, Shape(placement_.at(to).sizes), cores_));
  }
  Sizes sizes{{placement_.at(from).sizes}, {placement_.at(to).sizes}};
  placement_.add(Step{.kind = Step::Kind::elementwise,
                      .one_shape = true,
                      .linear = true,
                      .rule = pointwise_rule(sizes),
                      .arrays = {from, to}});
}

// Arrays of one group lie alike, each as the others say. A constant among them is one array then,
// but what is computed from it still is a constant.
void ProgramWalk::group(const Operation& op) {
  const Attribute* id = op.find("group_id");
  if (id == nullptr || op.operands.size() != 1) return;
  const int array = use(op.operands[0]);
  value(op.operands[0]).array = array;
  const auto [first, made] = groups_.emplace(id->integer, array);
  if (!made && placement_.at(first->second).sizes == placement_.at(array).sizes) {
    same({first->second}, array);
  }
}

// An array and a core's part of it by the manual axes, either way: the other axes of the mesh cut
// both.
void ProgramWalk::local(int from, int to) {
  const std::vector<int64_t>&a = placement_.at(from).sizes, &b = placement_.at(to).sizes;
  Step step;
  step.kind = Step::Kind::edge;
  step.linear = true;
  step.rule.operands = 1;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const int axis = static_cast<int>(i);
    const int64_t part = std::min(a[i], b[i]), pieces = part > 0 ? std::max(a[i], b[i]) / part : 1;
    if (pieces > 1) {
      step.rule.factors.push_back(
          {pieces, {a[i] > b[i] ? axis : no_axis, a[i] > b[i] ? no_axis : axis}});
    }
    step.rule.factors.push_back({part, {axis, axis}});
  }
  step.arrays = {from, to};
  placement_.add(std::move(step));
}

// Whether axes of the mesh are left to the partitioner.
bool ProgramWalk::leaves_axes(const Operation& op,
                              const std::vector<MeshSharding>& shardings) const {
  const Attribute* manual = op.find("manual_axes");
  if (manual == nullptr || shardings.empty() || op.regions.size() != 1) return false;
  const std::vector<std::string> axes = read_mesh_axes(program_, *manual);
  const auto& all = shardings[0].mesh.axes;
  return std::any_of(all.begin(), all.end(), [&](const auto& axis) {
    return axis.second > 1 && std::find(axes.begin(), axes.end(), axis.first) == axes.end();
  });
}

void ProgramWalk::manual(const Operation& op) {
  const auto read = [&](const char* name) {
    const Attribute* text = op.find(name);
    return text == nullptr ? std::vector<MeshSharding>{} : read_shardings(program_, *text);
  };
  const std::vector<MeshSharding> in = read("in_shardings"), out = read("out_shardings");
  const bool open = leaves_axes(op, in.empty() ? out : in);
  std::vector<Value> arguments;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const int from = use(op.operands[i]);
    const bool said = i < in.size() && !placement_.at(from).sizes.empty();
    if (said) hint(from, in[i]);
    const int whole = like(from);
    if (said) say(whole, in[i]);
    same({from}, whole);
    if (!open || i >= op.regions[0].arguments.size()) continue;
    const stablehlo::Type& part = type_of(op.regions[0].arguments[i]);
    arguments.push_back({placement_.add(part.dims, part.element), false});
    local(whole, arguments.back().array);
  }
  std::vector<int> returned;
  if (open) returned = region(op.regions[0], arguments);
  for (size_t i = 0; i < op.results.size(); ++i) {
    const int to = make(op.results[i]);
    if (i < out.size() && !placement_.at(to).sizes.empty()) say(to, out[i]);
    if (i < returned.size()) local(returned[i], to);
  }
}

// What a region returns when its arguments are these.
std::vector<int> ProgramWalk::region(const stablehlo::Region& region,
                                     const std::vector<Value>& arguments) {
  for (size_t i = 0; i < std::min(arguments.size(), region.arguments.size()); ++i) {
    value(region.arguments[i]) = arguments[i];
  }
  frame_->returned.clear();
  visit_all(region.operations);
  std::vector<Value> returned = std::move(frame_->returned);
  frame_->returned.clear();
  std::vector<int> arrays;
  for (size_t i = 0; i < returned.size(); ++i) {
    const ValueId id = region.operations.back().operands.at(i);
    arrays.push_back(use(returned[i], type_of(id)));
  }
  return arrays;
}

void ProgramWalk::loop(const Operation& op) {
  std::vector<Value> carried;
  std::vector<int> starts;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    starts.push_back(use(op.operands[i]));
    carried.push_back({like(starts.back()), false});
  }
  std::vector<int> ends;
  for (const stablehlo::Region& each : op.regions) ends = region(each, carried);
  for (size_t i = 0; i < std::min(op.results.size(), carried.size()); ++i) {
    value(op.results[i]) = carried[i];
    if (i < ends.size()) same({starts[i], ends[i]}, carried[i].array);
  }
}

void ProgramWalk::branches(const Operation& op) {
  std::vector<std::vector<int>> returned;
  for (const stablehlo::Region& each : op.regions) returned.push_back(region(each, {}));
  for (size_t i = 0; i < op.results.size(); ++i) {
    const int to = make(op.results[i]);
    std::vector<int> from;
    for (const auto& arrays : returned) {
      if (i < arrays.size()) from.push_back(arrays[i]);
    }
    same(std::move(from), to);
  }
}

void ProgramWalk::call(const Operation& op, std::string_view callee) {
  const auto found = functions_.find(callee);
  if (found == functions_.end() || depth_ == most_depth) return;
  Frame inside(*found->second);
  const std::vector<ValueId>& arguments = inside.function->body.arguments;
  for (size_t i = 0; i < std::min(op.operands.size(), arguments.size()); ++i) {
    if (!value(op.operands[i]).constant) use(op.operands[i]);
    inside.values[static_cast<size_t>(arguments[i])] = value(op.operands[i]);
  }
  Frame* const outside = frame_;
  frame_ = &inside;
  ++depth_;
  visit_all(inside.function->body.operations);
  --depth_;
  frame_ = outside;
  for (size_t i = 0; i < std::min(op.results.size(), inside.returned.size()); ++i) {
    value(op.results[i]) = inside.returned[i];
  }
}

void ProgramWalk::barrier(const Operation& op) {
  for (size_t i = 0; i < std::min(op.operands.size(), op.results.size()); ++i) {
    const int from = use(op.operands[i]);
    same({from}, make(op.results[i]));
  }
}

void ProgramWalk::question(const Operation& op) {
  if (op.operands.size() != 1) return;
  const int array = use(op.operands[0]);
  const Attribute* text = op.find("backend_config");
  questions_.emplace_back(text == nullptr ? std::string_view() : text->text, array);
  if (op.results.size() == 1) same({array}, make(op.results[0]));
}

bool ProgramWalk::are_static(const Sizes& sizes) const {
  for (const auto* side : {&sizes.operands, &sizes.results}) {
    for (const auto& shape : *side) {
      if (std::find(shape.begin(), shape.end(), stablehlo::dynamic_size) != shape.end()) {
        return false;
      }
    }
  }
  return true;
}

// What is computed from constants alone, or is one number everywhere, is made where it is used.
bool ProgramWalk::is_constant(const Operation& op, const Sizes& sizes) {
  const std::string_view name = op.name;
  if (name == "stablehlo.constant" || name == "stablehlo.iota") return true;
  if (name == "stablehlo.broadcast_in_dim" && sizes.operands.at(0).empty()) return true;
  if (op.operands.empty()) return false;
  if (name != "stablehlo.broadcast_in_dim" && name != "stablehlo.reshape" &&
      name != "stablehlo.slice" && !is_elementwise(op, sizes)) {
    return false;
  }
  return std::all_of(op.operands.begin(), op.operands.end(),
                     [&](ValueId id) { return value(id).constant; });
}

void ProgramWalk::other(const Operation& op) {
  Sizes sizes;
  for (ValueId id : op.operands) sizes.operands.push_back(type_of(id).dims);
  for (ValueId id : op.results) sizes.results.push_back(type_of(id).dims);
  if (op.results.size() == 1 && is_constant(op, sizes)) {
    value(op.results[0]).constant = true;
    return;
  }
  Step step;
  for (ValueId id : op.operands) step.arrays.push_back(use(id));
  const bool on_parts = op.name == "stablehlo.custom_call" && is_made_on_parts(op);
  if (on_parts) calls_.emplace(&op, step.arrays);
  for (ValueId id : op.results) step.arrays.push_back(make(id));
  std::optional<Rule> rule;
  if (are_static(sizes)) rule = rule_of(program_, op, sizes);
  if (on_parts && !rule.has_value()) {
    for (size_t i = 0; i < op.operands.size(); ++i) ++placement_.at(step.arrays[i]).uses;
    return;
  }
  step.rule = rule.has_value() ? std::move(*rule) : Rule{op.operands.size()};
  step.one_shape = rule.has_value() && is_elementwise(op, sizes);
  step.kind = kind_of(op, step.one_shape);
  step.linear = is_linear(op.name);
  step.sums = sums_up(op.name);
  step.borders = needs_borders(op.name);
  placement_.add(std::move(step));
}

}  // namespace plugin
}  // namespace systolic::inline v0
