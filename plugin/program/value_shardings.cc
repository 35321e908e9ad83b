#include "plugin/program/value_shardings.h"

#include "plugin/shardings/placed_collectives.h"
#include "plugin/shardings/program_walk.h"

namespace systolic::inline v0 {
namespace plugin {

using stablehlo::Parts;

namespace {

// Each axis of each mesh as a cut.
std::vector<Cut> mesh_axes(const stablehlo::Program& program, int64_t cores) {
  std::vector<Cut> axes;
  for (const stablehlo::Mesh& mesh : stablehlo::meshes_of(program)) {
    if (mesh.cores() != cores) continue;
    for (const auto& [name, size] : mesh.axes) {
      Cut& axis = axes.emplace_back(Cut{size, std::vector<int64_t>(static_cast<size_t>(cores))});
      const auto groups = stablehlo::groups_along(mesh, {name}, cores);
      for (size_t i = 0; i < groups.size(); ++i) {
        for (int64_t core : groups[i]) {
          axis.index[static_cast<size_t>(core)] = static_cast<int64_t>(i);
        }
      }
    }
  }
  return axes;
}

// What a program gives back is cut by whole axes of the mesh, into parts of one size.
Cut cut_for_callers(const Cut& cut, int64_t size, const std::vector<Cut>& axes) {
  if (axes.empty()) return size % cut.pieces == 0 ? cut : Cut{};
  Cut result;
  for (bool longer = true; longer;) {
    longer = false;
    for (const Cut& axis : axes) {
      if (axis.pieces == 1) continue;
      Cut next = combine(result, axis);
      if (size % next.pieces != 0 || !begins(next, cut)) continue;
      result = std::move(next);
      longer = true;
      break;
    }
  }
  return result;
}

Parts parts_of(const PlacedArray& array, const std::vector<Cut>& axes, int64_t cores) {
  Parts parts = stablehlo::whole_parts(Shape(array.sizes), cores);
  for (size_t axis = 0; axis < array.sizes.size(); ++axis) {
    const Cut cut = cut_for_callers(array.cuts[axis], array.sizes[axis], axes);
    if (cut.pieces == 1 || array.sizes[axis] == 0) continue;
    parts.size[axis] /= cut.pieces;
    for (size_t core = 0; core < cut.index.size(); ++core) {
      parts.start[core][axis] = cut.index[core] * parts.size[axis];
    }
  }
  return parts;
}

}  // namespace

ValueShardings::ValueShardings(const stablehlo::Program& program,
                               const stablehlo::Function& function, int64_t cores)
    : cores_(cores) {
  if (cores == 1) return;
  ProgramWalk walk(program, function, cores);
  Placement& placement = walk.placement();
  placement.propagate();
  const std::vector<Cut> axes = mesh_axes(program, cores);
  for (int result : walk.results()) {
    results_.push_back(parts_of(placement.at(result), axes, cores));
  }
  for (const auto& [call, operands] : walk.calls()) {
    std::vector<Parts>& parts = calls_[call];
    for (int operand : operands) parts.push_back(parts_of(placement.at(operand), axes, cores));
    // One call for each device, even if there is nothing to give it.
    if (parts.empty()) parts.push_back(stablehlo::whole_parts(Shape{}, cores));
  }
  for (const auto& [question, array] : walk.questions()) {
    const PlacedArray& placed = placement.at(array);
    answers_.push_back({question, Shape(placed.sizes), parts_of(placed, axes, cores)});
  }
  collectives_ = placed_collectives(placement, walk.results(), cores);
}

std::vector<Parts> ValueShardings::operands(const stablehlo::Operation& call) const {
  const auto found = calls_.find(&call);
  return found == calls_.end() ? std::vector<Parts>{} : found->second;
}

Parts ValueShardings::result(size_t i, const Shape& shape) const {
  // A token is an array of an axis for callers, but has none in the program.
  const auto rank = static_cast<size_t>(shape.rank());
  if (i < results_.size() && results_[i].size.size() == rank) return results_[i];
  return stablehlo::whole_parts(shape, cores_);
}

}  // namespace plugin
}  // namespace systolic::inline v0
