#include "backends/cpu/plan/planner.h"

#include <algorithm>
#include <cstring>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/ir/clone.h"

namespace systolic::inline v0 {
namespace cpu {

bool is_view_op(ir::OpCode code) {
  switch (code) {
    case ir::OpCode::broadcast_in_dim:
    case ir::OpCode::reshape:
    case ir::OpCode::reverse:
    case ir::OpCode::slice:
    case ir::OpCode::transpose:
    case ir::OpCode::constant:
      return true;
    default:
      return false;
  }
}

bool keeps_positions(const Planner& planner, const ir::Op& op) {
  if (op.code == ir::OpCode::reshape) return true;
  if (op.code != ir::OpCode::slice || planner.type(op.results[0]).shape.rank() != 1) return false;
  const auto& slice = op.get<ir::SliceAttributes>();
  return slice.start_indices[0] == 0 && slice.strides[0] == 1;
}

std::string op_text(const Planner& planner, const ir::Op& op) {
  std::string text(ir::info(op.code).name);
  if (!op.results.empty()) text += ' ' + ir::to_string(planner.type(op.results[0]));
  return text;
}

Planner::Planner(const ir::Module& module, const ir::Function& function, int threads,
                 LowerBlock lower_block, runtime::SplitProducts split_products, int64_t matrix_unit)
    : module_(module),
      function_(function),
      threads_(threads),
      split_products_(split_products),
      matrix_unit_(matrix_unit),
      lower_block_(lower_block),
      values_(function.types.size()) {
  begin_steps();
  collect_uses(function.body);
}

void Planner::collect_uses(const ir::Block& block) {
  for (const ir::Op& op : block.ops) {
    for (ir::ValueId operand : op.operands) {
      ++value_(operand).uses;
      value_(operand).reader = &op;
    }
    for (ir::ValueId result : op.results) value_(result).definition = &op;
    for (const ir::Block& region : op.regions) collect_uses(region);
  }
  for (ir::ValueId result : block.results) ++value_(result).uses;
}

PlaceId Planner::define(ir::ValueId value) {
  const ir::Type& type = function_.type(value);
  const PlaceId place = memory_.temporary(type.bytes());
  define(value, dense_view(place, type));
  return place;
}

const View& Planner::view(ir::ValueId value) {
  if (held_as<View>(value) == nullptr) resolve(value);
  return *held_as<View>(value);
}

// Walks down a chain of movement ops to what has been lowered, then up again.
void Planner::resolve(ir::ValueId value) {
  std::vector<const ir::Op*> chain;
  for (ir::ValueId at = value; held_as<View>(at) == nullptr;) {
    const ir::Op* op = value_(at).definition;
    ensure(op != nullptr && is_view_op(op->code), "a value is used before its op was lowered");
    chain.push_back(op);
    if (op->operands.empty()) break;
    at = op->operands[0];
  }
  for (; !chain.empty(); chain.pop_back()) apply_movement(*chain.back());
}

void Planner::apply_movement(const ir::Op& op) {
  const ir::ValueId result = op.results[0];
  if (op.code == ir::OpCode::constant) return lower_constant(result);
  const ir::Type& type = function_.type(result);
  const View& operand = *held_as<View>(op.operands[0]);
  switch (op.code) {
    case ir::OpCode::broadcast_in_dim:
      return define(result,
                    view_broadcast(operand, type, op.get<ir::BroadcastAttributes>().dimensions));
    case ir::OpCode::transpose:
      return define(result, view_transpose(operand, type, op.get<ir::AxesAttributes>().axes));
    case ir::OpCode::slice:
      return define(result, view_slice(operand, type, op.get<ir::SliceAttributes>()));
    case ir::OpCode::reverse:
      return define(result, view_reverse(operand, op.get<ir::AxesAttributes>().axes));
    default:
      break;
  }
  std::optional<View> view = view_reshape(operand, type);
  if (!view) view = dense_view(dense(op.operands[0]), type);
  define(result, std::move(*view));
}

const HeldValue& Planner::held(ir::ValueId value) {
  ir::ValueId source = value;
  for (const ir::Op* op = definition(source); op != nullptr && keeps_positions(*this, *op);) {
    source = op->operands[0];
    op = definition(source);
  }
  if (held_as<DrawnBits>(source) != nullptr) return value_(source).held;
  if (held_as<NotDefined>(value) != nullptr) resolve(value);
  return value_(value).held;
}

namespace {

// The scalar that all elements equal, bit for bit.
std::optional<Literal> common_element(const Literal& literal) {
  const auto width = static_cast<size_t>(byte_width(literal.dtype()));
  const std::byte* data = literal.raw();
  if (literal.size() == 0) return std::nullopt;
  const size_t bytes = width * static_cast<size_t>(literal.size());
  // All equal their neighbour.
  if (bytes > width && std::memcmp(data, data + width, bytes - width) != 0) return std::nullopt;
  Literal scalar(literal.dtype(), Shape{});
  std::memcpy(scalar.mutable_raw(), data, width);
  return scalar;
}

}  // namespace

void Planner::lower_constant(ir::ValueId value) {
  const Literal& literal = value_(value).definition->get<ir::ConstantAttributes>().value;
  const ir::Type& type = function_.type(value);
  if (const std::optional<Literal> element = common_element(literal)) {
    View view{.place = constant(*element), .type = type, .offset = 0};
    view.strides.assign(static_cast<size_t>(type.shape.rank()), 0);
    return define(value, std::move(view));
  }
  define(value, dense_view(constant(literal), type));
}

PlaceId Planner::constant(const Literal& literal) {
  constants_.push_back(literal);
  return memory_.constant(static_cast<int32_t>(constants_.size() - 1),
                          static_cast<int64_t>(literal.byte_size()));
}

const Literal* Planner::literal(ir::ValueId value) const {
  const ir::Op* op = definition(value);
  if (op == nullptr || op->code != ir::OpCode::constant) return nullptr;
  return &op->get<ir::ConstantAttributes>().value;
}

std::optional<Literal> Planner::splat(ir::ValueId value) const {
  while (const ir::Op* op = definition(value)) {
    if (op->code == ir::OpCode::constant) {
      return common_element(op->get<ir::ConstantAttributes>().value);
    }
    if (!is_view_op(op->code)) break;
    value = op->operands[0];
  }
  return std::nullopt;
}

PlaceId Planner::dense(ir::ValueId value) {
  const View& at = view(value);
  if (at.is_dense()) {
    const int width = byte_width(at.type.dtype);
    return memory_.part(at.place, at.offset * width, at.type.bytes());
  }
  Value& known = value_(value);
  if (known.copy == no_place) {
    known.copy = memory_.temporary(at.type.bytes());
    copies_made_.back().push_back(value);
    emit_copy(at, known.copy);
  }
  return known.copy;
}

PlaceId Planner::dense(const View& view, const char* name) {
  const int64_t bytes = view.type.bytes();
  if (view.is_dense()) {
    return memory_.part(view.place, view.offset * byte_width(view.type.dtype), bytes);
  }
  for (const auto& copies : view_copies_) {
    for (const auto& [known, copy] : copies) {
      if (known == view) return copy;
    }
  }
  const PlaceId copy = temporary(bytes);
  emit_copy(view, copy, name);
  if (memory_.is_argument(view.place)) view_copies_.back().emplace_back(view, copy);
  return copy;
}

void Planner::lower_block(const ir::Block& block) {
  const ir::Op* const outer = op_;
  lower_block_(*this, block);
  end_chain();
  op_ = outer;
}

void Planner::prepare_captures(const ir::Op& op) {
  for (ir::ValueId value : ir::values_read(op)) view(value);
}

void Planner::define_arguments() {
  const std::vector<ir::ValueId>& arguments = function_.body.arguments;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ir::Type& type = function_.type(arguments[i]);
    const bool kept =
        i >= function_.arguments.size() || !function_.arguments[i].aliases_result.has_value();
    arguments_.push_back(memory_.argument(static_cast<int32_t>(i), type.bytes(), kept));
    define(arguments[i], dense_view(arguments_.back(), type));
    if (kept && i < function_.arguments.size() &&
        function_.arguments[i].role == ir::Role::parameter) {
      prepared_.add_parameter(arguments_.back());
      parameters_.push_back(i);
    }
  }
}

// A result that is an argument as it came must be saved before that argument's memory takes another
// result.
void Planner::copy_passed_arguments(std::vector<PlaceId>& results) {
  for (size_t i = 0; i < results.size(); ++i) {
    if (!memory_.is_argument(results[i])) continue;
    const PlaceId copy = memory_.temporary(memory_.bytes(results[i]));
    const ir::Type& type = function_.type(function_.body.results[i]);
    emit_copy(dense_view(results[i], type), copy, "copy argument");
    results[i] = copy;
  }
}

void Planner::define_results(Plan& plan) {
  const std::vector<ir::ValueId>& values = function_.body.results;
  std::vector<PlaceId> aliased(values.size(), no_place);
  plan.results.resize(values.size());
  for (size_t i = 0; i < function_.arguments.size(); ++i) {
    if (const std::optional<int64_t> result = function_.arguments[i].aliases_result) {
      aliased[static_cast<size_t>(*result)] = arguments_[i];
      plan.results[static_cast<size_t>(*result)].aliased_argument = static_cast<int64_t>(i);
    }
  }
  std::vector<PlaceId> places;
  std::vector<bool> done(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    places.push_back(dense(values[i]));
    done[i] = aliased[i] != no_place && places[i] == aliased[i];
    plan.results[i].bytes = memory_.bytes(places[i]);
  }
  std::vector<PlaceId> to_save = places;
  for (size_t i = 0; i < values.size(); ++i) {
    if (done[i]) to_save[i] = memory_.temporary(0);
  }
  copy_passed_arguments(to_save);
  for (size_t i = 0; i < values.size(); ++i) {
    if (done[i]) continue;
    if (memory_.bind_result(to_save[i], static_cast<int32_t>(i), aliased[i])) continue;
    const ir::Type& type = function_.type(values[i]);
    const PlaceId result =
        memory_.result(static_cast<int32_t>(i), plan.results[i].bytes, aliased[i]);
    emit_copy(dense_view(to_save[i], type), result, "copy result");
  }
}

std::vector<int64_t> Planner::first_overwrites() const {
  std::vector<int64_t> result;
  for (PlaceId argument : arguments_) {
    const int position = memory_.first_write(argument);
    // What a loop or branch holds stands before its own position.
    const auto step = std::lower_bound(positions_.begin(), positions_.end(), position);
    result.push_back(position < 0 ? -1 : step - positions_.begin());
  }
  return result;
}

std::vector<PlaceId> Planner::arguments_taken_by_rows() const {
  std::vector<PlaceId> result;
  for (PlaceId argument : arguments_) {
    const bool taken = std::count(taken_by_rows_.begin(), taken_by_rows_.end(), argument) > 0;
    result.push_back(taken && !memory_.is_used(argument) ? argument : no_place);
  }
  return result;
}

// Loops and branches say by themselves what they read and write: a program that has some prepares
// nothing.
void Planner::prepare_steps(Plan& plan) {
  if (!prepared_.has_parameters() || has_inner_steps_) return;
  const std::vector<int64_t> chosen = prepared_.choose(memory_);
  for (int64_t index : chosen) plan.steps[static_cast<size_t>(index)].prepares = true;
  if (!chosen.empty()) plan.prepared_from = parameters_;
}

Plan Planner::finish() {
  Plan plan;
  define_arguments();
  lower_block(function_.body);
  define_results(plan);
  for (ir::ValueId argument : function_.body.arguments) {
    plan.argument_bytes.push_back(function_.type(argument).bytes());
  }
  plan.steps = end_steps();
  plan.first_overwrite = first_overwrites();
  plan.taken_by_rows = arguments_taken_by_rows();
  plan.constants = std::move(constants_);
  prepare_steps(plan);
  memory_.settle();
  for (const FinishedChain& finished : chains_) {
    const StepChain& chain = finished.chain;
    for (const auto& [to, from] : chain.later_shares(memory_)) {
      memory_.may_share(to, from, chain.position());
    }
  }
  memory_.settle();
  for (FinishedChain& chain : chains_) give_buffers(chain);
  plan.slots = memory_.assign(plan.arena_bytes, plan.waiting_bytes, plan.prepared_bytes);
  for (size_t i = 0; i < plan.slots.size(); ++i) {
    const Slot& slot = plan.slots[i];
    if (slot.kind != Slot::Kind::moving) continue;
    plan.moving.push_back({static_cast<PlaceId>(i), slot.index, slot.offset});
  }
  for (const Step& step : plan.steps) {
    plan.flops += step.flops;
    plan.bytes += step.bytes;
    plan.matrix += step.matrix;
    if (step.loops) plan.last_loop = &step - plan.steps.data();
  }
  return plan;
}

}  // namespace cpu
}  // namespace systolic::inline v0
