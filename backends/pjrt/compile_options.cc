#include "backends/pjrt/compile_options.h"

namespace systolic::inline v0 {
namespace pjrt {
namespace {

// Protobuf: a key (field number and wire type), then the value.
constexpr uint64_t varint_type = 0, bytes_type = 2;

void put_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}
void put_integer(std::string& out, uint64_t field, int64_t value) {
  put_varint(out, field << 3 | varint_type);
  put_varint(out, static_cast<uint64_t>(value));
}
void put_bytes(std::string& out, uint64_t field, const std::string& bytes) {
  put_varint(out, field << 3 | bytes_type);
  put_varint(out, bytes.size());
  out += bytes;
}

// DeviceAssignmentProto: for each partition the devices of its replicas.
std::string assignment(const BuildOptions& options) {
  std::string out;
  put_integer(out, 1, options.replicas);
  put_integer(out, 2, options.partitions);
  for (int64_t partition = 0; partition < options.partitions; ++partition) {
    std::string ids, devices;
    for (int64_t replica = 0; replica < options.replicas; ++replica) {
      const auto at = static_cast<size_t>(replica * options.partitions + partition);
      put_varint(ids, static_cast<uint64_t>(options.device_ids.at(at)));
    }
    put_bytes(devices, 1, ids);
    put_bytes(out, 3, devices);
  }
  return out;
}

}  // namespace

std::string serialize(const BuildOptions& options) {
  std::string build;          // ExecutableBuildOptionsProto
  put_integer(build, 1, -1);  // device_ordinal: any
  put_integer(build, 4, options.replicas);
  put_integer(build, 5, options.partitions);
  if (options.partitions > 1) put_integer(build, 6, 1);  // use_spmd_partitioning
  if (!options.device_ids.empty()) put_bytes(build, 9, assignment(options));
  if (options.effort != Effort::standard) {
    put_integer(build, 24, static_cast<int64_t>(options.effort));
  }
  std::string out;
  put_bytes(out, 3, build);
  return out;
}

}  // namespace pjrt
}  // namespace systolic::inline v0
