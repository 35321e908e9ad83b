#include "tools/conformance/collective.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/ir/core_groups.h"
#include "systolic/ir/region.h"

namespace tool {
namespace {

using namespace systolic;
using stablehlo::Attribute;
using stablehlo::Operation;

}  // namespace

Literal stacked(const std::vector<const Literal*>& parts) {
  const Literal& first = *parts[0];
  Literal result(first.dtype(), first.shape().with_inserted(0, static_cast<int64_t>(parts.size())));
  for (size_t i = 0; i < parts.size() && first.byte_size() > 0; ++i) {
    std::memcpy(result.mutable_raw() + i * first.byte_size(), parts[i]->raw(), first.byte_size());
  }
  return result;
}

bool is_collective(const Operation& op) {
  constexpr std::string_view names[] = {
      "stablehlo.all_gather",         "stablehlo.all_reduce",
      "stablehlo.all_to_all",         "stablehlo.collective_broadcast",
      "stablehlo.collective_permute", "stablehlo.collective_reduce",
      "stablehlo.reduce_scatter"};
  return std::find(std::begin(names), std::end(names), op.name) != std::end(names);
}

int64_t channel_of(const Operation& op) {
  const Attribute* handle = op.find("channel_handle");
  const Attribute* number = handle == nullptr ? nullptr : find(handle->fields, "handle");
  return number == nullptr ? 0 : number->integer;
}

Collective::Collective(const stablehlo::Program& program, const Grid& grid,
                       const stablehlo::Function& function, size_t position, int64_t core)
    : program_(program), op_(function.body.operations[position]), cores_(grid.functions.size()) {
  stablehlo::Part part{.begin = position, .end = position + 1};
  for (size_t i = 0; i < op_.operands.size(); ++i) {
    const auto end = op_.operands.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(op_.operands.begin(), end, op_.operands[i]) != end) continue;
    places_.push_back(i);
    part.given.push_back(op_.operands[i]);
  }
  part.wanted = op_.results;
  module_ = stablehlo::import_module(program, {.replicas = grid.replicas,
                                               .partitions = grid.partitions,
                                               .entry = &function,
                                               .part = std::move(part)});
  find_group(core, static_cast<int64_t>(cores_));
}

void Collective::find_group(int64_t core, int64_t cores) {
  const ir::Op* op = ir::find_collective(module_.main().body);
  ensure(op != nullptr, "a collective became none");
  std::set<int64_t> members{core};
  if (op->code == ir::OpCode::collective_permute) {
    for (const auto& [from, to] : op->get<ir::PermuteAttributes>().source_target_pairs) {
      members.insert({from, to});
    }
  } else {
    for (const std::vector<int64_t>& group : ir::groups_of(*op, cores)) {
      if (std::find(group.begin(), group.end(), core) == group.end()) continue;
      members.insert(group.begin(), group.end());
    }
  }
  group_.assign(members.begin(), members.end());
}

std::vector<Arrays> Collective::run(const std::vector<Arrays>& operands,
                                    const Execute& execute) const {
  const ir::Function& main = module_.main();
  Arrays arguments;
  for (size_t i = 0; i < places_.size(); ++i) {
    const ir::Type& type = main.type(main.body.arguments.at(i));
    const Literal zeros = Literal::zeros(type.dtype, type.shape);  // of cores outside of the group
    std::vector<const Literal*> parts(cores_, &zeros);
    for (size_t member = 0; member < group_.size(); ++member) {
      const Literal& given = operands[member].at(places_[i]);
      if (!(ir::Type{given.dtype(), given.shape()} == type)) {
        stablehlo::raise_at(program_, op_.offset,
                            str(op_.name, ": operand ", places_[i], " of core ", group_[member]),
                            str(to_string(given.dtype()), to_string(given.shape())),
                            to_string(type));
      }
      parts[static_cast<size_t>(group_[member])] = &given;
    }
    arguments.push_back(cores_ == 1 ? *parts[0] : stacked(parts));
  }
  return execute(module_, arguments);
}

}  // namespace tool
