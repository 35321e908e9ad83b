// Collectives: cores are rows of the stacked array, so reductions, transposes and slices of the
// core axis do what they do.
#include <algorithm>
#include <unordered_map>

#include "systolic/base/error.h"
#include "systolic/core/axes.h"
#include "systolic/ir/core_groups.h"
#include "systolic/ir/region.h"
#include "systolic/passes/stack/stacker.h"

namespace systolic::inline v0 {
namespace passes {

using ir::Axes;
using ir::Op;
using ir::OpCode;
using ir::Value;
using Ids = std::vector<int64_t>;
using Values = std::vector<Value>;

namespace {

// The rows of the named cores, in that order: [ids, ...].
Value rows(Value x, const Ids& ids) {
  if (ids == axes_from(0, x.shape()[0])) return x;
  Values parts;
  for (int64_t id : ids) parts.push_back(row(x, id));
  return concatenate(parts, 0);
}

Value repeated(Value x, int64_t times) {
  return broadcast_in_dim(x, x.shape().with_inserted(0, times), axes_from(1, x.rank()));
}

// The ops of a region over scalars, applied to whole arrays.
Value apply_region(Stacker& s, const ir::Block& region, Value left, Value right) {
  std::unordered_map<ir::ValueId, Value> values{{region.arguments[0], left},
                                                {region.arguments[1], right}};
  const Shape shape = left.shape();
  const auto get = [&](ir::ValueId id) {
    const auto found = values.find(id);
    return found != values.end() ? found->second : broadcast_to(s.get(id), shape);
  };
  for (const Op& op : region.ops) {
    const bool elementwise = ir::is_elementwise(op.code) || op.code == OpCode::constant;
    if (!elementwise) {
      raise<Unimplemented>({.what = str("a fold between cores with ", ir::info(op.code).name),
                            .wanted = "elementwise ops",
                            .location = op.location});
    }
    Values operands;
    for (ir::ValueId operand : op.operands) operands.push_back(get(operand));
    const ir::Type& type = s.source_type(op.results[0]);
    std::vector<ir::Type> requested;
    if (op.code != OpCode::constant) requested.push_back({type.dtype, shape});
    const Value result = s.builder().append(op.code, operands, op.attributes, {}, requested)[0];
    values[op.results[0]] = broadcast_to(result, shape);
  }
  return get(region.results[0]);
}

// All rows folded into one: [members, ...] to [...].
Value folded(Stacker& s, const Op& op, Value x) {
  if (const auto code = ir::fold_op(op.regions[0])) return reduce(x, *code, {0});
  const Shape shape = x.shape().without(0);
  Value result = reshape(row(x, 0), shape);
  for (int64_t i = 1; i < x.shape()[0]; ++i) {
    result = apply_region(s, op.regions[0], result, reshape(row(x, i), shape));
  }
  return result;
}

// `times` copies of one array folded.
Value folded_copies(Stacker& s, const Op& op, Value x, int64_t times) {
  const auto code = ir::fold_op(op.regions[0]);
  const bool keeps = code == OpCode::maximum || code == OpCode::minimum || code == OpCode::and_ ||
                     code == OpCode::or_ || x.dtype() == DType::pred;
  if (code && keeps && code != OpCode::xor_) return x;
  if (code == OpCode::add) return x * static_cast<double>(times);
  Value result = x;
  for (int64_t i = 1; i < times; ++i) result = apply_region(s, op.regions[0], result, x);
  return result;
}

// Part i of `axis` to row i: [..., parts * size, ...] to [parts, ..., size, ...].
Value scattered(Value x, int64_t axis, int64_t parts) {
  const int at = static_cast<int>(axis);
  return move_axis(split_axis(x, at, parts), at, 0);
}

Value gathered(Value x, int64_t axis) {
  const int at = static_cast<int>(axis);
  return merge_axes(move_axis(x, 0, at), at);
}

// [sender, ...] to [receiver, ...].
Value exchanged(Value x, const ir::AllToAllAttributes& a) {
  const int split = static_cast<int>(a.split_dimension) + 1;
  const int concat = static_cast<int>(a.concat_dimension) + 1;
  const Value by_receiver = move_axis(split_axis(x, split, x.shape()[0]), split, 0);
  return merge_axes(move_axis(by_receiver, 1, concat), concat);
}

// What a group of cores gets: one array for all of them, or a row for each.
struct GroupResult {
  Value value;
  bool shared;
};

int64_t dimension_of(const Op& op) { return op.get<ir::GatherCoresAttributes>().dimension; }

GroupResult run_group(Stacker& s, const Op& op, Value x) {
  switch (op.code) {
    case OpCode::all_reduce:
      return {folded(s, op, x), true};
    case OpCode::reduce_scatter:
      return {scattered(folded(s, op, x), dimension_of(op), x.shape()[0]), false};
    case OpCode::all_gather:
      return {gathered(x, dimension_of(op)), true};
    case OpCode::collective_broadcast:
      return {reshape(row(x, 0), x.shape().without(0)), true};
    case OpCode::all_to_all:
      return {exchanged(x, op.get<ir::AllToAllAttributes>()), false};
    default:
      raise<Internal>({.what = str(ir::info(op.code).name, " is not a collective over groups")});
  }
}

// How far apart the members of each group are, where the groups are the cores along one axis of a
// mesh: those that differ in b alone, of cores numbered (a * members + b) * distance + c.
std::optional<int64_t> distance_in_mesh(const std::vector<Ids>& groups, int64_t cores) {
  const auto members = static_cast<int64_t>(groups[0].size());
  if (members < 2 || members * static_cast<int64_t>(groups.size()) != cores) return std::nullopt;
  const int64_t distance = groups[0][1] - groups[0][0];
  if (distance < 1 || cores % (members * distance) != 0) return std::nullopt;
  for (const Ids& group : groups) {
    if (static_cast<int64_t>(group.size()) != members) return std::nullopt;
    if (group[0] % (members * distance) >= distance) return std::nullopt;
    for (int64_t i = 0; i < members; ++i) {
      if (group[static_cast<size_t>(i)] != group[0] + i * distance) return std::nullopt;
    }
  }
  return distance;
}

// An all_reduce along one axis of a mesh: [a, members, distance, ...] folded, and copied again.
std::optional<Value> folded_along_axis(const Op& op, Value x, const std::vector<Ids>& groups) {
  if (op.code != OpCode::all_reduce) return std::nullopt;
  const auto fold = ir::fold_op(op.regions[0]);
  const auto distance = distance_in_mesh(groups, x.shape()[0]);
  if (!fold || !distance) return std::nullopt;
  const auto members = static_cast<int64_t>(groups[0].size());
  const Value mesh =
      split_axis(split_axis(x, 0, x.shape()[0] / *distance), 0, x.shape()[0] / *distance / members);
  const Value sum = reduce(mesh, *fold, {1});
  Axes kept = axes_from(1, sum.rank());
  kept[0] = 0;
  return reshape(broadcast_in_dim(sum, mesh.shape(), kept), x.shape());
}

// Rows of cores that no group names become zero.
Value run_groups(Stacker& s, const Op& op, Value x) {
  if (const auto sum = folded_along_axis(op, x, ir::groups_of(op, s.cores()))) return *sum;
  Values parts;
  Ids order;
  for (const Ids& group : ir::groups_of(op, s.cores())) {
    const GroupResult result = run_group(s, op, rows(x, group));
    const auto members = static_cast<int64_t>(group.size());
    parts.push_back(result.shared ? repeated(result.value, members) : result.value);
    order.insert(order.end(), group.begin(), group.end());
  }
  for (int64_t core = 0; core < s.cores(); ++core) {
    if (has_axis(order, core)) continue;
    order.push_back(core);
    Shape shape = x.shape();
    shape.set(0, 1);
    parts.push_back(s.builder().filled(x.dtype(), shape, 0));
  }
  return rows(parts.size() == 1 ? parts[0] : concatenate(parts, 0), inverse_permutation(order));
}

// Equal arrays on all cores, and groups that are alike: the result is equal too.
Value run_uniform(Stacker& s, const Op& op, Value x) {
  const auto members = static_cast<int64_t>(groups_of(op, s.cores())[0].size());
  switch (op.code) {
    case OpCode::all_reduce:
      return folded_copies(s, op, x, members);
    case OpCode::all_gather:
      return gathered(repeated(x, members), dimension_of(op));
    default:
      return x;
  }
}

// Sums over all cores of contractions need no array for each core.
std::optional<Value> merged(Stacker& s, const Op& op, ir::ValueId operand, DType dtype) {
  const bool sums = !op.regions.empty() && ir::fold_op(op.regions[0]) == OpCode::add;
  if (!sums || !ir::is_whole_group(op, s.cores()) || s.source_type(operand).dtype != dtype) {
    return std::nullopt;
  }
  return s.merged_sum(operand);
}

void stack_operand(Stacker& s, const Op& op, ir::ValueId operand, ir::ValueId result) {
  const DType dtype = s.source_type(result).dtype;
  if (!s.stacked(operand) && !s.stacked(result)) {
    return s.set(result, run_uniform(s, op, convert(s.get(operand), dtype)), false);
  }
  if (const auto sum = merged(s, op, operand, dtype)) {
    if (op.code == OpCode::all_reduce) return s.set(result, *sum, false);
    const Value parts = scattered(*sum, dimension_of(op), s.cores());
    return s.set(result, rows(parts, inverse_permutation(ir::groups_of(op, s.cores())[0])), true);
  }
  const Value x = convert(s.get_stacked(operand), dtype);
  if (s.stacked(result)) return s.set(result, run_groups(s, op, x), true);
  s.set(result, run_group(s, op, rows(x, ir::groups_of(op, s.cores())[0])).value, false);
}

}  // namespace

void stack_coming_together(Stacker& s, const Op& op) {
  if (!s.mask) return;
  const Ids groups = ir::reached_groups(op, s.cores());
  Literal numbers(DType::i64, {s.cores()});
  std::copy(groups.begin(), groups.end(), numbers.mutable_data<int64_t>().begin());
  ir::CustomCallAttributes call;
  call.call_target_name = ir::cores_come_together;
  call.options = {{"collective", std::string(ir::info(op.code).name)},
                  {"groups", std::move(numbers)}};
  call.operand_layouts = {{0}};
  call.has_side_effect = true;
  s.builder().append(OpCode::custom_call, {&*s.mask, 1}, std::move(call), {}, {});
}

void stack_collective(Stacker& s, const Op& op) {
  stack_coming_together(s, op);
  for (size_t i = 0; i < op.operands.size(); ++i) {
    stack_operand(s, op, op.operands[i], op.results[i]);
  }
}

void stack_collective_permute(Stacker& s, const Op& op) {
  stack_coming_together(s, op);
  const Value x = s.get_stacked(op.operands[0]);
  std::vector<int64_t> source_of(static_cast<size_t>(s.cores()), -1);
  for (const auto& [source, target] : op.get<ir::PermuteAttributes>().source_target_pairs) {
    source_of[static_cast<size_t>(target)] = source;
  }
  Values parts;
  for (int64_t source : source_of) {
    Shape shape = x.shape();
    shape.set(0, 1);
    parts.push_back(source < 0 ? s.builder().filled(x.dtype(), shape, 0) : row(x, source));
  }
  s.set(op.results[0], concatenate(parts, 0), true);
}

}  // namespace passes
}  // namespace systolic::inline v0
