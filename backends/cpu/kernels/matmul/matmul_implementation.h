// The ways in which Matmul multiplies matrices. Internal.
#pragma once

#include <cstddef>
#include <memory>

#include "backends/cpu/kernels/matmul/matmul.h"

namespace systolic::inline v0 {
namespace kernels {

struct Matmul::Implementation {
  explicit Implementation(const MatmulOptions& options) : options(options) {}
  virtual ~Implementation() = default;
  virtual size_t scratch_bytes() const = 0;
  virtual void run(const MatmulOperands& operands, void* scratch, ThreadPool& pool) const = 0;
  // Only of those planned by_rows.
  virtual void run_rows(const MatmulOperands& operands, void* scratch, ThreadPool& pool,
                        RowsConsumer consume) const;
  // Only of those planned with b_packed.
  virtual size_t packed_bytes() const { return 0; }
  virtual int64_t pack_parts() const { return 0; }
  virtual void pack(const void* b, int64_t begin, int64_t end, void* packed) const;
  virtual int64_t parts() const { return 0; }
  virtual size_t part_scratch_bytes() const { return 0; }
  virtual void run_parts(const MatmulOperands& operands, int64_t begin, int64_t end,
                         void* scratch) const;

  const MatmulOptions options;
};

// Where a matrix of the batch begins, in elements.
inline int64_t matrix_offset(const MatmulOptions& o, const MatrixLayout& layout, int64_t matrix) {
  return matrix / o.group * layout.batch_stride + matrix % o.group * layout.group_stride;
}

// Plain loops, any numeric type.
std::unique_ptr<Matmul::Implementation> make_generic_matmul(const MatmulOptions& options);

// The largest n and k of a product that is computed by whole rows.
inline constexpr int64_t most_columns_by_rows = 512;
inline constexpr int64_t most_steps_by_rows = 256;

// Our own kernel: f32, and bf16 and f16 summed in f32.
std::unique_ptr<Matmul::Implementation> make_gemm_matmul(const MatmulOptions& options, int threads);

// f32 of few rows: b is read once, where it lies. Null for others.
std::unique_ptr<Matmul::Implementation> make_few_rows_matmul(const MatmulOptions& options,
                                                             int threads);

// bf16 by the processor's matrix unit. Null where there is none, or the strides are odd.
std::unique_ptr<Matmul::Implementation> make_amx_matmul(const MatmulOptions& options, int threads);
// Whether it can be planned by_rows, as far as sizes and types say.
bool amx_gives_rows(const MatmulOptions& options);
// Whether b may come packed, as far as sizes and types say.
bool amx_takes_packed(const MatmulOptions& options);

// Whether the matrix unit multiplies it in three parts of bf16 each.
bool amx_splits(const MatmulOptions& options);
// The same, with `in_f32` where a number has no such parts.
std::unique_ptr<Matmul::Implementation> make_split_matmul(
    const MatmulOptions& options, int threads, std::unique_ptr<Matmul::Implementation> in_f32);

// Of 8-bit integers, summed in 32 bits.
inline bool sums_in_i32(const MatmulOptions& o) {
  return (o.dtype == DType::i8 || o.dtype == DType::u8) && o.output_dtype == DType::i32;
}

// The one of them that uses oneDNN: exact for any k. Null if it has no such product.
std::unique_ptr<Matmul::Implementation> make_byte_matmul(const MatmulOptions& options, int threads);

// oneDNN: f32, bf16, and 8-bit integers with i32 results, which are exact up to 2^24. Null if it
// has no such product, or only reference loops for one of floats.
std::unique_ptr<Matmul::Implementation> make_onednn_matmul(const MatmulOptions& options,
                                                           int threads);

}  // namespace kernels
}  // namespace systolic::inline v0
