#include "systolic/nn/layers/recurrent/recurrence.h"

#include "systolic/base/error.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/layer_state.h"
#include "systolic/nn/same_rank.h"
#include "systolic/trace/indexing.h"
#include "systolic/trace/ops/control_flow.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/ops/slice_update.h"

namespace systolic::inline v0 {
namespace {

// The first two axes exchanged: [batch, steps, ...] and back.
Tensor steps_first(const Tensor& x) {
  std::vector<int> order;
  for (int axis = 0; axis < x.rank(); ++axis) order.push_back(axis);
  std::swap(order[0], order[1]);
  return transpose(x, order);
}

void check_state(const Tensor& state, size_t number, const Shape& wanted) {
  if (state.shape() == wanted) return;
  raise<InvalidArgument>({.what = str("first state ", number, " has shape ", state.shape()),
                          .wanted = str("shape ", wanted)});
}

// The states of all cells, in order: those that were given, those that a stateful layer keeps, or
// 0.
class FirstStates {
 public:
  FirstStates(std::vector<Tensor> given, const RecurrenceOptions& options, CallContext& context)
      : given_(std::move(given)), options_(options), context_(context) {}

  std::vector<Tensor> take(const std::vector<Shape>& shapes, DType dtype) {
    std::vector<Tensor> states;
    for (const Shape& shape : shapes) states.push_back(next(shape, dtype));
    return states;
  }
  void check_all_taken() const {
    if (given_.empty() || taken_ == given_.size()) return;
    raise<InvalidArgument>({.what = str("called with ", given_.size(), " first states"),
                            .wanted = str(taken_, " after the sequence, or none")});
  }
  const std::vector<Variable>& kept() const { return kept_; }

 private:
  Tensor next(const Shape& shape, DType dtype) {
    const size_t number = taken_++;
    // The batch is not known where only types are wanted.
    if (options_.stateful && !context_.infers_shapes()) keep(number, shape);
    if (number < given_.size()) {
      check_state(given_[number], number, shape);
      return given_[number];
    }
    if (!given_.empty()) check_all_taken();
    return kept_.empty() ? zeros(shape, dtype) : cast(kept_.back().value(), dtype);
  }
  void keep(size_t number, const Shape& shape) {
    const std::string name = number == 0 ? "rnn_state" : str("rnn_state_", number);
    kept_.push_back(context_.add_weight(name, shape, {.initializer = "zeros", .trainable = false}));
  }

  std::vector<Tensor> given_;
  const RecurrenceOptions& options_;
  CallContext& context_;
  size_t taken_ = 0;
  std::vector<Variable> kept_;
};

// A loop over the steps that carries what it needs to.
class Recurrence {
 public:
  Recurrence(RecurrentSteps steps, std::optional<Tensor> mask, std::vector<Tensor> states,
             const RecurrenceOptions& options)
      : steps_(std::move(steps)),
        mask_(std::move(mask)),
        options_(options),
        count_(steps_.inputs.shape()[0]),
        states_(std::move(states)) {
    // What a step gives, to know its type; nothing reads its values.
    const Tensor like = steps_.step(steps_.inputs[{0}], states_).at(0);
    last_ = zeros_like(like);
    if (options_.return_sequences)
      all_ = zeros(like.shape().with_inserted(0, count_), like.dtype());
  }

  void run() {
    if (options_.unroll) {
      Tensors state = packed();
      for (int64_t i = 0; i < count_; ++i)
        state = round(Tensor(Literal::scalar(static_cast<int32_t>(i))), state);
      return unpack(state);
    }
    unpack(for_range(count_, packed(),
                     [&](const Tensor& i, const Tensors& state) { return round(i, state); }));
  }

  const Tensor& last() const { return last_; }
  const Tensor& all() const { return *all_; }  // [steps, batch, ...]
  const std::vector<Tensor>& states() const { return states_; }

 private:
  Tensors packed() const {
    Tensors state = states_;
    state.push_back(last_);
    if (all_) state.push_back(*all_);
    return state;
  }
  void unpack(const Tensors& state) {
    std::copy(state.begin(), state.begin() + static_cast<std::ptrdiff_t>(states_.size()),
              states_.begin());
    last_ = state[states_.size()];
    if (all_) all_ = state.back();
  }

  Tensors round(const Tensor& i, const Tensors& state) const {
    const Tensor at = options_.go_backwards ? (count_ - 1) - i : i;
    const Tensors before(state.begin(),
                         state.begin() + static_cast<std::ptrdiff_t>(states_.size()));
    Tensors next = steps_.step(steps_.inputs[{at}], before);
    const Tensor& last = state[states_.size()];
    Tensor y = next.at(0);
    next.erase(next.begin());
    check_new_states(next);
    if (mask_) {
      const Tensor real = (*mask_)[{at}];
      y = where(with_axes(real, y.rank()), y, options_.zero_output_for_mask ? zeros_like(y) : last);
      for (size_t k = 0; k < next.size(); ++k)
        next[k] = where(with_axes(real, next[k].rank()), next[k], before[k]);
    }
    next.push_back(y);
    if (all_) {
      std::vector<Operand> starts(static_cast<size_t>(all_->rank()), Operand(0));
      starts[0] = i;
      next.push_back(slice_update(state.back(), starts, expand_dims(y, 0)));
    }
    return next;
  }

  void check_new_states(const Tensors& next) const {
    if (next.size() == states_.size()) return;
    raise<InvalidArgument>({.what = str("the cell's step gives ", next.size(), " states"),
                            .wanted = str(states_.size(), ", as its state_shapes say")});
  }

  RecurrentSteps steps_;
  std::optional<Tensor> mask_;  // [steps, batch]
  const RecurrenceOptions& options_;
  int64_t count_;
  std::vector<Tensor> states_;
  Tensor last_;
  std::optional<Tensor> all_;  // [steps, batch, ...]
};

// All cells, each over what the one before gave. Gives the last one's output, then all last states.
std::vector<Tensor> run_cells(const RecurrentCell& cell, const Tensor& x, FirstStates& first,
                              const RecurrenceOptions& options, CallContext& context) {
  std::optional<Tensor> mask = context.step_mask(x);
  if (mask) mask = transpose(*mask);
  const std::vector<NamedCell> cells = cells_in(cell, snake_case(cell.kind()));
  Tensor sequence = steps_first(x);
  std::vector<Tensor> results{x};
  for (size_t i = 0; i < cells.size(); ++i) {
    const bool is_last = i + 1 == cells.size();
    RecurrenceOptions own = options;
    own.return_sequences = options.return_sequences || !is_last;
    own.go_backwards = options.go_backwards && i == 0;  // later ones get the steps in that order
    if (options.go_backwards && i == 1 && mask) mask = flip(*mask, {0});
    CellContext inner(context, cells[i].name);
    const RecurrentSteps steps = cells[i].cell.over(sequence, inner);
    std::vector<Shape> shapes =
        cells[i].cell.state_shapes(sequence.shape().slice(2, sequence.rank()));
    for (Shape& shape : shapes) shape = shape.with_inserted(0, x.shape()[0]);
    Recurrence recurrence(steps, mask, first.take(shapes, x.dtype()), own);
    recurrence.run();
    if (own.return_sequences) sequence = recurrence.all();
    results[0] = own.return_sequences ? sequence : recurrence.last();
    results.insert(results.end(), recurrence.states().begin(), recurrence.states().end());
  }
  if (options.return_sequences) results[0] = steps_first(results[0]);
  return results;
}

}  // namespace

std::vector<Tensor> run_recurrence(const RecurrentCell& cell, const std::vector<Tensor>& xs,
                                   const RecurrenceOptions& options, CallContext& context) {
  check_inputs(xs, 1);
  const Tensor& x = xs.front();
  check_min_rank(x, 3, "[batch, steps, ..., features]");
  if (x.shape()[1] < 1) {
    raise<InvalidArgument>(
        {.what = str("a sequence of 0 steps ", x.shape()), .wanted = "one step or more"});
  }
  FirstStates first({xs.begin() + 1, xs.end()}, options, context);
  std::vector<Tensor> results = run_cells(cell, x, first, options, context);
  first.check_all_taken();
  for (size_t i = 0; i < first.kept().size(); ++i) {
    const Variable& kept = first.kept()[i];
    kept.assign(cast(stop_gradient(results[i + 1]), kept.dtype()));
  }
  if (options.return_sequences) context.set_step_mask(results[0], context.step_mask(x));
  if (!options.activity_regularizer.is_none()) {
    context.add_loss(
        mean_over_examples(options.activity_regularizer, results[0], context.sample_mask()));
  }
  if (!options.return_state) results.resize(1);
  return results;
}

void reset_states(const Layer& layer) {
  for (const LayerState::Weight& weight : layer.state()->weights) {
    if (weight.name.rfind("rnn_state", 0) != 0) continue;
    weight.variable.set(Literal::filled(weight.variable.dtype(), weight.variable.shape(), 0));
  }
  for (const LayerState::Child& child : layer.state()->children) reset_states(child.layer);
}

}  // namespace systolic::inline v0
