// Random bits that the elementwise ops which read them draw, and nobody stores.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/backends/compare.h"
#include "tests/backends/run_planned.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::Direction;
using ir::OpCode;
using ir::RngAlgorithm;
using ir::Value;

struct Draw {
  Value state, bits;
};

struct Case {
  const char* name;
  Shape drawn;
  std::function<void(Builder&, Draw)> use;
  bool stored;  // the bits
  DType dtype = DType::u32;
  RngAlgorithm algorithm = RngAlgorithm::philox;
};

Value kept(Value x, Value bits) {
  return ir::select(ir::compare(bits, 0x1p31, Direction::ge), x * 2.0, x * 0.0);
}

Value softmax(Value x) {  // of [b, m, n], along n
  const auto spread = [&](Value row) { return ir::broadcast_in_dim(row, x.shape(), {0, 1}); };
  const Value e = ir::unary(OpCode::exponential, x - spread(ir::reduce_max(x, {2})));
  return e / spread(ir::reduce_sum(e, {2}));
}

Value argument(Builder& b, const Shape& shape) { return b.argument({DType::f32, shape}); }

const Case cases[] = {
    {"dropout",
     {30, 40},
     [](Builder& b, Draw d) {
       b.result(kept(argument(b, {30, 40}), d.bits));
     },
     false},
    {"of a shape of its own",
     {4 * 3 * 5},
     [](Builder& b, Draw d) {
       b.result(kept(argument(b, {4, 3, 5}), ir::reshape(d.bits, {4, 3, 5})));
     },
     false},
    {"several tiles that end within a block",
     {1, 7777},
     [](Builder& b, Draw d) {
       b.result(kept(argument(b, {1, 7777}), d.bits));
     },
     false},
    {"as many as other threads help with",
     {300, 333},
     [](Builder& b, Draw d) {
       b.result(kept(argument(b, {300, 333}), d.bits));
     },
     false},
    {"and summed",
     {30, 40},
     [](Builder& b, Draw d) {
       b.result(ir::reduce_sum(kept(argument(b, {30, 40}), d.bits), {1}));
     },
     false},
    {"between the parts of a softmax",
     {8, 16, 64},
     [](Builder& b, Draw d) {
       const Value x = argument(b, {8, 16, 32}), y = argument(b, {8, 64, 32});
       const Value scores = ir::dot_general(x * 0.05, y, {{0}, {0}, {2}, {2}});
       const Value shares = kept(softmax(scores), d.bits);
       b.result(ir::dot_general(shares, y, {{0}, {0}, {2}, {1}}));
     },
     false},
    {"whose state goes on",
     {5, 9},
     [](Builder& b, Draw d) {
       b.result(kept(argument(b, {5, 9}), d.bits));
       b.result(d.state);
     },
     false},
    {"a result too",
     {30, 40},
     [](Builder& b, Draw d) {
       b.result(kept(argument(b, {30, 40}), d.bits));
       b.result(d.bits);
     },
     true},
    {"read turned",
     {30, 40},
     [](Builder& b, Draw d) {
       b.result(kept(argument(b, {40, 30}), ir::transpose(d.bits, {1, 0})));
     },
     true},
    {"read in part",
     {30, 40},
     [](Builder& b, Draw d) {
       b.result(kept(argument(b, {1, 40}), ir::slice(d.bits, {2, 0}, {3, 40}, {1, 1})));
     },
     true},
    {"repeated",
     {40},
     [](Builder& b, Draw d) {
       b.result(kept(argument(b, {30, 40}), ir::broadcast_in_dim(d.bits, {30, 40}, {1})));
     },
     true},
    {"of another algorithm",
     {30, 40},
     [](Builder& b, Draw d) {
       b.result(kept(argument(b, {30, 40}), d.bits));
     },
     true,
     DType::u32,
     RngAlgorithm::three_fry},
};

ir::Module module_of(const Case& one, int64_t state_words) {
  return make_module([&](Builder& b) {
    const auto [state, bits] = ir::rng_bit_generator(b.argument({DType::u64, {state_words}}),
                                                     {one.dtype, one.drawn}, one.algorithm);
    one.use(b, {state, bits});
  });
}

// Counters that carry within the draw among them.
TEST(DrawnBits, AreThoseOfTheInterpreter) {
  for (const Case& one : cases) {
    for (const uint64_t counter : {uint64_t{7}, ~uint64_t{0} - 3}) {
      for (const int64_t words : {2, 3}) {
        if (words == 3 && one.algorithm == RngAlgorithm::three_fry) continue;
        const ir::Module module = module_of(one, words);
        std::vector<Literal> arguments;
        for (const ir::ValueId argument : module.main().body.arguments) {
          arguments.push_back(random_literal(module.main().type(argument).dtype,
                                             module.main().type(argument).shape, 5));
        }
        arguments[0] = words == 2 ? Literal::of<uint64_t>({0x123456789abcdef0u, counter})
                                  : Literal::of<uint64_t>({3, counter, ~uint64_t{0}});
        expect_same(module, arguments, 32, one.name);
      }
    }
  }
}

TEST(DrawnBits, AreNotStored) {
  for (const Case& one : cases) {
    const std::string plan = plan_summary(2, module_of(one, 2)).text;
    const bool stored = plan.rfind("rng_bit_generator", 0) == 0 ||
                        plan.find("\nrng_bit_generator") != std::string::npos;
    EXPECT_EQ(stored, one.stored) << one.name << "\n" << plan;
  }
}

}  // namespace
}  // namespace systolic
