#include "backends/cpu/kernels/window/pooling.h"

#include <algorithm>
#include <cmath>

#include "backends/cpu/kernels/window/pooling_f32.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

constexpr int64_t grain_elements = 16384;

void each_output_row(const Pool2D& p, ThreadPool& pool, FunctionRef<void(int64_t, int64_t)> row) {
  const int64_t rows = p.output_height();
  const int64_t work = p.output_width() * p.channels * p.vertical.window * p.horizontal.window;
  const auto body = [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) row(k / rows, k % rows);
  };
  const int64_t count = p.batch * rows;
  if (count * work <= grain_elements) return body(0, count);
  pool.parallel_for(count, std::max<int64_t>(1, grain_elements / std::max<int64_t>(1, work)), body);
}

// Images are shared out by blocks of channels: windows overlap, so that no smaller part of an image
// can be done alone.
void each_channel_block(const Pool2D& p, ThreadPool& pool,
                        FunctionRef<void(int64_t, int64_t, int64_t)> block) {
  const int64_t blocks = (p.channels + pool_channel_block - 1) / pool_channel_block;
  const auto body = [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      const int64_t first = k % blocks * pool_channel_block;
      block(k / blocks, first, std::min(pool_channel_block, p.channels - first));
    }
  };
  const int64_t count = p.batch * blocks;
  const int64_t work = p.height * p.width * std::min(pool_channel_block, p.channels);
  if (count * work <= grain_elements) return body(0, count);
  pool.parallel_for(count, std::max<int64_t>(1, grain_elements / std::max<int64_t>(1, work)), body);
}

int64_t input_image(const Pool2D& p) { return p.height * p.width * p.channels; }
int64_t output_row(const Pool2D& p) { return p.output_width() * p.channels; }

}  // namespace

void max_pool(const Pool2D& p, const float* input, float* output, ThreadPool& pool) {
  each_output_row(p, pool, [&](int64_t image, int64_t y) {
    max_pool_row(p, input + image * input_image(p), y,
                 output + (image * p.output_height() + y) * output_row(p));
  });
}

void sum_pool(const Pool2D& p, const float* input, float* output, ThreadPool& pool) {
  each_output_row(p, pool, [&](int64_t image, int64_t y) {
    sum_pool_row(p, input + image * input_image(p), y,
                 output + (image * p.output_height() + y) * output_row(p));
  });
}

void max_pool_gradient(const Pool2D& p, const float* input, const float* gradient,
                       float* input_gradient, ThreadPool& pool) {
  each_channel_block(p, pool, [&](int64_t image, int64_t first, int64_t count) {
    max_pool_gradient_image(p, input + image * input_image(p),
                            gradient + image * p.output_height() * output_row(p),
                            input_gradient + image * input_image(p), first, count);
  });
}

}  // namespace kernels
}  // namespace systolic::inline v0
