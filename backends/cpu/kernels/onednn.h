// oneDNN on our thread pool: each thread executes primitives for itself. Internal; include it only
// in .cc files.
#pragma once

#include <dnnl.hpp>

namespace systolic::inline v0 {
namespace kernels {

const dnnl::engine& onednn_engine();

// True where the processor has instructions for bf16 (AVX512-BF16).
bool onednn_knows_bf16();
// True where they multiply faster than those for f32, so that bf16 primitives pay: AMX does, and
// AVX512-BF16 but for Intel's, which is half as fast (90 against 181 GFLOP/s a core of a Xeon of
// family 6, model 207). There a convnet's step in bf16 took 0.44 and 0.23 of its time with products
// and convolutions in f32, 32 and 256 filters.
bool onednn_pays_for_bf16();
// True where its f32 products are made for 512-bit vectors, or for those of AVX2 at least.
bool onednn_multiplies_by_avx512();
bool onednn_multiplies_by_avx2();
// True where it sums products of bytes in 32 bits (VNNI, AMX); elsewhere pairs saturate in 16.
bool onednn_multiplies_int8();

// While one lives, oneDNN works only on the calling thread: its OpenMP is told that there is one
// thread. Primitives must be made and executed under one.
class OnednnThread {
 public:
  OnednnThread();
  ~OnednnThread();
  OnednnThread(const OnednnThread&) = delete;
  OnednnThread& operator=(const OnednnThread&) = delete;

 private:
  int before_;
};

}  // namespace kernels
}  // namespace systolic::inline v0
