// An array on a device: a cheap value handle.
//
// A Tensor is one of: a host constant, a device buffer, or a value of the open trace. Outside
// `function(...)` the open trace is implicit: ops append to it, and reading a value (print, item(),
// literal()) compiles and runs all that is live, cached by structure. Inside `function(...)` the
// trace becomes a compiled program, and a value cannot be read.
//
//   Tensor a = constant({{1.f, 2.f}, {3.f, 4.f}});
//   Tensor b = 2 * a + 1;
//   std::cout << b;            // runs, then prints [[3. 5.] [7. 9.]], its shape and type
//
// Every op infers its shape at once and remembers the line that called it. Binary ops broadcast as
// NumPy does; the element types must be equal (a C++ number takes the type of the Tensor),
// otherwise InvalidArgument shows the missing cast.
#pragma once

#include <concepts>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/core/literal.h"

namespace systolic::inline v0 {

class Index;
class Variable;
struct TensorState;  // trace/tensor_state.h

class Tensor {
 public:
  Tensor() = default;  // holds nothing: valid() is false, and any use of it is an error
  // A host constant. int64 literals keep their type.
  Tensor(Literal value);  // NOLINT: a Literal is a constant Tensor
  Tensor(const Variable& variable,
         SourceLocation location = SourceLocation::current());  // NOLINT: its value now
  explicit Tensor(std::shared_ptr<TensorState> state) : state_(std::move(state)) {}

  bool valid() const { return state_ != nullptr; }
  DType dtype() const;
  const Shape& shape() const;
  int rank() const { return shape().rank(); }
  int64_t size() const { return shape().elements(); }

  // The data on the host; runs what is pending. Inside `function` this is an error that says what
  // to do instead.
  Literal literal(SourceLocation location = SourceLocation::current()) const;
  // The one element, converted to T.
  template <Element T>
  T item(SourceLocation location = SourceLocation::current()) const {
    return literal(location).template item<T>();
  }
  // "/device:TPU:0"; for a value that is not computed yet, where it will be.
  std::string device() const;

  // The truth value of a scalar, outside `function` only: inside, the message shows cond(...).
  explicit operator bool() const;

  // x[0], x[-1], x[{0, all, Slice{.begin = 1, .end = 3}}], x[{ellipsis, 0}].
  Tensor operator[](Index index) const;
  Tensor operator[](std::initializer_list<Index> indices) const;

  const std::shared_ptr<TensorState>& state() const { return state_; }

 private:
  std::shared_ptr<TensorState> state_;
};

// "Tensor(\n[[22. 28.]\n [49. 64.]], shape=(2, 2), dtype=float32)". Runs what is pending.
std::string to_string(const Tensor& tensor);
std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

// One side of an operator: a Tensor, a Variable, an array or a C++ number, with the line of the
// expression: sigmoid(model.predict(x)) > 0.5.
class Operand {
 public:
  Operand(const Tensor& tensor, SourceLocation at = SourceLocation::current());      // NOLINT
  Operand(const Variable& variable, SourceLocation at = SourceLocation::current());  // NOLINT
  Operand(const Literal& array, SourceLocation at = SourceLocation::current());      // NOLINT
  template <class Number>
  requires std::is_arithmetic_v<Number> Operand(
      Number number, SourceLocation at = SourceLocation::current())  // NOLINT
      : Operand(number_of(number), at) {}
  // In operand.cc: otherwise every program would compile them.
  Operand(const Operand& other);
  Operand(Operand&& other) noexcept;
  Operand& operator=(const Operand& other);
  Operand& operator=(Operand&& other) noexcept;
  ~Operand();

  SourceLocation location;
  const std::variant<Tensor, double, int64_t, bool>& value() const { return value_; }

 private:
  struct Truth {
    bool value;
  };
  struct Integer {
    int64_t value;
  };
  struct Real {
    double value;
  };
  template <class Number>
  static auto number_of(Number number) {
    if constexpr (std::is_same_v<Number, bool>) {
      return Truth{number};
    } else if constexpr (std::is_integral_v<Number>) {
      return Integer{static_cast<int64_t>(number)};
    } else {
      return Real{static_cast<double>(number)};
    }
  }
  Operand(Truth number, SourceLocation at);
  Operand(Integer number, SourceLocation at);
  Operand(Real number, SourceLocation at);

  std::variant<Tensor, double, int64_t, bool> value_;
};

// A range along one axis, as Python's begin:end:step; negative ends count from the end.
struct Slice {
  std::optional<int64_t> begin = {}, end = {};
  int64_t step = 1;
};
// The type of `ellipsis`.
struct Ellipsis {};
// The type of `new_axis`.
struct NewAxis {};
struct ReduceOptions;  // trace/ops/reduction.h

// As an index, the whole axis: x[{all, 0}]. As a function, whether all elements are true: all(x >
// 0), all(x > 0, {.axis = 1}).
struct All : Slice {
  Tensor operator()(const Tensor& x, SourceLocation at = SourceLocation::current()) const;
  Tensor operator()(const Tensor& x, const ReduceOptions& options,
                    SourceLocation at = SourceLocation::current()) const;
};
inline constexpr All all{};
// As an index, all axes that the others leave: x[{ellipsis, 0}] is the first place of the last
// axis.
inline constexpr Ellipsis ellipsis{};
// As an index, a new axis of size 1: x[{all, new_axis}].
inline constexpr NewAxis new_axis{};

// What may appear between the brackets for one axis.
class Index {
 public:
  using Value = std::variant<int64_t, Slice, Ellipsis, NewAxis, Tensor>;

  template <std::integral Integer>
  Index(Integer position, SourceLocation at = SourceLocation::current())  // NOLINT
      : Index(Position{static_cast<int64_t>(position)}, at) {}
  Index(Slice range, SourceLocation at = SourceLocation::current());    // NOLINT
  Index(Ellipsis rest, SourceLocation at = SourceLocation::current());  // NOLINT
  Index(NewAxis axis, SourceLocation at = SourceLocation::current());   // NOLINT
  // A scalar integer Tensor: a position known only on the device. A mask (pred) is an error that
  // shows the recipe.
  Index(const Tensor& position, SourceLocation at = SourceLocation::current());  // NOLINT
  // In indexing.cc: otherwise every program would compile them.
  Index(const Index& other);
  Index(Index&& other) noexcept;
  Index& operator=(const Index& other);
  Index& operator=(Index&& other) noexcept;
  ~Index();

  SourceLocation location;
  const Value& value() const { return value_; }

 private:
  struct Position {
    int64_t value;
  };
  Index(Position position, SourceLocation at);

  Value value_;
};

// clang-format off
Tensor operator+(Operand a, Operand b);
Tensor operator-(Operand a, Operand b);
Tensor operator*(Operand a, Operand b);
Tensor operator/(Operand a, Operand b);  // integers: truncates, as C++ does
Tensor operator%(Operand a, Operand b);  // sign of the dividend, as C++ does
Tensor operator-(Operand a);
Tensor operator<(Operand a, Operand b);
Tensor operator<=(Operand a, Operand b);
Tensor operator>(Operand a, Operand b);
Tensor operator>=(Operand a, Operand b);
Tensor operator==(Operand a, Operand b);
Tensor operator!=(Operand a, Operand b);
Tensor operator&(Operand a, Operand b);  // pred: logical; integers: bitwise
Tensor operator|(Operand a, Operand b);
Tensor operator^(Operand a, Operand b);
Tensor operator!(const Tensor& a);
Tensor& operator+=(Tensor& a, Operand b);
Tensor& operator-=(Tensor& a, Operand b);
Tensor& operator*=(Tensor& a, Operand b);
Tensor& operator/=(Tensor& a, Operand b);
// clang-format on

}  // namespace systolic::inline v0
