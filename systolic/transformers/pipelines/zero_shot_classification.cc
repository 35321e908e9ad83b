#include "systolic/transformers/pipelines/zero_shot_classification.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/log.h"

namespace systolic::inline v0 {
namespace {

size_t entailment_of(const std::vector<std::string>& labels) {
  for (size_t i = 0; i < labels.size(); ++i) {
    std::string lower = labels[i];
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    if (lower.starts_with("entail")) return i;
  }
  log_warning(str("zero-shot-classification: none of the labels ", join(labels),
                  " begins with \"entail\", so the last one counts: load a model of natural "
                  "language inference"));
  return labels.empty() ? 0 : labels.size() - 1;
}

// How much each row is entailed: among all rows, or against being contradicted.
std::vector<double> scores_of(std::span<const float> logits, size_t classes, size_t entailment,
                              bool each_by_itself) {
  const size_t contradiction = entailment == 0 ? classes - 1 : 0;
  std::vector<float> entailed;
  std::vector<double> result;
  for (size_t row = 0; row * classes < logits.size(); ++row) {
    const float yes = logits[row * classes + entailment];
    entailed.push_back(yes);
    const float both[] = {logits[row * classes + contradiction], yes};
    if (each_by_itself) result.push_back(softmax_of(both)[1]);
  }
  return each_by_itself ? result : softmax_of(entailed);
}

}  // namespace

ZeroShotClassificationPipeline::ZeroShotClassificationPipeline(const std::string& folder,
                                                               SourceLocation location)
    : parts_(PipelineParts::from_pretrained(folder, Task::sequence_classification, location)),
      entailment_(entailment_of(parts_.labels())) {}

ZeroShotClassificationPipeline::ZeroShotClassificationPipeline(PretrainedModel model,
                                                               Tokenizer tokenizer)
    : parts_{std::move(model), std::move(tokenizer)}, entailment_(entailment_of(parts_.labels())) {}

std::vector<ClassScore> ZeroShotClassificationPipeline::operator()(
    const std::string& text, const std::vector<std::string>& candidate_labels,
    const ZeroShotOptions& options, SourceLocation location) const {
  const size_t classes = parts_.labels().size();
  if (classes < 2) {
    raise<InvalidArgument>({.what = "zero-shot-classification with a model of one class",
                            .wanted = "entailment and contradiction at least",
                            .location = location});
  }
  const std::vector<std::string> asked =
      hypotheses_of(candidate_labels, options.hypothesis_template, location);
  const std::vector<std::string> texts(asked.size(), text);
  const int64_t most = parts_.model.config().architecture().max_tokens();
  const BatchEncoding batch =
      parts_.tokenizer(std::span(texts), std::span(asked),
                       {.padding = true, .truncation = "only_first", .max_length = most}, location);
  const Literal logits = parts_.predict(batch, location);
  const std::vector<double> scores = scores_of(logits.data<float>(), classes, entailment_,
                                               options.multi_label || asked.size() == 1);
  std::vector<ClassScore> result;
  for (const size_t place : places_of_largest(scores, 0))
    result.push_back({candidate_labels[place], scores[place]});
  return result;
}

}  // namespace systolic::inline v0
