// A value of the functional API: what a layer will give, known by type and shape only.
//
//   Symbol image = input({.shape = {28, 28, 1}});
//   Symbol x = Flatten{}(image);
//   Network network(image, Dense{.units = 10}(x));
//
// Arithmetic between symbols and with numbers, and slicing, become small layers. An axis that is
// not known (the batch) has size -1.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "systolic/nn/config/required.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// Type and shape, -1 for unknown axes.
struct SymbolType {
  DType dtype = DType::f32;
  Shape shape = {};
  friend bool operator==(const SymbolType& a, const SymbolType& b) {
    return a.dtype == b.dtype && a.shape == b.shape;
  }
};
// "(None, 28, 28, 1)", as Keras prints shapes.
std::string shape_text(const Shape& shape);
// `shape` with the sizes of `like` in the place of unknown axes.
Shape known_shape(Shape shape, const Shape& like);

struct SymbolNode;

class Symbol {
 public:
  Symbol(std::shared_ptr<SymbolNode> node, int output) : node_(std::move(node)), output_(output) {}
  // A handle that was moved from still holds on: moving copies.
  Symbol(const Symbol&) = default;
  Symbol& operator=(const Symbol&) = default;

  const SymbolType& type() const;
  DType dtype() const { return type().dtype; }
  const Shape& shape() const { return type().shape; }
  int rank() const { return shape().rank(); }

  // As Tensor's: x[{all, 0}], x[{ellipsis, Slice{.begin = 1}}].
  Symbol operator[](Index index) const;
  Symbol operator[](std::initializer_list<Index> indices) const;

  const std::shared_ptr<SymbolNode>& node() const { return node_; }
  int output() const { return output_; }

 private:
  std::shared_ptr<SymbolNode> node_;
  int output_;
};

// What the data may be for an input of a network.
struct InputRules {
  std::optional<double> default_value = {};
  std::optional<int64_t> values_below = {};
  std::optional<int64_t> masks = {};
  std::string normalized_by = {};
};

struct InputOptions {
  Required<Shape> shape;                   // of one example; -1 for an axis of unknown size
  DType dtype = DType::f32;                // of what comes in
  std::string name = {};                   // "input_layer", numbered by the network
  std::optional<int64_t> batch_size = {};  // known when the model is built; none: any
  // Data and callers may leave the input out, callers where it is among the last: all its elements
  // are this number then. Unknown axes take their sizes from the same axes of the first input.
  std::optional<double> default_value = {};
  // For integers: a value outside of [0, values_below) is an InvalidArgument of fit, evaluate and
  // predict that names it, found on the host before the step runs.
  std::optional<int64_t> values_below = {};
  // For an input with a default value: what it says not to count. Fit, evaluate and predict warn
  // where data leaves it out and a row of the first input begins or ends in this value.
  std::optional<int64_t> masks = {};
  // For normalized pictures: what makes them. Fit, evaluate and predict warn where data is bytes,
  // or floats that lie as bytes do, and name it.
  std::string normalized_by = {};
};
Symbol input(InputOptions options, SourceLocation location = SourceLocation::current());

// One side of an operator: a Symbol or a number.
class SymbolOperand {
 public:
  SymbolOperand(const Symbol& symbol, SourceLocation at = SourceLocation::current())  // NOLINT
      : location(at), symbol_(symbol) {}
  SymbolOperand(double number, SourceLocation at = SourceLocation::current())  // NOLINT
      : location(at), number_(number) {}
  SourceLocation location;
  const std::optional<Symbol>& symbol() const { return symbol_; }
  double number() const { return number_; }

 private:
  std::optional<Symbol> symbol_;
  double number_ = 0;
};

// At least one side is a Symbol. Broadcasting as for Tensors.
Symbol operator+(const Symbol& a, SymbolOperand b);
Symbol operator-(const Symbol& a, SymbolOperand b);
Symbol operator*(const Symbol& a, SymbolOperand b);
Symbol operator/(const Symbol& a, SymbolOperand b);
Symbol operator+(double a, const Symbol& b);
Symbol operator-(double a, const Symbol& b);
Symbol operator*(double a, const Symbol& b);
Symbol operator/(double a, const Symbol& b);
Symbol operator-(const Symbol& a);

}  // namespace systolic::inline v0
