// pipeline("image-classification"): the classes of pictures, the likeliest first.
//
//   const ImageClassificationPipeline classify("vit-base-patch16-224/");
//   for (const ClassScore& one : classify(io::read_file("cat.jpg"), {.top_k = 2}))
//     std::cout << one.label << " " << one.score << "\n";
#pragma once

#include <span>
#include <string>
#include <vector>

#include "systolic/transformers/images/image_processor.h"
#include "systolic/transformers/pipelines/class_scores.h"
#include "systolic/transformers/pretrained_model.h"

namespace systolic::inline v0 {

// Settings of an ImageClassificationPipeline's call: {.top_k = 1}.
struct ImageClassificationOptions {
  int64_t top_k = 5;                     // this many classes, the likeliest first; 0: all
  ScoreFunction function_to_apply = {};  // left out: by the model's problem_type (class_scores.h)
};

// Labels and scores are those of transformers' pipeline with the image processors of Pillow.
//   ImageClassificationPipeline classify("vit-base-patch16-224/");
class ImageClassificationPipeline {
 public:
  // A model for image classification, and its image processor, of one folder.
  explicit ImageClassificationPipeline(const std::string& folder,
                                       SourceLocation location = SourceLocation::current());
  ImageClassificationPipeline(PretrainedModel model, ImageProcessor processor);

  // A picture: u8 [height, width, channels], or the bytes of a file, as text or as a scalar.
  // InvalidArgument for what is neither.
  std::vector<ClassScore> operator()(const Literal& picture,
                                     const ImageClassificationOptions& options = {},
                                     SourceLocation location = SourceLocation::current()) const;
  std::vector<ClassScore> operator()(const std::string& file,
                                     const ImageClassificationOptions& options = {},
                                     SourceLocation location = SourceLocation::current()) const;
  // A list for each picture.
  std::vector<std::vector<ClassScore>> operator()(
      std::span<const Literal> pictures, const ImageClassificationOptions& options = {},
      SourceLocation location = SourceLocation::current()) const;

 private:
  PretrainedModel model_;
  ImageProcessor processor_;
};

}  // namespace systolic::inline v0
