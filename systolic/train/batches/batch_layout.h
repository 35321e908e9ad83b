// Which component of a dataset's elements is what: inputs, labels, sample weights.
//
// One input: the first component is the input, the second the labels, the third the sample weights.
// Several inputs: the components with the inputs' names, then the labels. Several labels may have
// the outputs' names, or those that the model has for labels; otherwise they are in the outputs'
// order. Where they have the model's own names (for one also "label" or "y"), further components do
// not count. Several with other names, next to inputs with theirs, are an error that lists the
// model's. A component named "sample_weight" is always that, for all outputs; one named
// "sample_weight/first" is for the output "first", and then each output has one. As many components
// after the labels as there are labels are weights too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/core/example.h"

namespace systolic::inline v0 {

// The names of a model's outputs that labels are given for, and of their labels where it has names
// for these.
struct OutputNames {
  std::vector<std::string> outputs = {};
  // No loss or metric looks at these: labels under their names, next to those of other outputs, do
  // not count.
  std::vector<std::string> without_labels = {};
  std::vector<std::string> labels = {};
  std::string hint_without_labels = {};  // where labels come from; empty: as for any model
};

struct BatchLayout {
  std::vector<size_t> inputs;
  std::vector<size_t> labels;
  std::vector<size_t> sample_weights;  // none, one for all outputs, or one for each

  // The layout of elements like `element` for a network with these inputs and outputs. What does
  // not fit is an InvalidArgument that lists both sides.
  static BatchLayout of(const Example& element, const std::vector<std::string>& input_names,
                        const OutputNames& names, bool wants_labels);
  // The inputs alone.
  static BatchLayout of_inputs(const Example& element, const std::vector<std::string>& input_names);
  // Components in the order inputs, labels, sample weights.
  std::vector<size_t> order() const;
};

// The rows of a batch: all its components have the same number.
inline int64_t rows_of(const Example& batch) { return batch.value(0).shape()[0]; }

}  // namespace systolic::inline v0
