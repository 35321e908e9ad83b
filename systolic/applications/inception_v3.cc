// Inception v3: at each stage several branches of convolutions, joined along the channels.
#include "systolic/applications/applications.h"
#include "systolic/applications/architecture.h"
#include "systolic/applications/inception_parts.h"
#include "systolic/base/text.h"
#include "systolic/nn/layers/all.h"

namespace systolic::inline v0 {
namespace applications {
namespace {

class InceptionV3Layers : public InceptionParts {
 public:
  using InceptionParts::InceptionParts;

  Symbol stem(const Symbol& image) { return stem_convolutions(image); }

  Symbol block_35(const Symbol& x, int64_t pooled_filters, const std::string& name) {
    const Symbol one = convolution(x, 64, 1);
    const Symbol five = convolution(convolution(x, 48, 1), 64, 5);
    const Symbol three = convolution(convolution(convolution(x, 64, 1), 96, 3), 96, 3);
    return joined({one, five, three, averaged(x, pooled_filters)}, name);
  }

  Symbol to_17(const Symbol& x, const std::string& name) {
    const Symbol one = convolution(x, 384, 3, 2, "valid");
    Symbol two = convolution(convolution(x, 64, 1), 96, 3);
    two = convolution(two, 96, 3, 2, "valid");
    return joined({one, two, reduced(x)}, name);
  }

  // `filters`: of the narrow convolutions.
  Symbol block_17(const Symbol& x, int64_t filters, const std::string& name) {
    const Symbol one = convolution(x, 192, 1);
    Symbol two = convolution(convolution(x, filters, 1), filters, {1, 7});
    two = convolution(two, 192, {7, 1});
    Symbol three = convolution(convolution(x, filters, 1), filters, {7, 1});
    three = convolution(convolution(three, filters, {1, 7}), filters, {7, 1});
    three = convolution(three, 192, {1, 7});
    return joined({one, two, three, averaged(x, 192)}, name);
  }

  Symbol to_8(const Symbol& x, const std::string& name) {
    const Symbol one = convolution(convolution(x, 192, 1), 320, 3, 2, "valid");
    Symbol two = convolution(convolution(x, 192, 1), 192, {1, 7});
    two = convolution(convolution(two, 192, {7, 1}), 192, 3, 2, "valid");
    return joined({one, two, reduced(x)}, name);
  }

  Symbol block_8(const Symbol& x, int number) {
    const Symbol one = convolution(x, 320, 1);
    const Symbol three = convolution(x, 384, 1);
    const Symbol wide = split(three, str("mixed9_", number));
    const Symbol twice = convolution(convolution(x, 448, 1), 384, 3);
    const Symbol twice_wide = split(twice, next("concatenate"));
    return joined({one, wide, twice_wide, averaged(x, 192)}, str("mixed", 9 + number));
  }

 private:
  Symbol split(const Symbol& x, const std::string& name) {
    const Symbol rows = convolution(x, 384, {1, 3});
    const Symbol columns = convolution(x, 384, {3, 1});
    return joined({rows, columns}, name);
  }
};

}  // namespace

Model InceptionV3(const ApplicationOptions& options) {
  Architecture net({.name = "InceptionV3", .default_size = 299, .least_size = 75}, options);
  InceptionV3Layers layers(net);
  Symbol x = layers.stem(net.image());
  x = layers.block_35(x, 32, "mixed0");
  x = layers.block_35(x, 64, "mixed1");
  x = layers.block_35(x, 64, "mixed2");
  x = layers.to_17(x, "mixed3");
  x = layers.block_17(x, 128, "mixed4");
  x = layers.block_17(x, 160, "mixed5");
  x = layers.block_17(x, 160, "mixed6");
  x = layers.block_17(x, 192, "mixed7");
  x = layers.to_8(x, "mixed8");
  x = layers.block_8(x, 0);
  x = layers.block_8(x, 1);
  return net.model(net.top(x), "inception_v3", "inception_v3");
}

}  // namespace applications
}  // namespace systolic::inline v0
