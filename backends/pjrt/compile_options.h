// Options of a compilation, as the serialized CompileOptionsProto that plugins take (field numbers:
// OpenXLA, compile_options.proto).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace systolic::inline v0 {
namespace pjrt {

// How hard the compiler tries. TPU compilers are 7 to 11 times faster at `least` than at their
// default, and the program fits the same memory within a few percent.
enum class Effort : int32_t { standard = 0, least = 9, some = 19, more = 29, most = 39 };

struct BuildOptions {
  int64_t replicas = 1;
  int64_t partitions = 1;  // more than one: the compiler splits the program by its shardings
  // replicas x partitions devices, by id, a replica's partitions together; empty: the first ones.
  std::vector<int64_t> device_ids = {};
  Effort effort = Effort::standard;
};

std::string serialize(const BuildOptions& options);

}  // namespace pjrt
}  // namespace systolic::inline v0
