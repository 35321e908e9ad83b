#include "systolic/train/state/step_programs.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace systolic::inline v0 {
namespace {

size_t mixed(size_t hash, size_t value) {
  constexpr size_t golden = 0x9e3779b97f4a7c15;
  return (hash ^ value) * golden + (hash >> 29);
}

}  // namespace

StepKeyView StepKeyView::of(const StepKey& key) {
  return {.kind = key.kind,
          .steps_per_execution = key.steps_per_execution,
          .types = key.types,
          .weights = key.weights,
          .masked = key.masked,
          .real_rows = key.real_rows};
}

StepKey StepKeyView::copy() const {
  return {.kind = kind,
          .steps_per_execution = steps_per_execution,
          .types = {types.begin(), types.end()},
          .weights = weights,
          .masked = masked,
          .real_rows = real_rows};
}

size_t StepKeyView::hash() const {
  size_t hash = mixed(static_cast<size_t>(kind), static_cast<size_t>(steps_per_execution));
  hash = mixed(hash, weights);
  hash = mixed(hash, static_cast<size_t>(real_rows) * 2 + (masked ? 1 : 0));
  for (const ir::Type& type : types) {
    hash = mixed(hash, static_cast<size_t>(type.dtype));
    for (const int64_t size : type.shape) hash = mixed(hash, static_cast<size_t>(size));
  }
  return hash;
}

bool operator==(const StepKeyView& a, const StepKeyView& b) {
  return a.kind == b.kind && a.steps_per_execution == b.steps_per_execution &&
         a.weights == b.weights && a.masked == b.masked && a.real_rows == b.real_rows &&
         std::equal(a.types.begin(), a.types.end(), b.types.begin(), b.types.end());
}

std::shared_ptr<Program> StepPrograms::find(const StepKeyView& key) const {
  const auto [first, last] = places_.equal_range(key.hash());
  for (auto place = first; place != last; ++place) {
    const StepProgram& one = programs_[place->second];
    if (StepKeyView::of(one.key) == key) return one.program;
  }
  return nullptr;
}

bool StepPrograms::has(StepKind kind) const {
  return std::any_of(programs_.begin(), programs_.end(),
                     [kind](const StepProgram& one) { return one.key.kind == kind; });
}

void StepPrograms::add(StepProgram step) {
  programs_.push_back(std::move(step));
  place(programs_.size() - 1);
}

void StepPrograms::drop(StepKind kind) {
  std::erase_if(programs_, [kind](const StepProgram& one) { return one.key.kind == kind; });
  places_.clear();
  for (size_t i = 0; i < programs_.size(); ++i) place(i);
}

void StepPrograms::clear() {
  programs_.clear();
  places_.clear();
}

void StepPrograms::place(size_t program) {
  places_.emplace(StepKeyView::of(programs_[program].key).hash(), program);
}

}  // namespace systolic::inline v0
