// What a pretrained model is to do, which decides the head on its body.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/train/state/own_loss.h"

namespace systolic::inline v0 {

enum class Task : uint8_t {
  features,  // no head: AutoModel
  sequence_classification,
  token_classification,
  question_answering,
  masked_lm,
  causal_lm,
  image_classification,
  pretraining,                        // ELECTRA's discriminator: which tokens were replaced
  image_classification_with_teacher,  // DeiT's two heads
  seq2seq_lm,                         // one text is written about another
  projection,                         // CLIP: vectors of texts or pictures that are compared
};

// "ForSequenceClassification"; "Model" for Task::features.
std::string_view class_suffix(Task task);

// The classes that a head distinguishes: `id2label` and `problem_type` of a config.json.
struct Labels {
  std::vector<std::string> names = {"LABEL_0", "LABEL_1"};
  // "regression", "single_label_classification", "multi_label_classification"; empty: regression
  // for one label, otherwise a single one of them.
  std::string problem_type = {};

  int64_t count() const { return static_cast<int64_t>(names.size()); }
  // LABEL_0, LABEL_1, ...
  static std::vector<std::string> numbered(int64_t count);
};

// The loss that `transformers` computes inside its models, for each output, with its names of the
// labels.
OwnLoss task_loss(Task task, const Labels& labels);

}  // namespace systolic::inline v0
