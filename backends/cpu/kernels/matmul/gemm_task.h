// What one thread multiplies at a time. Internal to matmul.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/matmul/gemm_cut.h"
#include "backends/cpu/kernels/matmul/matmul.h"

namespace systolic::inline v0 {
namespace kernels {

// A rectangle of one result over a range of k.
struct GemmTask {
  const void* a;  // of the matrix, not of the rectangle
  const void* b;
  int64_t m_begin, m_end, n_begin, n_end, k_begin, k_end;
  float* c;  // element (m_begin, n_begin)
  int64_t c_row;
  bool accumulate;
  bool stream;
  const float* bias = nullptr;  // of the result's columns, to be added as c is written last
  bool finishes = false;        // relu too is applied then
  float* a_buffer;              // gemm_blocks: m x most_k
  float* b_buffer;              // most_k x (n + one panel)
  // The operands of the next task, where that is the next matrix of a batch.
  const void* next_a = nullptr;
  const void* next_b = nullptr;
  // Where given, takes each block of rows of the task's one block of n and k, which is summed at c.
  const Matmul::RowsConsumer* consume = nullptr;
  int64_t most_rows;  // in a block
};

}  // namespace kernels
}  // namespace systolic::inline v0
