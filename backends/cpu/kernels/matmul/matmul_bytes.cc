// Products of 8-bit integers with results of 32 bits. oneDNN sums them in 32 bits but gives the sum
// by way of f32, which holds whole numbers up to 2^24: so k is cut where a sum could pass that, and
// the parts are added here. A single row or column, of which oneDNN has no fast product, is
// computed together with a row of zeros.
#include <algorithm>

#include "backends/cpu/kernels/matmul/matmul_implementation.h"
#include "backends/cpu/kernels/scratch_cursor.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

// k of which no sum passes 2^24.
constexpr int64_t longest_signed = (1 << 24) / (128 * 128), longest_unsigned = 256;
static_assert(longest_unsigned * 255 * 255 <= 1 << 24);

using Part = std::unique_ptr<Matmul::Implementation>;

struct ByteMatmul final : Matmul::Implementation {
  ByteMatmul(const MatmulOptions& options, Part full_part, Part last_part, int64_t step)
      : Implementation(options),
        full(std::move(full_part)),
        last(std::move(last_part)),
        length(step) {}

  int64_t sums() const { return options.batch * options.m * options.n; }

  size_t scratch_bytes() const override {
    ScratchCursor cursor(nullptr);
    cursor.take(sums());
    return static_cast<size_t>(cursor.taken()) * sizeof(float) +
           std::max(full->scratch_bytes(), last->scratch_bytes());
  }

  void run(const MatmulOperands& operands, void* scratch, ThreadPool& pool) const override {
    ScratchCursor cursor(scratch);
    auto* part = reinterpret_cast<int32_t*>(cursor.take(sums()));
    void* rest = static_cast<float*>(scratch) + cursor.taken();
    auto* c = static_cast<int32_t*>(operands.c);
    for (int64_t begin = 0; begin < options.k; begin += length) {
      const auto& product = begin + length < options.k ? *full : *last;
      product.run({.a = static_cast<const char*>(operands.a) + begin * options.a.column_stride,
                   .b = static_cast<const char*>(operands.b) + begin * options.b.row_stride,
                   .c = begin == 0 ? c : part},
                  rest, pool);
      if (begin > 0) add(part, c, pool);
    }
  }

  // Modulo 2^32, as sums of integers are.
  void add(const int32_t* part, int32_t* c, ThreadPool& pool) const {
    pool.parallel_for(sums(), 1 << 14, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        c[i] = static_cast<int32_t>(static_cast<uint32_t>(c[i]) + static_cast<uint32_t>(part[i]));
      }
    });
  }

  Part full, last;
  int64_t length;
};

// The product of one row: `two` is that of two rows.
struct ByteRow final : Matmul::Implementation {
  ByteRow(const MatmulOptions& options, Part two_rows)
      : Implementation(options), two(std::move(two_rows)) {}

  struct Scratch {
    Scratch(const MatmulOptions& o, void* memory) : cursor(memory) {
      a = reinterpret_cast<std::byte*>(cursor.take((2 * o.batch * o.k + 3) / 4));
      c = reinterpret_cast<int32_t*>(cursor.take(2 * o.batch * o.n));
    }
    ScratchCursor cursor;
    std::byte* a = nullptr;
    int32_t* c = nullptr;
  };

  size_t scratch_bytes() const override {
    return static_cast<size_t>(Scratch(options, nullptr).cursor.taken()) * sizeof(float) +
           two->scratch_bytes();
  }

  void run(const MatmulOperands& operands, void* memory, ThreadPool& pool) const override {
    const MatmulOptions& o = options;
    const Scratch scratch(o, memory);
    const auto* from = static_cast<const std::byte*>(operands.a);
    for (int64_t i = 0; i < o.batch; ++i) {
      std::byte* row = scratch.a + 2 * i * o.k;
      for (int64_t k = 0; k < o.k; ++k) {
        row[k] = from[i * o.a.batch_stride + k * o.a.column_stride];
      }
      std::fill_n(row + o.k, o.k, std::byte{0});
    }
    two->run({.a = scratch.a, .b = operands.b, .c = scratch.c},
             static_cast<float*>(memory) + scratch.cursor.taken(), pool);
    auto* to = static_cast<int32_t*>(operands.c);
    for (int64_t i = 0; i < o.batch; ++i) {
      for (int64_t n = 0; n < o.n; ++n) {
        to[i * o.c.batch_stride + n * o.c.column_stride] = scratch.c[2 * i * o.n + n];
      }
    }
  }

  Part two;
};

// The same product with its operands exchanged: a column as a row.
struct ExchangedBytes final : Matmul::Implementation {
  ExchangedBytes(const MatmulOptions& options, Part transposed_product)
      : Implementation(options), product(std::move(transposed_product)) {}
  size_t scratch_bytes() const override { return product->scratch_bytes(); }
  void run(const MatmulOperands& operands, void* scratch, ThreadPool& pool) const override {
    product->run({.a = operands.b, .b = operands.a, .c = operands.c}, scratch, pool);
  }
  Part product;
};

MatrixLayout turned(const MatrixLayout& layout) {
  return {layout.batch_stride, layout.column_stride, layout.row_stride};
}

Part make_byte_row(const MatmulOptions& o, int threads) {
  MatmulOptions two = o;
  two.m = 2;
  two.a = row_major(2, o.k);
  two.c = row_major(2, o.n);
  Part product = make_byte_matmul(two, threads);
  return product ? std::make_unique<ByteRow>(o, std::move(product)) : nullptr;
}

Part make_byte_column(const MatmulOptions& o, int threads) {
  MatmulOptions row = o;
  row.m = 1;
  row.n = o.m;
  row.a = turned(o.b);
  row.b = turned(o.a);
  row.c = turned(o.c);
  Part product = make_byte_row(row, threads);
  return product ? std::make_unique<ExchangedBytes>(o, std::move(product)) : nullptr;
}

}  // namespace

std::unique_ptr<Matmul::Implementation> make_byte_matmul(const MatmulOptions& o, int threads) {
  const bool plain = !o.bias && !o.relu && !o.accumulate;
  if (plain && o.m == 1) return make_byte_row(o, threads);
  if (plain && o.n == 1) return make_byte_column(o, threads);
  const int64_t longest = o.dtype == DType::i8 ? longest_signed : longest_unsigned;
  if (o.k <= longest) return make_onednn_matmul(o, threads);
  const MatrixLayout dense = row_major(o.m, o.n);
  const bool is_dense = o.c.row_stride == dense.row_stride && o.c.column_stride == 1 &&
                        (o.batch == 1 || o.c.batch_stride == dense.batch_stride);
  if (!is_dense) return nullptr;
  MatmulOptions part = o;
  part.k = longest;
  Part full = make_onednn_matmul(part, threads);
  part.k = (o.k - 1) % longest + 1;
  Part last = make_onednn_matmul(part, threads);
  if (!full || !last) return nullptr;
  return std::make_unique<ByteMatmul>(o, std::move(full), std::move(last), longest);
}

}  // namespace kernels
}  // namespace systolic::inline v0
