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

#include "systolic/core/array_like.h"
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
  // A std::vector of numbers or texts, a table's column.
  template <class Array>
  requires(std::convertible_to<const Array&, ArrayLike> && !std::same_as<Array, Literal>)
      ModelArrays(const Array& array)  // NOLINT
      : ModelArrays(ArrayLike(array).array()) {}
  // What a tokenizer made. A model picks those that it takes.
  template <class Named>
  requires(std::convertible_to<const Named&, Example> && !std::same_as<Named, Example>)
      ModelArrays(const Named& named)  // NOLINT
      : ModelArrays(static_cast<Example>(named)) {
    may_be_more_ = true;
  }

  bool empty() const { return arrays_.empty(); }
  const std::vector<Literal>& arrays() const { return arrays_; }
  // As many as arrays; empty where they are given in order.
  const std::vector<std::string>& names() const { return names_; }
  // Whether there may be arrays that the model does not take.
  bool may_be_more() const { return may_be_more_; }

 private:
  std::vector<Literal> arrays_;
  std::vector<std::string> names_;
  bool may_be_more_ = false;
};

// What fit validates with: a Dataset of batches, or arrays, with weights of the samples if wanted.
//
//   .validation_data = test      = {x_test, y_test}      = {x_test, y_test, weights}
//                    = model.prepare_dataset(test, tokenizer)   = {tokenizer(texts), labels}
class ValidationData {
 public:
  ValidationData() = default;
  ValidationData(data::Dataset dataset) : dataset_(std::move(dataset)) {}  // NOLINT
  template <class Batches>
  requires(std::convertible_to<const Batches&, const data::Dataset&> &&
           !std::same_as<Batches, data::Dataset>) ValidationData(const Batches& batches)  // NOLINT
      : dataset_(static_cast<const data::Dataset&>(batches)) {}
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
