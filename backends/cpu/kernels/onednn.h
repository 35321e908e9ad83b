// oneDNN on our thread pool: each thread executes primitives for itself. Internal; include it only
// in .cc files.
#pragma once

#include <dnnl.hpp>

namespace systolic::inline v0 {
namespace kernels {

const dnnl::engine& onednn_engine();

// True where the processor multiplies bf16 (AVX512-BF16, AMX), so that bf16 primitives pay.
bool onednn_multiplies_bf16();
// True where its f32 products are made for 512-bit vectors.
bool onednn_multiplies_by_avx512();
// True where it sums products of bytes in 32 bits (VNNI, AMX); elsewhere pairs saturate in 16.
bool onednn_multiplies_int8();

// While one lives, oneDNN works on the calling thread alone: its OpenMP is told that there is one
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
