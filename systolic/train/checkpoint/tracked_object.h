// The kinds of objects that a Checkpoint saves. Internal to train.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "systolic/train/weights/checkpoint_objects.h"
#include "systolic/train/weights/weight_match.h"

namespace systolic::inline v0 {

// A checkpoint that is restored: what is found is collected, then set at once.
struct Restoring {
  const saving::StoredObjects& stored;
  SourceLocation location;
  // Trainable variables of all objects, which an optimizer may have slots for.
  std::vector<Variable> trainable;
  WeightMatch match = {};
  saving::StoredVariables variables = {};
  // What is set besides variables, in order: the function is given the array.
  std::vector<std::pair<std::function<Literal()>, std::function<void(const Literal&)>>> values = {};
};

class TrackedObject {
 public:
  virtual ~TrackedObject() = default;
  // Adds itself to a checkpoint as `name` of the root.
  virtual void add(saving::CheckpointObjects& objects, const std::string& name,
                   const std::vector<Variable>& trainable) const = 0;
  // Finds itself in the stored object `node`, which has its name.
  virtual void find(Restoring& restoring, size_t node, const std::string& name) const = 0;
  // In the order in which Keras's optimizers know them.
  virtual std::vector<Variable> trainable() const { return {}; }
  // Optimizers refer to variables that must have been found before.
  virtual bool comes_after_variables() const { return false; }
};

}  // namespace systolic::inline v0
