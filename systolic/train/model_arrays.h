// Arrays in memory, as fit, evaluate and predict take them: one, several in the order of the
// model's inputs or outputs, or several by their names.
//
//   model.fit(images, labels)                              // Literals, or std::vectors of numbers
//   model.fit({ids, mask}, labels)
//   model.fit({{"ids", ids}, {"mask", mask}}, {{"start", start}, {"end", end}})
//
// The first axis of each is the samples. What a model does not take is an InvalidArgument that
// lists what it does.
#pragma once

#include <concepts>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/core/example.h"
#include "systolic/data/dataset.h"

namespace systolic::inline v0 {

class ModelArrays {
 public:
  ModelArrays() = default;
  ModelArrays(Literal array) : arrays_{std::move(array)} {}                 // NOLINT
  ModelArrays(std::vector<Literal> arrays) : arrays_(std::move(arrays)) {}  // NOLINT
  ModelArrays(std::initializer_list<Literal> arrays) : arrays_(arrays) {}   // NOLINT
  ModelArrays(const Example& named);                                        // NOLINT
  ModelArrays(std::initializer_list<Example::Component> named) : ModelArrays(Example(named)) {}
  template <class T>
  requires Element<T> || std::same_as<T, std::string> ModelArrays(
      const std::vector<T>& values)  // NOLINT
      : ModelArrays(Example::Component("", values).value) {}
  // What stands for an array, such as a table's column.
  template <class Column>
  requires(std::convertible_to<const Column&, const Literal&> && !std::same_as<Column, Literal>)
      ModelArrays(const Column& column)  // NOLINT
      : ModelArrays(static_cast<const Literal&>(column)) {}

  bool empty() const { return arrays_.empty(); }
  const std::vector<Literal>& arrays() const { return arrays_; }
  // As many as arrays; empty where they are given in order.
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<Literal> arrays_;
  std::vector<std::string> names_;
};

// What fit validates with: a Dataset of batches, or arrays, with weights of the samples if wanted.
//
//   .validation_data = test      = {x_test, y_test}      = {x_test, y_test, weights}
class ValidationData {
 public:
  ValidationData() = default;
  ValidationData(data::Dataset dataset) : dataset_(std::move(dataset)) {}  // NOLINT
  ValidationData(ModelArrays x, ModelArrays y, ModelArrays sample_weight = {})
      : x_(std::move(x)), y_(std::move(y)), sample_weight_(std::move(sample_weight)) {}

  explicit operator bool() const { return dataset_.has_value() || !x_.empty(); }
  // None: arrays.
  const std::optional<data::Dataset>& dataset() const { return dataset_; }
  const ModelArrays& x() const { return x_; }
  const ModelArrays& y() const { return y_; }
  const ModelArrays& sample_weight() const { return sample_weight_; }

 private:
  std::optional<data::Dataset> dataset_;
  ModelArrays x_, y_, sample_weight_;
};

}  // namespace systolic::inline v0
