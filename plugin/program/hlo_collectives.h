// The exchanges between devices as instructions of an HLO computation.
#pragma once

#include <cstdint>
#include <vector>

#include "plugin/shardings/collective.h"
#include "systolic/base/protobuf/message.h"

namespace systolic::inline v0 {
namespace plugin {

// What an instruction gives is used by nobody but the program's one opaque call: `ids` are its
// operands. Reductions that wait for none of each other, within the same groups, are one
// instruction, as XLA combines them.
struct HloCollectives {
  std::vector<protobuf::Message> instructions;
  std::vector<int64_t> ids;
  bool reduces = false;  // some call the computation `reducer_id`, which adds two scalars
};

// `arguments` are the operands of what a device computes before; ids begin at `first_id`.
HloCollectives hlo_collectives(const std::vector<Collective>& collectives,
                               const std::vector<int64_t>& arguments, int64_t first_id,
                               int64_t reducer_id);

// HloComputationProto of the sum of two scalars.
protobuf::Message hlo_sum(int64_t id, int64_t first_instruction_id);

}  // namespace plugin
}  // namespace systolic::inline v0
