#include "systolic/trace/operand.h"

#include <algorithm>
#include <cmath>

#include "systolic/base/error.h"

namespace systolic::inline v0 {

namespace {

// An operator's operands are made before any value of its own is.
const Variable& named_operand(const Variable& variable) {
  Trace::run_what_is_long();
  return variable;
}

}  // namespace

Operand::Operand(const Tensor& tensor, SourceLocation at) : location(at), value_(tensor) {
  Trace::run_what_is_long();
}
Operand::Operand(const Variable& variable, SourceLocation at)
    : location(at), value_(named_operand(variable).value(at)) {}
Operand::Operand(const Literal& array, SourceLocation at) : location(at), value_(Tensor(array)) {}
Operand::Operand(Truth number, SourceLocation at) : location(at), value_(number.value) {}
Operand::Operand(Integer number, SourceLocation at) : location(at), value_(number.value) {}
Operand::Operand(Real number, SourceLocation at) : location(at), value_(number.value) {}
Operand::Operand(const Operand& other) = default;
Operand::Operand(Operand&& other) noexcept = default;
Operand& Operand::operator=(const Operand& other) = default;
Operand& Operand::operator=(Operand&& other) noexcept = default;
Operand::~Operand() = default;

namespace {

const Tensor* tensor_in(const Operand& operand) { return std::get_if<Tensor>(&operand.value()); }

double number_in(const Operand& operand) {
  if (const auto* real = std::get_if<double>(&operand.value())) return *real;
  if (const auto* whole = std::get_if<int64_t>(&operand.value()))
    return static_cast<double>(*whole);
  return std::get<bool>(operand.value()) ? 1 : 0;
}

// The type of a number that stands alone, as TensorFlow gives it.
DType natural_type(const Operand& operand) {
  if (std::holds_alternative<double>(operand.value())) return DType::f32;
  if (std::holds_alternative<bool>(operand.value())) return DType::pred;
  return DType::i32;
}

Literal number_literal(const Operand& operand, DType dtype) {
  if (const auto* whole = std::get_if<int64_t>(&operand.value())) {
    if (is_integer(dtype)) return Literal::scalar(*whole).convert(dtype);
  }
  return Literal::filled(dtype, Shape{}, number_in(operand));
}

// Small whole numbers and halves are constants, which the compiler can use. Others may be a
// learning rate that changes from step to step: in an implicit trace they are handed in, so that a
// new value is not a new program.
bool is_everyday_number(double value) {
  return std::abs(value) <= 16 && value * 2 == std::floor(value * 2);
}

ir::Value number_value(Trace& trace, const Operand& operand, DType dtype) {
  if (std::holds_alternative<double>(operand.value()) && !is_float(dtype) && !is_complex(dtype)) {
    raise<InvalidArgument>(
        {.what = str("the number ", number_in(operand), " with a Tensor of ", to_string(dtype)),
         .wanted = "a whole number, or a Tensor of floats",
         .hint = "write cast(x, DType::f32) for the Tensor",
         .location = operand.location});
  }
  Literal literal = number_literal(operand, dtype);
  if (trace.kind() == Trace::Kind::implicit && !is_everyday_number(number_in(operand))) {
    return trace.value_of(Tensor(std::move(literal)), operand.location);
  }
  return trace.builder().constant(std::move(literal));
}

// Integers become floats, not floats integers: that would cut them, and end a gradient.
std::string hint_to_cast(DType first, DType second) {
  const bool of_first = is_float(second) && !is_float(first) && !is_complex(first);
  return str("write cast(x, DType::", to_string(of_first ? second : first), ") for the ",
             of_first ? "first" : "second");
}

}  // namespace

ir::Value operand_value(Trace& trace, const Operand& operand, const Operand* like) {
  trace.at(operand.location);
  if (const Tensor* tensor = tensor_in(operand)) return trace.value_of(*tensor, operand.location);
  const Tensor* model = like == nullptr ? nullptr : tensor_in(*like);
  return number_value(trace, operand, model != nullptr ? model->dtype() : natural_type(operand));
}

Shape broadcast_shape(const Shape& a, const Shape& b, SourceLocation location) {
  const int rank = std::max(a.rank(), b.rank());
  std::vector<int64_t> dims(static_cast<size_t>(rank));
  for (int i = 1; i <= rank; ++i) {
    const int64_t left = i <= a.rank() ? a[-i] : 1;
    const int64_t right = i <= b.rank() ? b[-i] : 1;
    if (left != right && left != 1 && right != 1) {
      raise<InvalidArgument>(
          {.what = str("shapes ", a, " and ", b, " cannot be broadcast together: axis ", -i, " is ",
                       left, " against ", right),
           .wanted = "equal sizes, or 1",
           .location = location});
    }
    dims[static_cast<size_t>(rank - i)] = left == 1 ? right : left;
  }
  return Shape(dims);
}

std::pair<ir::Value, ir::Value> aligned(const Operand& a, const Operand& b, std::string_view name) {
  Trace& trace = Trace::current();
  const SourceLocation location = a.location;
  ir::Value x = operand_value(trace, a, &b);
  ir::Value y = operand_value(trace, b, &a);
  trace.at(location);
  if (x.dtype() != y.dtype()) {
    raise<InvalidArgument>(
        {.what = str(name, " of ", to_string(x.type()), " and ", to_string(y.type())),
         .wanted = "one element type",
         .hint = hint_to_cast(x.dtype(), y.dtype()),
         .location = location});
  }
  if (x.shape() == y.shape()) return {x, y};
  const Shape shape = broadcast_shape(x.shape(), y.shape(), location);
  return {ir::broadcast_to(x, shape), ir::broadcast_to(y, shape)};
}

ir::Value alone(const Operand& operand) {
  return operand_value(Trace::current(), operand, nullptr);
}

ir::Value floating(const Operand& operand, std::string_view name) {
  ir::Value x = alone(operand);
  if (is_float(x.dtype()) || is_complex(x.dtype())) return x;
  if (tensor_in(operand) != nullptr) {
    raise<InvalidArgument>({.what = str(name, " of ", to_string(x.type())),
                            .wanted = "floats",
                            .hint = "write cast(x, DType::f32)",
                            .location = operand.location});
  }
  return ir::convert(x, DType::f32);
}

Tensor wrap(ir::Value value) { return Trace::current().tensor_of(value); }

int64_t positive_axis(int axis, int rank, SourceLocation location) {
  const int positive = axis < 0 ? axis + rank : axis;
  if (positive < 0 || positive >= rank) {
    raise<InvalidArgument>({.what = str("axis ", axis, " of a Tensor of ", rank, " axes"),
                            .wanted = str("an axis in [", -rank, ", ", rank, ")"),
                            .location = location});
  }
  return positive;
}

std::vector<int64_t> positive_axes(const Axes& axes, int rank, SourceLocation location) {
  std::vector<int64_t> result;
  for (int axis : axes.values) result.push_back(positive_axis(axis, rank, location));
  if (axes.values.empty()) {
    for (int axis = 0; axis < rank; ++axis) result.push_back(axis);
  }
  std::sort(result.begin(), result.end());
  if (std::adjacent_find(result.begin(), result.end()) != result.end()) {
    raise<InvalidArgument>(
        {.what = str("axes (", join(axes.values), ") name one axis twice"), .location = location});
  }
  return result;
}

}  // namespace systolic::inline v0
