// Steps that run together, part by part: attention and layer normalization.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>

#include "systolic/autodiff/gradient.h"
#include "systolic/base/text.h"
#include "tests/backends/compare.h"
#include "tests/backends/run_planned.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::OpCode;
using ir::Value;

struct Attention {
  int64_t batch, heads, length, width;
  bool gradients = false;
  bool in_loop = false;
};

std::string to_string(const Attention& a) {
  return str(a.batch, " x ", a.heads, " heads, ", a.length, " words, ", a.width, " wide",
             a.gradients ? ", gradients" : "", a.in_loop ? ", in a loop" : "");
}

// Softmax attention of words by heads.
Value attend(const Attention& a, Value q, Value k, Value v, Value mask) {
  const auto heads = [&](Value x) {
    return ir::transpose(ir::reshape(x, {a.batch, a.length, a.heads, a.width}), {0, 2, 1, 3});
  };
  Value scores = ir::dot_general(heads(q * 0.25), heads(k), {{0, 1}, {0, 1}, {3}, {3}});
  const Shape square = scores.shape();
  scores = scores + ir::broadcast_in_dim(mask, square, {0, 3});
  const Value most = ir::broadcast_in_dim(ir::reduce_max(scores, {3}), square, {0, 1, 2});
  const Value e = ir::unary(OpCode::exponential, scores - most);
  const Value shares = e / ir::broadcast_in_dim(ir::reduce_sum(e, {3}), square, {0, 1, 2});
  const Value sums = ir::dot_general(shares, heads(v), {{0, 1}, {0, 1}, {3}, {2}});
  return ir::reshape(ir::transpose(sums, {0, 2, 1, 3}), q.shape());
}

Value normalize(Value x, Value scale) {
  const double n = static_cast<double>(x.shape()[2]);
  const auto spread = [&](Value v) { return ir::broadcast_in_dim(v, x.shape(), {0, 1}); };
  const Value centred = x - spread(ir::reduce_sum(x, {2}) * (1 / n));
  const Value variance = ir::reduce_sum(centred * centred, {2}) * (1 / n);
  return centred * spread(ir::unary(OpCode::rsqrt, variance + 1e-3)) *
         ir::broadcast_in_dim(scale, x.shape(), {2});
}

ir::Module block(const Attention& a) {
  return make_module([&](Builder& b) {
    const Shape words{a.batch, a.length, a.heads * a.width};
    std::vector<Value> p;
    for (int i = 0; i < 3; ++i) p.push_back(b.argument({DType::f32, words}));
    p.push_back(b.argument({DType::f32, {a.heads * a.width}}));
    const Value mask = b.argument({DType::f32, {a.batch, a.length}});
    const auto layer = [&](Value x) { return normalize(attend(a, x, p[1], p[2], mask) + x, p[3]); };
    if (a.in_loop) {
      const Value initial[] = {b.filled(DType::i32, {}, 0), p[0]};
      const auto less = [](std::span<const Value> v) {
        return ir::compare(v[0], 2, ir::Direction::lt);
      };
      const auto once = [&](std::span<const Value> v) {
        return std::vector<Value>{v[0] + 1.0, layer(v[1])};
      };
      b.result(ir::while_loop(initial, less, once)[1]);
      return;
    }
    const Value y = layer(p[0]);
    b.result(y);
    if (!a.gradients) return;
    const ir::ValueId outputs[] = {ir::reduce_sum(y * y * y, {0, 1, 2}).id()};
    std::vector<ir::ValueId> sources;
    for (Value source : p) sources.push_back(source.id());
    const auto gradients = autodiff::gradient(b, {.outputs = outputs, .sources = sources});
    for (const ir::ValueId id : gradients) b.result(b.value(id));
  });
}

// Lengths that are and are not whole vectors; a batch of one.
const Attention blocks[] = {
    {8, 4, 48, 8},       {1, 32, 61, 16},       {16, 2, 37, 24},
    {8, 4, 48, 8, true}, {16, 3, 41, 5, true},  {8, 4, 48, 8, false, true},
    {2, 2, 6, 4, true},  {64, 1, 33, 16, true},
};

// What rounding may change, in epsilons of the largest number. A sum of n terms is off by sqrt(n) /
// 2 epsilons of the sum of their magnitudes (Higham and Mary, "A New Approach to Probabilistic
// Rounding Error Analysis", SIAM J. Sci. Comput. 41(5), 2019; the factor of confidence left out).
// For numbers between -1 and 1 a score sums terms of 1/16 on average, and its error is the relative
// error of its exponential. Two sums over the words follow, and two over a word's numbers. A
// gradient meets each sum once more on its way back; that of the scale sums all words.
double rounding_bound(const Attention& a) {
  const auto sum = [](int64_t terms) { return 0.5 * std::sqrt(static_cast<double>(terms)); };
  const double scores = static_cast<double>(a.width) / 16 * sum(a.width);
  const double layer = scores + 2 * sum(a.length) + 2 * sum(a.heads * a.width);
  if (a.gradients) return 2 * layer + sum(a.batch * a.length);
  return a.in_loop ? 2 * layer : layer;
}

TEST(Chain, GivesTheInterpretersResults) {
  for (const Attention& a : blocks) {
    expect_same(block(a), rounding_bound(a), to_string(a), {-1, 1});
  }
}

// Rows of scores and what becomes of their exponentials.
struct SoftmaxCase {
  std::string what;
  std::string step;  // of the plan; empty: none for all of it
  std::function<Value(Value x, Value left, Value e, Value sums)> end;
};

const SoftmaxCase softmax_cases[] = {
    {"shares", "softmax f32[", [](Value, Value, Value e, Value s) { return e / s; }},
    {"shares that are scaled", "exponentials and sums f32[",
     [](Value, Value, Value e, Value s) { return e / s * 0.5; }},
    {"exponentials are read too", "exponentials and sums f32[",
     [](Value, Value, Value e, Value s) { return ir::unary(OpCode::tanh, e / s) * e; }},
    {"the sums' shares", "exponentials and sums f32[",
     [](Value, Value, Value e, Value s) { return s / e; }},
    {"scores are read too", "exponentials and sums f32[",
     [](Value x, Value, Value e, Value s) { return x * (e / s); }},
    {"logarithms", "",
     [](Value, Value left, Value, Value s) { return left - ir::unary(OpCode::log, s); }},
    {"differences are read too", "",
     [](Value, Value left, Value e, Value s) { return left * e / s; }},
};

ir::Module softmax(const SoftmaxCase& c, const Shape& shape) {
  return make_module([&](Builder& b) {
    const int last = shape.rank() - 1;
    ir::Axes kept;
    for (int axis = 0; axis < last; ++axis) kept.push_back(axis);
    const Value x = b.argument({DType::f32, shape});
    const auto spread = [&](Value rows) { return ir::broadcast_in_dim(rows, shape, kept); };
    const Value left = x - spread(ir::reduce_max(x, {last}));
    const Value e = ir::unary(OpCode::exponential, left);
    b.result(c.end(x, left, e, spread(ir::reduce_sum(e, {last}))));
  });
}

// Each number goes through five roundings at most and a sum, which loses less than the bound that
// stands above; all are at most 8 in magnitude, and quotients at most their greatest.
TEST(Softmax, GivesTheInterpretersResults) {
  for (const SoftmaxCase& c : softmax_cases) {
    for (const Shape& shape : {Shape{3, 5, 37}, Shape{400, 64}, Shape{40, 15}, Shape{2, 3000}}) {
      const bool suits = shape[-1] >= 16 && shape[-1] <= 2048;
      const std::string what = str(c.what, " of ", shape.rank(), " axes, ", shape[-1], " last");
      expect_same(softmax(c, shape), 8 + 0.5 * std::sqrt(shape[-1]), what);
      const std::string text = plan_summary(2, softmax(c, shape)).text;
      const bool joined = text.find("softmax f32[") != std::string::npos ||
                          text.find("exponentials and sums f32[") != std::string::npos;
      EXPECT_EQ(joined, suits && !c.step.empty()) << what << "\n" << text;
      if (!joined) continue;
      EXPECT_NE(text.find(c.step), std::string::npos) << what << "\n" << text;
    }
  }
}

// Attention of bf16 with scores and softmax in f32, as mixed precision has it; what each head reads
// and writes lies beside that of the others.
ir::Module narrow_attention(const Attention& a) {
  return make_module([&](Builder& b) {
    const ir::Type words{DType::bf16, {a.batch, a.length, a.heads, a.width}};
    const Value q = b.argument(words), k = b.argument(words), v = b.argument(words);
    const Value scores =
        ir::dot_general(q, k, {{0, 2}, {0, 2}, {3}, {3}}, DType::f32);  // [batch, head, to, from]
    const Value e = ir::unary(OpCode::exponential, scores * 0.25);
    const Value all = ir::broadcast_in_dim(ir::reduce_sum(e, {3}), e.shape(), {0, 1, 2});
    const Value sums =
        ir::dot_general(ir::convert(e / all, DType::bf16), v, {{0, 1}, {0, 2}, {3}, {1}});
    b.result(ir::transpose(sums, {0, 2, 1, 3}));
  });
}

// Numbers between -1 and 1. A share that f32's rounding moves across the middle between two numbers
// of bf16 changes by an epsilon of itself, and shares sum to 1; the sum may then round otherwise.
TEST(Chain, AttendsInBf16) {
  for (const Attention& a : blocks) {
    if (!a.gradients && !a.in_loop) expect_same(narrow_attention(a), 2, to_string(a), {-1, 1});
  }
  const std::string text = plan_summary(2, narrow_attention({8, 4, 48, 32})).text;
  EXPECT_EQ(text.find("copy matrix"), std::string::npos) << text;
}

// A layer of bf16 and its gradient: a tall product, what is made of it, another product, and sums
// of columns that nothing in between reads. All numbers are whole and small, so that none is
// rounded.
ir::Module tall_products(int64_t rows, int64_t wide) {
  return make_module([&](Builder& b) {
    const auto whole = [&](const Shape& shape, double factor) {
      return ir::unary(OpCode::floor, b.argument({DType::bf16, shape}) * factor);
    };
    const Value x = whole({rows, 64}, 2), w = whole({64, wide}, 1), v = whole({48, wide}, 2);
    const Value bias = ir::broadcast_in_dim(whole({wide}, 2), {rows, wide}, {1});
    const Value y = ir::dot_general(x, w, {{}, {}, {1}, {0}}) + bias;
    const Value z = ir::binary(OpCode::maximum, y, y * 0.0 - 2.0);
    const Value u = ir::dot_general(z, v, {{}, {}, {1}, {1}}, DType::f32);
    b.result(y);
    b.result(ir::reduce_sum(u, {0}));
    b.result(u * 0.125 + 1.0);
    b.result(ir::dot_general(z, x, {{}, {}, {0}, {0}}, DType::f32));
  });
}

TEST(Chain, MultipliesTallProductsInBf16) {
  for (const int64_t rows : {512, 600, 1000}) {
    for (const int64_t wide : {96, 130}) {
      expect_same(tall_products(rows, wide), 0, str(rows, " rows, ", wide, " wide"), {-1, 1});
    }
  }
}

// Scores lie in no array of their own: the arena holds less than one such.
TEST(Chain, NeverStoresScoresWhole) {
  const PlanSummary plan = plan_summary(2, block({8, 8, 128, 4}));
  EXPECT_NE(plan.text.find("dot 64 x [128,4] x [4,128] f32 and "), std::string::npos) << plan.text;
  EXPECT_NE(plan.text.find("more in 64 parts"), std::string::npos) << plan.text;
  EXPECT_LT(plan.arena_bytes, 8 * 8 * 128 * 128 * 4) << plan.text;
}

// Rows over their mean deviation, for which there is no kernel: sums and what is made of them.
TEST(Chain, RunsSumsOfRowsWithWhatIsMadeOfThem) {
  const std::string text =
      plan_summary(2, make_module([](Builder& b) {
                     const Value x = b.argument({DType::f32, {8, 64, 384}});
                     const auto sums = [&](Value v) {
                       return ir::broadcast_in_dim(ir::reduce_sum(v, {2}), v.shape(), {0, 1});
                     };
                     const Value centred = x - sums(x) * (1.0 / 384);
                     b.result(centred / sums(ir::unary(OpCode::abs, centred)));
                   }))
          .text;
  EXPECT_NE(text.find("more in 512 parts"), std::string::npos) << text;
  EXPECT_EQ(text.substr(0, 8), "1 steps,") << text;
}

// As array libraries take elements along an axis: indices count from the end where they are below
// 0, and what lies outside is filled.
ir::Module take_along_rows(int64_t rows, int64_t columns, int64_t count) {
  return make_module([&](Builder& b) {
    const Value x = b.argument({DType::f32, {rows, columns}});
    const Value given = b.argument({DType::i32, {rows, count}});
    const Value last = given * 0.0 + static_cast<double>(columns - 1);
    const Value below = ir::compare(given, 0, ir::Direction::lt);
    const Value at = ir::select(below, given + static_cast<double>(columns), given);
    const Value inside = ir::binary(OpCode::and_, ir::compare(at, 0, ir::Direction::ge),
                                    ir::compare(at, last, ir::Direction::le));
    const Value taken = ir::gather(x, ir::reshape(at, {rows, count, 1}),
                                   {.collapsed_slice_dims = {1},
                                    .operand_batching_dims = {0},
                                    .start_indices_batching_dims = {0},
                                    .start_index_map = {1},
                                    .index_vector_dim = 2,
                                    .slice_sizes = {1, 1}});
    b.result(ir::select(inside, taken, taken * 0.0 - 7.0));
  });
}

TEST(Chain, TakesAlongRowsInOneStep) {
  for (const int64_t count : {1, 33, 130, 512}) {
    // Twice beyond each end of the rows.
    expect_same(take_along_rows(256, 40, count), 0, str(count, " of 40"), {-80, 80});
  }
  const std::string text = plan_summary(2, take_along_rows(256, 512, 512)).text;
  EXPECT_NE(text.find("more in 256 parts"), std::string::npos) << text;
}

class ChainThreads : public ::testing::Test {
 protected:
  ChainThreads() { setenv("SYSTOLIC_PLANNED_THREADS", "4", 1); }
  ~ChainThreads() override { unsetenv("SYSTOLIC_PLANNED_THREADS"); }
};

TEST_F(ChainThreads, ChangeNoBit) {
  for (const Attention& a : blocks) {
    const std::vector<Literal> one = run_with(1, block(a));
    for (int threads : {2, 4}) {
      const std::vector<Literal> more = run_with(threads, block(a));
      for (size_t i = 0; i < one.size(); ++i) {
        EXPECT_TRUE(same_bits(one[i], more[i]))
            << to_string(a) << ", " << threads << " threads, result " << i;
      }
    }
  }
}

}  // namespace
}  // namespace systolic
