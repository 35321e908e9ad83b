#include "systolic/transformers/pipelines/text_classification.h"

namespace systolic::inline v0 {
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
  const Literal logits = parts_.predict(parts_.encode(texts, location), location);
  const size_t classes = labels.names.size();
  std::vector<std::vector<ClassScore>> result;
  for (size_t row = 0; row < texts.size(); ++row)
    result.push_back(class_scores(logits.data<float>().subspan(row * classes, classes), labels,
                                  options.function_to_apply, options.top_k));
  return result;
}

}  // namespace systolic::inline v0
