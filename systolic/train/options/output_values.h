// What compile() takes for the outputs of a model: a value for each, in their order or by their
// names, as Keras's lists and dicts.
//
//   .loss_weights = {1.0, 0.2}      .loss_weights = {{"kind", 1.0}, {"bright", 0.2}}
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {

// {"kind", value}
template <class T>
struct OutputValue {
  OutputValue(std::string output_, T value_)
      : output(std::move(output_)), value(std::move(value_)) {}
  std::string output;
  T value;
};

template <class T>
class OutputValues {
 public:
  OutputValues() = default;
  OutputValues(std::vector<T> values) : values_(std::move(values)) {}  // NOLINT
  OutputValues(std::initializer_list<T> values) : values_(values) {}   // NOLINT
  OutputValues(std::initializer_list<OutputValue<T>> named) {          // NOLINT
    for (const OutputValue<T>& one : named) {
      names_.push_back(one.output);
      values_.push_back(one.value);
    }
  }

  bool empty() const { return values_.empty(); }
  const std::vector<T>& values() const { return values_; }
  // As many as values; empty where they are given in order.
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<T> values_;
  std::vector<std::string> names_;
};

// For each of these names of outputs the place of its model output. What the model has not, a name
// given twice, and names before the model knows its own (`outputs` is empty) are errors that name
// `field`.
std::vector<size_t> output_places(std::string_view field, const std::vector<std::string>& names,
                                  const std::vector<std::string>& outputs, SourceLocation location);

}  // namespace systolic::inline v0
