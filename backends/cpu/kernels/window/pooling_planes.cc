#include "backends/cpu/kernels/window/pooling_planes.h"

#include <algorithm>
#include <array>
#include <vector>

#include "backends/cpu/kernels/movement/layout.h"
#include "backends/cpu/kernels/window/pooling_f32.h"
#include "systolic/core/memory/block_pool.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

constexpr int64_t lanes = 16;  // planes side by side: those of a block beyond the last are 0
constexpr int64_t band_floats = int64_t{1} << 16;  // of input, in a part of the second-level cache
constexpr int64_t most_floats = int64_t{1} << 21;  // what a band of one row of outputs may take
constexpr int64_t grain_elements = 16384;

template <class T>
using Scratch = std::vector<T, BlockAllocator<T>>;

// Rows of the output, with the rows of the input that their windows cover.
struct Band {
  int64_t first_output, outputs, first_input;
  Pool2D turned;  // of the band alone: [1, rows, width, lanes]
};

// How many rows of outputs a band has.
int64_t rows_in_band(const Pool2D& p) {
  const int64_t rows = band_floats / (lanes * std::max({int64_t{1}, p.width, p.output_width()}));
  const int64_t more = (rows - p.vertical.window) / p.vertical.stride;
  return std::clamp<int64_t>(1 + more, 1, std::max<int64_t>(1, p.output_height()));
}

Band band_at(const Pool2D& p, int64_t first) {
  const int64_t outputs = std::min(rows_in_band(p), p.output_height() - first);
  const int64_t start = first * p.vertical.stride - p.vertical.padding_low;
  const int64_t end = start + (outputs - 1) * p.vertical.stride + p.vertical.window;
  const int64_t begin = std::clamp<int64_t>(start, 0, p.height);
  Band band{.first_output = first, .outputs = outputs, .first_input = begin, .turned = p};
  band.turned.batch = 1;
  band.turned.channels = lanes;
  band.turned.height = std::max<int64_t>(0, std::min(end, p.height) - begin);
  band.turned.vertical.padding_low = begin - start;
  return band;
}

// The planes that a task works on.
struct Block {
  int64_t first, count;
};
Block block_at(const Pool2D& p, int64_t index) {
  return {.first = index * lanes, .count = std::min(lanes, p.batch - index * lanes)};
}
int64_t block_count(const Pool2D& p) { return (p.batch + lanes - 1) / lanes; }

// [planes, elements], the planes `apart`, to [elements, lanes].
void turn(const float* planes, int64_t count, int64_t apart, int64_t elements, float* turned,
          ThreadPool& pool) {
  const std::array<int64_t, 2> dims = {elements, count};
  copy_strided(sizeof(float), dims, planes, std::array<int64_t, 2>{1, apart}, turned,
               std::array<int64_t, 2>{lanes, 1}, pool);
}
void turn_back(const float* turned, int64_t count, int64_t apart, int64_t elements, float* planes,
               ThreadPool& pool) {
  const std::array<int64_t, 2> dims = {count, elements};
  copy_strided(sizeof(float), dims, turned, std::array<int64_t, 2>{1, lanes}, planes,
               std::array<int64_t, 2>{apart, 1}, pool);
}

// The input under a band, turned.
void turn_band(const Pool2D& p, const Block& block, const Band& band, const float* input,
               Scratch<float>& turned, ThreadPool& pool) {
  const int64_t plane = p.height * p.width;
  if (band.turned.height * p.width == 0) return;
  turned.resize(static_cast<size_t>(band.turned.height * p.width * lanes));
  turn(input + block.first * plane + band.first_input * p.width, block.count, plane,
       band.turned.height * p.width, turned.data(), pool);
}

void each_task(int64_t tasks, int64_t work, ThreadPool& pool, FunctionRef<void(int64_t)> task) {
  const auto body = [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) task(k);
  };
  if (tasks * work <= grain_elements) return body(0, tasks);
  pool.parallel_for(tasks, std::max<int64_t>(1, grain_elements / std::max<int64_t>(1, work)), body);
}

using PoolRow = void (*)(const Pool2D&, const float* image, int64_t output_y, float* output_row);

void pool_band(const Pool2D& p, const Block& block, const Band& band, PoolRow pool_row,
               const float* input, float* output, ThreadPool& pool) {
  const int64_t row = p.output_width(), plane = p.output_height() * row;
  Scratch<float> turned, pooled(static_cast<size_t>(band.outputs * row * lanes));
  turn_band(p, block, band, input, turned, pool);
  for (int64_t y = 0; y < band.outputs; ++y) {
    pool_row(band.turned, turned.data(), y, pooled.data() + y * row * lanes);
  }
  turn_back(pooled.data(), block.count, plane, band.outputs * row,
            output + block.first * plane + band.first_output * row, pool);
}

void pool_planes(const Pool2D& p, PoolRow pool_row, const float* input, float* output,
                 ThreadPool& pool) {
  const int64_t in_band = rows_in_band(p), row = p.output_width();
  const int64_t bands = (p.output_height() + in_band - 1) / in_band;
  if (p.output_height() <= 0 || row <= 0) return;
  // Where a file makes the window larger than the image, only the image's size is read.
  const int64_t window =
      std::min(p.vertical.window, p.height) * std::min(p.horizontal.window, p.width);
  const int64_t work = in_band * row * lanes * window;
  each_task(block_count(p) * bands, work, pool, [&](int64_t task) {
    pool_band(p, block_at(p, task / bands), band_at(p, task % bands * in_band), pool_row, input,
              output, pool);
  });
}

// One row of gradients to where the largest elements are: places [columns, lanes] of the band.
void scatter_row(const Pool2D& p, const int32_t* places, const float* gradient, float* plane) {
  const int64_t columns = p.output_width();
  for (int64_t x = 0; x < columns; ++x) {
    if (places[x * lanes] >= 0) plane[places[x * lanes]] += gradient[x];
  }
}

void gradient_block(const Pool2D& p, const Block& block, const float* input, const float* gradient,
                    float* input_gradient, ThreadPool& pool) {
  const int64_t plane = p.height * p.width, columns = p.output_width(), rows = p.output_height();
  std::fill_n(input_gradient + block.first * plane, block.count * plane, 0.0f);
  if (rows <= 0 || columns <= 0 || plane == 0) return;
  Scratch<float> turned;
  Scratch<int32_t> places(static_cast<size_t>(columns * lanes));
  for (int64_t first = 0; first < rows;) {
    const Band band = band_at(p, first);
    turn_band(p, block, band, input, turned, pool);
    for (int64_t y = 0; y < band.outputs; ++y) {
      find_largest_row(band.turned, turned.data(), y, places.data());
      for (int64_t c = 0; c < block.count; ++c) {
        const int64_t n = block.first + c;
        scatter_row(p, places.data() + c, gradient + (n * rows + first + y) * columns,
                    input_gradient + n * plane + band.first_input * p.width);
      }
    }
    first += band.outputs;
  }
}

}  // namespace

bool fits_planes(const Pool2D& planes) {
  return planes.channels == 1 && planes.width <= most_floats / lanes &&
         planes.output_width() <= most_floats / lanes &&
         std::min(planes.vertical.window, planes.height) * planes.width <= most_floats / lanes;
}

void max_pool_planes(const Pool2D& planes, const float* input, float* output, ThreadPool& pool) {
  pool_planes(planes, max_pool_row, input, output, pool);
}

void sum_pool_planes(const Pool2D& planes, const float* input, float* output, ThreadPool& pool) {
  pool_planes(planes, sum_pool_row, input, output, pool);
}

void max_pool_gradient_planes(const Pool2D& planes, const float* input, const float* gradient,
                              float* input_gradient, ThreadPool& pool) {
  const int64_t work = planes.height * planes.width * lanes;
  each_task(block_count(planes), work, pool, [&](int64_t block) {
    gradient_block(planes, block_at(planes, block), input, gradient, input_gradient, pool);
  });
}

}  // namespace kernels
}  // namespace systolic::inline v0
