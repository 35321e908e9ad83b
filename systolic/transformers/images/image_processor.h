// Prepares a picture for a model: Hugging Face's ViTImageProcessor, DeiTImageProcessor,
// BeitImageProcessor, BitImageProcessor (DINOv2), CLIPImageProcessor, ConvNextImageProcessor
// (ResNet too) and SiglipImageProcessor, by the fields of their preprocessor_config.json.
//
//   const auto processor = AutoImageProcessor::from_pretrained("vit/");
//   const Literal pixels = processor(io::read_file("cat.jpg"));       // f32 [224, 224, 3]
//   train = train.map([processor](const Example& element) -> Example {
//     return {{"pixel_values", processor(element["image"])}, {"labels", element["label"]}};
//   });
//
// Or from its fields: ImageProcessor{.size = {.height = 48, .width = 48}}.
//
// The numbers are those of transformers 5.23 with Pillow (ViTImageProcessorPil), bit for bit:
// resized pictures are rounded to bytes. Its torchvision processors resize otherwise, by up to one
// byte's step.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/core/literal.h"
#include "systolic/image/resize/resize.h"
#include "systolic/nn/config/size2.h"

namespace systolic::inline v0 {

// Height and width, or the shorter edge, with the other as the picture has it.
struct ImageSize {
  int64_t height = 0, width = 0;
  int64_t shortest_edge = 0;

  // For image::resize. InvalidArgument where the shorter edge alone is given, as each picture then
  // has a size of its own.
  operator image::Size() const;  // NOLINT: it is one
};

// Steps in the order of the fields.
struct ImageProcessor {
  std::string image_processor_type = "ViTImageProcessor";
  bool do_resize = true;
  ImageSize size = {.height = 224, .width = 224};
  image::Resize resample = image::Resize::bilinear;  // of those that Pillow has
  // ConvNeXt: below a shorter edge of 384, pictures are resized to that edge / crop_pct, and their
  // middle is cut out, a square; from 384 on they are resized to a square.
  std::optional<double> crop_pct = {};
  // The middle; where the picture is smaller, with zeros around it.
  bool do_center_crop = false;
  Size2 crop_size = 224;
  bool do_rescale = true;
  double rescale_factor = 1.0 / 255;
  bool do_normalize = true;
  std::vector<double> image_mean = {0.5, 0.5, 0.5};  // one a channel, or one for all
  std::vector<double> image_std = {0.5, 0.5, 0.5};

  // With that class's defaults: those above, or what earlier versions called them. Unimplemented
  // for another.
  static ImageProcessor of_type(const std::string& type,
                                SourceLocation location = SourceLocation::current());
  // Reads folder/preprocessor_config.json. InvalidArgument, naming the file and the field, for a
  // field of another kind or outside of its bounds.
  static ImageProcessor from_pretrained(const std::string& folder,
                                        SourceLocation location = SourceLocation::current());
  // Writes it as `transformers` reads it. Makes the folder.
  void save_pretrained(const std::string& folder,
                       SourceLocation location = SourceLocation::current()) const;

  // A picture's pixels, u8 [height, width, channels], or a scalar of the bytes of a file ->
  // pixel_values, f32 [height, width, channels]. InvalidArgument for another array;
  // image::decode_image's errors for bytes that are not a picture.
  Literal operator()(const Literal& picture,
                     SourceLocation location = SourceLocation::current()) const;
  // The bytes of a file; grey pictures become RGB.
  Literal operator()(std::string_view file,
                     SourceLocation location = SourceLocation::current()) const;
};

using AutoImageProcessor = ImageProcessor;

}  // namespace systolic::inline v0
