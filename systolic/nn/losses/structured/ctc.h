// Connectionist temporal classification (keras.losses.CTC; Graves et al. 2006): of the sequences of
// one class a step, the share that reads as the labels once repetitions are joined and blanks left
// out; its -log.
//
//   .loss = CTC{}
//   y_true integers [batch, labels], each row's after its last label 0; y_pred logits [batch,
//   steps, classes], of which class 0 is the blank -> [batch]
//
// All steps count. A row with more labels than steps has a loss of 1e5 and more. Other shapes are
// an InvalidArgument; so are, where the host knows them, labels that are not classes.
#pragma once

#include "systolic/nn/losses/loss_function.h"

namespace systolic::inline v0 {

struct CTC {
  static constexpr const char* kind = "CTC";
  Reduction reduction = "sum_over_batch_size";
  std::string name = "ctc";

  static std::optional<ClassLabels> class_labels() { return ClassLabels{.any_length = true}; }
  Tensor values(const Tensor& y_true, const Tensor& y_pred) const;
  Tensor operator()(const Tensor& y_true, const Tensor& y_pred, LossOptions options = {}) const {
    return LossFunction(*this)(y_true, y_pred, std::move(options));
  }

  template <class Self = CTC>
  static constexpr auto fields() {
    return std::tuple(field("reduction", &Self::reduction), field("name", &Self::name));
  }
};

}  // namespace systolic::inline v0
