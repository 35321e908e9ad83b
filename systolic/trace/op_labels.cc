#include "systolic/trace/op_labels.h"

#include <utility>

namespace systolic::inline v0 {
namespace {

// No line is negative, so a number can be distinguished from a line.
SourceLocation numbered(size_t op) { return {"", -static_cast<int>(op) - 1}; }

}  // namespace

OpLabels::OpLabels(ir::Module& module) {
  for (ir::Function& function : module.functions) take(function.body);
}

void OpLabels::take(ir::Block& block) {
  for (ir::Op& op : block.ops) {
    labels_.push_back(
        {std::exchange(op.location, numbered(labels_.size())), std::exchange(op.layer_path, "")});
    for (ir::Block& region : op.regions) take(region);
  }
}

void OpLabels::rethrow(const Error& error, SourceLocation otherwise) const {
  const SourceLocation location = error.report().location;
  const auto op = static_cast<size_t>(-(int64_t{location.line} + 1));
  if (location.line >= 0 || *location.file != '\0' || op >= labels_.size())
    error.rethrow_within("", otherwise);
  const Label& label = labels_[op];
  error.rethrow_within(label.layer_path, label.location.known() ? label.location : otherwise);
}

}  // namespace systolic::inline v0
