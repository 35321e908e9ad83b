#include "systolic/transformers/pipelines/image_classification.h"

#include <utility>

namespace systolic::inline v0 {

ImageClassificationPipeline::ImageClassificationPipeline(const std::string& folder,
                                                         SourceLocation location)
    : model_(PretrainedModel::from_pretrained(folder, Task::image_classification, {}, location)),
      processor_(AutoImageProcessor::from_pretrained(folder, location)) {}

ImageClassificationPipeline::ImageClassificationPipeline(PretrainedModel model,
                                                         ImageProcessor processor)
    : model_(std::move(model)), processor_(std::move(processor)) {}

std::vector<ClassScore> ImageClassificationPipeline::operator()(
    const Literal& picture, const ImageClassificationOptions& options,
    SourceLocation location) const {
  return (*this)(std::span(&picture, 1), options, location)[0];
}

std::vector<ClassScore> ImageClassificationPipeline::operator()(
    const std::string& file, const ImageClassificationOptions& options,
    SourceLocation location) const {
  return (*this)(Literal::scalar(file), options, location);
}

// One by one, as pictures that are not cropped may have sizes of their own.
std::vector<std::vector<ClassScore>> ImageClassificationPipeline::operator()(
    std::span<const Literal> pictures, const ImageClassificationOptions& options,
    SourceLocation location) const {
  std::vector<std::vector<ClassScore>> result;
  for (const Literal& picture : pictures) {
    const Literal pixels = processor_(picture, location);
    const Shape& shape = pixels.shape();
    const Literal logits =
        model_.predict(pixels.reshape({1, shape[0], shape[1], shape[2]}), {}, location)
            .convert(DType::f32);
    result.push_back(class_scores(logits.data<float>(), model_.config().labels(),
                                  options.function_to_apply, options.top_k));
  }
  return result;
}

}  // namespace systolic::inline v0
