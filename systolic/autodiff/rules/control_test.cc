#include <gtest/gtest.h>

#include "systolic/autodiff/numeric_gradient.h"
#include "systolic/autodiff/rules/formula.h"
#include "systolic/base/error.h"
#include "systolic/core/test_literals.h"

namespace systolic {
namespace {

using namespace autodiff;
using ir::Builder;
using ir::Direction;
using ir::OpCode;
using ir::Value;
using ir::ValueId;
using Values = std::span<const Value>;
using Results = std::vector<Value>;

Value integer(Value like, int32_t number) {
  return like.builder().constant(Literal::scalar(number));
}

// Runs body(trip, carried) `trips` times; returns what was carried last.
Results repeat(int32_t trips, Results carried, const std::function<Results(Value, Values)>& body) {
  carried.insert(carried.begin(), integer(carried[0], 0));
  Results results = while_loop(
      carried, [&](Values s) { return less(s[0], integer(s[0], trips)); },
      [&](Values s) {
        Results next = body(s[0], s.subspan(1));
        next.insert(next.begin(), s[0] + 1.0);
        return next;
      });
  results.erase(results.begin());
  return results;
}

TEST(ControlGradient, If) {
  const std::vector<Literal> inputs{random_array({3}, 1), random_array({3}, 2)};
  for (bool way : {false, true}) {
    expect_gradients("if", inputs, [&](Values x) {
      const Value predicate = x[0].builder().constant(Literal::scalar(way));
      return if_else(
          predicate, [&]() -> Results { return {x[0] * x[1]}; },
          [&]() -> Results { return {sin(x[0])}; })[0];
    });
    expect_gradients("a value handed through", inputs, [&](Values x) {
      const Value predicate = x[0].builder().constant(Literal::scalar(way));
      const Results y = if_else(
          predicate,
          [&]() -> Results {
            return {x[0], x[1] * x[0]};
          },
          [&]() -> Results {
            return {x[1], x[1]};
          });
      return y[0] * y[1];
    });
  }
}

TEST(ControlGradient, CaseWhoseBranchDependsOnValues) {
  for (int32_t index : {0, 1, 2, 7, -1}) {
    expect_gradients(str("branch ", index), std::vector<Literal>{random_array({2, 2}, 1)},
                     [&](Values x) {
                       const std::vector<std::function<Results()>> branches{
                           [&]() -> Results { return {dot(x[0], x[0])}; },
                           [&]() -> Results { return {exp(x[0])}; },
                           [&]() -> Results { return {zeros_like(x[0])}; }};
                       return switch_case(integer(x[0], index), branches)[0];
                     });
  }
}

TEST(ControlGradient, OnlySomeResultsOfABranchCount) {
  expect_gradients("one of two", std::vector<Literal>{random_array({3}, 1)}, [](Values x) {
    const Value predicate = x[0].builder().constant(Literal::scalar(true));
    const auto branch = [&]() -> Results {
      return {x[0] * x[0], x[0].builder().constant(Literal::scalar(int32_t{3}))};
    };
    return if_else(predicate, branch, branch)[0];
  });
}

TEST(ControlGradient, BarrierLetsGradientsThrough) {
  expect_gradients("barrier", std::vector<Literal>{random_array({3}, 1), random_array({2}, 2)},
                   [](Values x) {
                     const Results held = optimization_barrier(Results{sin(x[0]), x[1]});
                     return held[0] * held[0];
                   });
}

TEST(ControlGradient, WhileThatCountsUp) {
  const std::vector<Literal> inputs{random_array({3}, 1), random_array({3}, 2)};
  for (int32_t trips : {0, 1, 2, 5}) {
    expect_gradients(str(trips, " trips"), inputs, [&](Values x) {
      return repeat(trips, {x[0]},
                    [&](Value, Values s) -> Results { return {sin(s[0]) * x[1] + s[0]}; })[0];
    });
  }
}

TEST(ControlGradient, WhileWithSeveralCarriedValues) {
  const std::vector<Literal> inputs{random_array({2}, 1), random_array({2}, 2),
                                    random_array({2}, 3)};
  expect_gradients("crossed", inputs, [](Values x) {
    const Results last = repeat(4, {x[0], x[1], x[2]}, [](Value, Values s) -> Results {
      return {s[1] * s[0], s[0] + s[2], s[2]};
    });
    return last[0] + last[1] * last[2];
  });
  expect_gradients("a result nobody uses", inputs, [](Values x) {
    return repeat(3, {x[0], x[1]}, [&](Value, Values s) -> Results {
      return {s[0] * x[2], s[1] * s[0]};
    })[0];
  });
}

// As a recurrent layer runs: reads row t of the input, keeps a state, writes row t of the output.
TEST(ControlGradient, WhileOverRows) {
  const std::vector<Literal> inputs{random_array({4, 2}, 1), random_array({2, 2}, 2),
                                    random_array({1, 2}, 3)};
  expect_gradients("recurrent", inputs, [](Values x) {
    return repeat(4, {x[2], zeros_like(x[0])}, [&](Value t, Values s) -> Results {
      const Results at{t, integer(t, 0)};
      const Value row = dynamic_slice(x[0], at, {1, 2});
      const Value state = unary(OpCode::tanh, dot(s[0], x[1]) + row);
      return {state, dynamic_update_slice(s[1], state, at)};
    })[1];
  });
}

int count_of(const ir::Block& block, OpCode code) {
  int count = 0;
  for (const ir::Op& op : block.ops) {
    count += op.code == code ? 1 : 0;
    for (const ir::Block& region : op.regions) count += count_of(region, code);
  }
  return count;
}

// The way back has the gradients of state and weights; tanh is computed again, of the product that
// was recorded. A product that sums few numbers is multiplied again.
TEST(ControlGradient, ProductsOfAWhileAreRecorded) {
  for (const auto& [size, products] : {std::pair<int64_t, int>{64, 2}, {4, 3}}) {
    const std::vector<Literal> inputs{random_array({1, size}, 1), random_array({size, size}, 2)};
    const ir::Module module = build_module(inputs, [](Values x) -> Results {
      const Value y = repeat(3, {x[0]}, [&](Value, Values s) -> Results {
        return {unary(OpCode::tanh, dot(s[0], x[1]))};
      })[0];
      const ValueId output = y.id();
      const std::vector<ValueId> sources{x[0].id(), x[1].id()};
      Builder& builder = y.builder();
      const auto found = gradient(builder, {.outputs = {&output, 1}, .sources = sources});
      return {builder.value(found[0]), builder.value(found[1])};
    });
    const auto& ops = module.main().body.ops;
    const auto way_back = std::find_if(ops.rbegin(), ops.rend(),
                                       [](const ir::Op& op) { return op.code == OpCode::while_; });
    EXPECT_EQ(count_of(way_back->regions[1], OpCode::dot_general), products) << size;
  }
}

TEST(ControlGradient, WhileUsesItsCounter) {
  expect_gradients("counter", std::vector<Literal>{random_array({3}, 1)}, [](Values x) {
    const Value step = integer(x[0], -2);
    const Results last = while_loop(
        Results{x[0], integer(x[0], 9)},
        [](Values s) { return compare(integer(s[1], 2), s[1], Direction::le); },
        [&](Values s) -> Results {
          const Value number = broadcast_to(convert(s[1], DType::f64), {3});
          return {s[0] * number * s[0] * 0.1, s[1] + step};
        });
    return last[0];
  });
}

// The limit carried through the loop unchanged, as JAX writes its loops.
TEST(ControlGradient, WhileWithACarriedLimit) {
  expect_gradients("limit", std::vector<Literal>{random_array({3}, 1)}, [](Values x) {
    return while_loop(
        Results{integer(x[0], 1), integer(x[0], 4), x[0]},
        [](Values s) { return compare(s[0], s[1], Direction::ne); },
        [](Values s) -> Results {
          return {1.0 + s[0], s[1], s[2] * s[2]};
        })[2];
  });
}

// max_iterations beside a condition on the values.
TEST(ControlGradient, WhileWithABound) {
  for (double start : {0.2, 1.5, 20.0}) {
    expect_gradients(str("from ", start), std::vector<Literal>{Literal::scalar(start)},
                     [](Values x) {
                       return while_loop(
                           Results{integer(x[0], 0), x[0]},
                           [](Values s) {
                             return binary(OpCode::and_, less(s[0], integer(s[0], 6)),
                                           compare(s[1], 10.0, Direction::lt));
                           },
                           [](Values s) -> Results {
                             return {s[0] + 1.0, s[1] * s[1] + s[1]};
                           })[1];
                     },
                     {.tolerance = 1e-5, .step = 1e-6});
  }
}

TEST(ControlGradient, WhileInAWhile) {
  expect_gradients("nested", std::vector<Literal>{random_array({2}, 1), random_array({2}, 2)},
                   [](Values x) {
                     return repeat(3, {x[0]}, [&](Value, Values outer) -> Results {
                       return repeat(2, {outer[0]}, [&](Value, Values inner) -> Results {
                         return {sin(inner[0] * x[1]) + outer[0]};
                       });
                     })[0];
                   });
}

TEST(ControlGradient, SecondDerivativeOfAWhile) {
  expect_gradients("second", std::vector<Literal>{random_array({2}, 1)}, [](Values x) {
    const Value y =
        repeat(3, {x[0]}, [](Value, Values s) -> Results { return {sin(s[0]) * s[0]}; })[0];
    return gradient_of(y, x[0]);
  });
}

TEST(ControlGradient, WhileWithoutABoundIsAnErrorThatSaysWhatToDo) {
  const auto program = [](Values x) {
    x[0].builder().location = {"train.cc", 12};
    return while_loop(
        Results{x[0]}, [](Values s) { return compare(s[0], 10.0, Direction::lt); },
        [](Values s) -> Results { return {s[0] * s[0]}; })[0];
  };
  try {
    gradients_of(std::vector<Literal>{Literal::scalar(2.0)}, program);
    FAIL() << "no error";
  } catch (const Unimplemented& error) {
    EXPECT_NE(std::string(error.what()).find("max_iterations"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("train.cc:12"), std::string::npos) << error.what();
  }
}

TEST(ControlGradient, StoppedInsideALoop) {
  const std::vector<Literal> inputs{Literal::scalar(2.0)};
  const ir::Module module = build_module(inputs, [](Values x) -> Results {
    std::vector<ValueId> stopped;
    const Value y = repeat(2, {x[0]}, [&](Value, Values s) -> Results {
      const Value held = optimization_barrier(Results{s[0]})[0];
      stopped.push_back(held.id());
      return {s[0] * held};
    })[0];
    const ValueId output = y.id(), source = x[0].id();
    Builder& builder = y.builder();
    return {builder.value(gradient(
        builder, {.outputs = {&output, 1}, .sources = {&source, 1}, .stopped = &stopped})[0])};
  });
  // x1 = x held(x), x2 = x1 held(x1): dx2/dx = held(x1) held(x) = 4 * 2.
  EXPECT_EQ(numbers(run(module, inputs)[0]), (std::vector<double>{8}));
}

TEST(ControlGradient, Call) {
  const std::vector<Literal> inputs{random_array({3}, 1), random_array({3}, 2)};
  for (bool same : {false, true}) {
    ir::Module module;
    module.functions.resize(2);
    ir::Function& callee = module.functions[1];
    callee.name = "product";
    Builder inner(callee);
    const Value a = inner.argument({DType::f64, {3}}), b = inner.argument({DType::f64, {3}});
    inner.result(sin(a) * b);
    Builder builder(module.main(), &module);
    const Value x = builder.argument({DType::f64, {3}}), y = builder.argument({DType::f64, {3}});
    const Value called =
        builder.append_one(OpCode::call, {x, same ? x : y}, ir::CallAttributes{"product"});
    const std::vector<ValueId> outputs{called.id()}, sources{x.id(), y.id()};
    const auto found = gradient(builder, {.outputs = outputs, .sources = sources});
    // The same without the call.
    const Value by_hand = sin(x) * (same ? x : y);
    const std::vector<ValueId> direct{by_hand.id()};
    const auto wanted = gradient(builder, {.outputs = direct, .sources = sources});
    EXPECT_EQ(found[1] == ir::no_value, same);
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(found[i] == ir::no_value, wanted[i] == ir::no_value);
      if (found[i] == ir::no_value) continue;
      builder.result(builder.value(found[i]));
      builder.result(builder.value(wanted[i]));
    }
    const std::vector<Literal> results = run(module, inputs);
    for (size_t i = 0; i + 1 < results.size(); i += 2) EXPECT_EQ(results[i], results[i + 1]);
  }
}

}  // namespace
}  // namespace systolic
