#include "systolic/train/step/step_retrace.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/trace/function/function.h"
#include "systolic/trace/function/retrace.h"

namespace systolic::inline v0 {
namespace {

std::string padded_batch(const StepInput& input) {
  if (input.steps > 1) return "a batch has fewer samples than the others, and is padded";
  return str("a batch has ", input.samples, " of ", counted(input.batch_size, "sample"),
             ", and is padded");
}

// What this step has that the other has not, in words.
std::vector<std::string> changes_between(const StepKey& other, const StepInput& input) {
  std::vector<std::string> changes;
  if (other.types.size() != input.types.size())
    changes.push_back(
        str("it had ", counted(other.types.size(), "array"), ", has ", input.types.size()));
  for (size_t i = 0; i < std::min(other.types.size(), input.types.size()); ++i) {
    if (other.types[i] != input.types[i])
      changes.push_back(type_change(str("'", input.names[i], "'"), other.types[i], input.types[i]));
  }
  if (changes.empty() && other.masked != (input.mask != nullptr))
    changes.push_back(other.masked ? "all rows of a batch are samples, before some were padding"
                                   : padded_batch(input));
  if (changes.empty() && input.mask != nullptr) changes.push_back(padded_batch(input));
  if (changes.empty()) changes.push_back("it takes other weights or numbers of steps");
  return changes;
}

// Sample weights that come or go make another program, and are nobody's slip.
bool differs_in_weights_alone(const StepKey& other, const StepInput& input) {
  const auto end_of = [](const std::vector<ir::Type>& types, size_t weights) {
    return types.end() - static_cast<std::ptrdiff_t>(weights);
  };
  return other.weights != input.weights &&
         std::equal(other.types.begin(), end_of(other.types, other.weights), input.types.begin(),
                    end_of(input.types, input.weights));
}

// Whether the two differ in the number of rows alone.
bool other_batch_size(const std::vector<ir::Type>& before, const std::vector<ir::Type>& now) {
  const auto differs_in_rows = [](const ir::Type& a, const ir::Type& b) {
    return a.dtype == b.dtype && a.shape.rank() > 0 && a.shape.rank() == b.shape.rank() &&
           a.shape.slice(1, a.shape.rank()) == b.shape.slice(1, b.shape.rank());
  };
  return std::equal(before.begin(), before.end(), now.begin(), now.end(), differs_in_rows);
}

// Whether the two differ in how long sequences are alone, and the length was announced.
bool other_announced_length(const std::set<int64_t>& announced, const std::vector<ir::Type>& before,
                            const std::vector<ir::Type>& now) {
  const auto expected = [&](const ir::Type& a, const ir::Type& b) {
    if (a == b) return true;
    const bool sequences = a.shape.rank() >= 2 && a.shape.rank() == b.shape.rank();
    return sequences && a.dtype == b.dtype && a.shape.without(1) == b.shape.without(1) &&
           announced.contains(b.shape[1]);
  };
  return std::equal(before.begin(), before.end(), now.begin(), now.end(), expected);
}

}  // namespace

const char* step_name(StepKind kind) {
  switch (kind) {
    case StepKind::train:
      return "train_step";
    case StepKind::evaluate:
      return "test_step";
    case StepKind::predict:
      return "predict_step";
  }
  return "step";
}

// A program for the same arrays, of which some rows only pad, is no other shape.
void report_retraced_step(const ModelState& model, StepKind kind, const StepInput& input,
                          SourceLocation location) {
  Retrace retrace{.program = str(step_name(kind), " of model '", model.network().name(), "'"),
                  .changes = {},
                  .hint = shapes_hint,
                  .programs = 1,
                  .called = location};
  bool other_shapes = true, other_rows = false, announced = false;
  for (const StepProgram& one : model.programs().all()) {
    const StepKey& step = one.key;
    if (step.kind != kind) continue;
    if (differs_in_weights_alone(step, input)) return;
    ++retrace.programs;
    other_shapes = other_shapes && step.types != input.types;
    other_rows = other_rows || other_batch_size(step.types, input.types);
    announced =
        announced || other_announced_length(model.announced_lengths(), step.types, input.types);
    std::vector<std::string> changes = changes_between(step, input);
    // The last of those that are as near.
    if (retrace.changes.empty() || changes.size() <= retrace.changes.size())
      retrace.changes = std::move(changes);
  }
  if (retrace.programs == 1) return;
  if (other_rows) retrace.hint = "batches of one size, such as 32 everywhere, share one program";
  if (!other_shapes || announced) retrace.hint.clear();
  const bool strict = model.compiled().strict_shapes || strict_shapes();
  report_retrace(retrace, strict && other_shapes && !announced);
}

}  // namespace systolic::inline v0
