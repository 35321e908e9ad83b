// The validation of a fit. Internal to train.
#pragma once

#include <functional>
#include <optional>

#include "systolic/train/loops/evaluate_loop.h"
#include "systolic/train/loops/fit/fit_call.h"

namespace systolic::inline v0 {

class Validation {
 public:
  // Arrays become batches; data without an end is an InvalidArgument.
  explicit Validation(const FitCall& call);

  bool is_due(int epoch) const;
  // Before the first step, so that what is wrong with arrays is found before a whole epoch. A
  // dataset may run code that is not to run beside that of the training data, and counts how often
  // it is read: it shows itself after the epoch.
  void try_arrays() const;
  // Adds to the logs, as val_...; false where `stops` became true before its end.
  bool run(const CallbackList& callbacks, const std::function<bool()>& stops, Logs& logs) const;

 private:
  EvaluateOptions options() const;

  const FitCall& call_;
  std::optional<data::Dataset> batches_;
};

}  // namespace systolic::inline v0
