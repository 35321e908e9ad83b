// How a core hands parts of its arrays to the others.
//
//   CoreExchange cores(8);                           // in a program for each core (num_replicas)
//   CoreExchange cores(8, &next_channel);            // in a core's part of a program over whole
//                                                    // arrays (num_partitions)
#pragma once

#include <cstdint>
#include <string>

#include "systolic/ir/builder/builder.h"

namespace systolic::inline v0 {
namespace passes {

// A custom call that hands its operand through and tells XLA's partitioner how that lies on the
// cores: "{manual}" is each core's own.
ir::Value with_sharding(ir::Value x, const char* call, std::string sharding, const ir::Type& type);

class CoreExchange {
 public:
  // `next_channel`: the number of the next collective, which is counted on. In a program over whole
  // arrays each collective has one of its own.
  explicit CoreExchange(int64_t count, int64_t* next_channel = nullptr)
      : count_(count), next_channel_(next_channel) {}

  int64_t count() const { return count_; }
  // [cores, ...]: row k goes to core k; row k of the result came from core k.
  ir::Value swapped(ir::Value x) const;
  // Over all cores, element by element.
  ir::Value least(ir::Value x) const;
  ir::Value most(ir::Value x) const;
  // The same value, marked as each core's own in a program over whole arrays: XLA's partitioner
  // does not see this by itself of what a loop reads from outside, where a sort made it and a
  // gather takes it as places.
  ir::Value own(ir::Value x) const;

 private:
  ir::CollectiveAttributes attributes() const;

  int64_t count_;
  int64_t* next_channel_;
};

// Names of such calls: of one type, and from a whole array to a core's part and back.
inline constexpr const char* sharding_call = "Sharding";
inline constexpr const char* full_to_shard_call = "SPMDFullToShardShape";
inline constexpr const char* shard_to_full_call = "SPMDShardToFullShape";

}  // namespace passes
}  // namespace systolic::inline v0
