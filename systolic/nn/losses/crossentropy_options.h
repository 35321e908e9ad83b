// Options of the cross-entropy functions.
#pragma once

namespace systolic::inline v0 {

struct CrossentropyOptions {
  bool from_logits = false;  // predictions are unnormalized; else they are probabilities
  // 0.1 moves a tenth of each label's weight evenly to all classes. Not for sparse labels.
  double label_smoothing = 0;
  int axis = -1;  // of the classes
};

// Keras's epsilon: probabilities are kept this far from 0 and 1.
inline constexpr double crossentropy_epsilon = 1e-7;

}  // namespace systolic::inline v0
