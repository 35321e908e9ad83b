// A model to read: nobody else changes it while the view lives. Internal to train, and to those who
// get one by view_of (train/model/model_access.h).
#pragma once

#include <mutex>

#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {

class ModelView {
 public:
  explicit ModelView(const ModelState& model) : model_(model), held_(model.lock()) {}

  const Network& network() const { return model_.network(); }
  // As compile() gave it: `optimizer` is none where the model is not compiled.
  const Compiled& compiled() const { return model_.compiled(); }
  bool is_compiled() const { return compiled().optimizer.has_value(); }
  const OwnLoss& own_loss() const { return model_.own_loss(); }

 private:
  const ModelState& model_;
  std::unique_lock<std::recursive_mutex> held_;
};

}  // namespace systolic::inline v0
