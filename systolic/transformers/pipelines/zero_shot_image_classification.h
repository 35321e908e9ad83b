// pipeline("zero-shot-image-classification"): classes of pictures that are named in the call, by a
// model that compares pictures with texts (Radford et al. 2021, arXiv 2103.00020, section 3.1).
//
//   const ZeroShotImageClassificationPipeline classify("clip-vit-base-patch32/");
//   for (const ClassScore& one : classify(io::read_file("cat.jpg"), {"a cat", "a dog"}))
//     std::cout << one.label << " " << one.score << "\n";
#pragma once

#include <span>
#include <string>
#include <vector>

#include "systolic/transformers/images/image_processor.h"
#include "systolic/transformers/pipelines/class_scores.h"
#include "systolic/transformers/pipelines/pipeline_parts.h"

namespace systolic::inline v0 {

// Settings of a ZeroShotImageClassificationPipeline's call.
struct ZeroShotImageOptions {
  // What is said of a picture for each class, whose name stands in the place of {}.
  std::string hypothesis_template = "This is a photo of {}.";
};

// Labels and scores are those of transformers' pipeline with the image processors of Pillow, the
// likeliest first. CLIP's scores are a softmax over the labels; SigLIP's are one sigmoid each, and
// its texts are padded and cut to 64 tokens.
//   ZeroShotImageClassificationPipeline classify("siglip-base-patch16-224/");
class ZeroShotImageClassificationPipeline {
 public:
  // A CLIPModel or SiglipModel, its tokenizer and its image processor, of one folder. Unimplemented
  // for another model.
  explicit ZeroShotImageClassificationPipeline(const std::string& folder,
                                               SourceLocation location = SourceLocation::current());
  ZeroShotImageClassificationPipeline(PretrainedModel model, Tokenizer tokenizer,
                                      ImageProcessor processor,
                                      SourceLocation location = SourceLocation::current());

  // A picture: u8 [height, width, channels], or the bytes of a file, as text or as a scalar.
  // InvalidArgument for what is neither, for no labels, for a template without {}, and for texts
  // that are longer than CLIP has positions for.
  std::vector<ClassScore> operator()(const Literal& picture,
                                     const std::vector<std::string>& candidate_labels,
                                     const ZeroShotImageOptions& options = {},
                                     SourceLocation location = SourceLocation::current()) const;
  std::vector<ClassScore> operator()(const std::string& file,
                                     const std::vector<std::string>& candidate_labels,
                                     const ZeroShotImageOptions& options = {},
                                     SourceLocation location = SourceLocation::current()) const;
  // A list for each picture.
  std::vector<std::vector<ClassScore>> operator()(
      std::span<const Literal> pictures, const std::vector<std::string>& candidate_labels,
      const ZeroShotImageOptions& options = {},
      SourceLocation location = SourceLocation::current()) const;

 private:
  Example encode(const std::vector<std::string>& texts, SourceLocation location) const;
  std::vector<double> scores_of(const Literal& picture, const Example& texts,
                                SourceLocation location) const;

  PipelineParts parts_;
  ImageProcessor processor_;
  bool is_siglip_ = false;
};

}  // namespace systolic::inline v0
