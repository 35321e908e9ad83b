#include "systolic/ir/builder/builder.h"

namespace systolic::inline v0 {
namespace ir {
namespace {

std::vector<Block> fold_regions(Builder& builder, OpCode code, DType dtype) {
  std::vector<Block> regions;
  regions.push_back(builder.fold_region(code, dtype));
  return regions;
}

}  // namespace

Value all_reduce(Value x, OpCode code, CollectiveAttributes attributes) {
  Builder& builder = x.builder();
  return builder.append_one(OpCode::all_reduce, {x}, std::move(attributes),
                            fold_regions(builder, code, x.dtype()));
}

Value all_gather(Value x, int64_t dimension, int64_t group_size, CollectiveAttributes attributes) {
  Type result = x.type();
  const bool in_range = dimension >= 0 && dimension < result.shape.rank();
  if (in_range) {
    const int axis = static_cast<int>(dimension);
    result.shape.set(axis, result.shape[axis] * group_size);
  }
  return x.builder().append_one(OpCode::all_gather, {x},
                                GatherCoresAttributes{dimension, std::move(attributes)}, {},
                                {std::move(result)});
}

Value reduce_scatter(Value x, OpCode code, int64_t dimension, int64_t group_size,
                     CollectiveAttributes attributes) {
  Builder& builder = x.builder();
  Type result = x.type();
  const bool in_range = dimension >= 0 && dimension < result.shape.rank() && group_size > 0;
  if (in_range) {
    const int axis = static_cast<int>(dimension);
    result.shape.set(axis, result.shape[axis] / group_size);
  }
  return builder.append_one(OpCode::reduce_scatter, {x},
                            GatherCoresAttributes{dimension, std::move(attributes)},
                            fold_regions(builder, code, x.dtype()), {std::move(result)});
}

Value all_to_all(Value x, AllToAllAttributes attributes) {
  return x.builder().append_one(OpCode::all_to_all, {x}, std::move(attributes));
}

Value collective_permute(Value x, PermuteAttributes attributes) {
  return x.builder().append_one(OpCode::collective_permute, {x}, std::move(attributes));
}

Value replica_id(Builder& builder) { return builder.append_one(OpCode::replica_id, {}); }
Value partition_id(Builder& builder) { return builder.append_one(OpCode::partition_id, {}); }

}  // namespace ir
}  // namespace systolic::inline v0
