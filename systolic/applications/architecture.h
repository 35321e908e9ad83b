// What every architecture begins and ends with: the input of a checked size, the classifier or the
// pooling, and the weights. Internal to applications.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/applications/application_options.h"
#include "systolic/nn/config/margins.h"
#include "systolic/nn/config/padding.h"
#include "systolic/nn/initializers/initializer.h"
#include "systolic/nn/symbol.h"
#include "systolic/train/model/model.h"

namespace systolic::inline v0 {
namespace applications {

// Which of the options that some architectures have this one takes.
struct OwnOptions {
  bool alpha = false, depth_multiplier = false, dropout = false, minimalistic = false,
       include_preprocessing = false;
};

struct ArchitectureTraits {
  std::string name;              // as users call it, "MobileNetV2"
  int64_t default_size = 224;    // height and width that it was published with
  int64_t least_size = 32;       // that it can take
  OwnOptions own = {};           // options besides those that all take
  std::vector<int64_t> sizes{};  // others that ImageNet's weights are of, besides default_size
  bool any_size = true;          // without the classifier: of unknown height and width, too
};

// The ends of most architectures, with the names of their layers; "" is numbered.
struct Top {
  std::string average = "avg_pool";  // of the classifier
  std::string pooled_average = "", pooled_max = "";
  double dropout = 0;  // in front of the classifier, "top_dropout"
  Initializer kernel_initializer = "glorot_uniform";
};

class Architecture {
 public:
  // Checks the options. Errors name the architecture and the caller's line.
  Architecture(ArchitectureTraits traits, const ApplicationOptions& options);

  const ApplicationOptions& options() const { return options_; }
  const Symbol& image() const { return image_; }  // [batch, height, width, channels]

  // The height of the pictures where ImageNet's weights are of pictures of that size, else the
  // default; and as a name has it, "None" where it is unknown.
  int64_t published_size() const;
  std::string height_text() const;

  // "conv2d", then "conv2d_1": layers without a name are numbered in the order they are made, as in
  // Keras, since files of weights have these names.
  std::string next(const std::string& kind);

  // After the last feature map: average, dropout, and a Dense "predictions" where there is a
  // classifier; else pooled().
  Symbol top(const Symbol& features, const Top& names = {});
  // The pooling that the options ask for.
  Symbol pooled(const Symbol& features, const Top& names = {});

  // Loads the weights. `file` is the key of ImageNet's in imagenet_weights.h.
  Model model(const Symbol& output, const std::string& default_name, const std::string& file);

 private:
  const ArchitectureTraits traits_;
  const ApplicationOptions options_;
  const Symbol image_;
  std::map<std::string, int> made_;
};

// Filters scaled by a factor and rounded to a multiple of `divisor`, by no more than 10 % down
// (MobileNets and EfficientNets).
int64_t rounded_filters(double filters, int64_t divisor = 8);

// What to pad in front of a convolution of stride 2 so that its windows lie as with "same" where
// sizes are odd, and one further where they are even: ((top, bottom), (left, right)).
Margins<2> padding_of_stride_2(const Symbol& x, int64_t kernel_size);

// "valid" for stride 2, in front of which padding_of_stride_2 has padded; "same" for 1.
Padding padding_of_stride(int64_t stride);

}  // namespace applications
}  // namespace systolic::inline v0
