#include "systolic/transformers/pipelines/text_classification.h"

namespace systolic::inline v0 {
namespace {

ScoreFunction function_for(const Labels& labels, ScoreFunction given) {
  if (given.kind() != ScoreFunction::left_out) return given;
  if (labels.problem_type == "regression") return ScoreFunction::none;
  if (labels.problem_type == "multi_label_classification" || labels.count() == 1)
    return ScoreFunction::sigmoid;
  return ScoreFunction::softmax;
}

std::vector<double> scores_of(std::span<const float> logits, ScoreFunction function) {
  if (function.kind() == ScoreFunction::softmax) return softmax_of(logits);
  if (function.kind() == ScoreFunction::sigmoid) return sigmoid_of(logits);
  return {logits.begin(), logits.end()};
}

}  // namespace

TextClassificationPipeline::TextClassificationPipeline(const std::string& folder,
                                                       SourceLocation location)
    : parts_(PipelineParts::from_pretrained(folder, Task::sequence_classification, location)) {}

TextClassificationPipeline::TextClassificationPipeline(PretrainedModel model, Tokenizer tokenizer)
    : parts_{std::move(model), std::move(tokenizer)} {}

std::vector<ClassScore> TextClassificationPipeline::operator()(
    const std::string& text, const TextClassificationOptions& options,
    SourceLocation location) const {
  return (*this)(std::span(&text, 1), options, location)[0];
}

std::vector<std::vector<ClassScore>> TextClassificationPipeline::operator()(
    std::span<const std::string> texts, const TextClassificationOptions& options,
    SourceLocation location) const {
  const Labels& labels = parts_.model.config().labels();
  const ScoreFunction function = function_for(labels, options.function_to_apply);
  const Literal logits = parts_.predict(parts_.encode(texts, location), location);
  const size_t classes = labels.names.size();
  std::vector<std::vector<ClassScore>> result;
  for (size_t row = 0; row < texts.size(); ++row) {
    const std::vector<double> scores =
        scores_of(logits.data<float>().subspan(row * classes, classes), function);
    result.emplace_back();
    for (const size_t place : places_of_largest(scores, options.top_k))
      result.back().push_back({labels.names[place], scores[place]});
  }
  return result;
}

}  // namespace systolic::inline v0
