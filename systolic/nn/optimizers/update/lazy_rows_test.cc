// Adam{.lazy_rows = true}: of a table that is looked up, a step changes the rows that it used.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "systolic/nn/optimizers/adam.h"
#include "systolic/nn/optimizers/adamw.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic {
namespace {

constexpr int64_t rows = 6, columns = 3;

Literal table_start() {
  Literal start(DType::f32, {rows, columns});
  for (size_t i = 0; i < 18; ++i) {
    start.mutable_data<float>()[i] = static_cast<float>(i * 5 % 18) / 10;
  }
  return start;
}

// The loss is the sum of squares of what is looked up, so that the gradient of a row that is used n
// times is 2 n times the row.
void train_step(const Optimizer& optimizer, const Variable& table, const Literal& ids) {
  GradientTape tape;
  const Tensor loss = sum(square(gather(table.value(), Tensor(ids))));
  optimizer.apply_gradients({tape.gradient(loss, table)}, {table});
}

Variable table_variable() {
  return Variable(DType::f32, {rows, columns}, [] { return table_start(); }, {.name = "table"});
}

const std::vector<Literal>& steps() {
  static const std::vector<Literal> all{Literal::of<int32_t>({{1, 4}, {4, 4}}),
                                        Literal::of<int32_t>({{4, 0}, {0, 5}}),
                                        Literal::of<int32_t>({{1, 1}, {1, 5}})};
  return all;
}

// Kingma and Ba's algorithm 1 for the rows that are used, in double.
std::vector<double> by_loops(double rate, double decay, double clipvalue) {
  std::vector<double> w, m(rows * columns), v(rows * columns);
  for (int64_t i = 0; i < rows * columns; ++i) w.push_back(table_start().number_at(i));
  for (size_t t = 1; t <= steps().size(); ++t) {
    std::map<int64_t, int> uses;
    for (int64_t i = 0; i < steps()[t - 1].size(); ++i) ++uses[steps()[t - 1].integer_at(i)];
    for (const auto& [row, count] : uses) {
      for (int64_t column = 0; column < columns; ++column) {
        const auto i = static_cast<size_t>(row * columns + column);
        const double g = std::min(std::max(2 * count * w[i], -clipvalue), clipvalue);
        w[i] -= w[i] * rate * decay;
        m[i] = 0.9 * m[i] + 0.1 * g;
        v[i] = 0.999 * v[i] + 0.001 * g * g;
        const double m_hat = m[i] / (1 - std::pow(0.9, t)), v_hat = v[i] / (1 - std::pow(0.999, t));
        w[i] -= rate * m_hat / (std::sqrt(v_hat) + 1e-7 / std::sqrt(1 - std::pow(0.999, t)));
      }
    }
  }
  return w;
}

TEST(LazyRows, MoveOnlyWhatAStepUsed) {
  struct Case {
    const char* name;
    Optimizer optimizer;
    double decay = 0, clipvalue = 1e9;
  };
  const Case cases[] = {
      {"adam", Adam{.learning_rate = 0.1, .lazy_rows = true}},
      {"adamw", AdamW{.learning_rate = 0.1, .weight_decay = 0.5, .lazy_rows = true}, 0.5},
      {"clipped", Adam{.learning_rate = 0.1, .clipping = {.clipvalue = 0.7}, .lazy_rows = true}, 0,
       0.7},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    const Variable table = table_variable();
    for (const Literal& ids : steps()) train_step(one.optimizer, table, ids);
    const std::vector<double> wanted = by_loops(0.1, one.decay, one.clipvalue);
    const Literal got = table.literal();
    // Updates of up to 0.1 by quotients that keep about 2^-22; three steps.
    for (int64_t i = 0; i < got.size(); ++i) {
      EXPECT_NEAR(got.number_at(i), wanted[static_cast<size_t>(i)], 2e-6) << i;
    }
    // Rows 2 and 3 are never used.
    for (int64_t i = 2 * columns; i < 4 * columns; ++i) {
      EXPECT_EQ(got.number_at(i), table_start().number_at(i)) << i;
    }
  }
}

// Where each step uses every row there is nothing to leave out.
TEST(LazyRows, AreTheDenseUpdateWhereAllRowsAreUsed) {
  const Variable lazy = table_variable(), dense = table_variable();
  const Optimizer lazily = Adam{.learning_rate = 0.05, .lazy_rows = true};
  const Optimizer densely = Adam{.learning_rate = 0.05};
  const Literal ids = Literal::of<int32_t>({5, 0, 3, 1, 2, 4, 3, 3});
  for (int step = 0; step < 4; ++step) {
    train_step(lazily, lazy, ids);
    train_step(densely, dense, ids);
  }
  for (int64_t i = 0; i < rows * columns; ++i) {
    EXPECT_NEAR(lazy.literal().number_at(i), dense.literal().number_at(i), 1e-6) << i;
  }
}

// A gradient that is more than a look-up moves all rows.
TEST(LazyRows, OfATableThatIsUsedOtherwiseAreTheDenseUpdate) {
  const auto train = [](const Optimizer& optimizer, const Variable& table) {
    for (const Literal& ids : steps()) {
      GradientTape tape;
      const Tensor value = table.value();
      const Tensor loss = sum(square(gather(value, Tensor(ids)))) + sum(value * 0.25);
      optimizer.apply_gradients({tape.gradient(loss, table)}, {table});
    }
  };
  const Variable lazy = table_variable(), dense = table_variable();
  train(Adam{.learning_rate = 0.05, .lazy_rows = true}, lazy);
  train(Adam{.learning_rate = 0.05}, dense);
  EXPECT_EQ(lazy.literal(), dense.literal());
}

}  // namespace
}  // namespace systolic
