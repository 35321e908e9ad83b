#include "plugin/program/hlo_module.h"

#include <algorithm>
#include <numeric>

#include "plugin/program/hlo_collectives.h"
#include "plugin/program/hlo_shape.h"
#include "systolic/base/error.h"
#include "systolic/base/protobuf/message.h"

namespace systolic::inline v0 {
namespace plugin {
namespace {

using protobuf::Message;

constexpr int64_t replicated = 0, unreduced = 6;  // types of an OpSharding
constexpr int64_t main_computation = 1, sum_computation = 2;

Message shape_message(const Port& port) {
  return hlo_shape(port.element, port.parts.size, port.minor_to_major);
}

Message result_shape(const Signature& signature) {
  std::vector<Message> shapes;
  for (const Port& port : signature.results) shapes.push_back(shape_message(port));
  return hlo_shape(shapes);
}

// OpSharding: type 1 (0 replicated, 2 tuple, 3 other, 6 unreduced), tile_assignment_dimensions 3,
// tile_assignment_devices 4, tuple_shardings 5, last_tile_dims 8: what cores of one tile hold, a
// type for each of the last dimensions.
Message sharding_message(const Shape& shape, const stablehlo::Parts& parts) {
  if (parts.whole(shape)) return Message().integer(1, replicated);
  std::vector<int64_t> tiles;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const int64_t size = parts.size[static_cast<size_t>(axis)];
    tiles.push_back(size == 0 ? 1 : shape[axis] / size);
  }
  const std::vector<int64_t>& addend = parts.addend;
  if (!addend.empty()) tiles.push_back(1 + *std::max_element(addend.begin(), addend.end()));
  const Shape grid(tiles);
  const std::vector<int64_t> strides = grid.strides();
  std::vector<std::vector<int64_t>> holders(static_cast<size_t>(grid.elements()));
  for (size_t core = 0; core < parts.start.size(); ++core) {
    int64_t tile = addend.empty() ? 0 : addend[core];
    for (size_t axis = 0; axis < parts.size.size(); ++axis) {
      if (tiles[axis] == 1) continue;
      tile += parts.start[core][axis] / parts.size[axis] * strides[axis];
    }
    holders[static_cast<size_t>(tile)].push_back(static_cast<int64_t>(core));
  }
  std::vector<int64_t> order, last;
  for (const auto& cores : holders) order.insert(order.end(), cores.begin(), cores.end());
  if (!addend.empty()) last.push_back(unreduced);
  if (holders[0].size() > 1) {
    tiles.push_back(static_cast<int64_t>(holders[0].size()));
    last.push_back(replicated);
  }
  if (!addend.empty() && tiles[parts.size.size()] == static_cast<int64_t>(order.size())) {
    return Message().integer(1, unreduced);
  }
  Message sharding;
  sharding.integer(1, 3).integers(3, tiles).integers(4, order);
  if (!last.empty()) sharding.integers(8, last);
  return sharding;
}

Message sharding_message(const Port& port) { return sharding_message(port.type.shape, port.parts); }

Message result_sharding(const Signature& signature) {
  if (signature.results.size() == 1) return sharding_message(signature.results[0]);
  Message sharding;
  // Callers count an empty tuple as one result.
  if (signature.results.empty()) return sharding.integer(1, 0);
  sharding.integer(1, 2);
  for (const Port& port : signature.results) sharding.message(5, sharding_message(port));
  return sharding;
}

// HloInstructionProto: name 1, opcode 2, shape 3, parameter_number 9, custom_call_target 28, id 35,
// operand_ids 36, custom_call_api_version 77 (1 the original; without one the text cannot be read).
Message parameter(size_t i, const Port& port) {
  return Message()
      .bytes(1, str("arg", i))
      .bytes(2, "parameter")
      .message(3, shape_message(port))
      .integer(9, static_cast<int64_t>(i))
      .integer(35, static_cast<int64_t>(i) + 1);
}

Message computation_call(const Signature& signature, int64_t id,
                         const std::vector<int64_t>& operands) {
  return Message()
      .bytes(1, "result")
      .bytes(2, "custom-call")
      .message(3, result_shape(signature))
      .bytes(28, "systolic.program")
      .integer(35, id)
      .integers(36, operands)
      .bytes(43, signature.ops)
      .integer(77, 1);
}

// What it gives is not said.
Message foreign_call(const std::string& name, int64_t id, const std::vector<int64_t>& operands) {
  return Message()
      .bytes(1, str("call.", id))
      .bytes(2, "custom-call")
      .message(3, hlo_shape(std::vector<Message>{}))
      .bytes(28, name)
      .integer(35, id)
      .integers(36, operands)
      .integer(65, 1)
      .integer(77, 1);
}

// How an array lies that the program asks about: sharding 40, backend_config 43.
Message answer(const ValueShardings::Answer& answer, int64_t id) {
  return Message()
      .bytes(1, str("question.", id))
      .bytes(2, "custom-call")
      .message(3, hlo_shape(std::vector<Message>{}))
      .bytes(28, "InspectSharding")
      .integer(35, id)
      .message(40, sharding_message(answer.shape, answer.parts))
      .bytes(43, answer.question)
      .integer(65, 1)
      .integer(77, 1);
}

// HloComputationProto: name 1, instructions 2, program_shape 4, id 5, root_id 6. The module's
// computations, those that others call first.
Message computations(const Signature& signature, const Message& program_shape) {
  std::vector<int64_t> operands(signature.arguments.size());
  std::iota(operands.begin(), operands.end(), 1);
  const auto first = static_cast<int64_t>(operands.size()) + 1;
  const HloCollectives collectives =
      hlo_collectives(signature.collectives, operands, first, sum_computation);
  const int64_t calls = first + static_cast<int64_t>(collectives.instructions.size());
  const int64_t answers = calls + static_cast<int64_t>(signature.calls.size());
  const int64_t root = answers + static_cast<int64_t>(signature.answers.size());
  Message main;
  main.bytes(1, "main");
  for (size_t i = 0; i < signature.arguments.size(); ++i) {
    main.message(2, parameter(i, signature.arguments[i]));
  }
  for (const Message& instruction : collectives.instructions) main.message(2, instruction);
  for (size_t i = 0; i < signature.calls.size(); ++i) {
    main.message(2, foreign_call(signature.calls[i], calls + static_cast<int64_t>(i), operands));
  }
  for (size_t i = 0; i < signature.answers.size(); ++i) {
    main.message(2, answer(signature.answers[i], answers + static_cast<int64_t>(i)));
  }
  operands.insert(operands.end(), collectives.ids.begin(), collectives.ids.end());
  main.message(2, computation_call(signature, root, operands)).message(4, program_shape);
  main.integer(5, main_computation).integer(6, root);
  Message module;
  if (collectives.reduces) module.message(3, hlo_sum(sum_computation, root + 1));
  return module.message(3, main);
}

// HloInputOutputAliasProto: entries 1, each output_shape_index 1, parameter_number 2, kind 4 (may
// 1).
Message aliases(const Signature& signature) {
  Message aliases;
  for (size_t i = 0; i < signature.arguments.size(); ++i) {
    const std::optional<int64_t> result = signature.arguments[i].aliases_result;
    if (!result.has_value()) continue;
    Message entry;
    if (signature.results.size() > 1) entry.integers(1, {&*result, 1});
    aliases.message(1, entry.integer(2, static_cast<int64_t>(i)).integer(4, 1));
  }
  return aliases;
}

}  // namespace

std::string hlo_module(const std::string& name, const Signature& signature, const Layout& layout) {
  Message program_shape;  // ProgramShapeProto: parameters 1, result 2, parameter_names 3
  for (const Port& port : signature.arguments) {
    program_shape.message(1, shape_message(port));
  }
  program_shape.message(2, result_shape(signature));
  for (size_t i = 0; i < signature.arguments.size(); ++i) program_shape.bytes(3, str("arg", i));

  // HloModuleProto: name 1, entry_computation_name 2, computations 3, host_program_shape 4, id 5,
  // entry_computation_id 6, input_output_alias 8, spmd_output_sharding 12,
  // spmd_parameters_shardings 14
  Message module = computations(signature, program_shape);
  module.bytes(1, name).bytes(2, "main").message(4, program_shape);
  module.integer(5, 1).integer(6, main_computation).message(8, aliases(signature));
  if (layout.partitions > 1) {
    module.message(12, result_sharding(signature));
    for (const Port& port : signature.arguments) module.message(14, sharding_message(port));
  }
  // HloModuleConfigProto: entry_computation_layout 1, replica_count 4, num_partitions 5,
  // use_spmd_partitioning 7. HloModuleProtoWithConfig: hlo_module 1, config 2.
  Message config;
  config.message(1, program_shape).integer(4, layout.replicas).integer(5, layout.partitions);
  config.integer(7, layout.partitions > 1 ? 1 : 0);
  return Message().message(1, module).message(2, config).data();
}

}  // namespace plugin
}  // namespace systolic::inline v0
