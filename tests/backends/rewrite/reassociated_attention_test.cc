// Attention of one query through the software TPU, against plain loops.
#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "backends/cpu/client.h"
#include "tests/backends/rewrite/product_chains.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::Value;

// Attention of one query, over 2^24 operations for the keys and for the values.
constexpr int64_t batch = 2, positions = 512, heads = 4, size = 32, features = 128;
constexpr int64_t columns = heads * size;

ir::Module attention() {
  return make_module([](Builder& b) {
    const Value x = argument(b, {batch, positions, features});
    const auto made = [&] {
      const Value product = dense(x, argument(b, {features, columns}));
      return ir::reshape(biased(product), {batch, positions, heads, size});
    };
    const Value query = argument(b, {batch, 1, heads, size});
    const Value weights = argument(b, {batch, heads, 1, positions});
    b.result(ir::dot_general(query, made(), with_keys));
    b.result(ir::dot_general(weights, made(), with_values));
  });
}

// [batch, positions, heads, size]
std::vector<double> made(const Literal& x, const Literal& w, const Literal& bias) {
  std::vector<double> result;
  for (int64_t row = 0; row < batch * positions; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      double sum = bias.data<float>()[static_cast<size_t>(column)];
      for (int64_t i = 0; i < features; ++i) {
        sum += static_cast<double>(x.data<float>()[static_cast<size_t>(row * features + i)]) *
               static_cast<double>(w.data<float>()[static_cast<size_t>(i * columns + column)]);
      }
      result.push_back(sum);
    }
  }
  return result;
}

struct Attention {
  std::vector<double> scores = std::vector<double>(batch * heads * positions);
  std::vector<double> context = std::vector<double>(batch * heads * size);
};
// In the order of the arguments.
Attention computed(const std::vector<Literal>& arguments) {
  const std::span<const float> query = arguments[1].data<float>();
  const std::span<const float> weights = arguments[2].data<float>();
  const std::vector<double> keys = made(arguments[0], arguments[3], arguments[4]);
  const std::vector<double> values = made(arguments[0], arguments[5], arguments[6]);
  Attention result;
  for (size_t n = 0; n < batch * positions * columns; ++n) {
    const size_t column = n % columns, head = column / size, example = n / columns / positions;
    const size_t score = (example * heads + head) * positions + n / columns % positions;
    result.scores[score] += static_cast<double>(query[example * columns + column]) * keys[n];
    result.context[(example * heads + head) * size + column % size] +=
        static_cast<double>(weights[score]) * values[n];
  }
  return result;
}

TEST(ReassociateProducts, AttentionOfOneQueryOnTheSoftwareTpu) {
  const ir::Module module = attention();
  const std::vector<Literal> arguments = integer_arguments(module);
  const runtime::ClientPtr client = cpu::open_software_tpu("v3-8", 1);
  std::vector<runtime::BufferPtr> buffers;
  for (const Literal& argument : arguments) buffers.push_back(client->from_host(argument));
  const auto program = client->compile(module, {.name = "attention"});
  // Less than half of what the keys of all positions take.
  EXPECT_LT(program->cost().flops, batch * positions * columns * features);
  const auto results = program->execute(std::move(buffers));
  const Attention wanted = computed(arguments);
  ASSERT_EQ(results.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    const Literal literal = results[i]->to_literal();
    std::vector<double> got;
    for (int64_t k = 0; k < literal.size(); ++k) got.push_back(literal.number_at(k));
    EXPECT_EQ(got, i == 0 ? wanted.scores : wanted.context);
  }
}

}  // namespace
}  // namespace systolic
