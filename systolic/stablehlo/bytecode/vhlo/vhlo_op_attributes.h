// The attributes of an op of StableHLO as the op of VHLO has them: what to_stablehlo reads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "systolic/stablehlo/bytecode/vhlo/vhlo_ops.h"
#include "systolic/stablehlo/bytecode/vhlo/vhlo_writer.h"

namespace systolic::inline v0 {
namespace stablehlo {

struct VhloOpAttributes {
  std::vector<uint64_t> own;  // in the order in which VHLO encodes them
  std::vector<std::pair<std::string_view, uint64_t>> others;
};

// An op that says more than that version of it can is Unimplemented.
VhloOpAttributes to_vhlo(VhloWriter& writer, const VhloOp& vhlo, const Operation& op);

}  // namespace stablehlo
}  // namespace systolic::inline v0
