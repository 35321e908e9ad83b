// The latest programs of PretrainedModel::generate, by what they are compiled for. Internal to
// transformers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "systolic/transformers/generation/program/generate_program.h"

namespace systolic::inline v0 {

// What one shape is compiled to.
struct CompiledGeneration {
  std::shared_ptr<Program> begin;  // all of it; or up to the first token, for one in rounds
  std::shared_ptr<Program> round;  // some more tokens, for one in rounds
};

// Bounded: a server that gets requests of all lengths would keep a program for each.
class GeneratePrograms {
 public:
  using Kept = std::vector<std::pair<GenerateShape, CompiledGeneration>>;

  explicit GeneratePrograms(size_t most = 32) : most_(most) {}

  // Empty where there is none, or none any more.
  CompiledGeneration find(const GenerateShape& shape) {
    const auto found = std::find_if(kept_.begin(), kept_.end(),
                                    [&](const auto& one) { return one.first == shape; });
    if (found == kept_.end()) return {};
    std::rotate(found, found + 1, kept_.end());
    return kept_.back().second;
  }
  // Replaces the least recently used one.
  void add(const GenerateShape& shape, CompiledGeneration program) {
    if (kept_.size() == most_) kept_.erase(kept_.begin());
    kept_.emplace_back(shape, std::move(program));
    ++made_;
  }
  // The most recently used one is last.
  const Kept& kept() const { return kept_; }
  // Includes those that are no longer kept.
  size_t made() const { return made_; }

 private:
  size_t most_, made_ = 0;
  Kept kept_;
};

// Which settings of `b` make another program than `a`, for people.
std::vector<std::string> changes_between(const GenerateShape& a, const GenerateShape& b);

}  // namespace systolic::inline v0
