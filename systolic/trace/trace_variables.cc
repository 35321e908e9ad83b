// Variables in a trace: which value each has now, in the open block and in those around it. A
// region of an op has a frame of its own, in which a variable begins as a copy of its value
// outside.
#include <atomic>
#include <utility>

#include "systolic/trace/trace.h"

namespace systolic::inline v0 {
namespace {

std::atomic<uint64_t> next_region{1};

}  // namespace

// A reshape to the same shape, which the optimizer drops. In a region it is a variable's first
// read, and carry() of control_flow.cc has it copy the loop's argument later: it must stay an op
// with one operand, which nothing merges or moves before the region has ended.
ir::ValueId Trace::copy_of(ir::ValueId value) {
  const ir::Type type = function().type(value);
  return builder_.append_one(ir::OpCode::reshape, {builder_.value(value)}, {}, {}, {type}).id();
}

ir::ValueId Trace::copy_in(ir::Block& block, ir::ValueId value) {
  ir::ValueId copy = ir::no_value;
  builder_.within(block, [&] { copy = copy_of(value); });
  return copy;
}

VariableSlot& Trace::slot_of(const std::shared_ptr<VariableState>& variable, size_t depth,
                             SourceLocation location) {
  Frame& frame = frames_[depth];
  const auto found = frame.by_state.find(variable.get());
  if (found != frame.by_state.end()) return *found->second;

  auto slot = std::make_unique<VariableSlot>();
  slot->variable = variable;
  if (depth == 0) {
    TraceInput input;
    input.kind = TraceInput::Kind::variable;
    input.variable = variable;
    ir::Parameter parameter;
    parameter.name = variable->options.name;
    parameter.uniform = true;
    parameter.role = variable->options.role;
    parameter.sharding = variable->sharding(module().num_partitions);
    slot->entry = add_input(variable->type, std::move(input), std::move(parameter)).id();
  } else {
    // In the block of its own frame: where a branch in a loop is the first to read it, what the
    // loop carries is the loop's.
    slot->entry = copy_in(*frame.block, read_in(variable, depth - 1, location));
  }
  slot->leaf = slot->current = slot->entry;
  slot->reads.push_back(slot->entry);
  Frame& same_frame = frames_[depth];
  same_frame.by_state[variable.get()] = slot.get();
  same_frame.slots.push_back(std::move(slot));
  return *same_frame.slots.back();
}

ir::ValueId Trace::read_in(const std::shared_ptr<VariableState>& variable, size_t depth,
                           SourceLocation location) {
  VariableSlot& slot = slot_of(variable, depth, location);
  // A read after an assignment is a value of its own, so that gradients stop there as at any read.
  if (slot.leaf == ir::no_value) {
    slot.leaf = depth + 1 == frames_.size() ? copy_of(slot.current) : slot.current;
    slot.reads.push_back(slot.leaf);
    stopped_.push_back(slot.leaf);
  }
  return slot.leaf;
}

ir::Value Trace::read(const std::shared_ptr<VariableState>& variable, SourceLocation location) {
  at(location);
  return {builder_, read_in(variable, frames_.size() - 1, location)};
}

ir::Value Trace::current_value(const std::shared_ptr<VariableState>& variable,
                               SourceLocation location) {
  return {builder_, slot_of(variable, frames_.size() - 1, location).current};
}

void Trace::assign(const std::shared_ptr<VariableState>& variable, ir::Value value) {
  VariableSlot& slot = slot_of(variable, frames_.size() - 1, builder_.location);
  slot.current = value.id();
  slot.leaf = ir::no_value;
  slot.assigned = true;
}

std::vector<ir::ValueId> Trace::reads_of(const VariableState& variable) const {
  std::vector<ir::ValueId> reads;
  for (const Frame& frame : frames_) {
    const auto found = frame.by_state.find(&variable);
    if (found == frame.by_state.end()) continue;
    reads.insert(reads.end(), found->second->reads.begin(), found->second->reads.end());
  }
  return reads;
}

std::vector<ir::ValueId> Trace::region_entries() const {
  std::vector<ir::ValueId> entries;
  for (size_t depth = 1; depth < frames_.size(); ++depth) {
    for (const auto& slot : frames_[depth].slots) entries.push_back(slot->entry);
  }
  return entries;
}

Trace::RegionResult Trace::region(
    std::span<const ir::Type> argument_types,
    const std::function<std::vector<ir::Value>(std::span<const ir::Value>)>& body) {
  Frame frame;
  frame.id = next_region++;
  frames_.push_back(std::move(frame));
  RegionResult result;
  try {
    result.block = builder_.region(argument_types, [&](std::span<const ir::Value> arguments) {
      frames_.back().block = &builder_.block();
      return body(arguments);
    });
  } catch (...) {
    frames_.pop_back();
    throw;
  }
  result.slots = std::move(frames_.back().slots);
  frames_.pop_back();
  return result;
}

void Trace::set_after_region(const std::shared_ptr<VariableState>& variable, ir::Value value) {
  assign(variable, value);
}

}  // namespace systolic::inline v0
