// Parts of arrays: which part of an operand an op needs to compute a part of its result.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "systolic/ir/builder/builder.h"
#include "systolic/ir/clone.h"

namespace systolic::inline v0 {
namespace cpu {

// Elements [begin, end) along each axis.
struct Box {
  ir::Axes begin, end;
  Shape shape() const;
  bool is_all_of(const Shape& whole) const;
  friend auto operator<=>(const Box&, const Box&) = default;
};
Box whole(const Shape& shape);
// The smallest box that holds both.
Box hull(const Box& a, const Box& b);

// For each axis of the operand the axis of the result along which it runs, element by element; -1
// where all of it is needed for each element of the result. Nothing for ops of which no part can be
// computed, or that are not plain functions of their operands' elements.
std::optional<std::vector<int>> axes_in_result(const ir::Function& function, const ir::Op& op,
                                               size_t operand);

// The op with other operands, parts of its own, whose result has `shape`.
ir::Value rebuild(ir::Builder& builder, const ir::Op& op, std::span<const ir::Value> operands,
                  const ir::Type& type);

// Takes parts of values of a program that is being built: of what was broadcast or padded with
// zeros without computing the rest.
class Slicer {
 public:
  explicit Slicer(ir::Builder& builder) : builder_(builder) {}

  struct Padded {
    ir::Value inner;
    Box place;  // of `inner` in the padded array; 0 elsewhere
  };
  // To be told of each op that was appended.
  void note(const ir::Op& op);
  void note_padded(ir::Value value, const Padded& padded) { padded_[value.id()] = padded; }

  const Padded* padded(ir::ValueId value) const;
  bool is_zero(ir::ValueId value) const { return zeros_.count(value) != 0; }
  ir::Value part(ir::Value x, const Box& box);

 private:
  ir::Value make_part(ir::Value x, const Box& box);

  ir::Builder& builder_;
  std::unordered_map<ir::ValueId, Padded> padded_;
  std::unordered_map<ir::ValueId, std::pair<ir::ValueId, ir::Axes>> broadcasts_;
  std::unordered_map<ir::ValueId, bool> zeros_;
  std::map<std::pair<ir::ValueId, Box>, ir::ValueId> made_;
};

// A copy of the module, whose main function's ops are appended by `each(builder, map, op)`; for
// values that it leaves out of the map nothing may ask.
template <class Each>
ir::Module rebuild_main(const ir::Module& module, const Each& each) {
  const ir::Function& source = module.main();
  ir::Module result;
  result.name = module.name;
  result.num_replicas = module.num_replicas;
  result.num_partitions = module.num_partitions;
  result.functions.emplace_back();
  result.main().name = source.name;
  ir::Builder builder(result.main(), &result);
  ir::ValueMap map(source.types.size());
  for (size_t i = 0; i < source.body.arguments.size(); ++i) {
    const ir::ValueId argument = source.body.arguments[i];
    const ir::Parameter parameter =
        i < source.arguments.size() ? source.arguments[i] : ir::Parameter{};
    map.set(argument, builder.argument(source.type(argument), parameter).id());
  }
  for (const ir::Op& op : source.body.ops) each(builder, map, op);
  for (size_t i = 0; i < source.body.results.size(); ++i) {
    builder.result(builder.value(map.at(source.body.results[i])),
                   i < source.results.size() ? source.results[i] : ir::Parameter{});
  }
  return result;
}

}  // namespace cpu
}  // namespace systolic::inline v0
