#include "systolic/nn/layers/core/einsum_dense.h"

#include <algorithm>
#include <map>

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

constexpr std::string_view any_axes = "...";

// The letters of one equation, those that stand for "..." included.
class EinsumEquation {
 public:
  EinsumEquation(const std::string& text, const std::vector<int64_t>& given, const Shape& input)
      : text_(text) {
    const size_t comma = text.find(','), arrow = text.find("->");
    if (comma == std::string::npos || arrow == std::string::npos || arrow < comma) raise_wrong();
    in_ = text.substr(0, comma);
    kernel_ = text.substr(comma + 1, arrow - comma - 1);
    out_ = text.substr(arrow + 2);
    expand_any_axes(input.rank());
    if (static_cast<int>(in_.size()) != input.rank()) raise_other_input(input);
    for (size_t i = 0; i < in_.size(); ++i) sizes_[in_[i]] = input[static_cast<int>(i)];
    take_output_shape(given);
  }

  std::string plain() const { return str(in_, ",", kernel_, "->", out_); }

  Shape kernel_shape() const {
    std::vector<int64_t> shape;
    for (const char letter : kernel_) shape.push_back(size_of(letter));
    return Shape(shape);
  }

  // Over the axes from the first one on that has a bias.
  Shape bias_shape(const std::string& axes) const {
    size_t first = out_.size();
    for (const char letter : axes) {
      const size_t at = out_.find(letter);
      if (at == std::string::npos) {
        raise<InvalidArgument>({.what = str("bias_axes has '", letter, "', equation ", text_),
                                .wanted = "letters of the output"});
      }
      first = std::min(first, at);
    }
    std::vector<int64_t> shape;
    for (size_t i = first; i < out_.size(); ++i)
      shape.push_back(axes.find(out_[i]) == std::string::npos ? 1 : size_of(out_[i]));
    return Shape(shape);
  }

 private:
  // Letters that nobody wrote, for as many axes as the input has more.
  void expand_any_axes(int rank) {
    const size_t at = in_.find(any_axes);
    if (at == std::string::npos) return;
    const int count = rank - static_cast<int>(in_.size() - any_axes.size());
    if (count < 0) return;
    leading_ = at == 0;
    for (char letter = 'A'; letter <= 'Z' && static_cast<int>(any_.size()) < count; ++letter) {
      if (text_.find(letter) == std::string::npos) any_.push_back(letter);
    }
    in_.replace(at, any_axes.size(), any_);
    const size_t there = out_.find(any_axes);
    if (there == std::string::npos) raise_wrong();
    out_.replace(there, any_axes.size(), any_);
  }

  // Without the batch, the first letter that is not of "...", and without these.
  void take_output_shape(const std::vector<int64_t>& given) {
    std::string named;
    for (const char letter : out_) {
      if (any_.find(letter) == std::string::npos) named.push_back(letter);
    }
    if (!(leading_ && !any_.empty()) && !named.empty()) named.erase(0, 1);
    if (named.size() != given.size()) {
      raise<InvalidArgument>(
          {.what = str("output_shape has ", given.size(), " sizes, equation ", text_),
           .wanted = str(named.size(), ", one for each of '", named, "'")});
    }
    for (size_t i = 0; i < named.size(); ++i) {
      if (given[i] < 0) continue;
      const auto [found, is_new] = sizes_.emplace(named[i], given[i]);
      if (is_new || found->second == given[i]) continue;
      raise<InvalidArgument>(
          {.what = str("output_shape says ", given[i], " for '", named[i], "' of equation ", text_),
           .wanted = str(found->second, ", as the input has it, or -1")});
    }
  }

  int64_t size_of(char letter) const {
    const auto found = sizes_.find(letter);
    if (found != sizes_.end()) return found->second;
    raise<InvalidArgument>({.what = str("'", letter, "' of equation ", text_, " has no size"),
                            .wanted = "letters of the input, or of the output with their sizes in "
                                      "output_shape"});
  }

  [[noreturn]] void raise_wrong() const {
    raise<InvalidArgument>({.what = str("equation is ", text_),
                            .wanted = "two operands and a result, such as \"abc,cd->abd\", with "
                                      "\"...\" in the first and the result or in neither"});
  }
  [[noreturn]] void raise_other_input(const Shape& input) const {
    raise<InvalidArgument>({.what = str("input has shape ", input, ", equation ", text_),
                            .wanted = "an axis for each letter of its first operand"});
  }

  std::string text_, in_, kernel_, out_, any_;
  bool leading_ = false;
  std::map<char, int64_t> sizes_;
};

}  // namespace

Tensor EinsumDense::call(const Tensor& x, CallContext& context) const {
  const EinsumEquation parts(equation, output_shape, x.shape());
  const Tensor in = is_float(x.dtype()) ? x : cast(x, context.compute_dtype());
  const Tensor kernel = context.weight("kernel", parts.kernel_shape(),
                                       {.initializer = kernel_initializer,
                                        .regularizer = kernel_regularizer,
                                        .constraint = kernel_constraint});
  Tensor y = einsum(parts.plain(), in, kernel);
  if (!bias_axes.empty()) {
    y = y + context.weight("bias", parts.bias_shape(bias_axes),
                           {.initializer = bias_initializer,
                            .regularizer = bias_regularizer,
                            .constraint = bias_constraint});
  }
  y = activation(y);
  if (!activity_regularizer.is_none())
    context.add_loss(mean_over_examples(activity_regularizer, y, context.sample_mask()));
  return y;
}

SYSTOLIC_DEFINE_LAYER(EinsumDense)

}  // namespace systolic::inline v0
