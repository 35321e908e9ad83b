// What TPUs exist: one table for the software TPU, the dry run and the monitor.
//
// Figures are the published ones of Google's Cloud TPU system architecture pages, per chip or per
// core as named.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {

// One generation of TPU.
struct TpuGeneration {
  std::string_view name;            // "v3"
  std::string_view device_kind;     // as libtpu names it: "TPU v3"
  int cores_per_chip;               // as the runtime shows them: 2 for v2 and v3, else 1 (megacore)
  int64_t memory_bytes_per_core;    // HBM
  double peak_bf16_flops_per_core;  // per second
  double memory_bandwidth_per_core;  // bytes per second
  int matrix_unit;                   // rows and columns of the MXU: 128, or 256 from v6e on
};

// A slice that can be rented: "v3-8".
struct TpuKind {
  std::string name;      // canonical: "v3-8", "v5e-8"
  std::string topology;  // libtpu's name: "v3:2x2", "v5e:2x4"
  TpuGeneration generation;
  int chips = 4;
  int cores() const { return chips * generation.cores_per_chip; }
};

std::span<const TpuGeneration> tpu_generations();

// Every spelling of a slice: "v3-8", "v5e-8" = "v5litepod-8" = "v5e:2x4", "tpu7x:2x2x1". An unknown
// one is an InvalidArgument that lists the known generations and the closest names.
TpuKind parse_tpu_kind(std::string_view name, SourceLocation location = SourceLocation::current());

}  // namespace systolic::inline v0
