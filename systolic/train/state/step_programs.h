// The programs of a model's steps, one for each signature of their inputs. Internal to train.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
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
};

// The same of types that lie elsewhere: each step is looked up, and allocates nothing for it.
struct StepKeyView {
  StepKind kind = StepKind::train;
  int64_t steps_per_execution = 1;
  std::span<const ir::Type> types = {};
  size_t weights = 0;
  bool masked = false;
  int64_t real_rows = -1;

  static StepKeyView of(const StepKey& key);
  StepKey copy() const;
  size_t hash() const;
  friend bool operator==(const StepKeyView& a, const StepKeyView& b);
};

struct StepProgram {
  StepKey key;
  std::shared_ptr<Program> program;
  std::vector<Variable> trained = {};  // of a training step: what it changes
};

class StepPrograms {
 public:
  // Null where there is none.
  std::shared_ptr<Program> find(const StepKeyView& key) const;
  // In the order in which they were made.
  const std::vector<StepProgram>& all() const { return programs_; }
  bool has(StepKind kind) const;

  void add(StepProgram step);
  void drop(StepKind kind);
  void clear();

 private:
  void place(size_t program);

  std::vector<StepProgram> programs_;
  std::unordered_multimap<size_t, size_t> places_;  // in programs_, by the hash of the key
};

}  // namespace systolic::inline v0
