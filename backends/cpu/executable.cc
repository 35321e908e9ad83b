#include "backends/cpu/executable.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "backends/cpu/buffer.h"
#include "backends/cpu/plan/running_step.h"
#include "backends/cpu/run_error.h"
#include "systolic/base/error.h"
#include "systolic/base/floating_point.h"
#include "systolic/base/spans/spans.h"
#include "systolic/base/text.h"
#include "systolic/base/threads/thread_pool.h"

namespace systolic::inline v0 {
namespace cpu {

using runtime::BufferPtr;
using runtime::Placement;

CpuExecutable::CpuExecutable(std::shared_ptr<Engine> engine, std::string name, Plan plan,
                             Signature signature)
    : engine_(std::move(engine)),
      name_(std::move(name)),
      plan_(std::move(plan)),
      signature_(std::move(signature)),
      memory_(memory_per_core(plan_, signature_)),
      pointers_(plan_.slots.size(), nullptr) {
  for (size_t i = 0; i < plan_.slots.size(); ++i) {
    const Slot& slot = plan_.slots[i];
    if (slot.kind == Slot::Kind::constant) {
      const std::byte* data = plan_.constants[static_cast<size_t>(slot.index)].raw();
      pointers_[i] = const_cast<std::byte*>(data) + slot.offset;  // steps only read it
    } else if (slot.kind == Slot::Kind::argument || slot.kind == Slot::Kind::result) {
      movable_.push_back(static_cast<PlaceId>(i));
    }
  }
}

runtime::CostStats CpuExecutable::work_of_a_run(const RunState& state, double cores) const {
  return {
      .flops = (plan_.flops + state.more_flops) / cores,
      .bytes = (plan_.bytes + state.more_bytes) / cores,
      .matrix_flops = (plan_.matrix.flops + state.more_matrix.flops) / cores,
      .padded_matrix_flops = (plan_.matrix.padded_flops + state.more_matrix.padded_flops) / cores,
      .collective_bytes = collectives_.bytes_of(state.outermost_rounds) * signature_.cores / cores};
}

void CpuExecutable::raise_deleted(size_t argument) const {
  raise<FailedPrecondition>(
      {.what = str("argument ", argument, " ", signature_.arguments[argument].parameter.name,
                   " was donated before, or the TPU system was initialized again"),
       .hint = "pass the result that took its place, or make it anew"});
}

const CpuBuffer& CpuExecutable::check_argument(size_t i, const BufferPtr& argument) const {
  const Signature::Entry& wanted = signature_.arguments[i];
  const std::string_view name = wanted.parameter.name;
  const auto label = [&] { return str("argument ", i, name.empty() ? "" : " ", name); };
  const auto* buffer = dynamic_cast<const CpuBuffer*>(argument.get());
  if (buffer != nullptr && buffer->deleted()) raise_deleted(i);
  if (buffer == nullptr || !buffer->lives_on(*engine_)) {
    raise<InvalidArgument>({.what = str(label(), " lives on another device"),
                            .hint = "copy it with from_host() of this client"});
  }
  if (!(buffer->type() == wanted.type)) {
    raise<InvalidArgument>({.what = label(),
                            .got = ir::to_string(buffer->type()),
                            .wanted = ir::to_string(wanted.type)});
  }
  if (buffer->placement().kind == Placement::Kind::per_core && !wanted.stacked) {
    raise<InvalidArgument>(
        {.what = str(label(), " differs between cores, and the program takes one"),
         .hint = "pass a replicated or sharded buffer"});
  }
  return *buffer;
}

// A copy of `bytes` for each core.
MemoryBlockPtr CpuExecutable::spread_over_cores(const MemoryBlockPtr& block, int64_t bytes) const {
  auto stacked = std::make_shared<MemoryBlock>(bytes * signature_.cores);
  for (int64_t core = 0; core < signature_.cores; ++core) {
    std::memcpy(stacked->data() + core * bytes, block->data(), static_cast<size_t>(bytes));
  }
  return stacked;
}

namespace {

MemoryBlockPtr copy_of(const MemoryBlock& block) {
  auto copy = std::make_shared<MemoryBlock>(block.bytes());
  ThreadPool::compute().parallel_for(block.bytes(), 1 << 20, [&](int64_t begin, int64_t end) {
    std::memcpy(copy->data() + begin, block.data() + begin, static_cast<size_t>(end - begin));
  });
  return copy;
}

}  // namespace

// A loop runs long, and much can fail in it when the first round has been written.
bool CpuExecutable::written_before_loop_ends(size_t argument) const {
  const int64_t first = plan_.first_overwrite[argument];
  return first >= 0 && first <= plan_.last_loop;
}

// The memory of an argument: its own where it is donated, nobody else holds it, and no loop that
// could fail writes to it; the buffer then gives it away. What is copied stays with the buffer.
MemoryBlockPtr CpuExecutable::argument_block(size_t i, BufferPtr& argument) const {
  auto& buffer = const_cast<CpuBuffer&>(check_argument(i, argument));
  const Signature::Entry& entry = signature_.arguments[i];
  const bool donated = entry.parameter.aliases_result.has_value();
  const bool last = donated && argument.use_count() == 1;
  MemoryBlockPtr block = buffer.block();
  if (block == nullptr) raise_deleted(i);
  const bool spread = entry.stacked && buffer.placement().kind != Placement::Kind::per_core;
  if (!donated && !spread) return block;
  const bool alone = last && block.use_count() == 2;  // the buffer's and this one
  if (spread) return spread_over_cores(block, entry.type.bytes());
  if (!alone || !block->writable() || written_before_loop_ends(i)) return copy_of(*block);
  buffer.release();
  block->will_be_written();
  return block;
}

// After a run that succeeded: what was donated is deleted, its copied memory too.
void CpuExecutable::release_donated(const std::vector<BufferPtr>& arguments) const {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool donated = signature_.arguments[i].parameter.aliases_result.has_value();
    if (donated && arguments[i].use_count() == 1) static_cast<CpuBuffer&>(*arguments[i]).release();
  }
}

namespace {

// Those that the plan can take as they lie.
std::vector<ArgumentInPieces> in_pieces(const Plan& plan,
                                        const std::vector<MemoryBlockPtr>& arguments) {
  std::vector<ArgumentInPieces> result;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto& pieces = arguments[i]->pieces();
    if (plan.taken_by_rows[i] == no_place || pieces.empty()) continue;
    ArgumentInPieces argument{
        .place = plan.taken_by_rows[i], .piece_bytes = pieces.front()->bytes(), .pieces = {}};
    for (const auto& piece : pieces) argument.pieces.push_back(piece->data());
    result.push_back(std::move(argument));
  }
  return result;
}

}  // namespace

void CpuExecutable::point(const std::vector<MemoryBlockPtr>& arguments,
                          const std::vector<MemoryBlockPtr>& results) {
  std::byte* arena = engine_->arena(plan_.arena_bytes);
  if (arena != arena_) {
    arena_ = arena;
    for (size_t i = 0; i < pointers_.size(); ++i) {
      const Slot& slot = plan_.slots[i];
      if (slot.kind == Slot::Kind::arena) pointers_[i] = arena + slot.offset;
    }
  }
  if (plan_.prepared_bytes > 0 && prepared_ == nullptr) {
    prepared_ = std::make_shared<MemoryBlock>(plan_.prepared_bytes);
    for (size_t i = 0; i < pointers_.size(); ++i) {
      const Slot& slot = plan_.slots[i];
      if (slot.kind == Slot::Kind::prepared) pointers_[i] = prepared_->data() + slot.offset;
    }
  }
  for (PlaceId place : movable_) {
    const auto i = static_cast<size_t>(place);
    const Slot& slot = plan_.slots[i];
    const bool is_argument = slot.kind == Slot::Kind::argument;
    const auto& blocks = is_argument ? arguments : results;
    const auto index = static_cast<size_t>(slot.index);
    if (is_argument && plan_.taken_by_rows[index] != no_place &&
        !arguments[index]->pieces().empty()) {
      continue;  // Frame::row_at finds them
    }
    pointers_[i] = blocks[static_cast<size_t>(slot.index)]->data() + slot.offset;
  }
}

Placement CpuExecutable::result_placement(size_t i, const Placement& of_arguments) const {
  const Signature::Entry& entry = signature_.results[i];
  if (entry.stacked) return {.kind = Placement::Kind::per_core};
  if (shards(entry.parameter.sharding) > 1) {
    return {.kind = Placement::Kind::sharded, .sharding = *entry.parameter.sharding};
  }
  return of_arguments;
}

// Where results go: to the one core that holds the arguments, if there is such a core.
Placement CpuExecutable::checked_arguments(const std::vector<BufferPtr>& arguments,
                                           const runtime::ExecuteOptions& options) const {
  try {
    for (size_t i = 0; i < arguments.size(); ++i) check_argument(i, arguments[i]);
  } catch (...) {
    rethrow_located(name_, {}, options);
  }
  const bool alone =
      !arguments.empty() && arguments[0]->placement().kind == Placement::Kind::single;
  return alone ? arguments[0]->placement() : Placement{};
}

std::vector<BufferPtr> CpuExecutable::execute(std::vector<BufferPtr>&& arguments,
                                              const runtime::ExecuteOptions& options) {
  if (arguments.size() != signature_.arguments.size()) {
    raise<InvalidArgument>({.what = str(name_, " called with ", arguments.size(), " arguments"),
                            .wanted = str(signature_.arguments.size()),
                            .location = options.location});
  }
  const Engine::Turn turn(*engine_, name_);
  const Placement placement = checked_arguments(arguments, options);
  const bool alone = placement.kind == Placement::Kind::single;
  const int core = alone ? placement.core : Engine::all_cores;
  const spans::Span span(
      [this] { return spans::id_of({.kind = spans::WorkKind::program, .name = name_}); }, core);
  const double cores = alone ? 1 : static_cast<double>(signature_.cores);
  engine_->begin_run(core, memory_.temporaries + memory_.results - memory_.aliased);
  std::vector<MemoryBlockPtr> inputs(arguments.size()), outputs;
  RunState state;
  try {
    for (size_t i = 0; i < arguments.size(); ++i) inputs[i] = argument_block(i, arguments[i]);
    outputs = run(inputs, state);
  } catch (...) {
    engine_->end_run(core, {});
    give_back(arguments, inputs, state);
    rethrow_located(name_, state, options);
  }
  engine_->end_run(core, work_of_a_run(state, cores));
  release_donated(arguments);
  std::vector<BufferPtr> results;
  results.reserve(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    results.push_back(std::make_shared<CpuBuffer>(engine_, signature_.results[i].type,
                                                  result_placement(i, placement),
                                                  std::move(outputs[i])));
  }
  return results;
}

// Whether the parameters are those of the run that prepared: the same memory, not written since.
bool CpuExecutable::are_prepared(const std::vector<MemoryBlockPtr>& inputs) const {
  if (prepared_from_.empty()) return false;
  for (size_t i = 0; i < prepared_from_.size(); ++i) {
    const MemoryBlockPtr& block = inputs[plan_.prepared_from[i]];
    const PreparedFrom& from = prepared_from_[i];
    if (from.block.lock() != block || from.version != block->version()) return false;
  }
  return true;
}

void CpuExecutable::note_prepared(const std::vector<MemoryBlockPtr>& inputs) {
  for (const size_t argument : plan_.prepared_from) {
    prepared_from_.push_back({inputs[argument], inputs[argument]->version()});
  }
}

// Runs the plan's steps; gives the memory of the results.
std::vector<MemoryBlockPtr> CpuExecutable::run(const std::vector<MemoryBlockPtr>& inputs,
                                               RunState& state) {
  std::vector<MemoryBlockPtr> outputs;
  outputs.reserve(plan_.results.size());
  for (const PlanResult& result : plan_.results) {
    outputs.push_back(result.aliased_argument >= 0
                          ? inputs[static_cast<size_t>(result.aliased_argument)]
                          : std::make_shared<MemoryBlock>(result.bytes));
  }
  point(inputs, outputs);
  state.in_pieces = in_pieces(plan_, inputs);
  ThreadPool& pool = engine_->pool();
  const ThreadPool::Busy busy(pool);
  std::optional<FlushSubnormals> as_on_a_tpu;
  if (!keeps_subnormals_) as_on_a_tpu.emplace();
  const RunningProgram running;
  state.is_prepared = are_prepared(inputs);
  if (!state.is_prepared) prepared_from_.clear();  // a run that fails leaves nothing that is whole
  run_steps(plan_.steps, Frame(pointers_, plan_.moving, pool, state));
  if (!state.is_prepared) note_prepared(inputs);
  return outputs;
}

// After a run that failed: donated arguments take the memory back that they gave away, where it
// still holds what they were.
void CpuExecutable::give_back(const std::vector<BufferPtr>& arguments,
                              const std::vector<MemoryBlockPtr>& inputs,
                              const RunState& state) const {
  const int64_t reached =
      state.failed_outermost == nullptr ? -1 : state.failed_outermost - plan_.steps.data();
  for (size_t i = 0; i < arguments.size(); ++i) {
    auto& buffer = static_cast<CpuBuffer&>(*arguments[i]);  // as check_argument found
    if (inputs[i] == nullptr || !buffer.deleted()) continue;
    const int64_t overwritten = plan_.first_overwrite[i];
    if (overwritten < 0 || reached < overwritten) buffer.restore(inputs[i]);
  }
}

}  // namespace cpu
}  // namespace systolic::inline v0
