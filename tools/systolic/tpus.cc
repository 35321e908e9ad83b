#include <iomanip>
#include <ostream>

#include "systolic/base/text.h"
#include "systolic/runtime/tpu_kind.h"
#include "tools/systolic/commands.h"

namespace tool {

using namespace systolic;

int list_tpus(std::ostream& out) {
  out << "kind     cores  memory a core  bf16 a core   bandwidth a core\n";
  for (const TpuGeneration& generation : tpu_generations()) {
    const TpuKind kind = parse_tpu_kind(str(generation.name, "-8"));
    out << std::left << std::setw(8) << kind.name << std::right << std::setw(6) << kind.cores()
        << std::setw(15) << bytes_text(generation.memory_bytes_per_core) << std::setw(8)
        << fixed(generation.peak_bf16_flops_per_core / 1e12, 1) << " TFLOP/s" << std::setw(9)
        << fixed(generation.memory_bandwidth_per_core / 1e9, 0) << " GB/s\n";
  }
  out << "Other sizes: v3-32, v5e-16 ...; other spellings: v5litepod-8, v5e:2x4.\n";
  return 0;
}

}  // namespace tool
