#include "plugin/shardings/written_collectives.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "systolic/stablehlo/dense.h"

namespace systolic::inline v0 {
namespace plugin {

using stablehlo::Attribute;
using stablehlo::Function;
using stablehlo::Operation;
using stablehlo::Program;

namespace {

struct Row {
  std::string_view op;
  Collective::Kind kind;
  std::string_view axis;  // the attribute that names it
};
constexpr std::array<Row, 6> rows = {{
    {"stablehlo.all_gather", Collective::Kind::all_gather, "all_gather_dim"},
    {"stablehlo.all_reduce", Collective::Kind::all_reduce, ""},
    {"stablehlo.all_to_all", Collective::Kind::all_to_all, "split_dimension"},
    {"stablehlo.collective_broadcast", Collective::Kind::collective_broadcast, ""},
    {"stablehlo.collective_permute", Collective::Kind::collective_permute, ""},
    {"stablehlo.reduce_scatter", Collective::Kind::reduce_scatter, "scatter_dimension"},
}};

// The rows of a matrix; pads of a ragged one, -1, are left out.
std::vector<std::vector<int64_t>> groups_of(const Program& program, const Operation& op) {
  for (const char* name : {"replica_groups", "source_target_pairs"}) {
    const Attribute* found = op.find(name);
    if (found == nullptr || found->type == stablehlo::no_type) continue;
    const std::vector<int64_t>& dims = program.type(found->type).dims;
    const std::vector<int64_t> ids = stablehlo::read_integers(program, *found);
    if (dims.size() != 2 || dims[1] <= 0) continue;
    std::vector<std::vector<int64_t>> groups(ids.size() / static_cast<size_t>(dims[1]));
    for (size_t i = 0; i < groups.size() * static_cast<size_t>(dims[1]); ++i) {
      if (ids[i] >= 0) groups[i / static_cast<size_t>(dims[1])].push_back(ids[i]);
    }
    return groups;
  }
  return {};
}

template <typename Visit>
void for_each(const Function& function, const std::vector<Operation>& operations,
              const Visit& visit) {
  for (const Operation& op : operations) {
    for (const stablehlo::Region& region : op.regions) {
      for_each(function, region.operations, visit);
    }
    visit(function, op);
  }
}

template <typename Visit>
void for_each(const Program& program, const Visit& visit) {
  for (const Function& function : program.functions) {
    for_each(function, function.body.operations, visit);
  }
}

bool is_annotation(std::string_view target) {
  constexpr std::array<std::string_view, 6> names = {
      "LayoutConstraint",     "Sharding",        "SPMDFullToShardShape",
      "SPMDShardToFullShape", "InspectSharding", "annotate_device_placement"};
  return std::find(names.begin(), names.end(), target) != names.end() ||
         target.substr(0, 5) == "mhlo.";
}

}  // namespace

std::string_view name_of(Collective::Kind kind) {
  switch (kind) {
    case Collective::Kind::all_gather:
      return "all-gather";
    case Collective::Kind::all_reduce:
      return "all-reduce";
    case Collective::Kind::all_to_all:
      return "all-to-all";
    case Collective::Kind::collective_permute:
      return "collective-permute";
    case Collective::Kind::reduce_scatter:
      return "reduce-scatter";
    case Collective::Kind::collective_broadcast:
      break;
  }
  return "collective-broadcast";
}

std::vector<Collective> written_collectives(const Program& program) {
  std::vector<Collective> found;
  for_each(program, [&](const Function& function, const Operation& op) {
    const auto* const row =
        std::find_if(rows.begin(), rows.end(), [&](const Row& each) { return each.op == op.name; });
    if (row == rows.end()) return;
    const Attribute* axis = row->axis.empty() ? nullptr : op.find(row->axis);
    for (size_t i = 0; i < std::min(op.operands.size(), op.results.size()); ++i) {
      const stablehlo::Type& from = program.type(function.type(op.operands[i]));
      found.push_back({.kind = row->kind,
                       .element = from.element,
                       .before = from.dims,
                       .after = program.type(function.type(op.results[i])).dims,
                       .axis = axis == nullptr ? 0 : axis->integer,
                       .groups = groups_of(program, op),
                       .level = static_cast<int>(found.size())});
    }
  });
  return found;
}

std::vector<std::string> written_calls(const Program& program) {
  std::vector<std::string> names;
  for_each(program, [&](const Function&, const Operation& op) {
    const Attribute* target =
        op.name == "stablehlo.custom_call" ? op.find("call_target_name") : nullptr;
    if (target == nullptr || is_annotation(target->text)) return;
    if (std::find(names.begin(), names.end(), target->text) == names.end()) {
      names.emplace_back(target->text);
    }
  });
  return names;
}

}  // namespace plugin
}  // namespace systolic::inline v0
