// What a Checkpoint can save: models, optimizers, variables, iterators, and values of the program.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/data/iterator.h"
#include "systolic/distribute/distributed_dataset.h"
#include "systolic/nn/optimizers/optimizer.h"
#include "systolic/trace/variable.h"
#include "systolic/train/model/model.h"

namespace systolic::inline v0 {

// An array that the program keeps in its own way: `restore` is given what `save` gave.
struct SavedValue {
  std::function<Literal()> save;
  std::function<void(const Literal&)> restore;
};

// What a Checkpoint does with one object. Internal to train.
class TrackedObject;

// Made by naming an object. Handles (models, optimizers, variables, distributed iterators) are
// kept; other objects are referred to and must outlive the Checkpoint.
class Trackable {
 public:
  Trackable(const Model& model);          // NOLINT: weights; of one that is compiled its optimizer
  Trackable(const Optimizer& optimizer);  // NOLINT
  Trackable(const Variable& variable);    // NOLINT
  Trackable(const std::vector<Variable>& variables);  // NOLINT
  Trackable(data::Iterator& iterator);                // NOLINT: the place in the data
  Trackable(const DistributedIterator& iterator);     // NOLINT
  Trackable(std::string& text);                       // NOLINT
  Trackable(SavedValue value);                        // NOLINT
  template <Element T>
  Trackable(T& number)  // NOLINT: a number of the program's own
      : Trackable(SavedValue{[&number] { return Literal::scalar(number); },
                             [&number](const Literal& saved) {
                               number = saved.convert(dtype_of<T>).template item<T>();
                             }}) {}

  const std::shared_ptr<TrackedObject>& object() const { return object_; }

 private:
  std::shared_ptr<TrackedObject> object_;
};

}  // namespace systolic::inline v0
