#include "systolic/nn/symbol_operation.h"

#include <cmath>

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/step_mask.h"
#include "systolic/nn/symbol.h"
#include "systolic/trace/indexing.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {
namespace {

Tensor combined(const std::string& operation, const Operand& a, const Operand& b) {
  if (operation == "+") return a + b;
  if (operation == "-") return a - b;
  if (operation == "*") return a * b;
  if (operation == "/") return a / b;
  raise<InvalidArgument>({.what = str("operation '", operation, "'"), .wanted = "one of + - * /"});
}

// As it is written beside `x`: a configuration keeps whole numbers as floats too.
Operand number_beside(const Tensor& x, double number, SourceLocation at) {
  constexpr double whole_below = 0x1p53;
  const bool whole = number == std::floor(number) && std::abs(number) < whole_below;
  if (is_integer(x.dtype()) && whole) return Operand(static_cast<int64_t>(number), at);
  return Operand(number, at);
}

std::string index_text(const Index& index) {
  const Index::Value& value = index.value();
  if (const auto* position = std::get_if<int64_t>(&value)) return str(*position);
  if (const auto* range = std::get_if<Slice>(&value)) {
    const auto end_text = [](const std::optional<int64_t>& end) { return end ? str(*end) : ""; };
    return str(end_text(range->begin), ":", end_text(range->end), ":", range->step);
  }
  if (std::holds_alternative<Ellipsis>(value)) return "...";
  if (std::holds_alternative<NewAxis>(value)) return "new";
  raise<Unimplemented>({.what = "a symbol indexed by a Tensor",
                        .hint = "use a layer of your own that calls gather",
                        .location = index.location});
}

int64_t parsed(std::string_view text, std::string_view whole) {
  int64_t value = 0;
  if (!parse_number(text, value)) {
    raise<InvalidArgument>({.what = str("index '", whole, "' in a configuration"),
                            .wanted = "a number, begin:end:step, \"...\" or \"new\""});
  }
  return value;
}

Index index_of(const std::string& text) {
  if (text == "...") return ellipsis;
  if (text == "new") return new_axis;
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() == 1) return parsed(parts[0], text);
  if (parts.size() != 3) parsed("", text);
  Slice range;
  if (!parts[0].empty()) range.begin = parsed(parts[0], text);
  if (!parts[1].empty()) range.end = parsed(parts[1], text);
  range.step = parsed(parts[2], text);
  return range;
}

Symbol arithmetic(const char* operation, const Symbol& a, const SymbolOperand& b) {
  SymbolArithmetic spec{.operation = operation, .location = b.location};
  if (b.symbol()) return Layer(spec)({a, *b.symbol()}, b.location);
  spec.number = b.number();
  return Layer(spec)(std::vector<Symbol>{a}, b.location);
}

Symbol number_first(const char* operation, double a, const Symbol& b) {
  return Layer(SymbolArithmetic{.operation = operation, .number = a, .number_first = true})(
      std::vector<Symbol>{b});
}

}  // namespace

Tensor SymbolArithmetic::call(const std::vector<Tensor>& xs, CallContext&) const {
  check_inputs(xs, 1);
  if (xs.size() > 1) return masked_where_all_are(combined(operation, xs[0], xs[1]), xs);
  const Operand beside = number_beside(xs[0], number, location);
  return masked_where_all_are(
      number_first ? combined(operation, beside, xs[0]) : combined(operation, xs[0], beside), xs);
}

namespace {

std::vector<Index> list_of(const std::vector<std::string>& indices) {
  std::vector<Index> list;
  for (const std::string& text : indices) list.push_back(index_of(text));
  return list;
}

}  // namespace

Tensor SymbolSlice::call(const Tensor& x, CallContext&) const {
  return indices.empty() ? x : index_by(x, list_of(indices));
}

std::optional<SeenInput> SymbolSlice::moved(const SeenInput& x) const {
  if (indices.empty()) return x;
  const StaticCut cut = cut_by(x.shape, list_of(indices));
  if (cut.reverses) return std::nullopt;
  if (cut.is_all) return reshaped(x, cut.result);
  return part_of(x, {cut.start, cut.limit, cut.stride}, cut.result);
}

Symbol Symbol::operator[](Index index) const {
  return Layer(SymbolSlice{.indices = {index_text(index)}, .location = index.location})(
      *this, index.location);
}

Symbol Symbol::operator[](std::initializer_list<Index> indices) const {
  SymbolSlice spec;
  for (const Index& index : indices) spec.indices.push_back(index_text(index));
  if (indices.size() > 0) spec.location = indices.begin()->location;
  return Layer(spec)(*this, spec.location);
}

// clang-format off
Symbol operator+(const Symbol& a, SymbolOperand b) { return arithmetic("+", a, b); }
Symbol operator-(const Symbol& a, SymbolOperand b) { return arithmetic("-", a, b); }
Symbol operator*(const Symbol& a, SymbolOperand b) { return arithmetic("*", a, b); }
Symbol operator/(const Symbol& a, SymbolOperand b) { return arithmetic("/", a, b); }
Symbol operator+(double a, const Symbol& b) { return number_first("+", a, b); }
Symbol operator-(double a, const Symbol& b) { return number_first("-", a, b); }
Symbol operator*(double a, const Symbol& b) { return number_first("*", a, b); }
Symbol operator/(double a, const Symbol& b) { return number_first("/", a, b); }
Symbol operator-(const Symbol& a) { return a * -1.0; }
// clang-format on

SYSTOLIC_DEFINE_LAYER(SymbolArithmetic)
SYSTOLIC_DEFINE_LAYER(SymbolSlice)

}  // namespace systolic::inline v0
