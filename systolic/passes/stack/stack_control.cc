// Branches and loops. Where all cores agree the op stays; where they may not, every branch is
// computed and selected from, and a loop runs until the last core is done.
#include "systolic/base/error.h"
#include "systolic/ir/core_groups.h"
#include "systolic/ir/region.h"
#include "systolic/passes/stack/stacker.h"

namespace systolic::inline v0 {
namespace passes {

using ir::Block;
using ir::Op;
using ir::OpCode;
using ir::Value;
using Values = std::vector<Value>;

namespace {

// A collective over all cores is refused here already, one over groups where a run finds that they
// are apart.
void check_together(const Stacker& s, const Op& op, const Block& region) {
  const Op* collective = nullptr;
  ir::for_each_op(region, [&](const Op& inner) {
    if (ir::info(inner.code).family == ir::OpFamily::collective && collective == nullptr &&
        inner.code != OpCode::collective_permute && ir::is_whole_group(inner, s.cores())) {
      collective = &inner;
    }
  });
  if (collective == nullptr) return;
  raise<InvalidArgument>(
      {.what = str("cores diverge at ", ir::info(collective->code).name, ": the condition of the ",
                   ir::info(op.code).name, " around it differs between cores"),
       .wanted = "every core to reach each collective over all cores",
       .hint = "make the condition the same on all cores, for example by all_reduce of it",
       .location = collective->location.known() ? collective->location : op.location});
}

// `condition` [cores] over the axes of x [cores, ...].
Value select_by_core(Value condition, Value on_true, Value on_false) {
  return select(broadcast_in_dim(condition, on_true.shape(), {0}), on_true, on_false);
}

Value both(std::optional<Value> mask, Value condition) {
  return mask ? ir::binary(OpCode::and_, *mask, condition) : condition;
}

// Restores the mask of cores that take part.
class MaskScope {
 public:
  MaskScope(Stacker& s, Value mask) : s_(s), previous_(s.mask) { s.mask = mask; }
  ~MaskScope() { s_.mask = previous_; }
  MaskScope(const MaskScope&) = delete;
  MaskScope& operator=(const MaskScope&) = delete;

 private:
  Stacker& s_;
  std::optional<Value> previous_;
};

// Results of a converted region, placed as the op's results are.
Values placed_results(Stacker& s, const Block& region, const Op& op) {
  Values values;
  for (size_t i = 0; i < op.results.size(); ++i) {
    values.push_back(s.stacked(op.results[i]) ? s.get_stacked(region.results[i])
                                              : s.get(region.results[i]));
  }
  return values;
}

void branches_together(Stacker& s, const Op& op) {
  std::vector<Block> regions;
  for (const Block& region : op.regions) {
    regions.push_back(s.builder().region({}, [&](std::span<const Value>) {
      s.convert(region);
      return placed_results(s, region, op);
    }));
  }
  const Values operands{s.get(op.operands[0])};
  const Values results = s.builder().append(op.code, operands, {}, std::move(regions));
  for (size_t i = 0; i < results.size(); ++i) {
    s.set(op.results[i], results[i], s.stacked(op.results[i]));
  }
}

// Which cores take branch i: of if, the true one is the first; of case, the last takes what is out
// of range.
Value takes_branch(const Op& op, Value choice, size_t branch) {
  if (op.code == OpCode::if_) return branch == 0 ? choice : ir::unary(OpCode::not_, choice);
  const auto last = static_cast<double>(op.regions.size() - 1);
  const auto i = static_cast<double>(branch);
  if (i < last) return compare(choice, i, ir::Direction::eq);
  return ir::binary(OpCode::or_, compare(choice, 0, ir::Direction::lt),
                    compare(choice, last, ir::Direction::ge));
}

void branches_apart(Stacker& s, const Op& op) {
  const Value choice = s.get(op.operands[0]);
  Values chosen;
  for (size_t branch = op.regions.size(); branch-- > 0;) {
    const Block& region = op.regions[branch];
    check_together(s, op, region);
    const Value taken = takes_branch(op, choice, branch);
    const MaskScope scope(s, both(s.mask, taken));
    s.convert(region);
    const Values results = s.get_all_stacked(region.results);
    if (chosen.empty()) {
      chosen = results;
      continue;
    }
    for (size_t i = 0; i < results.size(); ++i) {
      chosen[i] = select_by_core(taken, results[i], chosen[i]);
    }
  }
  for (size_t i = 0; i < chosen.size(); ++i) s.set(op.results[i], chosen[i], true);
}

}  // namespace

void stack_branches(Stacker& s, const Op& op) {
  if (s.stacked(op.operands[0])) return branches_apart(s, op);
  branches_together(s, op);
}

// A call with side effects is made only for the cores that come to its place.
void stack_custom_call(Stacker& s, const Op& op) {
  if (!s.mask || !ir::has_side_effect(op)) return s.unroll(op);
  s.unroll(op, [&](int64_t core) {
    const Value takes_part = ir::reshape(row(*s.mask, core), {});
    std::vector<Block> regions;
    regions.push_back(
        s.builder().region({}, [&](std::span<const Value>) { return s.on_core(op, core); }));
    regions.push_back(s.builder().region({}, [&](std::span<const Value>) {
      Values nothing;  // which is selected away
      for (ir::ValueId result : op.results) {
        const ir::Type& type = s.source_type(result);
        nothing.push_back(s.builder().filled(type.dtype, type.shape, 0));
      }
      return nothing;
    }));
    return s.builder().append(OpCode::if_, {&takes_part, 1}, {}, std::move(regions));
  });
}

namespace {

std::vector<ir::Type> state_types(Stacker& s, const Op& op) {
  std::vector<ir::Type> types;
  for (ir::ValueId result : op.results) {
    const ir::Type& type = s.source_type(result);
    types.push_back(s.stacked(result) ? s.with_cores(type) : type);
  }
  return types;
}

void bind(Stacker& s, const Block& region, const Op& op, std::span<const Value> state) {
  for (size_t i = 0; i < state.size(); ++i) {
    s.set(region.arguments[i], state[i], s.stacked(op.results[i]));
  }
}

// The condition of every core, computed at the builder's place: [cores].
Value cores_that_go_on(Stacker& s, const Op& op, std::span<const Value> state) {
  bind(s, op.regions[0], op, state);
  s.convert(op.regions[0]);
  return both(s.mask, s.get_stacked(op.regions[0].results[0]));
}

Values masked_turn(Stacker& s, const Op& op, std::span<const Value> state) {
  const Value running = cores_that_go_on(s, op, state);
  const MaskScope scope(s, running);
  // Those that have left do not come to the collectives of the next condition.
  ir::for_each_op(op.regions[0], [&](const Op& inner) {
    if (ir::info(inner.code).family == ir::OpFamily::collective) stack_coming_together(s, inner);
  });
  bind(s, op.regions[1], op, state);
  s.convert(op.regions[1]);
  Values next = s.get_all_stacked(op.regions[1].results);
  for (size_t i = 0; i < next.size(); ++i) next[i] = select_by_core(running, next[i], state[i]);
  return next;
}

}  // namespace

void stack_while(Stacker& s, const Op& op) {
  const bool apart = s.analysis().diverges(op);
  if (apart) {
    check_together(s, op, op.regions[0]);
    check_together(s, op, op.regions[1]);
  }
  const std::vector<ir::Type> types = state_types(s, op);
  std::vector<Block> regions;
  regions.push_back(s.builder().region(types, [&](std::span<const Value> state) {
    if (apart) return Values{reduce(cores_that_go_on(s, op, state), OpCode::or_, {0})};
    bind(s, op.regions[0], op, state);
    s.convert(op.regions[0]);
    return Values{s.get(op.regions[0].results[0])};
  }));
  regions.push_back(s.builder().region(types, [&](std::span<const Value> state) {
    if (apart) return masked_turn(s, op, state);
    bind(s, op.regions[1], op, state);
    s.convert(op.regions[1]);
    return placed_results(s, op.regions[1], op);
  }));
  Values initial;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    initial.push_back(s.stacked(op.results[i]) ? s.get_stacked(op.operands[i])
                                               : s.get(op.operands[i]));
  }
  const Values results = s.builder().append(OpCode::while_, initial, {}, std::move(regions));
  for (size_t i = 0; i < results.size(); ++i) {
    s.set(op.results[i], results[i], s.stacked(op.results[i]));
  }
}

}  // namespace passes
}  // namespace systolic::inline v0
