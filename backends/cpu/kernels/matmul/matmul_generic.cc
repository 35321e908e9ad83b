#include <algorithm>
#include <array>

#include "backends/cpu/kernels/generic_arithmetic.h"
#include "backends/cpu/kernels/matmul/matmul_implementation.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

constexpr int64_t block = 64;  // columns summed at a time

template <class T, class Out>
void multiply_row(const MatmulOptions& o, const T* a, const T* b, Out* c, const T* bias) {
  using Sum = Accumulator<T>;
  for (int64_t begin = 0; begin < o.n; begin += block) {
    const int64_t columns = std::min(block, o.n - begin);
    std::array<Sum, block> sums{};
    for (int64_t k = 0; k < o.k; ++k) {
      const T factor = a[k * o.a.column_stride];
      const T* row = b + k * o.b.row_stride + begin * o.b.column_stride;
      for (int64_t j = 0; j < columns; ++j) {
        add_product(sums[static_cast<size_t>(j)], factor, row[j * o.b.column_stride]);
      }
    }
    for (int64_t j = 0; j < columns; ++j) {
      Sum sum = sums[static_cast<size_t>(j)];
      Out& out = c[(begin + j) * o.c.column_stride];
      if (bias) add_value(sum, bias[begin + j]);
      if (o.accumulate) add_value(sum, out);
      if (o.relu) sum = rectified<Out>(sum);
      out = static_cast<Out>(sum);
    }
  }
}

template <class T, class Out>
struct GenericMatmul final : Matmul::Implementation {
  using Implementation::Implementation;
  size_t scratch_bytes() const override { return 0; }

  void run(const MatmulOperands& operands, void*, ThreadPool& pool) const override {
    const MatmulOptions& o = options;
    const int64_t grain = std::max<int64_t>(1, 10'000 / std::max<int64_t>(1, o.n * o.k));
    pool.parallel_for(o.batch * o.m, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t matrix = i / o.m, row = i % o.m;
        multiply_row(
            o, static_cast<const T*>(operands.a) + matrix * o.a.batch_stride + row * o.a.row_stride,
            static_cast<const T*>(operands.b) + matrix * o.b.batch_stride,
            static_cast<Out*>(operands.c) + matrix * o.c.batch_stride + row * o.c.row_stride,
            o.bias ? static_cast<const T*>(operands.bias) : nullptr);
      }
    });
  }
};

}  // namespace

std::unique_ptr<Matmul::Implementation> make_generic_matmul(const MatmulOptions& options) {
  return visit_dtype(options.dtype, [&](auto tag) -> std::unique_ptr<Matmul::Implementation> {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<Accumulator<T>, float>) {
      if (options.output_dtype == DType::f32) {
        return std::make_unique<GenericMatmul<T, float>>(options);
      }
    }
    if constexpr (std::is_same_v<T, int8_t> || std::is_same_v<T, uint8_t>) {
      if (options.output_dtype == DType::i32) {
        return std::make_unique<GenericMatmul<T, int32_t>>(options);
      }
    }
    return std::make_unique<GenericMatmul<T, T>>(options);
  });
}

}  // namespace kernels
}  // namespace systolic::inline v0
