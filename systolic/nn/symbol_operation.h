// What operators and indexing of symbols become. Internal to nn.
#pragma once

#include <vector>

#include "systolic/nn/config/keras_form.h"
#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

// One of + - * / between two inputs, or between an input and `number`.
struct SymbolArithmetic {
  static constexpr const char* kind = "Arithmetic";
  static constexpr LayerTraits traits = {};
  std::string operation = "+";
  double number = 0;
  bool number_first = false;
  std::string name = {};
  SourceLocation location = {};

  Tensor call(const std::vector<Tensor>& xs, CallContext& context) const;
  static KerasForm keras_form() { return {.is_of_keras = false}; }  // there an operation
  template <class Self = SymbolArithmetic>
  static constexpr auto fields() {
    return std::tuple(field("operation", &Self::operation), field("number", &Self::number),
                      field("number_first", &Self::number_first), field("name", &Self::name));
  }
};

// x[...]: each index as text: "3", "1:5:2", "...", "new".
struct SymbolSlice {
  static constexpr const char* kind = "GetItem";
  static constexpr LayerTraits traits = {.moves_elements = true};
  static constexpr bool casts_inputs = false;
  std::vector<std::string> indices = {};
  std::string name = {};
  SourceLocation location = {};

  Tensor call(const Tensor& x, CallContext& context) const;
  std::optional<SeenInput> moved(const SeenInput& x) const;
  static KerasForm keras_form() { return {.is_of_keras = false}; }  // there an operation
  template <class Self = SymbolSlice>
  static constexpr auto fields() {
    return std::tuple(field("indices", &Self::indices), field("name", &Self::name));
  }
};

extern template Layer::Layer(SymbolArithmetic);
extern template Layer::Layer(SymbolSlice);

}  // namespace systolic::inline v0
