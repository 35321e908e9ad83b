// How a Planner's list of steps grows: one by one, and in chains.
#include <algorithm>

#include "backends/cpu/kernels/movement/layout.h"
#include "backends/cpu/plan/planner.h"

namespace systolic::inline v0 {
namespace cpu {

std::optional<size_t> Planner::touch(const StepNote& note, int position) {
  for (PlaceId place : note.reads) memory_.read(place, position);
  for (PlaceId place : note.writes) memory_.write(place, position);
  for (PlaceId place : note.scratch) memory_.write(place, position);
  if (!prepared_.has_parameters()) return std::nullopt;
  const size_t noted = prepared_.add(note);
  return is_outermost() && computes_from_operands() ? std::optional(noted) : std::nullopt;
}

Step Planner::step_of(const StepNote& note, std::function<void(const Frame&)> run) const {
  double bytes = note.bytes;
  for (PlaceId place : note.reads) bytes += static_cast<double>(memory_.bytes(place));
  for (PlaceId place : note.writes) bytes += static_cast<double>(memory_.bytes(place));
  Step step{.run = std::move(run),
            .text = note.name,
            .flops = note.flops,
            .bytes = bytes,
            .matrix = note.matrix,
            .loops = note.loops};
  if (op_ != nullptr) {
    step.location = op_->location;
    step.layer_path = op_->layer_path;
  }
  return step;
}

void Planner::push(Step step, int position, std::optional<size_t> noted) {
  if (noted) prepared_.place(*noted, static_cast<int64_t>(open_.back().size()));
  if (open_.size() == 1) positions_.push_back(position);
  open_.back().push_back(std::move(step));
}

void Planner::push_alone(const StepNote& note, Step step) {
  const int position = memory_.next_position();
  const std::optional<size_t> noted = touch(note, position);
  for (const auto& [to, from] : note.in_place) memory_.may_share(to, from, position);
  push(std::move(step), position, noted);
}

// Whether the op at hand gives the same for the same operands, and does nothing else.
bool Planner::computes_from_operands() const {
  if (op_ == nullptr) return false;
  switch (ir::info(op_->code).family) {
    case ir::OpFamily::unary:
    case ir::OpFamily::binary:
    case ir::OpFamily::ternary:
    case ir::OpFamily::conversion:
    case ir::OpFamily::movement:
    case ir::OpFamily::contraction:
    case ir::OpFamily::reduction:
      return true;
    case ir::OpFamily::source:
    case ir::OpFamily::random:
    case ir::OpFamily::control:
    case ir::OpFamily::collective:
      return false;
  }
  return false;
}

// Copies made for a step that waits, which itself and others read.
bool Planner::reads_waiting(const StepNote& note) const {
  return std::any_of(note.reads.begin(), note.reads.end(), [&](PlaceId read) {
    return std::any_of(waiting_.begin(), waiting_.end(), [&](const StepChain::Member& member) {
      const std::vector<PlaceId>& writes = member.note.writes;
      return std::any_of(writes.begin(), writes.end(), [&](PlaceId written) {
        return memory_.root(written) == memory_.root(read);
      });
    });
  });
}

void Planner::emit(StepNote note, std::function<void(const Frame&)> run) {
  Step step = step_of(note, std::move(run));
  const bool waits = reads_waiting(note);
  if (waits && !lets_chain_grow_) end_chain();
  if (chain_ && !waits && chain_->joins(note)) {
    const std::optional<size_t> noted = touch(note, chain_->position());
    return chain_->add({std::move(note), std::move(step), noted});
  }
  if (chain_ && !waits && chain_->passes(note)) {
    const std::optional<size_t> noted = touch(note, chain_->position());
    chain_->note_passed(note);
    // Before the chain, which comes later.
    return push(std::move(step), chain_->position(), noted);
  }
  if (chain_ && lets_chain_grow_) return waiting_.push_back({std::move(note), std::move(step)});
  end_chain();
  if (note.parts.count == 0) return push_alone(note, std::move(step));
  const int position = memory_.next_position();
  const std::optional<size_t> noted = touch(note, position);
  chain_.emplace(memory_, position, threads_,
                 StepChain::Member{std::move(note), std::move(step), noted});
}

void Planner::end_chain() {
  if (!chain_) return;
  push_chain();
  for (StepChain::Member& member : std::exchange(waiting_, {})) {
    push_alone(member.note, std::move(member.step));
  }
}

void Planner::push_chain() {
  StepChain chain = *std::exchange(chain_, std::nullopt);
  for (const auto& [to, from] : chain.shares()) memory_.may_share(to, from, chain.position());
  if (!chain.worthwhile()) {
    for (const StepChain::Member& member : chain.members()) {
      push(member.step, chain.position(), member.noted);
    }
    return;
  }
  const std::shared_ptr<ChainedSteps> steps = chain.finish();
  push(chain.step(steps), chain.position());
  chains_.push_back({std::move(chain), steps});
}

// Buffers for what a chain alone touches, in the place of whole arrays.
void Planner::give_buffers(FinishedChain& finished) {
  std::vector<ChainedSteps::Buffer> buffers;
  for (const auto& [place, part_bytes] : finished.chain.private_places(memory_)) {
    const int64_t thread_bytes = (part_bytes * finished.steps->parts_at_once() + 63) / 64 * 64;
    if (thread_bytes * threads_ >= memory_.bytes(place)) continue;
    buffers.push_back({.place = place, .part_bytes = part_bytes, .thread_bytes = thread_bytes});
  }
  for (const auto& buffer : buffers) memory_.resize(buffer.place, buffer.thread_bytes * threads_);
  finished.steps->set_buffers(std::move(buffers));
}

void Planner::emit_copy(const View& from, PlaceId to, std::string name) {
  const ir::Type& type = from.type;
  const PlaceId source = from.place;
  const int64_t bytes = type.bytes();
  const int width = byte_width(type.dtype);
  const int64_t offset = from.offset * width;
  if (bytes == 0) return memory_.write(to, memory_.next_position());
  name += ' ' + ir::to_string(type);
  if (from.is_dense()) {
    const PlaceId part = memory_.part(source, offset, bytes);
    return emit({.name = name, .reads = {part}, .writes = {to}, .in_place = {{to, part}}},
                [=](const Frame& frame) {
                  if (frame.at(part) == frame.at(to)) return;
                  kernels::copy_bytes(frame.at(part), frame.at(to), bytes, frame.pool());
                });
  }
  if (from.is_splat()) {
    return emit({.name = name, .reads = {source}, .writes = {to}}, [=](const Frame& frame) {
      kernels::fill(width, frame.at(source) + offset, frame.at(to), bytes / width, frame.pool());
    });
  }
  emit({.name = name, .reads = {source}, .writes = {to}},
       [=, dims = type.shape.to_vector(), strides = from.strides,
        dense_strides = type.shape.strides()](const Frame& frame) {
         kernels::copy_strided(width, dims, frame.at(source) + offset, strides, frame.at(to),
                               dense_strides, frame.pool());
       });
}

int Planner::begin_position() {
  end_chain();
  return memory_.next_position();
}

void Planner::begin_steps() {
  end_chain();
  has_inner_steps_ = has_inner_steps_ || !open_.empty();
  open_.emplace_back();
  copies_made_.emplace_back();
  view_copies_.emplace_back();
}

std::vector<Step> Planner::end_steps() {
  end_chain();
  // Copies made in a branch exist only there.
  for (ir::ValueId value : copies_made_.back()) value_(value).copy = no_place;
  copies_made_.pop_back();
  view_copies_.pop_back();
  std::vector<Step> steps = std::move(open_.back());
  open_.pop_back();
  return steps;
}

}  // namespace cpu
}  // namespace systolic::inline v0
