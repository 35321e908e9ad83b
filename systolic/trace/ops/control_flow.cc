#include "systolic/trace/ops/control_flow.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/trace/feed.h"
#include "systolic/trace/operand.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/trace.h"

namespace systolic::inline v0 {
namespace {

using VariablePtr = std::shared_ptr<VariableState>;

std::vector<ir::Value> values_of(const Tensors& tensors, At at) {
  std::vector<ir::Value> values;
  for (const Tensor& tensor : tensors) values.push_back(Trace::current().value_of(tensor, at));
  return values;
}

Tensors wrap_all(std::span<const ir::Value> values) {
  Tensors tensors;
  for (ir::Value value : values) tensors.push_back(wrap(value));
  return tensors;
}

const VariableSlot* find_slot(const Trace::RegionResult& region, const VariablePtr& variable) {
  for (const auto& slot : region.slots) {
    if (slot->variable == variable) return slot.get();
  }
  return nullptr;
}

void add_assigned(const Trace::RegionResult& region, std::vector<VariablePtr>& variables) {
  for (const auto& slot : region.slots) {
    if (!slot->assigned) continue;
    if (std::find(variables.begin(), variables.end(), slot->variable) == variables.end()) {
      variables.push_back(slot->variable);
    }
  }
}

void check_scalar_pred(const Tensor& predicate, std::string_view name, At at) {
  if (predicate.dtype() == DType::pred && predicate.rank() == 0) return;
  raise<InvalidArgument>(
      {.what = str("the condition of ", name, " is ", to_string(predicate.dtype()), " of shape ",
                   predicate.shape()),
       .wanted = "a pred scalar",
       .hint = "compare and fold first: any(x > 0)",
       .location = at});
}

// Makes a loop region take a variable as an argument: the copy that its first read made
// (Trace::copy_of) now copies the argument.
void carry(Trace& trace, Trace::RegionResult& region, const VariablePtr& variable) {
  const ir::ValueId argument = trace.function().new_value(variable->type);
  region.block.arguments.push_back(argument);
  const VariableSlot* slot = find_slot(region, variable);
  if (slot == nullptr) return;
  for (ir::Op& op : region.block.ops) {
    if (!op.results.empty() && op.results.front() == slot->entry) op.operands.front() = argument;
  }
}

}  // namespace

Tensors cond(const Tensor& predicate, const std::function<Tensors()>& on_true,
             const std::function<Tensors()>& on_false, At at) {
  check_scalar_pred(predicate, "cond", at);
  Trace& trace = Trace::current();
  trace.at(at);
  std::vector<Trace::RegionResult> regions;
  for (const auto* branch : {&on_true, &on_false}) {
    regions.push_back(
        trace.region({}, [&](std::span<const ir::Value>) { return values_of((*branch)(), at); }));
  }
  const size_t count = regions[0].block.results.size();
  if (regions[1].block.results.size() != count) {
    raise<InvalidArgument>({.what = str("the branches of cond return ", count, " and ",
                                        regions[1].block.results.size(), " Tensors"),
                            .wanted = "as many from both",
                            .location = at});
  }
  std::vector<VariablePtr> variables;
  for (const auto& region : regions) add_assigned(region, variables);
  for (auto& region : regions) {
    for (const VariablePtr& variable : variables) {
      const VariableSlot* slot = find_slot(region, variable);
      region.block.results.push_back(slot != nullptr ? slot->current
                                                     : trace.current_value(variable, at).id());
    }
  }
  std::vector<ir::Block> blocks;
  for (auto& region : regions) blocks.push_back(std::move(region.block));
  const ir::Value condition[] = {trace.value_of(predicate, at)};
  trace.at(at);
  const auto results = trace.builder().append(ir::OpCode::if_, condition, {}, std::move(blocks));
  for (size_t i = 0; i < variables.size(); ++i)
    trace.set_after_region(variables[i], results[count + i]);
  return wrap_all(std::span(results).first(count));
}

Tensor cond(const Tensor& predicate, const std::function<Tensor()>& on_true,
            const std::function<Tensor()>& on_false, At at) {
  return cond(
             predicate, [&] { return Tensors{on_true()}; }, [&] { return Tensors{on_false()}; }, at)
      .front();
}

namespace {

// A loop's body gives its state back with the types that it began with.
void check_next_state(const std::vector<ir::Value>& next, const std::vector<ir::Type>& types,
                      At at) {
  for (size_t i = 0; i < types.size(); ++i) {
    if (i < next.size() && next[i].type() == types[i]) continue;
    raise<InvalidArgument>(
        {.what = str("the body of while_loop returns ",
                     i < next.size() ? to_string(next[i].type()) : std::string("nothing"),
                     " for state ", i),
         .wanted = str(to_string(types[i]), " as at the start: shapes in a loop cannot change"),
         .location = at});
  }
}

Tensors unbounded_loop(const Tensors& initial,
                       const std::function<Tensor(const Tensors&)>& condition,
                       const std::function<Tensors(const Tensors&)>& body, At at) {
  Trace& trace = Trace::current();
  trace.at(at);
  std::vector<ir::Value> operands = values_of(initial, at);
  std::vector<ir::Type> types;
  for (ir::Value operand : operands) types.push_back(operand.type());

  Trace::RegionResult test = trace.region(types, [&](std::span<const ir::Value> state) {
    const Tensor go_on = condition(wrap_all(state));
    check_scalar_pred(go_on, "while_loop", at);
    return values_of({go_on}, at);
  });
  Trace::RegionResult step = trace.region(types, [&](std::span<const ir::Value> state) {
    std::vector<ir::Value> next = values_of(body(wrap_all(state)), at);
    check_next_state(next, types, at);
    return next;
  });
  std::vector<VariablePtr> variables;
  add_assigned(step, variables);
  for (const VariablePtr& variable : variables) {
    const VariableSlot* slot = find_slot(step, variable);
    step.block.results.push_back(slot->current);
    carry(trace, test, variable);
    carry(trace, step, variable);
    operands.push_back(trace.current_value(variable, at));
  }
  std::vector<ir::Block> blocks;
  blocks.push_back(std::move(test.block));
  blocks.push_back(std::move(step.block));
  trace.at(at);
  const auto results = trace.builder().append(ir::OpCode::while_, operands, {}, std::move(blocks));
  for (size_t i = 0; i < variables.size(); ++i) {
    trace.set_after_region(variables[i], results[initial.size() + i]);
  }
  return wrap_all(std::span(results).first(initial.size()));
}

// A loop counts its rounds in int32, as devices do.
int32_t checked_rounds(int64_t rounds, std::string_view what, At at) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  if (rounds <= most) return static_cast<int32_t>(std::max<int64_t>(rounds, 0));
  raise<InvalidArgument>({.what = str(what, " of ", rounds, " rounds"),
                          .wanted = str("at most ", most),
                          .hint = "put a loop into a loop",
                          .location = at});
}

// A constant of the program also where it is implicit: the gradient of a loop reads off its rounds.
Tensor inlined(int32_t number, At at) {
  const auto literal = Literal::scalar(number);
  return wrap(Trace::current().at(at).constant(literal));
}

// A loop of a known number of rounds, in which the state stands still once the condition fails.
Tensors bounded_loop(const Tensors& initial, const std::function<Tensor(const Tensors&)>& condition,
                     const std::function<Tensors(const Tensors&)>& body, int64_t rounds, At at) {
  Tensors state{inlined(0, at)};
  state.insert(state.end(), initial.begin(), initial.end());
  const Tensor limit = inlined(checked_rounds(rounds, "while_loop", at), at);
  Tensors last = unbounded_loop(
      state, [&](const Tensors& now) { return now[0] < limit; },
      [&](const Tensors& now) {
        const Tensors inner(now.begin() + 1, now.end());
        const Tensor go_on = condition(inner);
        const Tensors changed = body(inner);
        Tensors next{now[0] + 1};
        for (size_t i = 0; i < inner.size(); ++i)
          next.push_back(where(go_on, changed.at(i), inner[i]));
        return next;
      },
      at);
  last.erase(last.begin());
  return last;
}

}  // namespace

Tensors while_loop(const Tensors& initial, const std::function<Tensor(const Tensors&)>& condition,
                   const std::function<Tensors(const Tensors&)>& body, WhileOptions options,
                   At at) {
  if (options.max_iterations)
    return bounded_loop(initial, condition, body, *options.max_iterations, at);
  return unbounded_loop(initial, condition, body, at);
}

void for_range(const Tensor& count, const std::function<void(const Tensor& i)>& body, At at) {
  if (!is_integer(count.dtype()) || count.rank() != 0) {
    raise<InvalidArgument>(
        {.what = str("for_range of ", to_string(count.dtype()), " of shape ", count.shape()),
         .wanted = "an integer scalar",
         .location = at});
  }
  const Tensor start(Literal::scalar<int32_t>(0).convert(count.dtype()));
  try {
    while_loop(
        {start}, [&](const Tensors& state) { return state[0] < count; },
        [&](const Tensors& state) {
          body(state[0]);
          return Tensors{state[0] + 1};
        },
        {}, at);
  } catch (const FeedInsideLoop&) {
    // The body takes batches from an iterator, which only the host can fetch: the host counts the
    // rounds.
    loop_on_host(count, body, at);
  }
}

void for_range(int64_t count, const std::function<void(const Tensor& i)>& body, At at) {
  for_range(Tensor(Literal::scalar(checked_rounds(count, "for_range", at))), body, at);
}

Tensors for_range(int64_t count, const Tensors& initial,
                  const std::function<Tensors(const Tensor& i, const Tensors& state)>& body,
                  At at) {
  Tensors state{inlined(0, at)};
  state.insert(state.end(), initial.begin(), initial.end());
  const Tensor limit = inlined(checked_rounds(count, "for_range", at), at);
  Tensors last = unbounded_loop(
      state, [&](const Tensors& now) { return now[0] < limit; },
      [&](const Tensors& now) {
        Tensors next = body(now[0], Tensors(now.begin() + 1, now.end()));
        next.insert(next.begin(), now[0] + 1);
        return next;
      },
      at);
  last.erase(last.begin());
  return last;
}

}  // namespace systolic::inline v0
