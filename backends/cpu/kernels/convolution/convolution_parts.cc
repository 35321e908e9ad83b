#include "backends/cpu/kernels/convolution/convolution_parts.h"

#include <algorithm>
#include <numeric>

#include "backends/cpu/kernels/convolution/convolution_onednn.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

// Waking another thread costs microseconds: a band computes for longer than that.
constexpr double least_flops_of_band = 500'000;

void append(ConvolutionParts& result, const ConvolutionShape& kind, int64_t input_begin,
            int64_t output_begin) {
  const auto same = std::find(result.kinds.begin(), result.kinds.end(), kind);
  const auto index = static_cast<size_t>(same - result.kinds.begin());
  if (same == result.kinds.end()) result.kinds.push_back(kind);
  result.parts.push_back({.input_begin = input_begin,
                          .input_elements = kind.input_elements(),
                          .output_begin = output_begin,
                          .output_elements = kind.output_elements(),
                          .kind = index});
}

ConvolutionShape with_batch(ConvolutionShape shape, int64_t images) {
  shape.batch = images;
  return shape;
}

ConvolutionParts groups_of_images(const ConvolutionShape& shape, int threads) {
  const direct::Groups groups(shape.batch, shape.batch / (4 * threads));
  const ConvolutionShape one = with_batch(shape, 1);
  ConvolutionParts result;
  for (int64_t group = 0; group < groups.count; ++group) {
    const int64_t first = groups.begin(group);
    append(result, with_batch(shape, groups.images(group)), first * one.input_elements(),
           first * one.output_elements());
  }
  return result;
}

// Into how many bands each image is cut, so that every thread gets as many of them; 1 where the
// images are enough by themselves.
int64_t bands_of_image(const ConvolutionShape& shape, int threads) {
  if (shape.has_depth() || shape.batch >= 4 * threads) return 1;
  const int64_t bands = threads / std::gcd(shape.batch, int64_t{threads});
  const double flops = shape.flops() / static_cast<double>(shape.batch * bands);
  return shape.out_height() >= bands && flops >= least_flops_of_band ? bands : 1;
}

struct Band {
  int64_t first_row;  // of the image's input
  ConvolutionShape shape;
};

// Output rows `begin` to `end` of one image.
Band band_of(const ConvolutionShape& shape, int64_t begin, int64_t end) {
  const int64_t reach = shape.dilation_height * (shape.kernel_height - 1) + 1;
  const int64_t top = begin * shape.stride_height - shape.pad_top;
  const int64_t bottom = (end - 1) * shape.stride_height - shape.pad_top + reach;
  const int64_t first = std::clamp<int64_t>(top, 0, shape.height - 1);
  const int64_t last = std::clamp<int64_t>(bottom, first + 1, shape.height);
  ConvolutionShape band = with_batch(shape, 1);
  band.height = last - first;
  band.pad_top = first - top;
  band.pad_bottom = bottom - last;
  return {first, band};
}

ConvolutionParts bands_of_images(const ConvolutionShape& shape, int64_t bands) {
  const ConvolutionShape one = with_batch(shape, 1);
  const int64_t rows = one.out_height();
  const int64_t input_row = one.input_elements() / one.height;
  const int64_t output_row = one.output_elements() / rows;
  ConvolutionParts result;
  for (int64_t image = 0; image < shape.batch; ++image) {
    for (int64_t band = 0; band < bands; ++band) {
      const int64_t begin = band * rows / bands, end = (band + 1) * rows / bands;
      const Band cut = band_of(shape, begin, end);
      append(result, cut.shape, image * one.input_elements() + cut.first_row * input_row,
             image * one.output_elements() + begin * output_row);
    }
  }
  return result;
}

// No padding is negative: a window that lies in the padding alone still has a row to stand on.
bool can_be_described(const ConvolutionParts& parts) {
  return std::all_of(parts.kinds.begin(), parts.kinds.end(), [](const ConvolutionShape& kind) {
    return kind.pad_top >= 0 && kind.pad_bottom >= 0;
  });
}

int64_t largest(const ConvolutionParts& all, int64_t ConvolutionPart::*length) {
  int64_t result = 0;
  for (const ConvolutionPart& part : all.parts) result = std::max(result, part.*length);
  return result;
}

}  // namespace

int64_t ConvolutionParts::largest_input() const {
  return largest(*this, &ConvolutionPart::input_elements);
}
int64_t ConvolutionParts::largest_output() const {
  return largest(*this, &ConvolutionPart::output_elements);
}

ConvolutionParts cut_convolution(const ConvolutionShape& shape, int threads) {
  const int64_t bands = bands_of_image(shape, threads);
  if (bands > 1) {
    ConvolutionParts result = bands_of_images(shape, bands);
    if (can_be_described(result)) return result;
  }
  return groups_of_images(shape, threads);
}

}  // namespace kernels
}  // namespace systolic::inline v0
