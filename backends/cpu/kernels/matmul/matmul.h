// Matrix multiplication: c[b] = relu(a[b] x b[b] + bias), planned once and run often.
//
//   Matmul dense({.m = batch, .n = units, .k = features, .a = row_major(batch, features),
//                 .b = row_major(features, units), .c = row_major(batch, units), .bias = true,
//                 .relu = true}, threads);
//   dense.run({.a = x, .b = w, .c = y, .bias = bias}, scratch, pool);
//
// f32 is computed with our own kernel (gemm-inl.h, after Goto and van de Geijn, "Anatomy of
// High-Performance Matrix Multiplication", ACM TOMS 34(3), 2008), large products by oneDNN where it
// has 512-bit vectors, and of few rows at the speed at which b comes from memory; where it may be
// split, large products go through the matrix unit (matmul_split.cc). bf16 and f16 are
// converted to f32 as the operands are packed and summed in f32; where the processor has a matrix
// unit (AMX) bf16 is multiplied there, and where it is faster in bf16 otherwise (onednn.h), oneDNN
// does it, but for matrices in groups. Other types run in plain loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "systolic/base/function_ref.h"
#include "systolic/base/threads/thread_pool.h"
#include "systolic/core/dtype.h"

namespace systolic::inline v0 {
namespace kernels {

// Where the elements of a stack of matrices lie: element (row, column) of matrix b is at
// b * batch_stride + row * row_stride + column * column_stride (in elements). A transposed operand
// is one with the strides exchanged; batch_stride 0 uses one matrix for the whole batch.
struct MatrixLayout {
  int64_t batch_stride = 0;
  int64_t row_stride = 0;
  int64_t column_stride = 0;
  // Where matrices come in groups (MatmulOptions::group), as the heads of attention do: between
  // those of one group. batch_stride is then between groups.
  int64_t group_stride = 0;
};
// rows x columns without gaps, one matrix after the other.
constexpr MatrixLayout row_major(int64_t rows, int64_t columns) {
  return {rows * columns, columns, 1, 0};
}
// The transpose of a rows x columns matrix that is stored row-major: it has `columns` rows.
constexpr MatrixLayout transposed(int64_t rows, int64_t columns) {
  return {rows * columns, 1, columns, 0};
}

struct MatmulOptions {
  int64_t batch = 1;            // matrices
  int64_t group = 1;            // so many of them a group: matrix b is b % group of group b / group
  int64_t m = 0, n = 0, k = 0;  // a is (m, k), b is (k, n), c is (m, n)
  MatrixLayout a, b, c;
  DType dtype = DType::f32;         // of a, b and the bias
  DType output_dtype = DType::f32;  // of c: `dtype`, or f32 for bf16 and f16, i32 for i8 and u8
  bool bias = false;                // add bias[column]
  bool relu = false;                // then max(., 0)
  bool accumulate = false;          // add to what c holds, before relu
  bool by_rows = false;             // planned for run_rows(), see Matmul::gives_rows
  bool splits = false;              // f32 may be multiplied in three parts of bf16 each
  bool b_packed = false;            // operands.b is what pack() made, see Matmul::takes_packed
  bool rounds_b = false;            // pack() takes b in f32, which `b` then lays out, and rounds it
};

struct MatmulOperands {
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  const void* bias = nullptr;
};

class Matmul {
 public:
  // Plans for `threads` threads: how the work is cut depends on it (so does the order of summation
  // where k is cut), but not on the pool at run time. Running gives the same bits each time.
  Matmul(const MatmulOptions& options, int threads);
  ~Matmul();
  Matmul(Matmul&&) noexcept;
  Matmul& operator=(Matmul&&) noexcept;

  const MatmulOptions& options() const;
  // Bytes of scratch memory that run() needs, 64-byte aligned. May be 0.
  size_t scratch_bytes() const;
  // c may not overlap a or b. Nothing is allocated. Several threads may run one plan, each with its
  // own scratch.
  void run(const MatmulOperands& operands, void* scratch, ThreadPool& pool) const;

  // Takes rows [begin, end) of the result: `n` numbers of output_dtype each, without gaps.
  using RowsConsumer = FunctionRef<void(int64_t begin, int64_t end, const void* rows)>;

  // Whether such a product is multiplied with each number in three parts of bf16.
  static bool splits(const MatmulOptions& options);

  // Whether matrices of this type may come in groups at no cost. Where oneDNN multiplies bf16 they
  // may too, but our own kernel does it then, in f32.
  static bool takes_groups(DType dtype);

  // Whether `options.by_rows` is possible: one product without bias, relu or accumulate, of f32, or
  // of bf16 on a matrix unit, whose n and k are so small that whole rows are summed at once.
  static bool gives_rows(const MatmulOptions& options);
  // Gives the result to `consume` instead of writing it: each row once, several rows a call, on the
  // thread that summed them while they lie in its nearest cache. Each thread gets the same rows
  // each time. operands.c and .bias are not used.
  void run_rows(const MatmulOperands& operands, void* scratch, ThreadPool& pool,
                RowsConsumer consume) const;

  // Whether `options.b_packed` is possible and worthwhile: one tall product of bf16 on a matrix
  // unit, whose packed b is a part of a second-level cache and serves all rows.
  static bool takes_packed(const MatmulOptions& options);
  // For a product planned with a packed b: its bytes, 64-byte aligned, and in how many parts any
  // threads may pack it.
  size_t packed_bytes() const;
  int64_t pack_parts() const;
  // Parts [begin, end), on the calling thread.
  void pack(const void* b, int64_t begin, int64_t end, void* packed) const;

  // Where the matrices of a batch are multiplied one by one, or rows are with a packed b: how many
  // matrices, or equal blocks of rows, there are. Else 0.
  int64_t parts() const;
  // Computes parts [begin, end) of parts(), on the calling thread: together what run() computes.
  // `scratch` has part_scratch_bytes(), of which scratch_bytes() are a multiple.
  void run_parts(const MatmulOperands& operands, int64_t begin, int64_t end, void* scratch) const;
  size_t part_scratch_bytes() const;

  // Multiply-adds count as two.
  double flops() const;

  struct Implementation;

 private:
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace kernels
}  // namespace systolic::inline v0
