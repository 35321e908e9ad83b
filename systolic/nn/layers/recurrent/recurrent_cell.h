// What a recurrent layer repeats for each step of a sequence: a cell. SimpleRNNCell, LSTMCell,
// GRUCell and StackedRNNCells are cells, and so is any struct with these two functions:
//
//   struct MinimalCell {
//     static constexpr const char* kind = "MinimalCell";
//     int64_t units = 8;
//
//     // The shapes of the states of one sample, for a step of one sample.
//     std::vector<Shape> state_shapes(const Shape&) const { return {{units}}; }
//
//     // What is done for all steps at once, and the step.
//     RecurrentSteps over(const Tensor& sequence, CellContext& context) const {
//       const Tensor kernel = context.weight("kernel", {sequence.shape()[-1], units});
//       const Tensor again = context.weight("recurrent_kernel", {units, units});
//       const auto step = [again](const Tensor& x, const std::vector<Tensor>& states) {
//         const Tensor y = tanh(x + matmul(states[0], again));
//         return std::vector<Tensor>{y, y};  // the output, then each new state
//       };
//       return {matmul(sequence, kernel), step};
//     }
//   };
//   Layer layer = RNN{.cell = MinimalCell{.units = 16}};
//
// `over` is called once; `step` is traced once, into a loop on the device. So `step` makes no
// weights and draws no random numbers: `over` does, and `step` captures them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "systolic/nn/call_context.h"
#include "systolic/nn/config/fields.h"

namespace systolic::inline v0 {

// What a cell makes of a sequence.
struct RecurrentSteps {
  Tensor inputs;  // [steps, batch, ...]: what `step` takes, row by row
  // x [batch, ...] and the states [batch, ...] to the output and the new states.
  std::function<std::vector<Tensor>(const Tensor& x, const std::vector<Tensor>& states)> step;
};

// What a cell may ask for. Its weights are the layer's, under the cell's name: "lstm_cell/kernel".
class CellContext {
 public:
  CellContext(CallContext& context, std::string path);
  bool training() const;
  Tensor weight(std::string_view name, const Shape& shape, WeightOptions options = {});
  Tensor random_key();

 private:
  CallContext& context_;
  std::string path_;
};

// A cell that has the shapes of its states, its steps over a sequence, and a name.
template <class Spec>
concept RecurrentCellSpec = requires(const Spec& spec, const Shape& shape, const Tensor& sequence,
                                     CellContext& context) {
  { spec.state_shapes(shape) } -> std::convertible_to<std::vector<Shape>>;
  { spec.over(sequence, context) } -> std::convertible_to<RecurrentSteps>;
  { Spec::kind } -> std::convertible_to<std::string>;
};

// Several cells, one after another (StackedRNNCells).
template <class Spec>
concept RecurrentStackSpec = requires(const Spec& spec) {
  { spec.cells.get().front().kind() } -> std::convertible_to<std::string>;
  { Spec::kind } -> std::convertible_to<std::string>;
};

// A cell of any type, or a stack of them. Empty until it is assigned.
class RecurrentCell {
 public:
  RecurrentCell() = default;
  template <class Spec>
  requires(RecurrentCellSpec<Spec> || RecurrentStackSpec<Spec>) RecurrentCell(Spec spec);  // NOLINT

  std::string kind() const { return any().kind(); }
  std::vector<Shape> state_shapes(const Shape& step) const { return any().state_shapes(step); }
  // sequence [steps, batch, ...].
  RecurrentSteps over(const Tensor& sequence, CellContext& context) const {
    return any().over(sequence, context);
  }
  // Those of a stack; none for a cell, and for a stack neither of the above holds.
  std::vector<RecurrentCell> stack() const { return any().stack(); }
  // Unimplemented for a cell without fields().
  Config config() const { return any().config(); }
  friend bool operator==(const RecurrentCell& a, const RecurrentCell& b) {
    return a.cell_ == b.cell_;
  }

 private:
  struct Any {
    virtual ~Any() = default;
    virtual std::string kind() const = 0;
    virtual std::vector<Shape> state_shapes(const Shape& step) const = 0;
    virtual RecurrentSteps over(const Tensor& sequence, CellContext& context) const = 0;
    virtual std::vector<RecurrentCell> stack() const = 0;
    virtual Config config() const = 0;
  };
  template <class Spec>
  struct Of;
  const Any& any() const;
  std::shared_ptr<const Any> cell_;
};

// The cells of a stack, or the one cell, with the names that their weights' names start with:
// kinds, numbered where one stands twice, after `outer`.
struct NamedCell {
  std::string name;
  RecurrentCell cell;
};
std::vector<NamedCell> cells_in(const RecurrentCell& cell, const std::string& outer);

Config to_config(const RecurrentCell& cell);
// A kind that is not known is a NotFound.
void from_config(const Config& config, RecurrentCell& cell);

// Makes a kind of one's own known to from_config.
void register_cell(std::string kind, RecurrentCell (*from_fields)(const Config& values));
template <class Spec>
requires HasFields<Spec> && RecurrentCellSpec<Spec>
void register_cell() {
  register_cell(Spec::kind,
                [](const Config& values) { return RecurrentCell(spec_from<Spec>(values)); });
}

namespace internal {
[[noreturn]] void raise_no_cell_config(const std::string& kind);
}  // namespace internal

template <class Spec>
struct RecurrentCell::Of : Any {
  explicit Of(Spec value) : spec(std::move(value)) {}
  std::string kind() const override { return Spec::kind; }
  std::vector<Shape> state_shapes(const Shape& step) const override {
    if constexpr (RecurrentCellSpec<Spec>) return spec.state_shapes(step);
    return {};
  }
  RecurrentSteps over(const Tensor& sequence, CellContext& context) const override {
    if constexpr (RecurrentCellSpec<Spec>) return spec.over(sequence, context);
    return {};
  }
  std::vector<RecurrentCell> stack() const override {
    if constexpr (RecurrentStackSpec<Spec>) return spec.cells;
    return {};
  }
  Config config() const override {
    if constexpr (HasFields<Spec>) return config_of(spec);
    internal::raise_no_cell_config(Spec::kind);
  }
  Spec spec;
};

template <class Spec>
requires(RecurrentCellSpec<Spec> ||
         RecurrentStackSpec<Spec>) RecurrentCell::RecurrentCell(Spec spec)
    : cell_(std::make_shared<const Of<Spec>>(std::move(spec))) {}

}  // namespace systolic::inline v0
