// The programs of a model's steps, one for each signature of their inputs. Internal to train.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "systolic/ir/module.h"
#include "systolic/trace/program/program.h"
#include "systolic/trace/variable.h"

namespace systolic::inline v0 {

enum class StepKind : uint8_t { train, evaluate, predict };

// What a program is for: inputs that differ in any of it need another.
struct StepKey {
  StepKind kind = StepKind::train;
  int64_t steps_per_execution = 1;
  std::vector<ir::Type> types = {};  // of its inputs
  size_t weights = 0;                // how many of these are sample weights
  bool masked = false;               // some rows only pad
  int64_t real_rows = -1;            // where it is cut to them; -1: whatever pads
  bool operator==(const StepKey&) const = default;
};

struct StepProgram {
  StepKey key;
  std::shared_ptr<Program> program;
  std::vector<Variable> trained = {};  // of a training step: what it changes
};

class StepPrograms {
 public:
  // Null where there is none.
  std::shared_ptr<Program> find(const StepKey& key) const {
    for (const StepProgram& one : programs_) {
      if (one.key == key) return one.program;
    }
    return nullptr;
  }
  // In the order in which they were made.
  const std::vector<StepProgram>& all() const { return programs_; }
  bool has(StepKind kind) const {
    return std::any_of(programs_.begin(), programs_.end(),
                       [kind](const StepProgram& one) { return one.key.kind == kind; });
  }

  void add(StepProgram step) { programs_.push_back(std::move(step)); }
  void drop(StepKind kind) {
    std::erase_if(programs_, [kind](const StepProgram& one) { return one.key.kind == kind; });
  }
  void clear() { programs_.clear(); }

 private:
  std::vector<StepProgram> programs_;
};

}  // namespace systolic::inline v0
