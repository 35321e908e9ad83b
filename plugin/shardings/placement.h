// The arrays of a program over whole arrays with the ops between them, calls and loops in place,
// and how each array lies on the cores: what arguments, constraints and results say is carried on
// by the rules of the ops, forward and backward, in the order in which OpenXLA Shardy does
// (docs/propagation.md), until nothing changes. First through ops that pass elements on, last
// through all; where two cuts meet, the larger array's counts.
#pragma once

#include <vector>

#include "plugin/shardings/cut.h"
#include "plugin/shardings/rule.h"
#include "systolic/stablehlo/element_type.h"

namespace systolic::inline v0 {
namespace plugin {

struct PlacedArray {
  std::vector<int64_t> sizes;
  std::vector<Cut> cuts = {};     // of each axis
  std::vector<bool> closed = {};  // axes that stay as they are
  bool said = false;              // a sharding was written for it
  Cut addend = {};                // of an unreduced array: which of the addends each core has
  bool addend_said = false;       // and so it was written
  int uses = 0;
  stablehlo::ElementType element = stablehlo::ElementType::f32;
  bool is_whole() const;
};

struct Step {
  enum class Kind {
    edge,         // what is the same array: a loop's, a result's
    elementwise,  // also reshape, transpose
    update,       // dynamic slices: forward before the others
    broadcast,    // backward before forward
    other
  };
  Kind kind = Kind::other;
  bool one_shape = false;  // elementwise in the narrow sense
  bool linear = false;     // addends of its operands give addends of its results
  bool sums = false;       // over factors that its results lack; else it needs them whole
  bool borders = false;    // where a factor does not pass, rows at the borders of parts suffice
  Rule rule;
  std::vector<int> arrays;  // operands, then results
};

// The way in which cuts pass through an op.
enum class Direction { none, forward, backward, both };

class Placement {
 public:
  int add(std::vector<int64_t> sizes, stablehlo::ElementType element = stablehlo::ElementType::f32);
  void add(Step step);
  PlacedArray& at(int array) { return arrays_[static_cast<size_t>(array)]; }
  const PlacedArray& at(int array) const { return arrays_[static_cast<size_t>(array)]; }
  const std::vector<Step>& steps() const { return steps_; }
  int arrays() const { return static_cast<int>(arrays_.size()); }
  void propagate();

 private:
  Direction direction(const Step& step, bool factor_passes, int priority) const;
  bool apply(const Step& step, int priority, std::vector<int>& changed);

  std::vector<PlacedArray> arrays_;
  std::vector<Step> steps_;
};

}  // namespace plugin
}  // namespace systolic::inline v0
