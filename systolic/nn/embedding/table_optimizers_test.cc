// The optimizers of embedding tables: of a table that is looked up, a step moves the rows that it
// used, each once. Against loops over rows in double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "systolic/base/test_errors.h"
#include "systolic/nn/embedding/optimizers.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/variable_state.h"

namespace systolic {
namespace {

namespace embedding = tpu::experimental::embedding;

constexpr int64_t table_height = 6, vector_size = 3;

double start_of(int64_t i) { return static_cast<double>(i * 5 % 18) / 10 - 0.7; }

Variable new_table() {
  Literal start(DType::f32, {table_height, vector_size});
  for (int64_t i = 0; i < start.size(); ++i)
    start.mutable_data<float>()[static_cast<size_t>(i)] = static_cast<float>(start_of(i));
  return Variable(DType::f32, start.shape(), [start] { return start; }, {.name = "table"});
}

const std::vector<std::vector<int32_t>>& looked_up() {
  static const std::vector<std::vector<int32_t>> all{{1, 4, 4, 4}, {4, 0, 0, 5}, {1, 1, 1, 5}};
  return all;
}

// The loss is the sum of squares of what is looked up: the gradient of a row that is used n times
// is 2 n times the row.
void train_on(const Optimizer& optimizer, const Variable& table, const std::vector<int32_t>& ids) {
  GradientTape tape;
  const Tensor loss = sum(square(gather(table.value(), Tensor(Literal::from(ids, {4})))));
  optimizer.apply_gradients({tape.gradient(loss, table)}, {table});
}

// What an element remembers, and how one update moves it: from the gradient, the value and t.
struct Slots {
  double a = 0, b = 0;
};
using Update = std::function<double(double g, double w, Slots& slots, int t)>;

std::vector<double> by_rows(const Update& update, double first_slot, double gradient_limit) {
  std::vector<double> w;
  std::vector<Slots> slots(table_height * vector_size, Slots{first_slot, 0});
  for (int64_t i = 0; i < table_height * vector_size; ++i)
    w.push_back(static_cast<float>(start_of(i)));
  for (int t = 1; t <= static_cast<int>(looked_up().size()); ++t) {
    std::map<int64_t, int> uses;
    for (const int32_t id : looked_up()[static_cast<size_t>(t - 1)]) ++uses[id];
    for (const auto& [row, count] : uses) {
      for (int64_t k = 0; k < vector_size; ++k) {
        const auto i = static_cast<size_t>(row * vector_size + k);
        const double g = std::clamp(2 * count * w[i], -gradient_limit, gradient_limit);
        w[i] = update(g, w[i], slots[i], t);
      }
    }
  }
  return w;
}

double adam_rate(double rate, int t) {
  return rate * std::sqrt(1 - std::pow(0.999, t)) / (1 - std::pow(0.9, t));
}

Update adagrad_momentum(double momentum, bool nesterov, double exponent, double beta2) {
  return [=](double g, double w, Slots& s, int) {
    s.a = beta2 == 1 ? s.a + g * g : beta2 * s.a + (1 - beta2) * g * g;
    const double scaled = g * std::pow(s.a + 1e-10, -1 / exponent);
    s.b = momentum * s.b + scaled;
    return w - 0.1 * (nesterov ? momentum * s.b + scaled : s.b);
  };
}

// McMahan et al. 2013, section 3.1, with beta and both strengths.
Update ftrl(double power, double l1, double l2, double beta) {
  return [=](double g, double w, Slots& s, int) {
    const double next = s.a + g * g, rate = 0.1;
    const double sigma = (std::pow(next, power) - std::pow(s.a, power)) / rate;
    s.b += g - sigma * w;
    s.a = next;
    if (std::abs(s.b) <= l1) return 0.0;
    return (std::copysign(l1, s.b) - s.b) / ((std::pow(next, power) + beta) / rate + 2 * l2);
  };
}

Update adam(bool inside) {
  return [=](double g, double w, Slots& s, int t) {
    s.a = 0.9 * s.a + 0.1 * g;
    s.b = 0.999 * s.b + 0.001 * g * g;
    const double spread = inside ? std::sqrt(s.b + 1e-14) : std::sqrt(s.b) + 1e-7;
    return w - adam_rate(0.1, t) * s.a / spread;
  };
}

struct OptimizerCase {
  const char* name;
  embedding::EmbeddingOptimizer rule;
  Update update;
  double first_slot = 0, gradient_limit = 1e9;
};

std::vector<OptimizerCase> optimizer_cases() {
  const Update sgd = [](double g, double w, Slots&, int) { return w - 0.1 * g; };
  const Update adagrad = [](double g, double w, Slots& s, int) {
    s.a += g * g;
    return w - 0.1 * g / std::sqrt(s.a);
  };
  return {
      {"sgd", embedding::SGD{.learning_rate = 0.1}, sgd},
      {"limited values",
       embedding::SGD{.learning_rate = 0.1, .clip_weight_min = -0.2, .clip_weight_max = 0.4},
       [=](double g, double w, Slots& s, int t) { return std::clamp(sgd(g, w, s, t), -0.2, 0.4); }},
      {"limited gradients", embedding::SGD{.learning_rate = 0.1, .clipvalue = 0.5}, sgd, 0, 0.5},
      {"decay", embedding::SGD{.learning_rate = 0.1, .weight_decay_factor = 0.25},
       [=](double g, double w, Slots& s, int t) { return sgd(g, w - 0.25 * w, s, t); }},
      {"decay by the rate",
       embedding::SGD{.learning_rate = 0.1,
                      .weight_decay_factor = 0.25,
                      .multiply_weight_decay_factor_by_learning_rate = true},
       [=](double g, double w, Slots& s, int t) { return sgd(g, w - 0.025 * w, s, t); }},
      {"dynamic rate",
       embedding::SGD{.learning_rate = [](const Tensor& step) { return 0.1 / (step + 1); }},
       [](double g, double w, Slots&, int t) { return w - 0.1 / t * g; }},
      {"adagrad", embedding::Adagrad{.learning_rate = 0.1}, adagrad, 0.1},
      {"momentum", embedding::AdagradMomentum{.learning_rate = 0.1, .momentum = 0.8},
       adagrad_momentum(0.8, false, 2, 1)},
      {"nesterov",
       embedding::AdagradMomentum{.learning_rate = 0.1,
                                  .momentum = 0.8,
                                  .use_nesterov = true,
                                  .exponent = 3,
                                  .beta2 = 0.9},
       adagrad_momentum(0.8, true, 3, 0.9)},
      {"ftrl", embedding::FTRL{.learning_rate = 0.1}, ftrl(0.5, 0, 0, 0), 0.1},
      {"ftrl with strengths",
       embedding::FTRL{.learning_rate = 0.1,
                       .learning_rate_power = -0.7,
                       .l1_regularization_strength = 0.5,
                       .l2_regularization_strength = 0.2,
                       .beta = 0.3},
       ftrl(0.7, 0.5, 0.2, 0.3), 0.1},
      {"ftrl by the rate",
       embedding::FTRL{.learning_rate = 0.1,
                       .l1_regularization_strength = 0.5,
                       .multiply_linear_by_learning_rate = true},
       ftrl(0.5, 0.5, 0, 0), 0.1},
      {"adam", embedding::Adam{.learning_rate = 0.1}, adam(true)},
      {"adam, sum outside", embedding::Adam{.learning_rate = 0.1, .sum_inside_sqrt = false},
       adam(false)},
  };
}

TEST(TableOptimizers, MoveTheRowsOfAStepByTheirFormula) {
  for (const OptimizerCase& one : optimizer_cases()) {
    SCOPED_TRACE(one.name);
    const Variable table = new_table();
    const Optimizer optimizer = embedding::table_optimizer(one.rule);
    for (const auto& ids : looked_up()) train_on(optimizer, table, ids);
    const std::vector<double> wanted = by_rows(one.update, one.first_slot, one.gradient_limit);
    const Literal got = table.literal();
    for (int64_t i = 0; i < got.size(); ++i)
      EXPECT_NEAR(got.number_at(i), wanted[static_cast<size_t>(i)], 1e-6) << i;
    for (int64_t i = 2 * vector_size; i < 4 * vector_size; ++i)  // rows 2 and 3 are never used
      EXPECT_EQ(got.number_at(i), static_cast<float>(start_of(i))) << i;
  }
}

// A variable that has an optimizer of its own is moved by that one, whoever is given its gradient,
// and what it remembers is saved with the rest.
TEST(TableOptimizers, MoveTheirTableWhoeverIsGivenItsGradient) {
  const Variable table = new_table(), by_itself = new_table();
  const embedding::EmbeddingOptimizer rule = embedding::Adagrad{.learning_rate = 0.1};
  table.state()->own_optimizer =
      std::make_shared<const Optimizer>(embedding::table_optimizer(rule));
  const Optimizer other = "adam", own = embedding::table_optimizer(rule);
  for (const auto& ids : looked_up()) {
    train_on(other, table, ids);
    train_on(own, by_itself, ids);
  }
  EXPECT_EQ(table.literal(), by_itself.literal());
  std::vector<std::string> names;
  for (const auto& [name, variable] : other.named_variables()) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"iterations", "learning_rate", "table/iterations",
                                             "table/learning_rate", "table/accumulator"}));
}

// Read in two places, its gradient is a sum: each row still moves once.
TEST(TableOptimizers, MoveOnceARowThatSeveralFeaturesUse) {
  const auto two_reads = [](const Optimizer& optimizer, const Variable& table) {
    GradientTape tape;
    const Tensor value = table.value();
    const Tensor loss = sum(square(gather(value, Tensor(Literal::of<int32_t>({1, 4}))))) +
                        sum(square(gather(value, Tensor(Literal::of<int32_t>({{4, 4}})))));
    optimizer.apply_gradients({tape.gradient(loss, table)}, {table});
  };
  const Variable together = new_table(), apart = new_table();
  two_reads(embedding::table_optimizer(embedding::Adagrad{.learning_rate = 0.1}), apart);
  train_on(embedding::table_optimizer(embedding::Adagrad{.learning_rate = 0.1}), together,
           looked_up().front());
  EXPECT_EQ(apart.literal(), together.literal());
}

TEST(TableOptimizers, RefuseNumbersThatTheyCannotUse) {
  struct Case {
    embedding::EmbeddingOptimizer rule;
    std::vector<std::string> parts;
  };
  const Case cases[] = {
      {embedding::SGD{.use_gradient_accumulation = false},
       {"Unimplemented", "SGD: use_gradient_accumulation is false"}},
      {embedding::SGD{.clip_weight_min = 1, .clip_weight_max = -1},
       {"InvalidArgument", "clip_weight_min to clip_weight_max is 1 to -1"}},
      {embedding::Adagrad{.clipvalue = {{2, 1}}}, {"InvalidArgument", "clipvalue is 2 to 1"}},
      {embedding::AdagradMomentum{.momentum = 2}, {"InvalidArgument", "momentum is 2"}},
      {embedding::FTRL{.learning_rate_power = 1}, {"InvalidArgument", "learning_rate_power is 1"}},
      {embedding::Adam{.beta_1 = 1}, {"InvalidArgument", "beta_1 is 1"}},
      {embedding::Adam{.learning_rate = -1}, {"InvalidArgument", "learning_rate is -1"}},
  };
  for (const Case& one : cases)
    expect_parts(error_of([&] { embedding::table_optimizer(one.rule); }), one.parts);
}

}  // namespace
}  // namespace systolic
