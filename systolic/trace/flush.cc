#include "systolic/trace/flush.h"

#include <algorithm>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/trace/device/compile_cache.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/trace/op_labels.h"

namespace systolic::inline v0 {

bool ImplicitFlush::computed(ir::ValueId value) const {
  const auto i = static_cast<size_t>(value);
  return i < trace_.computed_.size() && trace_.computed_[i] != nullptr;
}

void ImplicitFlush::remember(ir::ValueId value, runtime::BufferPtr buffer) {
  const auto i = static_cast<size_t>(value);
  if (trace_.computed_.size() <= i) trace_.computed_.resize(trace_.function().types.size());
  trace_.computed_[i] = std::move(buffer);
}

std::vector<std::shared_ptr<TensorState>> ImplicitFlush::wanted_tensors() {
  std::vector<std::shared_ptr<TensorState>> wanted;
  for (const auto& weak : trace_.live_) {
    auto state = weak.lock();
    if (state && !state->buffer && state->region == 0) wanted.push_back(std::move(state));
  }
  return wanted;
}

std::vector<VariableSlot*> ImplicitFlush::assigned_variables() {
  std::vector<VariableSlot*> assigned;
  for (const auto& slot : trace_.frames_.front().slots) {
    if (slot->assigned) assigned.push_back(slot.get());
  }
  return assigned;
}

// One pass from the last op to the first; values that an earlier flush has run are where it stops.
void ImplicitFlush::mark_needed(const std::vector<ir::ValueId>& roots) {
  needed_.assign(trace_.function().types.size(), false);
  for (ir::ValueId root : roots) needed_[static_cast<size_t>(root)] = true;
  const auto& ops = trace_.function().body.ops;
  for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
    bool wanted = false;
    for (ir::ValueId result : op->results) {
      wanted |= needed_[static_cast<size_t>(result)] && !computed(result);
    }
    if (!wanted) continue;
    for (ir::ValueId value : ir::values_read(*op)) needed_[static_cast<size_t>(value)] = true;
  }
}

// A program of the needed ops; its arguments are the needed inputs and the values that were run
// before.
ImplicitFlush::Cut ImplicitFlush::cut_out(const runtime::ClientPtr& client) {
  const ir::Function& source = trace_.function();
  Cut cut{.module = {}, .map = ir::ValueMap(source.types.size()), .arguments = {}, .inputs = {}};
  cut.module.name = "eager";
  ir::Function& target = cut.module.functions.emplace_back();
  auto pass_in = [&](ir::ValueId value, const runtime::BufferPtr& buffer, ir::Role role = {}) {
    cut.map.set(value, target.add_argument(source.type(value), {.role = role}));
    cut.arguments.push_back(buffer);
  };
  for (size_t i = 0; i < trace_.inputs_.size(); ++i) {
    const ir::ValueId value = source.body.arguments[i];
    if (!needed_[static_cast<size_t>(value)]) continue;
    cut.inputs.emplace_back(i, cut.arguments.size());
    TraceInput& input = trace_.inputs_[i];
    const bool is_variable = input.kind == TraceInput::Kind::variable;
    pass_in(value, input_buffer(input, client),
            is_variable ? ir::Role::other_state : ir::Role::input);
  }
  for (const ir::Op& op : source.body.ops) {
    bool clone = false;
    for (ir::ValueId result : op.results) {
      if (!needed_[static_cast<size_t>(result)]) continue;
      if (computed(result)) {
        pass_in(result, trace_.computed_[static_cast<size_t>(result)]);
      } else {
        clone = true;
      }
    }
    if (clone) ir::clone_op(op, source, target, target.body, cut.map);
  }
  return cut;
}

const runtime::BufferPtr& ImplicitFlush::input_buffer(TraceInput& input,
                                                      const runtime::ClientPtr& client) {
  if (input.kind == TraceInput::Kind::host) {
    input.buffer = client->from_host(input.literal);
    input.kind = TraceInput::Kind::buffer;
  }
  // The value at the time of the read: a snapshot, kept for as long as the trace needs it.
  if (input.kind == TraceInput::Kind::variable && !input.buffer)
    input.buffer = input.variable->ready({});
  return input.buffer;
}

// Variables that the program reads and assigns, where nothing reads the old value later: no tape
// keeps the trace, and no Tensor is that value. What the ops say alone decides, so that ordinals
// that trace the same have the same program.
DonatedVariables ImplicitFlush::donate(Cut& cut,
                                       const std::vector<std::shared_ptr<TensorState>>& tensors,
                                       const std::vector<VariableSlot*>& variables) {
  DonatedVariables donated;
  if (!runner_ || trace_.live_tapes_ > 0 || !trace_.computed_.empty()) return donated;
  for (const auto& [i, argument] : cut.inputs) {
    TraceInput& input = trace_.inputs_[i];
    const ir::ValueId entry = trace_.function().body.arguments[i];
    const auto is_entry = [&](const auto& one) { return one->value == entry; };
    const auto assigns = [&](const VariableSlot* slot) { return slot->variable == input.variable; };
    const auto slot = std::find_if(variables.begin(), variables.end(), assigns);
    if (input.kind != TraceInput::Kind::variable || slot == variables.end()) continue;
    if (std::any_of(tensors.begin(), tensors.end(), is_entry)) continue;
    const size_t result = tensors.size() + static_cast<size_t>(slot - variables.begin());
    cut.module.main().arguments[argument].aliases_result = static_cast<int64_t>(result);
    donated.add({.variable = input.variable,
                 .snapshot = &input.buffer,
                 .argument = argument,
                 .result = result});
  }
  return donated;
}

std::vector<runtime::BufferPtr> run_donating(runtime::Executable& executable,
                                             std::vector<runtime::BufferPtr>&& arguments,
                                             DonatedVariables& donated) {
  const std::lock_guard lock(variables_mutex());
  donated.let_go();
  std::vector<runtime::BufferPtr> results;
  try {
    results = executable.execute(std::move(arguments));
  } catch (const std::exception& error) {
    donated.give_back(arguments, error.what());
    throw;
  }
  donated.hold(results);
  return results;
}

void ImplicitFlush::run(SourceLocation location) {
  const auto tensors = wanted_tensors();
  const auto variables = assigned_variables();
  std::vector<ir::ValueId> roots;
  for (const auto& state : tensors) roots.push_back(state->value);
  for (const VariableSlot* slot : variables) roots.push_back(slot->current);
  mark_needed(roots);

  const runtime::ClientPtr client = default_client();
  Cut cut = cut_out(client);
  for (ir::ValueId root : roots) cut.module.main().add_result(cut.map.at(root));
  DonatedVariables donated = donate(cut, tensors, variables);
  const OpLabels labels(cut.module);
  std::vector<runtime::BufferPtr> results;
  try {
    const auto executable = CompileCache::of_process().get(client, cut.module);
    // Ordinals wait for each other now, and there may be many. Without a tape nobody needs the ops
    // of a step that is about to run.
    cut.module = {};
    if (runner_ && trace_.live_tapes_ == 0) trace_.function().body.ops = {};
    results = runner_ ? runner_(*executable, std::move(cut.arguments), donated)
                      : executable->execute(std::move(cut.arguments));
  } catch (const Error& error) {
    labels.rethrow(error, location);
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    remember(tensors[i]->value, results[i]);
    tensors[i]->buffer = results[i];
  }
  for (size_t i = 0; i < variables.size(); ++i) {
    VariableSlot& slot = *variables[i];
    slot.variable->hold(results[tensors.size() + i]);
    remember(slot.current, slot.variable->buffer);
    slot.assigned = false;
  }
}

bool Trace::has_pending() const {
  if (std::any_of(frames_.front().slots.begin(), frames_.front().slots.end(),
                  [](const auto& slot) { return slot->assigned; })) {
    return true;
  }
  return std::any_of(live_.begin(), live_.end(), [](const std::weak_ptr<TensorState>& weak) {
    const auto state = weak.lock();
    return state && !state->buffer && state->region == 0;
  });
}

void Trace::tape_closed() {
  --live_tapes_;
  forget_if_free();
}

void ImplicitFlush::flush(Trace& trace, SourceLocation location, const StepRunner& runner) {
  ensure(trace.kind_ == Trace::Kind::implicit, "only an implicit trace is flushed");
  if (trace.has_pending()) {
    try {
      ImplicitFlush(trace, runner).run(location);
    } catch (const std::exception& error) {
      // What could not be run is dropped, so that what comes next does not fail for the same
      // reason.
      trace.lose_pending(error.what());
      trace.forget();
      throw;
    }
  }
  trace.forget_if_free();
}

void Trace::flush(SourceLocation location) { ImplicitFlush::flush(*this, location, {}); }

// Whoever asks later for a value that was not computed hears why. Variables keep the values that
// they had, as after a compiled step that failed: only a step is given buffers to overwrite, and
// gives them back.
void Trace::lose_pending(std::string_view failure) {
  for (const auto& weak : live_) {
    const auto state = weak.lock();
    if (state && !state->buffer) state->lost_in = failure;
  }
}

// Without a tape nothing needs the ops of what has been run.
void Trace::forget_if_free() {
  if (kind_ != Kind::implicit || live_tapes_ > 0 || has_pending()) return;
  if (!function().types.empty()) forget();
}

}  // namespace systolic::inline v0
