// Classes and how likely they are, of the pipelines that classify.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/transformers/config/task.h"

namespace systolic::inline v0 {

// A class and how likely it is: {"POSITIVE", 0.998}.
struct ClassScore {
  std::string label;  // by the model's id2label
  double score = 0;
};

// What makes scores out of logits: "softmax", "sigmoid" or "none".
//   const ScoreFunction function_to_apply = "sigmoid";
class ScoreFunction {
 public:
  enum Kind { softmax, sigmoid, none, left_out };
  constexpr ScoreFunction() = default;
  template <size_t n>
  consteval ScoreFunction(const char (&name)[n]) : kind_(kind_of({name, n - 1})) {}  // NOLINT
  constexpr ScoreFunction(Kind kind) : kind_(kind) {}                                // NOLINT
  constexpr Kind kind() const { return kind_; }

 private:
  static consteval Kind kind_of(std::string_view name) {
    if (name == "softmax") return softmax;
    if (name == "sigmoid") return sigmoid;
    if (name == "none") return none;
    throw "function_to_apply is \"softmax\", \"sigmoid\" or \"none\"";
  }
  Kind kind_ = left_out;
};

// The `top_k` likeliest classes of one row of logits, the likeliest first; 0: all. A function that
// is left out follows from the labels' problem_type: "none" for regression, "sigmoid" for several
// labels at once and for a single label, "softmax" for one of several.
std::vector<ClassScore> class_scores(std::span<const float> logits, const Labels& labels,
                                     ScoreFunction function, int64_t top_k);

}  // namespace systolic::inline v0
