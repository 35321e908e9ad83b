#include "systolic/train/loops/fit/batch_advice.h"

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace {

// A TPU lays out rows in tiles of 8; the guides advise 128 samples a core.
constexpr int64_t rows_per_tile = 8;
constexpr int64_t advised_per_core = 128;

}  // namespace

std::string batch_advice(int64_t global_batch, int64_t replicas, const TpuKind& kind) {
  const int64_t per_core = (global_batch + replicas - 1) / replicas;
  std::string text = str("global batch ", global_batch);
  if (per_core * replicas == global_batch) {
    text += str(" = ", replicas, " × ", per_core, " (", kind.name, ")");
  } else {
    text += str(" on ", replicas, " cores (", kind.name, "): ", per_core, " each, ",
                per_core * replicas - global_batch, " of them padding");
  }
  const int64_t padded = (per_core + rows_per_tile - 1) / rows_per_tile * rows_per_tile;
  const double waste = 100 * (1 - static_cast<double>(per_core) / static_cast<double>(padded));
  if (waste >= 1) {
    text += str("; a TPU core pads ", per_core, per_core == 1 ? " row to " : " rows to ", padded,
                ": ", fixed(waste, 0), " % of its work is padding");
  }
  if (per_core < advised_per_core && replicas > 1) {
    text += str(". The guides advise ", advised_per_core, " a core (global ",
                advised_per_core * replicas,
                "), with the learning rate scaled by scale_learning_rate(rate, ", global_batch,
                ", ", advised_per_core * replicas, ")");
  }
  return text + ".";
}

}  // namespace systolic::inline v0
