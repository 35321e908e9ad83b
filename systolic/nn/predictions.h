// What a network gave for one output, and what of it counts, with which weight. fit builds one for
// each output after the network's call; losses and metrics get only that.
//
//   const Predictions predicted = predictions_of(model(x));      // with the steps that are masked
//   loss(labels, predicted);
//   accuracy.update_state(compared(labels, predicted));
//
// Called on a Tensor, losses and metrics make one themselves.
#pragma once

#include <cstdint>
#include <optional>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

struct Predictions {
  Tensor values;  // [batch, ...]
  // [batch], or the shape of the losses: what each counts; without, all count alike.
  std::optional<Tensor> sample_weight = {};
  // pred, [batch] or the shape of the losses: false for what counts nothing, such as rows that only
  // pad a batch.
  std::optional<Tensor> mask = {};
  // pred [batch, steps]: false for steps that a layer masked (step_mask_of). They count in no loss
  // [batch, steps, ...] and in no metric of predictions [batch, steps, ...]; to others it is no
  // matter.
  std::optional<Tensor> step_mask = {};
  // How many rows the mask leaves, the first ones; -1 where that is not known while tracing.
  int64_t real_rows = -1;
};

// Predictions whose steps are masked as `values` carries it.
Predictions predictions_of(const Tensor& values);

// Labels beside predictions, with one weight for all that says what counts: what a metric takes.
struct Compared {
  Tensor labels, predictions;
  std::optional<Tensor> weight = {};  // f32, [batch] or [batch, steps]; without, all count alike
};

// Rows that the mask leaves out and masked steps weigh nothing.
Compared compared(const Tensor& labels, const Predictions& predicted);

// The real rows alone, without a mask; only where real_rows is known.
Compared compared_real_rows(const Tensor& labels, const Predictions& predicted);

// `counts`, pred, of as many elements as labels: each that counts is a sample of its own, so that
// it makes no difference how long the rows of a batch are padded; the others weigh nothing.
Compared each_place_a_sample(const Compared& rows, const Tensor& counts);

// The first rows of x: [batch, ...] -> [rows, ...].
Tensor first_rows(const Tensor& x, int64_t rows);

}  // namespace systolic::inline v0
