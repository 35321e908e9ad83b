#include "systolic/transformers/config/task.h"

#include "systolic/base/error.h"
#include "systolic/nn/losses/crossentropy/binary_crossentropy.h"
#include "systolic/nn/losses/crossentropy/sparse_categorical_crossentropy.h"
#include "systolic/nn/losses/mean_squared_error.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

constexpr const char* tokens_as_labels =
    "map() the dataset to \"input_ids\" and the same as \"labels\"";

constexpr const char* texts_as_labels =
    "\"labels\" are the ids of the texts to write, each with its end, and -100 after that";

// Positions and tokens with this label do not count.
constexpr int64_t ignored_label = -100;

// Where an answer begins or ends: labels [batch], positions among the tokens; logits [batch,
// tokens]. A position past the tokens (an answer that was cut off), or -100, does not count.
struct SpanPosition {
  Reduction reduction = "sum_over_batch_size";

  Tensor values(const Tensor& y_true, const Tensor& y_pred) const {
    return SparseCategoricalCrossentropy{.from_logits = true}.values(
        where(*mask(y_true, y_pred), cast(y_true, DType::i32), 0), y_pred);
  }
  std::optional<Tensor> mask(const Tensor& y_true, const Tensor& y_pred) const {
    const Tensor position = cast(y_true, DType::i32);
    return logical_and(position >= 0, position < y_pred.shape()[-1]);
  }
  ClassLabels class_labels() const { return {.ignored = ignored_label, .places = true}; }
};

// Which tokens were replaced: labels [batch, tokens], 0, 1, or ignored; logits likewise.
struct ReplacedTokens {
  Reduction reduction = "sum_over_batch_size";

  Tensor values(const Tensor& y_true, const Tensor& y_pred) const {
    const Tensor replaced = cast(maximum(cast(y_true, DType::i32), 0), DType::f32);
    // log(1 + e^x) - replaced * x: the cross-entropy of sigmoid(x).
    return softplus(y_pred) - replaced * y_pred;
  }
  std::optional<Tensor> mask(const Tensor& y_true, const Tensor&) const {
    return cast(y_true, DType::i32) != ignored_label;
  }
};

// Which token comes next: labels [batch, tokens] are the tokens themselves, logits [batch, tokens,
// vocabulary] each those of the token after it.
struct NextToken {
  Reduction reduction = "sum_over_batch_size";

  Tensor values(const Tensor& y_true, const Tensor& y_pred) const {
    check_tokens(y_true, y_pred);
    return SparseCategoricalCrossentropy{.from_logits = true}.values(
        where(*mask(y_true, y_pred), next(y_true), 0), y_pred);
  }
  std::optional<Tensor> mask(const Tensor& y_true, const Tensor& y_pred) const {
    check_tokens(y_true, y_pred);
    return next(y_true) != ignored_label;
  }
  static void check_tokens(const Tensor& labels, const Tensor& scores) {
    const Shape wanted = scores.shape().slice(0, scores.rank() - 1);
    if (labels.shape() == wanted) return;
    raise<InvalidArgument>(
        {.what = str("labels of shape ", labels.shape(), ", scores of shape ", scores.shape()),
         .wanted = str("the tokens themselves: labels of shape ", wanted),
         .hint = tokens_as_labels});
  }
  ClassLabels class_labels() const { return {.ignored = ignored_label}; }
  static Tensor next(const Tensor& labels) {
    return pad(slice(cast(labels, DType::i32), {0, 1}, {-1, -1}), {{0, 0}, {0, 1}}, ignored_label);
  }
};

// A class for each text or picture.
struct OneClass : SparseCategoricalCrossentropy {
  Tensor values(const Tensor& y_true, const Tensor& y_pred) const {
    check_one_each(y_true, y_pred);
    return SparseCategoricalCrossentropy::values(y_true, y_pred);
  }
  std::optional<Tensor> mask(const Tensor& y_true, const Tensor& y_pred) const {
    check_one_each(y_true, y_pred);
    return SparseCategoricalCrossentropy::mask(y_true, y_pred);
  }
  // Numbers for all classes are another kind of problem, which the model has to be told.
  static void check_one_each(const Tensor& labels, const Tensor& scores) {
    if (labels.shape() != scores.shape() || scores.shape()[-1] == 1) return;
    raise<InvalidArgument>(
        {.what = str("labels of shape ", labels.shape(), ", scores of shape ", scores.shape()),
         .wanted =
             str("one class each: labels of shape ", scores.shape().slice(0, scores.rank() - 1)),
         .hint = "several classes at once: load the model with "
                 "{.problem_type = \"multi_label_classification\"}"});
  }
};

bool is_regression(const Labels& labels) {
  return labels.problem_type == "regression" ||
         (labels.problem_type.empty() && labels.count() == 1);
}

bool is_multi_label(const Labels& labels) {
  return labels.problem_type == "multi_label_classification";
}

LossFunction classification_loss(const Labels& labels) {
  if (is_regression(labels)) return MeanSquaredError{};
  if (is_multi_label(labels)) return BinaryCrossentropy{.from_logits = true};
  return OneClass{{.from_logits = true, .ignore_class = ignored_label}};
}

constexpr const char* of_classes =
    "load the model with {.num_labels = n}, or map the labels to a smaller range; with "
    "{.num_labels "
    "= 1} it predicts a number";
constexpr const char* of_several_classes =
    "labels are a row of 0 and 1 for each sample; for one class each load the model without "
    ".problem_type";
constexpr const char* of_tokens =
    "labels are token ids, -100 where none counts: those of the model's own tokenizer";

constexpr const char* of_places =
    "answers are told by their tokens, not by their letters: the offsets of "
    "tokenizer.encode(text) say where each token lies in the text";

}  // namespace

std::string_view class_suffix(Task task) {
  constexpr std::string_view suffixes[] = {"Model",
                                           "ForSequenceClassification",
                                           "ForTokenClassification",
                                           "ForQuestionAnswering",
                                           "ForMaskedLM",
                                           "ForCausalLM",
                                           "ForImageClassification",
                                           "ForPreTraining",
                                           "ForImageClassificationWithTeacher",
                                           "ForConditionalGeneration",
                                           "ModelWithProjection"};
  return suffixes[static_cast<size_t>(task)];
}

std::vector<std::string> Labels::numbered(int64_t count) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < count; ++i) names.push_back(str("LABEL_", i));
  return names;
}

OwnLoss task_loss(Task task, const Labels& labels) {
  const std::vector<std::string> own_labels = {"labels"};
  const LossFunction each_token =
      SparseCategoricalCrossentropy{.from_logits = true, .ignore_class = ignored_label};
  switch (task) {
    case Task::features:
      return {.hint_without_loss =
                  "this model has no head: take a class with one, whose loss is its own, such as "
                  "AutoModelForSequenceClassification; or compile({.loss = ...})"};
    case Task::projection:
      return {.hint_without_loss = "this class has no loss of its own: compile({.loss = ...})"};
    case Task::image_classification_with_teacher:
      return {.hint_without_loss =
                  "this class predicts only: train DeiTForImageClassification; or "
                  "compile({.loss = ...})"};
    case Task::sequence_classification:
    case Task::image_classification:
      return {.losses = {classification_loss(labels)},
              .label_names = own_labels,
              .gives_logits = !is_regression(labels),
              .hint_for_labels = is_multi_label(labels) ? of_several_classes : of_classes};
    case Task::token_classification:
      return {.losses = {each_token},
              .label_names = own_labels,
              .gives_logits = true,
              .hint_for_labels = of_classes};
    case Task::masked_lm:
      return {.losses = {each_token},
              .label_names = own_labels,
              .gives_logits = true,
              .hint_without_labels =
                  "prepare_dataset(dataset, tokenizer, {.mlm_probability = "
                  "0.15}) masks tokens and labels them",
              .hint_for_labels = of_tokens};
    case Task::causal_lm:
      return {.losses = {NextToken{}},
              .label_names = own_labels,
              .compared = NextToken::next,
              .gives_logits = true,
              .hint_without_labels = tokens_as_labels,
              .hint_for_labels = of_tokens};
    case Task::seq2seq_lm:
      return {.losses = {each_token},
              .label_names = own_labels,
              .gives_logits = true,
              .hint_without_labels = texts_as_labels,
              .hint_for_labels = of_tokens};
    case Task::pretraining:
      return {.losses = {ReplacedTokens{}}, .label_names = own_labels, .gives_logits = true};
    case Task::question_answering:
      return {.losses = {SpanPosition{}, SpanPosition{}},
              .weights = {0.5, 0.5},
              .label_names = {"start_positions", "end_positions"},
              .gives_logits = true,
              .hint_for_labels = of_places};
  }
  return {};
}

}  // namespace systolic::inline v0
