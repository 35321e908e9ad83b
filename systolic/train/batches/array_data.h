// Batches of a model's arrays, as the fit loop reads them: put under the names that batch_layout.h
// knows, checked, split. Internal to train.
#pragma once

#include <optional>
#include <utility>

#include "systolic/data/dataset.h"
#include "systolic/train/options/model_arrays.h"
#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {

// For arrays, where the user says nothing.
constexpr int64_t default_batch_size = 32;

class ArrayData {
 public:
  // `what` is what was called, for errors: "fit".
  ArrayData(std::string what, ModelState& model, const ModelArrays& x, const ModelArrays& y,
            const ModelArrays& sample_weight, SourceLocation location);

  int64_t samples() const { return samples_; }
  // All of them, as one batch.
  const Example& components() const { return components_; }
  // The first samples, and a share of all from the end, as keras.Model.fit's validation_split: the
  // first part has floor(samples * (1 - share)). One that would be empty is an InvalidArgument.
  std::pair<ArrayData, ArrayData> split(double share) const;
  data::Dataset batches(int64_t batch_size, bool shuffle = false) const;

 private:
  ArrayData(const ArrayData& whole, int64_t begin, int64_t end);
  void add(const std::string& name, const Literal& array);

  std::string what_;
  SourceLocation location_;
  Example components_;  // inputs, labels, sample weights
  int64_t samples_ = -1;
};

// What validates, as batches.
data::Dataset validation_batches(ModelState& model, const ValidationData& data, int64_t batch_size,
                                 SourceLocation location);

}  // namespace systolic::inline v0
