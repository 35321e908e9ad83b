#include "systolic/transformers/pipelines/zero_shot_image_classification.h"

#include <algorithm>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/text/files/auto_tokenizer.h"

namespace systolic::inline v0 {
namespace {

constexpr int64_t siglip_tokens = 64;  // of each text, as in its training

bool is_siglip(const PretrainedModel& model, SourceLocation location) {
  const std::string type = model.config().model_type();
  if (model.task() == Task::features && (type == "clip" || type == "siglip"))
    return type == "siglip";
  raise<Unimplemented>({.what = str("zero-shot-image-classification with a ", model.class_name()),
                        .wanted = "a CLIPModel or a SiglipModel",
                        .location = location});
}

}  // namespace

ZeroShotImageClassificationPipeline::ZeroShotImageClassificationPipeline(const std::string& folder,
                                                                         SourceLocation location)
    : ZeroShotImageClassificationPipeline(
          PretrainedModel::from_pretrained(folder, Task::features, {}, location),
          AutoTokenizer::from_pretrained(folder, location),
          AutoImageProcessor::from_pretrained(folder, location), location) {}

ZeroShotImageClassificationPipeline::ZeroShotImageClassificationPipeline(PretrainedModel model,
                                                                         Tokenizer tokenizer,
                                                                         ImageProcessor processor,
                                                                         SourceLocation location)
    : parts_{std::move(model), std::move(tokenizer)},
      processor_(std::move(processor)),
      is_siglip_(is_siglip(parts_.model, location)) {}

Example ZeroShotImageClassificationPipeline::encode(const std::vector<std::string>& texts,
                                                    SourceLocation location) const {
  TokenizeOptions options{.padding = true};
  if (is_siglip_) {
    const int64_t most = parts_.model.config().architecture().max_tokens();
    options.padding = "max_length";
    options.truncation = true;
    options.max_length = std::min(siglip_tokens, most);
  }
  return parts_.model.inputs_of(parts_.tokenizer(std::span(texts), options, location));
}

// The texts' rows and the picture's only one are called as tensors: predict wants as many of both.
std::vector<double> ZeroShotImageClassificationPipeline::scores_of(const Literal& picture,
                                                                   const Example& texts,
                                                                   SourceLocation location) const {
  const Literal pixels = processor_(picture, location);
  const Shape& shape = pixels.shape();
  std::vector<std::pair<std::string, Tensor>> inputs;
  for (const auto& [name, value] : texts) inputs.emplace_back(name, value);
  inputs.emplace_back("pixel_values", pixels.reshape({1, shape[0], shape[1], shape[2]}));
  const Batch outputs = parts_.model.outputs(Batch(std::move(inputs)), {}, location);
  const Literal logits = outputs["logits_per_image"].literal().convert(DType::f32);
  return is_siglip_ ? sigmoid_of(logits.data<float>()) : softmax_of(logits.data<float>());
}

std::vector<std::vector<ClassScore>> ZeroShotImageClassificationPipeline::operator()(
    std::span<const Literal> pictures, const std::vector<std::string>& candidate_labels,
    const ZeroShotImageOptions& options, SourceLocation location) const {
  const Example texts =
      encode(hypotheses_of(candidate_labels, options.hypothesis_template, location), location);
  std::vector<std::vector<ClassScore>> result;
  for (const Literal& picture : pictures) {
    const std::vector<double> scores = scores_of(picture, texts, location);
    std::vector<ClassScore>& row = result.emplace_back();
    for (const size_t place : places_of_largest(scores, 0))
      row.push_back({candidate_labels[place], scores[place]});
  }
  return result;
}

std::vector<ClassScore> ZeroShotImageClassificationPipeline::operator()(
    const Literal& picture, const std::vector<std::string>& candidate_labels,
    const ZeroShotImageOptions& options, SourceLocation location) const {
  return (*this)(std::span(&picture, 1), candidate_labels, options, location)[0];
}

std::vector<ClassScore> ZeroShotImageClassificationPipeline::operator()(
    const std::string& file, const std::vector<std::string>& candidate_labels,
    const ZeroShotImageOptions& options, SourceLocation location) const {
  return (*this)(Literal::scalar(file), candidate_labels, options, location);
}

}  // namespace systolic::inline v0
