// Windows that begin at the first element and end at each one, or begin at each and end at the
// last: running sums, products and extremes, in one walk.
#include "backends/cpu/kernels/window/running.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "backends/cpu/kernels/window/visit_stored.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

constexpr int64_t most_lanes = 256;  // neighbouring walks side by side

// `lanes` walks of `steps` elements, which lie `step` apart; negative from the last to the first.
template <ReduceKind kind, class Stored, class Total>
void walk(const Stored* input, Stored* output, int64_t steps, int64_t step, int64_t lanes,
          Stored init) {
  using T = CombineType<Total>;
  std::array<Total, most_lanes> totals;
  std::fill_n(totals.data(), lanes, static_cast<Total>(init));
  for (int64_t i = 0; i < steps; ++i, input += step, output += step) {
    for (int64_t lane = 0; lane < lanes; ++lane) {
      totals[lane] = convert_element<Total>(reduce_combine<kind, T>(
          convert_element<T>(totals[lane]), convert_element<T>(input[lane])));
      output[lane] = convert_element<Stored>(totals[lane]);
    }
  }
}

// Each step is rounded, as the region says. From the last to the first, which is not the order in
// which windows are folded, sums and products of f32 run in f64 instead.
template <ReduceKind kind, class Stored>
using BackwardsTotal =
    std::conditional_t<std::is_same_v<Stored, float> &&
                           (kind == ReduceKind::sum || kind == ReduceKind::product),
                       double, Stored>;

template <ReduceKind kind, class Stored>
void run_running(const Running& running, const Stored* input, Stored init, Stored* output,
                 ThreadPool& pool) {
  const int64_t blocks = (running.inner + most_lanes - 1) / most_lanes;
  const int64_t row = running.size * running.inner;
  const int64_t grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, row / blocks));
  pool.parallel_for(running.outer * blocks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t lane = task % blocks * most_lanes;
      int64_t offset = task / blocks * row + lane;
      const int64_t lanes = std::min(most_lanes, running.inner - lane);
      if (!running.backwards) {
        walk<kind, Stored, Stored>(input + offset, output + offset, running.size, running.inner,
                                   lanes, init);
        continue;
      }
      offset += (running.size - 1) * running.inner;
      walk<kind, Stored, BackwardsTotal<kind, Stored>>(input + offset, output + offset,
                                                       running.size, -running.inner, lanes, init);
    }
  });
}

}  // namespace

std::optional<Running> as_running(std::span<const int64_t> dims, std::span<const WindowAxis> axes) {
  Running running;
  bool found = false;
  for (size_t k = 0; k < dims.size(); ++k) {
    const WindowAxis& axis = axes[k];
    const bool plain = axis.stride == 1 && axis.base_dilation == 1 && axis.window_dilation == 1;
    if (!plain) return std::nullopt;
    if (axis.window == 1 && axis.padding_low == 0 && axis.padding_high == 0) {
      (found ? running.inner : running.outer) *= dims[k];
      continue;
    }
    const bool forwards = axis.padding_low == axis.window - 1 && axis.padding_high == 0;
    const bool backwards = axis.padding_high == axis.window - 1 && axis.padding_low == 0;
    if (found || axis.window != dims[k] || !(forwards || backwards)) return std::nullopt;
    found = true;
    running.size = dims[k];
    running.backwards = backwards;
  }
  if (!found) return std::nullopt;
  return running;
}

bool reduce_as_running(ReduceKind kind, DType dtype, std::span<const int64_t> dims,
                       std::span<const WindowAxis> axes, const void* input, const void* init,
                       void* output, ThreadPool& pool) {
  const std::optional<Running> running = as_running(dims, axes);
  if (!running) return false;
  bool done = false;
  visit_stored(kind, dtype, [&](auto kind_tag, auto tag) {
    using Stored = typename decltype(tag)::type;
    constexpr ReduceKind which = decltype(kind_tag)::value;
    Stored start;
    std::memcpy(&start, init, sizeof(start));
    // The padding is folded as often as it is seen: nothing may come of it.
    using T = CombineType<Stored>;
    if (convert_element<T>(start) != reduce_neutral<which, T>()) return;
    if (running->outer * running->size * running->inner > 0) {
      run_running<which, Stored>(*running, static_cast<const Stored*>(input), start,
                                 static_cast<Stored*>(output), pool);
    }
    done = true;
  });
  return done;
}

}  // namespace kernels
}  // namespace systolic::inline v0
