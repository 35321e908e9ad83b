#include "backends/cpu/rewrite/fold_padding.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "systolic/ir/window.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

using ir::OpCode;
using ir::ValueId;
using Padding = decltype(ir::ConvolutionAttributes::padding);

bool all_are(const ir::Axes& values, int64_t wanted) {
  return std::all_of(values.begin(), values.end(), [&](int64_t value) { return value == wanted; });
}

class PaddingFolder {
 public:
  explicit PaddingFolder(ir::Function& function)
      : function_(function), readers_(function.types.size()) {
    count_readers(function.body);
  }

  void run(ir::Block& block) {
    std::unordered_map<ValueId, ir::Op*> makers;  // of this block
    for (ir::Op& op : block.ops) {
      for (ir::Block& region : op.regions) run(region);
      if (op.code == OpCode::convolution) fold_pad(makers, op);
      if (op.code == OpCode::slice) fold_slice(makers, op);
      for (ValueId result : op.results) makers[result] = &op;
    }
    std::erase_if(block.ops,
                  [](const ir::Op& op) { return op.code == OpCode::slice && op.operands.empty(); });
  }

 private:
  using Makers = std::unordered_map<ValueId, ir::Op*>;

  void count_readers(const ir::Block& block) {
    for (const ir::Op& op : block.ops) {
      for (ValueId value : op.operands) ++readers_[static_cast<size_t>(value)];
      for (const ir::Block& region : op.regions) count_readers(region);
    }
    for (ValueId value : block.results) ++readers_[static_cast<size_t>(value)];
  }

  static const ir::Op* maker(const Makers& makers, ValueId value, OpCode code) {
    const auto found = makers.find(value);
    return found != makers.end() && found->second->code == code ? found->second : nullptr;
  }

  bool is_zero(const Makers& makers, ValueId value) const {
    const ir::Op* op = maker(makers, value, OpCode::constant);
    return op != nullptr && op->get<ir::ConstantAttributes>().value.number_at(0) == 0;
  }

  void fold_pad(const Makers& makers, ir::Op& convolution) const {
    const ir::Op* pad = maker(makers, convolution.operands[0], OpCode::pad);
    if (pad == nullptr || !is_zero(makers, pad->operands[1])) return;
    auto& attributes = convolution.get<ir::ConvolutionAttributes>();
    const auto padding = with(convolution, pad->get<ir::PadAttributes>());
    if (!padding) return;
    attributes.padding = *padding;
    convolution.operands[0] = pad->operands[0];
  }

  // The convolution's padding and that of `pad`, where it can be one.
  std::optional<Padding> with(const ir::Op& convolution, const ir::PadAttributes& pad) const {
    const auto& attributes = convolution.get<ir::ConvolutionAttributes>();
    ir::Axes low = pad.edge_padding_low, high = pad.edge_padding_high;
    if (!all_are(pad.interior_padding, 0) || !all_are(attributes.lhs_dilation, 1)) {
      return std::nullopt;
    }
    Padding padding = attributes.padding;
    const Shape& kernel = function_.type(convolution.operands[1]).shape;
    for (size_t i = 0; i < padding.size(); ++i) {
      const auto axis = static_cast<size_t>(attributes.input_spatial_dimensions[i]);
      const int64_t added_low = std::exchange(low[axis], 0);
      const int64_t added_high = std::exchange(high[axis], 0);
      if (added_low < 0 || added_high < 0) return std::nullopt;
      padding[i].first += added_low;
      padding[i].second += added_high;
      const int64_t reach = ir::window_axis(attributes, i, kernel).reach();
      if (std::max(padding[i].first, padding[i].second) >= reach) return std::nullopt;
    }
    if (!all_are(low, 0) || !all_are(high, 0)) return std::nullopt;
    return padding;
  }

  void fold_slice(const Makers& makers, ir::Op& slice) {
    const auto found = makers.find(slice.operands[0]);
    if (found == makers.end() || found->second->code != OpCode::convolution) return;
    if (readers_[static_cast<size_t>(slice.operands[0])] != 1) return;
    ir::Op& convolution = *found->second;
    const auto padding = without(convolution, slice);
    if (!padding) return;
    convolution.get<ir::ConvolutionAttributes>().padding = *padding;
    convolution.results = std::exchange(slice.results, {});
    slice.operands.clear();
  }

  // The padding with which the convolution computes the slice alone.
  std::optional<Padding> without(const ir::Op& convolution, const ir::Op& slice) const {
    const auto& attributes = convolution.get<ir::ConvolutionAttributes>();
    const auto& cut = slice.get<ir::SliceAttributes>();
    if (!all_are(cut.strides, 1)) return std::nullopt;
    const Shape& wanted = function_.type(slice.results[0]).shape;
    const Shape& input = function_.type(convolution.operands[0]).shape;
    const Shape& kernel = function_.type(convolution.operands[1]).shape;
    Shape made = function_.type(convolution.results[0]).shape;
    Padding padding = attributes.padding;
    for (size_t i = 0; i < padding.size(); ++i) {
      const auto out = static_cast<int>(attributes.output_spatial_dimensions[i]);
      const auto in = static_cast<int>(attributes.input_spatial_dimensions[i]);
      const int64_t stride = attributes.window_strides[i];
      const int64_t spread = dilated(input[in], attributes.lhs_dilation[i]);
      auto& [low, high] = padding[i];
      low -= cut.start_indices[static_cast<size_t>(out)] * stride;
      high = (wanted[out] - 1) * stride + ir::window_axis(attributes, i, kernel).reach() - spread -
             low;
      if (low < 0 || high < 0 || wanted[out] == 0 || input[in] == 0) return std::nullopt;
      made.set(out, wanted[out]);
    }
    return made == wanted ? std::optional(padding) : std::nullopt;
  }

  ir::Function& function_;
  std::vector<int> readers_;
};

}  // namespace

void fold_padding(ir::Module& module) {
  for (ir::Function& function : module.functions) PaddingFolder(function).run(function.body);
}

}  // namespace cpu
}  // namespace systolic::inline v0
