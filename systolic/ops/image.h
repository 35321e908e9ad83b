// keras.ops.image: pictures in another size, bent, blurred and compared. Colours and patches are in
// patches.h.
//
//   Tensor y = ops::image::affine_transform(x, matrix, {.fill_mode = "reflect"});
//
// Pictures are [batch, height, width, channels], or one [height, width, channels], of floats or
// integers; what is computed between pixels is computed in f32 and comes out in the pictures' type.
// Other ranks, sizes below 1 and parameters of other shapes are an InvalidArgument.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "systolic/nn/config/choice.h"
#include "systolic/nn/config/interpolation.h"
#include "systolic/nn/config/padding.h"
#include "systolic/nn/config/required.h"
#include "systolic/nn/config/size2.h"
#include "systolic/nn/config/size3.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {
namespace ops {
namespace image {

using At = SourceLocation;

// What lies beyond the edge: constant, fill_value; nearest, the pixel at the edge; wrap, a b c d |
// a b c d; reflect, d c b a | a b c d; mirror, d c b | a b c d.
struct EdgeNames {
  SYSTOLIC_NAMES(throw "fill_mode must be one of: constant nearest wrap reflect mirror")
};
// A name of them.
using Edge = Choice<EdgeNames>;
// How a value between pixels is made of them.
struct BetweenNames {
  SYSTOLIC_NAMES(throw "interpolation must be one of: bilinear nearest")
};
// A name of them.
using Between = Choice<BetweenNames>;

struct MapCoordinatesOptions {
  Required<int64_t> order;      // 0: the nearest element; 1: linear between elements
  Edge fill_mode = "constant";  // what lies beyond the array
  double fill_value = 0;        // of "constant"
};
// The values of x, of any rank, at the places that `coordinates` [rank of x, ...] name: [...].
Tensor map_coordinates(const Tensor& x, const Tensor& coordinates, MapCoordinatesOptions options,
                       At at = At::current());

// How affine_transform makes values.
struct TransformOptions {
  Between interpolation = "bilinear";  // between pixels
  Edge fill_mode = "constant";         // what lies beyond the picture
  double fill_value = 0;               // of "constant"
};
// The pixel (x, y) of the result is taken from (a0 x + a1 y + a2, b0 x + b1 y + b2) of the picture:
// `transform` is [8] or [batch, 8] with a0, a1, a2, b0, b1, b2, and two numbers that are not read.
Tensor affine_transform(const Tensor& images, const Tensor& transform,
                        TransformOptions options = {}, At at = At::current());

struct PerspectiveOptions {
  Between interpolation = "bilinear";  // between pixels
  double fill_value = 0;               // beyond the edge
};
// What lies at the four start_points is moved to the end_points: both [4, 2] or [batch, 4, 2], as
// (x, y) of the corners.
Tensor perspective_transform(const Tensor& images, const Tensor& start_points,
                             const Tensor& end_points, PerspectiveOptions options = {},
                             At at = At::current());

struct ElasticOptions {
  double alpha = 20.0;                 // how far pixels move
  double sigma = 5.0;                  // how smoothly
  Between interpolation = "bilinear";  // between pixels
  Edge fill_mode = "reflect";          // what lies beyond the picture
  double fill_value = 0;               // of "constant"
  std::optional<Tensor> key = {};      // u64[2]; else of the global generator
};
// Stretched like rubber (Simard, Steinkraus, Platt 2003): pixels move by alpha times normal numbers
// times sigma, blurred by a Gaussian of sigma. Keras on JAX moves them as far down as to the right;
// here the two are drawn by themselves.
Tensor elastic_transform(const Tensor& images, ElasticOptions options = {}, At at = At::current());

// Sizes of the blur.
struct GaussianBlurOptions {
  Size2 kernel_size = 3;                         // in pixels
  std::pair<double, double> sigma = {1.0, 1.0};  // likewise
};
// Blurred by a Gaussian; beyond the edge are zeros. As in Keras the first number of kernel_size and
// of sigma is for the columns.
Tensor gaussian_blur(const Tensor& images, GaussianBlurOptions options = {}, At at = At::current());
// [..., channels, 2]: how fast values grow downwards and to the right (Sobel's filters).
Tensor sobel_edges(const Tensor& images, At at = At::current());

struct SsimOptions {
  double max_val = 1.0;       // the range of values
  int64_t filter_size = 11;   // at most the height and width
  double filter_sigma = 1.5;  // of the Gaussian window
  double k1 = 0.01;           // keeps the means' quotient steady
  double k2 = 0.03;           // and that of the variances
};
// How alike two pictures look (Wang, Bovik, Sheikh, Simoncelli 2004): [batch], or a scalar for one
// pair; 1 where they are the same.
Tensor ssim(const Tensor& image1, const Tensor& image2, SsimOptions options = {},
            At at = At::current());

// Two of the three of each axis say the box; without any the axis stays.
struct CropOptions {
  std::optional<int64_t> top_cropping = {};     // rows that go
  std::optional<int64_t> left_cropping = {};    // columns that go
  std::optional<int64_t> bottom_cropping = {};  // rows that go
  std::optional<int64_t> right_cropping = {};   // columns that go
  std::optional<int64_t> target_height = {};    // rows that stay
  std::optional<int64_t> target_width = {};     // columns that stay
};
Tensor crop_images(const Tensor& images, CropOptions options, At at = At::current());

// Likewise, of what is added.
struct PadOptions {
  std::optional<int64_t> top_padding = {};     // rows
  std::optional<int64_t> left_padding = {};    // columns
  std::optional<int64_t> bottom_padding = {};  // rows
  std::optional<int64_t> right_padding = {};   // columns
  std::optional<int64_t> target_height = {};   // rows afterwards
  std::optional<int64_t> target_width = {};    // columns afterwards
};
// With zeros.
Tensor pad_images(const Tensor& images, PadOptions options, At at = At::current());

struct ResizeOptions {
  Interpolation interpolation = "bilinear";  // between pixels
  bool antialias = false;                    // where the picture gets smaller
  bool crop_to_aspect_ratio = false;         // the middle, of the new ratio
  bool pad_to_aspect_ratio = false;          // with fill_value, to the new ratio
  double fill_value = 0;                     // of what is padded
};
// [..., size.height, size.width, channels], with half-pixel centers.
Tensor resize(const Tensor& images, Size2 size, ResizeOptions options = {}, At at = At::current());

struct ScaleOptions {
  std::vector<double> scale;          // one for each of spatial_dims
  std::vector<double> translation;    // likewise, in the result's pixels
  std::vector<int> spatial_dims;      // axes of x
  Interpolation method = "bilinear";  // not "nearest"
  bool antialias = true;              // where an axis gets smaller
};
// x, of any rank, as output_shape: element i along a spatial axis lies at (i + 1/2 - translation) /
// scale - 1/2 of x, and is 0 beyond it.
Tensor scale_and_translate(const Tensor& x, const Shape& output_shape, ScaleOptions options,
                           At at = At::current());

struct Patch3DOptions {
  Size3 size;                 // depth, height and width of a patch
  Size3 strides = 0;          // 0: the size
  Size3 dilation_rate = 1;    // how far apart its elements are
  Padding padding = "valid";  // or "same"
};
// [batch, depth, height, width, channels], or without the batch -> [..., size * channels].
Tensor extract_patches_3d(const Tensor& volumes, Patch3DOptions options, At at = At::current());

}  // namespace image
}  // namespace ops
}  // namespace systolic::inline v0
