// Fine-tunes a classifier on batches from a file and prints the loss of each step; or prints, as
// JSON, how long the first prediction takes from the program's start.
//
//   fine_tune_steps FOLDER batches.safetensors       # written by compare_losses.py
//   fine_tune_steps FOLDER
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>

#include "systolic/base/error.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/nn/optimizers/adamw.h"
#include "systolic/transformers/auto_model.h"

namespace systolic {
namespace {

const auto program_start = std::chrono::steady_clock::now();

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - program_start).count();
}

void first_prediction(const std::string& folder) {
  const PretrainedModel model = AutoModel::from_pretrained(folder, {.add_pooling_layer = false});
  const double loaded = seconds();
  const Literal features = model.predict(Literal::filled(DType::i32, {1, 16}, 1000));
  const double predicted = seconds();
  if (features.size() == 0) std::abort();
  std::printf("{\"loaded_s\": %.3f, \"first_prediction_s\": %.3f}\n", loaded, predicted);
}

// ids, mask [steps, batch, tokens]; labels [steps, batch].
void train(const std::string& folder, const std::string& batches) {
  PretrainedModel model = AutoModelForSequenceClassification::from_pretrained(
      folder, {.num_labels = 2,
               .config = {{"hidden_dropout_prob", 0.0}, {"attention_probs_dropout_prob", 0.0}},
               .ignore_mismatched_sizes = true});
  model.compile({.optimizer = AdamW{.learning_rate = 3e-5, .epsilon = 1e-8, .weight_decay = 0.01}});
  const data::Dataset steps = data::from_tensor_slices(io::read_safetensors(batches).tensors);
  const History history = model.fit(steps, {.verbose = 0});
  for (const float loss : history.step_losses) std::printf("%.7f\n", loss);
}

constexpr const char* usage =
    "usage: fine_tune_steps FOLDER [BATCHES]\n"
    "  FOLDER   a pretrained model\n"
    "  BATCHES  a safetensors file of ids, mask [steps, batch, tokens] and labels [steps, batch]:\n"
    "           prints the loss of each step; without it, how long the first prediction takes\n";

}  // namespace
}  // namespace systolic

int main(int count, char** arguments) {
  const std::string first = count > 1 ? arguments[1] : "";
  if (first == "--help" || first == "-h") {
    std::cout << systolic::usage;
    return 0;
  }
  if ((count != 2 && count != 3) || first.starts_with("-")) {
    std::cerr << systolic::usage;
    return 2;
  }
  try {
    if (count == 2) systolic::first_prediction(arguments[1]);
    if (count == 3) systolic::train(arguments[1], arguments[2]);
  } catch (const systolic::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
