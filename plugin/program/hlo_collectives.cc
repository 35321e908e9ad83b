#include "plugin/program/hlo_collectives.h"

#include <algorithm>
#include <string>
#include <utility>

#include "plugin/program/held_type.h"
#include "plugin/program/hlo_shape.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace plugin {

using protobuf::Message;

namespace {

using Kind = Collective::Kind;

Message shape_of(const Collective& collective, const std::vector<int64_t>& sizes) {
  const auto held = stablehlo::info(collective.element).dtype.value_or(DType::u8);
  return hlo_shape(element_type(collective.element, held), sizes);
}

bool is_one(const Collective& a, const Collective& b) {
  return a.kind == Kind::all_reduce && b.kind == Kind::all_reduce && a.level == b.level &&
         a.element == b.element && a.groups == b.groups;
}

// HloInstructionProto: name 1, opcode 2, shape 3, dimensions 14, channel_id 26,
// custom_call_target 28, id 35, operand_ids 36, called_computation_ids 38, replica_groups 49,
// source_target_pairs 52, use_global_device_ids 71, custom_call_api_version 77. ReplicaGroup:
// replica_ids 1; SourceTarget: source 1, target 2.
class Writer {
 public:
  Writer(const std::vector<int64_t>& arguments, int64_t first_id, int64_t reducer_id)
      : arguments_(arguments), next_(first_id), reducer_(reducer_id) {}

  void add(const std::vector<Collective>& together) {
    std::vector<int64_t> operands;
    std::vector<Message> shapes;
    for (const Collective& each : together) {
      operands.push_back(part(each));
      shapes.push_back(shape_of(each, each.after));
    }
    const Collective& first = together[0];
    const int64_t id = next_++;
    Message instruction;
    instruction.bytes(1, str(name_of(first.kind), ".", id)).bytes(2, name_of(first.kind));
    instruction.message(3, hlo_shape(shapes)).integer(35, id).integers(36, operands);
    add_groups(instruction, first);
    if (first.kind == Kind::all_gather || first.kind == Kind::all_to_all ||
        first.kind == Kind::reduce_scatter) {
      instruction.integers(14, {&first.axis, 1});
    }
    if (first.kind == Kind::all_reduce || first.kind == Kind::reduce_scatter) {
      instruction.integers(38, {&reducer_, 1});
      made_.reduces = true;
    }
    made_.instructions.push_back(std::move(instruction));
    made_.ids.push_back(id);
  }

  HloCollectives take() { return std::move(made_); }

 private:
  // What a device has to give.
  int64_t part(const Collective& collective) {
    const int64_t id = next_++;
    made_.instructions.push_back(Message()
                                     .bytes(1, str("part.", id))
                                     .bytes(2, "custom-call")
                                     .message(3, shape_of(collective, collective.before))
                                     .bytes(28, "systolic.part")
                                     .integer(35, id)
                                     .integers(36, arguments_)
                                     .integer(77, 1));
    return id;
  }

  void add_groups(Message& instruction, const Collective& collective) {
    instruction.integer(26, ++channels_);
    if (collective.kind == Kind::collective_permute) {
      for (const auto& pair : collective.groups) {
        if (pair.size() != 2) continue;
        instruction.message(52, Message().integer(1, pair[0]).integer(2, pair[1]));
      }
      return;
    }
    for (const auto& group : collective.groups) {
      instruction.message(49, Message().integers(1, group));
    }
    const bool has_global_ids = collective.kind == Kind::all_reduce ||
                                collective.kind == Kind::all_gather ||
                                collective.kind == Kind::reduce_scatter;
    if (has_global_ids) instruction.integer(71, 1);
  }

  const std::vector<int64_t>& arguments_;
  int64_t next_, reducer_, channels_ = 0;
  HloCollectives made_;
};

}  // namespace

HloCollectives hlo_collectives(const std::vector<Collective>& collectives,
                               const std::vector<int64_t>& arguments, int64_t first_id,
                               int64_t reducer_id) {
  std::vector<std::vector<Collective>> all;
  for (const Collective& each : collectives) {
    const auto other = std::find_if(
        all.begin(), all.end(), [&](const auto& together) { return is_one(together[0], each); });
    if (other != all.end()) {
      other->push_back(each);
    } else {
      all.push_back({each});
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a[0].level < b[0].level; });
  Writer writer(arguments, first_id, reducer_id);
  for (const auto& together : all) writer.add(together);
  return writer.take();
}

// HloComputationProto: name 1, instructions 2, program_shape 4, id 5, root_id 6.
Message hlo_sum(int64_t id, int64_t first_instruction_id) {
  const Message scalar = hlo_shape(abi::ElementType::f32, {});
  Message type, computation;  // ProgramShapeProto: parameters 1, result 2, parameter_names 3
  computation.bytes(1, "sum");
  std::vector<int64_t> operands;
  for (const char* name : {"a", "b"}) {
    const auto index = static_cast<int64_t>(operands.size());
    operands.push_back(first_instruction_id + index);
    computation.message(2, Message()
                               .bytes(1, name)
                               .bytes(2, "parameter")
                               .message(3, scalar)
                               .integer(9, index)
                               .integer(35, operands.back()));
    type.message(1, scalar);
  }
  type.message(2, scalar).bytes(3, "a").bytes(3, "b");
  const int64_t root = first_instruction_id + 2;
  computation.message(2, Message()
                             .bytes(1, "a_plus_b")
                             .bytes(2, "add")
                             .message(3, scalar)
                             .integer(35, root)
                             .integers(36, operands));
  return computation.message(4, type).integer(5, id).integer(6, root);
}

}  // namespace plugin
}  // namespace systolic::inline v0
