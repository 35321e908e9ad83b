#include <gtest/gtest.h>

#include "tests/backends/compare.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::OpCode;
using ir::Value;

const ir::Type scalar{DType::i32, {}};

TEST(Control, WhileCarriesInPlace) {
  expect_same(
      make_module([](Builder& b) {
        const Value n = b.argument(scalar, {.name = "n"});
        const Value x = b.argument({DType::f32, {5}}, {.name = "x", .aliases_result = 1});
        const Value initial[] = {n * 0.0, x};
        for (Value v : ir::while_loop(
                 initial,
                 [](std::span<const Value> v) { return ir::compare(v[0], 4, ir::Direction::lt); },
                 [](std::span<const Value> v) {
                   return std::vector<Value>{v[0] + 1.0, v[1] * 0.5 + 1.0};
                 })) {
          b.result(v);
        }
      }),
      8, "while");
}

// (a, b) -> (b, a + b): each reads what the other overwrites.
TEST(Control, WhileExchanges) {
  expect_same(
      make_module([](Builder& b) {
        const Value initial[] = {b.filled(DType::i32, {}, 0), b.filled(DType::i32, {3}, 0),
                                 b.argument({DType::i32, {3}}), b.argument({DType::i32, {3}})};
        for (Value v : ir::while_loop(
                 initial,
                 [](std::span<const Value> v) { return ir::compare(v[0], 7, ir::Direction::lt); },
                 [](std::span<const Value> v) {
                   return std::vector<Value>{v[0] + 1.0, v[2], v[3], v[2] + v[3]};
                 })) {
          b.result(v);
        }
      }),
      1, "fibonacci");
}

// Reads the old value after the new one exists.
TEST(Control, WhileKeepsOldValues) {
  expect_same(
      make_module([](Builder& b) {
        const Value captured = b.argument({DType::f32, {4}});
        const Value initial[] = {b.filled(DType::i32, {}, 0), b.argument({DType::f32, {4}}),
                                 b.filled(DType::f32, {4}, 1)};
        for (Value v : ir::while_loop(
                 initial,
                 [](std::span<const Value> v) { return ir::compare(v[0], 3, ir::Direction::lt); },
                 [&](std::span<const Value> v) {
                   const Value next = v[1] * captured;
                   const Value sum = ir::reduce_sum(next, {0});
                   const Value both = v[1] - ir::broadcast_to(sum, {4});
                   return std::vector<Value>{v[0] + 1.0, next, both};
                 })) {
          b.result(v);
        }
      }),
      32, "old values", {-0.9, 0.9});
}

// One row a turn: K steps over K stacked batches, which are read where they lie if they are arrays
// of whole cache lines.
TEST(Control, WhileSlicesAndStores) {
  for (int64_t rows : {3, 4, 16})
    expect_same(
        make_module([&](Builder& b) {
          const Value batches = b.argument({DType::f32, {6, rows, 4}});
          const Value w = b.argument({DType::f32, {4, 2}});
          const Value initial[] = {b.filled(DType::i32, {}, 0), w, b.filled(DType::f32, {6}, 0)};
          const auto results = ir::while_loop(
              initial,
              [](std::span<const Value> v) { return ir::compare(v[0], 6, ir::Direction::lt); },
              [&](std::span<const Value> v) {
                const Value zero = v[0] * 0.0;
                const Value starts[] = {v[0], zero, zero};
                const Value x =
                    ir::reshape(ir::dynamic_slice(batches, starts, {1, rows, 4}), {rows, 4});
                const Value y = ir::dot(x, v[1]);
                const Value gradient = ir::dot(ir::transpose(x, {1, 0}), y);
                const Value loss = ir::reduce_sum(y * y, {0, 1});
                const Value at[] = {v[0]};
                const Value losses = ir::dynamic_update_slice(v[2], ir::reshape(loss, {1}), at);
                return std::vector<Value>{v[0] + 1.0, v[1] - gradient * 0.01, losses};
              });
          for (Value v : results) b.result(v);
        }),
        64, "steps", {-1, 1});
}

// Branches of cheap ops alone are both computed, and what is chosen is chosen element by element;
// one dear op keeps them apart.
Value dear_or_not(Value x, bool dear) { return dear ? ir::unary(OpCode::exponential, x) : x; }

TEST(Control, Branches) {
  for (const int way : {0, 1, 2, 3}) {
    const bool taken = way % 2 == 1, dear = way > 1;
    const ir::Module module = make_module([dear](Builder& b) {
      const Value p = b.argument({DType::pred, {}}), x = b.argument({DType::f32, {3}});
      const Value y = ir::transpose(b.argument({DType::f32, {2, 3}}), {1, 0});
      const auto results = ir::if_else(
          p,
          [&] {
            return std::vector<Value>{dear_or_not(x + x, dear), ir::reshape(y, {6})};
          },
          [&] {
            return std::vector<Value>{x, ir::reshape(y * 2.0, {6})};
          });
      b.result(results[0] * 3.0);
      b.result(results[1]);
      b.result(ir::reshape(y, {6}));
    });
    expect_same(module,
                {Literal::scalar(taken), random_literal(DType::f32, {3}, 1),
                 random_literal(DType::f32, {2, 3}, 2)},
                4, str("if ", way));
  }
  for (int32_t index : {-1, 0, 1, 2, 3}) {
    const ir::Module module = make_module([](Builder& b) {
      const Value i = b.argument(scalar), x = b.argument({DType::f32, {3}});
      const std::function<std::vector<Value>()> branches[] = {
          [&] { return std::vector<Value>{x * 2.0}; }, [&] { return std::vector<Value>{x}; },
          [&] { return std::vector<Value>{x - 1.0}; }};
      b.result(ir::switch_case(i, branches)[0]);
    });
    expect_same(module, {Literal::scalar(index), random_literal(DType::f32, {3}, 1)}, 4, "case");
  }
}

// y = p ? max(x, 0) : -x; where(x > 0, x, 7): what a branch computed is not read after it.
TEST(Control, AMaximumInABranchStaysThere) {
  for (const bool dear : {false, true}) {
    const ir::Module module = make_module([dear](Builder& b) {
      const ir::Type type{DType::f32, {64}};
      const Value predicate = b.argument({DType::pred, {}}), x = b.argument(type);
      const Value zero = b.filled(DType::f32, {64}, 0);
      b.result(ir::if_else(
          predicate, [&] { return std::vector<Value>{ir::binary(OpCode::maximum, x, zero)}; },
          [&] { return std::vector<Value>{dear_or_not(-x, dear)}; })[0]);
      b.result(
          ir::select(ir::compare(x, zero, ir::Direction::gt), x, b.filled(DType::f32, {64}, 7)));
    });
    for (const bool predicate : {true, false}) {
      expect_same(module, {Literal::scalar(predicate), random_literal(DType::f32, {64}, 3)}, 8,
                  str(predicate ? "taken" : "not taken", dear ? ", dear" : ""));
    }
  }
}

// As an optimizer that updates after several batches: values, their state and sums stay or change
// in place, and what one branch exchanges the other does not; branches stand in branches.
TEST(Control, BranchesOfUpdatesInPlace) {
  for (const int way : {0, 1, 2, 3, 4, 5, 6, 7}) {
    const bool outer = way % 2 == 1, inner = way / 2 % 2 == 1, dear = way > 3;
    const ir::Type type{DType::f32, {3, 50}};
    const ir::Module module = make_module([&](Builder& b) {
      const Value p = b.argument({DType::pred, {}}), q = b.argument({DType::pred, {}});
      const Value rate = b.argument({DType::f32, {}}), gradient = b.argument(type);
      const Value w = b.argument(type, {.aliases_result = 0}),
                  sum = b.argument(type, {.aliases_result = 1}),
                  other = b.argument(type, {.aliases_result = 2});
      const Value total = sum + gradient;
      for (Value v : ir::if_else(
               p,
               [&] {
                 const Value step = ir::broadcast_to(rate * 0.5, type.shape);
                 const Value kept = ir::if_else(
                     q, [&] { return std::vector<Value>{w / (total * total + 1.0)}; },
                     [&] { return std::vector<Value>{dear_or_not(w, dear)}; })[0];
                 return std::vector<Value>{kept - step * total, other, w};
               },
               [&] {
                 return std::vector<Value>{w, total, other};
               })) {
        b.result(v);
      }
    });
    expect_same(
        module,
        {Literal::scalar(outer), Literal::scalar(inner), Literal::scalar(0.25f),
         random_literal(DType::f32, type.shape, 1), random_literal(DType::f32, type.shape, 2),
         random_literal(DType::f32, type.shape, 3), random_literal(DType::f32, type.shape, 4)},
        8, str("way ", way));
  }
}

TEST(Control, Barrier) {
  expect_same(make_module([](Builder& b) {
                const Value values[] = {b.argument({DType::f32, {3}}), b.argument(scalar)};
                for (Value v : ir::optimization_barrier(values)) b.result(v + v);
              }),
              1, "barrier");
}

}  // namespace
}  // namespace systolic
