// The loss that a model brings itself: what compile() takes where it is given none.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/nn/losses/loss_function.h"

namespace systolic::inline v0 {

// An input that data may leave out where it has labels, as it is made of these: what an
// encoder-decoder has written so far.
struct InputOfLabels {
  std::string input;
  std::function<Literal(const Literal& labels)> make;
};

struct OwnLoss {
  std::vector<LossFunction> losses = {};  // none, or one for each of the first outputs
  std::vector<double> weights = {};
  // Other names of each output's labels, in a dataset or among arrays: a model that answers
  // questions has "start_positions" and "end_positions".
  std::vector<std::string> label_names = {};
  // What metrics compare the outputs with, made of these labels; empty: the labels themselves. A
  // causal language model predicts at each token the next one. What the losses leave out
  // (LossSpec's mask) counts in no metric but a function of the user's, which gets all as it is.
  std::function<Tensor(const Tensor& labels)> compared = {};
  // Made of the labels under the first of label_names.
  std::optional<InputOfLabels> input_of_labels = {};
  // Outputs are logits: losses and metrics that take probabilities without from_logits are warned
  // of.
  bool gives_logits = false;
  // What errors of such a model advise: where it has no loss at all (then fit without one of
  // compile()'s is refused before anything is read), where a dataset has no labels, and where a
  // label is none of its classes.
  std::string hint_without_loss = {}, hint_without_labels = {}, hint_for_labels = {};
};

}  // namespace systolic::inline v0
