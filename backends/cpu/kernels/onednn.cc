#include "backends/cpu/kernels/onednn.h"

#include <dlfcn.h>

#include "backends/cpu/kernels/instruction_set.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

// OpenMP's functions in whichever runtime oneDNN has brought along; linking one of our own could
// give the process two.
struct OpenMp {
  OpenMp()
      : get(reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"))),
        set(reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"))) {}
  int (*get)();
  void (*set)(int);
};

const OpenMp& open_mp() {
  static const OpenMp functions;
  return functions;
}

bool onednn_has(dnnl::cpu_isa isa) {
  const auto wanted = static_cast<unsigned>(isa);
  return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & wanted) == wanted;
}

}  // namespace

const dnnl::engine& onednn_engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

bool onednn_knows_bf16() { return onednn_has(dnnl::cpu_isa::avx512_core_bf16); }

bool onednn_pays_for_bf16() {
  const bool has_unit = onednn_has(dnnl::cpu_isa::avx512_core_amx) || emulates_amx();
  return onednn_knows_bf16() && (!is_intel() || has_unit);
}

bool onednn_multiplies_by_avx512() { return onednn_has(dnnl::cpu_isa::avx512_core); }

bool onednn_multiplies_by_avx2() { return onednn_has(dnnl::cpu_isa::avx2); }

bool onednn_multiplies_int8() {
  return onednn_has(dnnl::cpu_isa::avx512_core_vnni) || onednn_has(dnnl::cpu_isa::avx2_vnni);
}

OnednnThread::OnednnThread() : before_(0) {
  if (!open_mp().get || !open_mp().set) return;
  before_ = open_mp().get();
  if (before_ != 1) open_mp().set(1);
}

OnednnThread::~OnednnThread() {
  if (before_ > 1) open_mp().set(before_);
}

}  // namespace kernels
}  // namespace systolic::inline v0
