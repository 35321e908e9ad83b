#include "systolic/transformers/pipelines/feature_extraction.h"

#include <algorithm>

namespace systolic::inline v0 {

FeatureExtractionPipeline::FeatureExtractionPipeline(const std::string& folder,
                                                     SourceLocation location)
    : parts_(PipelineParts::from_pretrained(folder, Task::features, location)) {}

FeatureExtractionPipeline::FeatureExtractionPipeline(PretrainedModel model, Tokenizer tokenizer)
    : parts_{std::move(model), std::move(tokenizer)} {}

Literal FeatureExtractionPipeline::operator()(const std::string& text,
                                              SourceLocation location) const {
  const BatchEncoding batch = parts_.encode(std::span(&text, 1), location);
  const Example outputs = parts_.model.predict_outputs(batch, {}, location);
  const Literal states = outputs["last_hidden_state"].convert(DType::f32);
  const int64_t width = states.shape()[2];
  const std::vector<int32_t>& attended = batch.encodings[0].attention_mask;
  std::vector<float> kept;
  for (size_t i = 0; i < attended.size(); ++i) {
    const auto row =
        states.data<float>().subspan(i * static_cast<size_t>(width), static_cast<size_t>(width));
    if (attended[i] != 0) kept.insert(kept.end(), row.begin(), row.end());
  }
  const auto tokens = std::ranges::count_if(attended, [](int32_t one) { return one != 0; });
  return Literal::from(kept, {tokens, width});
}

}  // namespace systolic::inline v0
