// Calls of functions that are not ours: operands are laid out as the function wants them, and its
// results are views of what it wrote.
#include "backends/cpu/lower/families.h"
#include "systolic/base/text.h"
#include "systolic/core/axes.h"
#include "systolic/runtime/custom_function.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

ir::Type in_memory(const ir::Type& type, const ir::Axes& order) {
  ir::Type laid_out = type;
  for (size_t i = 0; i < order.size(); ++i) {
    laid_out.shape.set(static_cast<int>(i), type.shape[static_cast<int>(order[i])]);
  }
  return laid_out;
}

struct Array {
  ir::Type type;
  PlaceId place = no_place;
};

std::vector<CustomArray> at(const Frame& frame, const std::vector<Array>& arrays) {
  std::vector<CustomArray> result;
  result.reserve(arrays.size());
  for (const Array& array : arrays) result.push_back({array.type, frame.at(array.place)});
  return result;
}

// The operand of the alias, copied to where the function will find and overwrite it.
void copy_to(Planner& planner, ir::ValueId operand, const ir::Axes& layout, PlaceId to) {
  const ir::Axes order = order_of_layout(layout);
  const ir::Type& type = planner.type(operand);
  planner.emit_copy(view_transpose(planner.view(operand), in_memory(type, order), order), to);
}

std::vector<Array> result_arrays(Planner& planner, const ir::Op& op) {
  const auto& call = op.get<ir::CustomCallAttributes>();
  std::vector<Array> results;
  for (size_t i = 0; i < op.results.size(); ++i) {
    const ir::Type type = planner.type(op.results[i]);
    const ir::Axes order = order_of_layout(call.result_layouts[i]);
    const bool as_it_is = order == axes_from(0, type.shape.rank());
    const PlaceId place =
        as_it_is ? planner.define(op.results[i]) : planner.temporary(type.bytes());
    if (!as_it_is) {
      const View written = dense_view(place, in_memory(type, order));
      planner.define(op.results[i], view_transpose(written, type, inverse_permutation(order)));
    }
    results.push_back({type, place});
  }
  return results;
}

}  // namespace

void lower_custom_call(Planner& planner, const ir::Op& op) {
  const auto& call = op.get<ir::CustomCallAttributes>();
  const std::shared_ptr<const CustomFunction> function = make_custom_function(call);
  std::vector<Array> operands(op.operands.size());
  // Before the results are defined: a donated argument may be what a result is written over.
  std::vector<bool> aliased(operands.size(), false);
  for (const auto& [result, operand] : call.output_operand_aliases) {
    aliased[static_cast<size_t>(operand)] = true;
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    operands[i].type = planner.type(op.operands[i]);
    if (aliased[i]) continue;
    const ir::Axes order = order_of_layout(call.operand_layouts[i]);
    if (order == axes_from(0, operands[i].type.shape.rank())) {
      operands[i].place = planner.dense(op.operands[i]);
    } else {
      operands[i].place = planner.temporary(operands[i].type.bytes());
      copy_to(planner, op.operands[i], call.operand_layouts[i], operands[i].place);
    }
  }
  const std::vector<Array> results = result_arrays(planner, op);
  for (const auto& [result, operand] : call.output_operand_aliases) {
    const auto to = static_cast<size_t>(result), from = static_cast<size_t>(operand);
    operands[from].place = results[to].place;
    copy_to(planner, op.operands[from], call.operand_layouts[from], results[to].place);
  }
  StepNote note{.name = str(call.call_target_name, " ", op_text(planner, op))};
  for (const Array& operand : operands) note.reads.push_back(operand.place);
  for (const Array& result : results) note.writes.push_back(result.place);
  planner.emit(std::move(note),
               [=](const Frame& frame) { function->run(at(frame, operands), at(frame, results)); });
}

}  // namespace cpu
}  // namespace systolic::inline v0
