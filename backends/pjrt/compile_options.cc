#include "backends/pjrt/compile_options.h"

#include "systolic/base/protobuf/message.h"

namespace systolic::inline v0 {
namespace pjrt {
namespace {

using protobuf::Message;

// DeviceAssignmentProto: replica_count 1, computation_count 2, computation_devices 3: for each
// partition the devices of its replicas.
Message assignment(const BuildOptions& options) {
  Message message;
  message.integer(1, options.replicas).integer(2, options.partitions);
  for (int64_t partition = 0; partition < options.partitions; ++partition) {
    std::vector<int64_t> ids;
    for (int64_t replica = 0; replica < options.replicas; ++replica) {
      const auto at = static_cast<size_t>(replica * options.partitions + partition);
      ids.push_back(options.device_ids.at(at));
    }
    message.message(3, Message().integers(1, ids));
  }
  return message;
}

}  // namespace

std::string serialize(const BuildOptions& options) {
  Message build;         // ExecutableBuildOptionsProto
  build.integer(1, -1);  // device_ordinal: any
  build.integer(4, options.replicas).integer(5, options.partitions);
  if (options.partitions > 1) build.integer(6, 1);  // use_spmd_partitioning
  if (!options.device_ids.empty()) build.message(9, assignment(options));
  if (options.effort != Effort::standard) {
    build.integer(24, static_cast<int64_t>(options.effort));
  }
  return Message().message(3, build).data();
}

}  // namespace pjrt
}  // namespace systolic::inline v0
