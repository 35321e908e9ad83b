// What a program takes and gives, as its devices see it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plugin/program/value_shardings.h"
#include "plugin/shardings/collective.h"
#include "systolic/ir/module.h"
#include "systolic/pjrt_abi/pjrt_abi.h"
#include "systolic/stablehlo/program.h"
#include "systolic/stablehlo/sharding.h"

namespace systolic::inline v0 {
namespace plugin {

namespace abi = pjrt::abi;

struct Port {
  ir::Type type;  // of the whole array, as the engine holds it
  abi::ElementType element = abi::ElementType::invalid;  // as callers see it
  stablehlo::Parts parts;                                // of the whole array, on the partitions
  std::vector<int64_t> minor_to_major;                   // axes_order.h
  bool own = false;                                      // each replica has an array of its own
  bool donated = false;                        // an argument whose memory the program may take
  std::optional<int64_t> aliases_result = {};  // of an argument: whose memory it becomes
  int cut = -1;          // the axis along which each process has a piece; -1: each has the whole
  bool differs = false;  // a result that processes share, and of which each device has its own
  ir::Type part_type() const { return {type.dtype, Shape(parts.size)}; }
};

struct Signature {
  std::vector<Port> arguments, results;
  // What devices exchange in between: what the program says, and what its shardings ask for.
  std::vector<Collective> collectives = {};
  std::vector<std::string> calls = {};  // foreign functions, by their names
  std::vector<ValueShardings::Answer> answers = {};
  std::string ops = {};  // op_kinds.h
};

// The signature of a program of `replicas` copies, or split into `partitions` by its shardings.
// Results that have no sharding of their own take that of the value they are computed from
// elementwise, else every device holds them whole.
Signature signature_of(const stablehlo::Program& program, const ir::Module& module,
                       int64_t replicas, int64_t partitions);

}  // namespace plugin
}  // namespace systolic::inline v0
