// The gradient of while: a loop that runs backwards over what the forward loop held.
//
// The loop is run once more to record, for each trip, those carried values that the way back needs
// (stacked along a new first axis, so that a bound on the trips must be known); then a second loop
// goes from the last trip to the first, computes the body again from the recorded values, and
// differentiates it. Values that the loop carries unchanged, and its counter, are not recorded.
// Products and convolutions of the body are: to compute one again takes longer than to read it.
#include <algorithm>

#include "systolic/autodiff/clone_live.h"
#include "systolic/autodiff/rules/control.h"
#include "systolic/autodiff/rules/formula.h"
#include "systolic/ir/clone.h"

namespace systolic::inline v0 {
namespace autodiff {

using ir::Axes;
using ir::Block;
using ir::Builder;
using ir::no_value;
using ir::Op;
using ir::OpCode;
using ir::Type;
using ir::Value;
using ir::ValueId;

namespace {

using Values = std::vector<Value>;

class LoopGradient {
 public:
  LoopGradient(GradientRule& r, const LoopBound& bound)
      : rule_(r),
        walk_(r.walk()),
        builder_(r.builder()),
        op_(r.op()),
        condition_(op_.regions[0]),
        body_(op_.regions[1]),
        bound_(bound) {
    choose_carried();
    choose_captured();
    choose_products();
  }

  void run() {
    if (carried_.empty()) return;
    build_backward_body();
    record();
    hand_out(run_backwards());
  }

 private:
  size_t width() const { return body_.arguments.size(); }
  bool unchanged(size_t k) const { return body_.results[k] == body_.arguments[k]; }
  Value counter(double number) { return builder_.filled(DType::i32, Shape{}, number); }

  std::vector<ValueId> results_of(std::span<const size_t> carried) const {
    std::vector<ValueId> values;
    for (size_t k : carried) values.push_back(body_.results[k]);
    return values;
  }

  // Adds to `chosen` every argument of the body that the chosen ones depend on over the trips.
  std::vector<bool> closed_over_trips(std::vector<bool> chosen) const {
    for (bool changed = true; changed;) {
      changed = false;
      std::vector<ValueId> wanted;
      for (size_t k = 0; k < width(); ++k) {
        if (chosen[k]) wanted.push_back(body_.results[k]);
      }
      const std::vector<bool> more = needed(body_, wanted, body_.arguments);
      for (size_t k = 0; k < width(); ++k) {
        if (!more[k] || chosen[k]) continue;
        chosen[k] = changed = true;
      }
    }
    return chosen;
  }

  // Marks the arguments of the body that depend on a source, in some trip.
  void mark_varied() {
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t k = 0; k < width(); ++k) {
        const ValueId argument = body_.arguments[k];
        if (walk_.varied(argument) || !is_differentiable(builder_.type(argument).dtype)) continue;
        if (!walk_.varied(op_.operands[k]) && !walk_.varied(body_.results[k])) continue;
        walk_.mark_varied(argument);
        changed = true;
      }
      for (const Op& op : body_.ops) walk_.spread(op);
      for (size_t k = 0; k < width(); ++k) {
        changed = changed || (walk_.varied(body_.results[k]) && !walk_.varied(body_.arguments[k]));
      }
    }
  }

  // The carried values through which gradients flow: they depend on a source and lead to an output.
  void choose_carried() {
    mark_varied();
    std::vector<bool> leads(width());
    for (size_t k = 0; k < width(); ++k) leads[k] = rule_.has_g(k);
    leads = closed_over_trips(leads);
    for (size_t k = 0; k < width(); ++k) {
      if (leads[k] && walk_.varied(body_.arguments[k])) carried_.push_back(k);
    }
  }

  void choose_captured() {
    const std::vector<ValueId> read = ir::values_read(op_);
    const std::vector<bool> used = needed(body_, results_of(carried_), read);
    for (size_t i = 0; i < read.size(); ++i) {
      if (used[i] && walk_.varied(read[i])) captured_.push_back(read[i]);
    }
  }

  // Products of which each element is a sum of so many that to read it takes less time. Only where
  // the number of trips is known, since a bound on it may be far above it.
  void choose_products() {
    constexpr int64_t least_summed = 32;
    if (!bound_.exact) return;
    for (const Op& op : body_.ops) {
      if (summed_by(op) >= least_summed) products_.push_back(op.results[0]);
    }
  }

  // How many numbers each element of a product is the sum of; 0 of what is no product.
  int64_t summed_by(const Op& op) const {
    if (op.code != OpCode::dot_general && op.code != OpCode::convolution) return 0;
    const Shape& right = builder_.type(op.operands[1]).shape;
    if (op.code == OpCode::convolution) {
      const auto& attributes = op.get<ir::ConvolutionAttributes>();
      const int64_t made = right[static_cast<int>(attributes.kernel_output_feature_dimension)];
      return made == 0 ? 0 : right.elements() / made;
    }
    int64_t count = 1;
    for (int64_t axis : op.get<ir::DotAttributes>().rhs_contracting_dimensions) {
      count *= right[static_cast<int>(axis)];
    }
    return count;
  }

  // Reads `to` in place of `from` in the block and the regions of its ops.
  static void replace(Block& block, ValueId from, ValueId to) {
    for (Op& op : block.ops) {
      std::replace(op.operands.begin(), op.operands.end(), from, to);
      for (Block& region : op.regions) replace(region, from, to);
    }
    std::replace(block.results.begin(), block.results.end(), from, to);
  }

  // One trip backwards. Arguments: the gradients of what the trip returned, the sums so far for
  // captured values, what the body's arguments were, its products. Results: the gradients of what
  // the trip took, the new sums.
  void build_backward_body() {
    std::vector<Type> types;
    for (size_t k : carried_) types.push_back(builder_.type(body_.arguments[k]));
    for (ValueId value : captured_) types.push_back(builder_.type(value));
    for (ValueId argument : body_.arguments) types.push_back(builder_.type(argument));
    for (ValueId product : products_) types.push_back(builder_.type(product));
    const size_t flowing = carried_.size() + captured_.size();
    backward_ = builder_.region(types, [&](std::span<const Value> arguments) {
      const auto held = arguments.subspan(flowing, width());
      std::vector<ValueId> outputs, arriving, sources, wanted = results_of(carried_);
      wanted.insert(wanted.end(), products_.begin(), products_.end());
      for (Value value : clone_live(walk_, body_, held, wanted)) outputs.push_back(value.id());
      const std::vector<ValueId> computed(outputs.begin() + static_cast<ptrdiff_t>(carried_.size()),
                                          outputs.end());
      outputs.resize(carried_.size());
      for (size_t k : carried_) sources.push_back(held[k].id());
      for (ValueId value : captured_) {
        outputs.push_back(value);
        sources.push_back(value);
      }
      for (size_t i = 0; i < flowing; ++i) arriving.push_back(arguments[i].id());
      const std::vector<ValueId> gradients = gradient(builder_, {.outputs = outputs,
                                                                 .output_gradients = arriving,
                                                                 .sources = sources,
                                                                 .stopped = walk_.stopped()});
      Values results;
      for (size_t i = 0; i < flowing; ++i) {
        results.push_back(gradients[i] == no_value ? zeros_like(builder_.value(sources[i]))
                                                   : builder_.value(gradients[i]));
      }
      for (size_t i = 0; i < products_.size(); ++i) {
        replace(builder_.block(), computed[i], arguments[flowing + width() + i].id());
      }
      return results;
    });
    const std::vector<bool> used = needed(backward_, backward_.results, backward_.arguments);
    const auto held_begin = used.begin() + static_cast<std::ptrdiff_t>(flowing);
    const auto held_end = held_begin + static_cast<std::ptrdiff_t>(width());
    held_.assign(held_begin, held_end);
    held_products_.assign(held_end, used.end());
    for (size_t k = 0; k < width(); ++k) {
      if (held_[k] && !unchanged(k) && k != bound_.counter) stacked_.push_back(k);
    }
  }

  // Which of the loop's values it carries when it runs again: those that are stacked, those that
  // its condition reads, and what these are made of.
  std::vector<bool> carried_again() {
    std::vector<bool> keep(width(), false);
    for (size_t k : stacked_) keep[k] = true;
    const std::vector<bool> multiplied = needed(body_, recorded_products(), body_.arguments);
    for (size_t k = 0; k < width(); ++k) keep[k] = keep[k] || multiplied[k];
    if (!bound_.exact) {
      const std::vector<bool> tested = needed(condition_, condition_.results, condition_.arguments);
      for (size_t k = 0; k < width(); ++k) keep[k] = keep[k] || tested[k];
    }
    return closed_over_trips(keep);
  }

  std::vector<ValueId> recorded_products() const {
    std::vector<ValueId> recorded;
    for (size_t i = 0; i < products_.size(); ++i) {
      if (held_products_[i]) recorded.push_back(products_[i]);
    }
    return recorded;
  }

  // A stack with a row for each trip, zeros for now.
  Value empty_stack(const Type& type) {
    return builder_.filled(type.dtype, type.shape.with_inserted(0, bound_.trips), 0);
  }

  // Runs the loop again as far as the stacked values need it. Carries: the trip, what is kept, the
  // stacks.
  void record() {
    trips_ = counter(static_cast<double>(bound_.trips));
    const std::vector<ValueId> products = recorded_products();
    if (bound_.exact && stacked_.empty() && products.empty()) return;
    const std::vector<bool> keep = carried_again();
    std::vector<size_t> kept;
    Values initial{counter(0)};
    for (size_t k = 0; k < width(); ++k) {
      if (!keep[k]) continue;
      kept.push_back(k);
      initial.push_back(rule_.x(k));
    }
    for (size_t k : stacked_) {
      initial.push_back(empty_stack(Type(builder_.type(body_.arguments[k]))));
    }
    for (ValueId product : products) initial.push_back(empty_stack(Type(builder_.type(product))));
    // The values carried, at the places of the loop's own arguments.
    const auto placed = [&](std::span<const Value> state) {
      Values arguments(width());
      for (size_t i = 0; i < kept.size(); ++i) arguments[kept[i]] = state[1 + i];
      return arguments;
    };
    const Values results = while_loop(
        initial,
        [&](std::span<const Value> state) {
          if (bound_.exact) return less(state[0], counter(static_cast<double>(bound_.trips)));
          return clone_live(walk_, condition_, placed(state), condition_.results)[0];
        },
        [&](std::span<const Value> state) {
          const Values arguments = placed(state);
          std::vector<ValueId> wanted = results_of(kept);
          wanted.insert(wanted.end(), products.begin(), products.end());
          Values next = clone_live(walk_, body_, arguments, wanted);
          Values rows;
          for (size_t k : stacked_) rows.push_back(arguments[k]);
          rows.insert(rows.end(), next.begin() + static_cast<ptrdiff_t>(kept.size()), next.end());
          next.resize(kept.size());
          next.insert(next.begin(), state[0] + 1.0);
          for (size_t i = 0; i < rows.size(); ++i) {
            next.push_back(put(state[1 + kept.size() + i], rows[i], state[0]));
          }
          return next;
        });
    if (!bound_.exact) trips_ = results[0];
    stacks_.assign(results.begin() + 1 + static_cast<std::ptrdiff_t>(kept.size()), results.end());
  }

  Values starts(Value trip, int rank) {
    Values at(static_cast<size_t>(rank), counter(0));
    at[0] = trip;
    return at;
  }
  Value put(Value stack, Value value, Value trip) {
    const Shape row = value.shape().with_inserted(0, 1);
    return dynamic_update_slice(stack, reshape(value, row), starts(trip, row.rank()));
  }
  Value take(Value stack, Value trip) {
    Axes sizes = stack.shape().to_vector();
    sizes[0] = 1;
    const Shape shape = stack.shape().without(0);
    return reshape(dynamic_slice(stack, starts(trip, stack.rank()), sizes), shape);
  }

  // What the body's arguments and its products were at a trip; those that are not needed stay
  // empty.
  Values held_at(Value trip) {
    Values values(width());
    for (size_t k = 0; k < width(); ++k) {
      if (!held_[k]) continue;
      if (unchanged(k)) {
        values[k] = rule_.x(k);
      } else if (k == bound_.counter) {
        const Value count = convert(trip, builder_.type(body_.arguments[k]).dtype);
        values[k] = count * static_cast<double>(bound_.step) + static_cast<double>(bound_.start);
      } else {
        const auto place = std::find(stacked_.begin(), stacked_.end(), k) - stacked_.begin();
        values[k] = take(stacks_[static_cast<size_t>(place)], trip);
      }
    }
    size_t next = stacked_.size();
    for (bool held : held_products_) {
      values.push_back(held ? take(stacks_[next++], trip) : Value());
    }
    return values;
  }

  // Carries: trips done, the gradients of carried values, the sums for captured values.
  Values run_backwards() {
    Values initial{counter(0)};
    for (size_t k : carried_) {
      initial.push_back(rule_.has_g(k) ? rule_.g(k) : zeros_like(rule_.x(k)));
    }
    for (ValueId value : captured_) initial.push_back(zeros_like(builder_.value(value)));
    Values results = while_loop(
        initial,
        [&](std::span<const Value> state) {
          const Value bounded = less(state[0], counter(static_cast<double>(bound_.trips)));
          if (bound_.exact) return bounded;
          return binary(OpCode::and_, bounded, less(state[0], trips_));
        },
        [&](std::span<const Value> state) {
          const Value trip = (trips_ - 1.0) - state[0];
          Values arguments(state.begin() + 1, state.end());
          const Values held = held_at(trip);
          arguments.insert(arguments.end(), held.begin(), held.end());
          Values next = clone_live(walk_, backward_, arguments, backward_.results);
          next.insert(next.begin(), state[0] + 1.0);
          return next;
        });
    results.erase(results.begin());
    return results;
  }

  void hand_out(const Values& gradients) {
    for (size_t i = 0; i < carried_.size(); ++i) rule_.grad(carried_[i], gradients[i]);
    for (size_t i = 0; i < captured_.size(); ++i) {
      walk_.accumulate(captured_[i], gradients[carried_.size() + i]);
    }
  }

  GradientRule& rule_;
  Walk& walk_;
  Builder& builder_;
  const Op op_;
  const Block &condition_, &body_;
  const LoopBound bound_;
  std::vector<size_t> carried_;      // carried values through which gradients flow
  std::vector<ValueId> captured_;    // outside values of the body that get gradients
  Block backward_;                   // one trip backwards
  std::vector<bool> held_;           // carried values that it needs
  std::vector<size_t> stacked_;      // those of them that must be recorded
  std::vector<ValueId> products_;    // of the body, that are dear to compute again
  std::vector<bool> held_products_;  // which of them a trip backwards needs
  Values stacks_;
  Value trips_;  // how many there were
};

}  // namespace

void differentiate_while(GradientRule& r) {
  const std::optional<LoopBound> bound = loop_bound(r);
  if (!bound) {
    r.none("how often it runs is not known when the program is built",
           "give while_loop a max_iterations, or count with a constant start, step and limit");
  }
  if (bound->trips > 0) return LoopGradient(r, *bound).run();
  for (size_t k = 0; k < r.operands(); ++k) {
    if (r.has_g(k)) r.grad(k, r.g(k));
  }
}

}  // namespace autodiff
}  // namespace systolic::inline v0
