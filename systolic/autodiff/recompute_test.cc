// Ops that are computed again for their gradient: the same gradients, and nothing kept but what
// they read.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "systolic/autodiff/gradient.h"
#include "systolic/autodiff/numeric_gradient.h"
#include "systolic/base/error.h"
#include "systolic/ir/clone.h"
#include "systolic/ir/infer/verify.h"

namespace systolic {
namespace {

using autodiff::gradient;
using autodiff::GradientRequest;
using autodiff::random_array;
using ir::Builder;
using ir::no_value;
using ir::Op;
using ir::OpCode;
using ir::Value;
using ir::ValueId;

// A function of x and w, f64 [3, 3], parts of which are marked.
struct MarkedProgram {
  ir::Module module;
  Builder builder;
  Value x, w;
  std::vector<GradientRequest::Interval> marks;
  std::vector<ValueId> stopped, sources;

  MarkedProgram() : module(one_function()), builder(module.main(), &module) {
    x = builder.argument({DType::f64, {3, 3}});
    w = builder.argument({DType::f64, {3, 3}});
    sources = {x.id(), w.id()};
  }
  static ir::Module one_function() {
    ir::Module module;
    module.functions.emplace_back();
    return module;
  }
  const std::vector<Op>& ops() const { return module.main().body.ops; }

  Value again(const std::function<Value()>& part) {
    const size_t begin = ops().size();
    const Value result = part();
    marks.push_back({begin, ops().size()});
    return result;
  }
  Value block(Value y) { return unary(OpCode::tanh, dot(unary(OpCode::sine, dot(y, w)), w)) + y; }
  // y, past which no gradient flows.
  Value held(Value y) {
    const Value copy = builder.append_one(OpCode::reshape, {y}, {}, {}, {y.type()});
    stopped.push_back(copy.id());
    return copy;
  }
  Value loop(Value y, int trips) {
    const Value start[] = {builder.filled(DType::i32, {}, 0), y};
    return while_loop(
        start, [&](std::span<const Value> s) { return compare(s[0], trips, ir::Direction::lt); },
        [&](std::span<const Value> s) {
          return std::vector<Value>{s[0] + 1.0, unary(OpCode::sine, s[1]) * w};
        })[1];
  }
  Value branch(Value y) {
    const Value predicate = builder.constant(Literal::scalar(true));
    return if_else(
        predicate, [&] { return std::vector<Value>{unary(OpCode::sine, y) * w}; },
        [&] { return std::vector<Value>{y}; })[0];
  }
};

struct RecomputeRow {
  const char* what;
  std::function<Value(MarkedProgram&)> build;
  int barriers = 1;
};

const RecomputeRow recompute_rows[] = {
    {"one block", [](MarkedProgram& p) { return p.again([&] { return p.block(p.x); }) * p.x; }},
    {"a block after another",
     [](MarkedProgram& p) {
       const Value y = p.again([&] { return p.block(p.x); });
       return p.again([&] { return p.block(y); });
     },
     2},
    {"blocks in a block",
     [](MarkedProgram& p) {
       return p.again([&] {
         const Value y = p.again([&] { return p.block(p.x); });
         return p.again([&] { return p.block(y * 2.0); }) * y;
       });
     },
     3},
    {"the same ops marked twice",
     [](MarkedProgram& p) {
       return p.again([&] { return p.again([&] { return p.block(p.x); }); });
     }},
    {"a loop", [](MarkedProgram& p) { return p.again([&] { return p.loop(p.block(p.x), 3); }); }},
    {"a branch", [](MarkedProgram& p) { return p.again([&] { return p.branch(p.block(p.x)); }); }},
    {"values at which gradients stop",
     [](MarkedProgram& p) {
       return p.again([&] {
         const Value y = p.block(p.x);
         return y * p.held(unary(OpCode::sine, y)) + p.held(p.x) * p.x;
       });
     }},
    {"a source in a block",
     [](MarkedProgram& p) {
       return p.again([&] {
         const Value y = p.block(p.x);
         p.sources.push_back(y.id());
         return p.block(y);
       });
     }},
    {"nothing that depends on a source",
     [](MarkedProgram& p) {
       const Value other = p.builder.filled(DType::f64, {3, 3}, 0.5);
       return p.again([&] { return unary(OpCode::sine, other); }) * p.x;
     },
     0},
    {"no op at all", [](MarkedProgram& p) { return p.again([&] { return p.x; }) * p.w; }, 0},
};

// What each row's ops compute, read by the others of the forward pass; of the rest of it the
// gradient must read nothing.
void expect_nothing_kept(const MarkedProgram& program, size_t forward, const char* what) {
  const auto outermost = std::max_element(
      program.marks.begin(), program.marks.end(),
      [](const auto& a, const auto& b) { return a.end - a.begin < b.end - b.begin; });
  std::set<ValueId> inside(program.sources.begin(), program.sources.end()), outside;
  for (size_t i = 0; i < program.ops().size(); ++i) {
    const bool is_marked = outermost->begin <= i && i < outermost->end;
    const Op& op = program.ops()[i];
    if (is_marked) {
      const bool is_constant = op.code == OpCode::constant;
      if (!is_constant) inside.insert(op.results.begin(), op.results.end());
      continue;
    }
    for (const ValueId value : ir::values_read(op)) {
      if (i < forward) outside.insert(value);
      const bool kept = i >= forward && inside.contains(value) && !outside.contains(value) &&
                        value != program.x.id() && value != program.w.id();
      EXPECT_FALSE(kept) << what << ": op " << i << " reads value " << value;
    }
  }
}

// The gradients of the elements' sum, in the row's program, which has them appended.
std::vector<Literal> gradients_in(MarkedProgram& program, Value output, bool marked) {
  const ValueId outputs[] = {output.id()};
  GradientRequest request{
      .outputs = outputs, .sources = program.sources, .stopped = &program.stopped};
  if (marked) request.recomputed = program.marks;
  for (const ValueId id : gradient(program.builder, request)) {
    program.builder.result(id == no_value ? program.builder.filled(DType::f64, {3, 3}, 0)
                                          : program.builder.value(id));
  }
  ir::verify(program.module);
  const std::vector<Literal> inputs{random_array({3, 3}, 1), random_array({3, 3}, 2)};
  return autodiff::run(program.module, inputs);
}

TEST(Recompute, GradientsAreTheSameAndNothingIsKept) {
  for (const RecomputeRow& row : recompute_rows) {
    MarkedProgram program, plain;
    const Value output = row.build(program);
    const size_t forward = program.ops().size();
    const std::vector<Literal> got = gradients_in(program, output, true);
    EXPECT_EQ(got, gradients_in(plain, row.build(plain), false)) << row.what;
    const auto barriers =
        std::count_if(program.ops().begin(), program.ops().end(),
                      [](const Op& op) { return op.code == OpCode::optimization_barrier; });
    EXPECT_EQ(barriers, row.barriers) << row.what;
    if (row.barriers > 0) expect_nothing_kept(program, forward, row.what);
  }
}

// The copies are ops like others to a gradient of the gradient.
std::vector<Literal> second_gradients(bool marked) {
  MarkedProgram program;
  const Value y = program.again(
      [&] { return program.block(program.x) * program.held(program.block(program.w)); });
  ValueId output = y.id();
  GradientRequest request{
      .outputs = {&output, 1}, .sources = program.sources, .stopped = &program.stopped};
  if (marked) request.recomputed = program.marks;
  output = gradient(program.builder, request)[0];
  for (const ValueId id : gradient(program.builder, request))
    program.builder.result(program.builder.value(id));
  const std::vector<Literal> inputs{random_array({3, 3}, 1), random_array({3, 3}, 2)};
  return autodiff::run(program.module, inputs);
}

TEST(Recompute, GradientsOfGradientsAreTheSame) {
  const std::vector<Literal> got = second_gradients(true), wanted = second_gradients(false);
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) {
    for (int64_t k = 0; k < got[i].size(); ++k)
      EXPECT_NEAR(got[i].number_at(k), wanted[i].number_at(k), 1e-12);  // sums in other orders
  }
}

// What was not recorded is constant: the block is no whole one.
TEST(Recompute, ABlockThatWasPausedIsKept) {
  MarkedProgram program;
  const Value first = unary(OpCode::sine, program.x);
  const size_t pause = program.ops().size();
  const Value second = first * program.x;
  program.marks.push_back({0, program.ops().size()});
  const ValueId outputs[] = {second.id()};
  const GradientRequest::Interval recorded[] = {{pause, program.ops().size()}};
  const auto found = gradient(program.builder, {.outputs = outputs,
                                                .sources = program.sources,
                                                .intervals = recorded,
                                                .recomputed = program.marks});
  EXPECT_NE(found[0], no_value);
  const auto barriers = std::count_if(program.ops().begin(), program.ops().end(), [](const Op& op) {
    return op.code == OpCode::optimization_barrier;
  });
  EXPECT_EQ(barriers, 0);
}

// Values that are kept are read by the copies: those that a loop carries, whose first op is changed
// later.
TEST(Recompute, CopiesReadWhatIsKept) {
  MarkedProgram program;
  ValueId entry = no_value;
  const Value y = program.again([&] {
    const Value copy = program.held(program.w);
    entry = copy.id();
    return program.block(program.x) * copy;
  });
  program.sources = {program.x.id(), entry};
  const ValueId outputs[] = {y.id()}, kept[] = {entry};
  const std::vector<ValueId> found = gradient(program.builder, {.outputs = outputs,
                                                                .sources = program.sources,
                                                                .stopped = &program.stopped,
                                                                .recomputed = program.marks,
                                                                .kept = kept});
  EXPECT_NE(found[0], no_value);
  EXPECT_NE(found[1], no_value);
  for (const Op& op : program.ops()) {
    const bool is_copy = op.code == OpCode::reshape && op.results[0] != entry;
    EXPECT_FALSE(is_copy);
  }
}

}  // namespace
}  // namespace systolic
