#include "backends/cpu/kernels/instruction_set.h"

#include <cstdlib>
#include <dnnl.hpp>
#include <string_view>

#include "hwy/targets.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

void use_at_most(dnnl::cpu_isa onednn, int64_t highway_without) {
  // oneDNN refuses once a primitive exists; it then keeps what it has, which is slower or faster
  // but never wrong.
  dnnl::set_max_cpu_isa(onednn);
  if (highway_without != 0) hwy::DisableTargets(highway_without);
}

std::string_view wanted_set() {
  const char* text = std::getenv("SYSTOLIC_ISA");
  return text == nullptr ? "" : text;
}

bool limit_once() {
  const std::string_view wanted = wanted_set();
  if (wanted.empty() || emulates_amx()) return true;
  if (wanted == "avx2") {
    use_at_most(dnnl::cpu_isa::avx2, HWY_AVX3 | HWY_AVX3_DL);
  } else if (wanted == "avx512") {
    use_at_most(dnnl::cpu_isa::avx512_core, 0);
  } else {
    raise<InvalidArgument>({.what = str("SYSTOLIC_ISA is '", wanted, "'"),
                            .wanted = "avx2 or avx512; emulated_amx for tests",
                            .hint = "unset it to use all that the processor has"});
  }
  return true;
}

}  // namespace

bool emulates_amx() {
  static const bool emulates = wanted_set() == "emulated_amx";
  return emulates;
}

bool is_intel() {
#if defined(__x86_64__)
  static const bool intel = __builtin_cpu_is("intel");
  return intel;
#else
  return false;
#endif
}

void limit_instruction_set() { [[maybe_unused]] static const bool done = limit_once(); }

}  // namespace kernels
}  // namespace systolic::inline v0
