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
Draw draw(Value state, const Shape& shape, DType dtype = DType::u32,
          RngAlgorithm algorithm = RngAlgorithm::philox) {
  const auto [next, bits] = ir::rng_bit_generator(state, {dtype, shape}, algorithm);
  return {next, bits};
}

Value argument(Builder& b, const Shape& shape, DType dtype = DType::f32) {
  return b.argument({dtype, shape});
}

Value kept(Value x, Value bits) {
  return ir::select(ir::compare(bits, 0x1p31, Direction::ge), x * 2.0, x * 0.0);
}
// For an argument of the bits' shape.
Value dropout(Value bits) { return kept(argument(bits.builder(), bits.shape()), bits); }

Value along_rows(Value row, const Shape& shape) { return ir::broadcast_in_dim(row, shape, {0, 1}); }
Value softmax(Value x) {  // of [b, m, n], along n
  const Value e = ir::unary(OpCode::exponential, x - along_rows(ir::reduce_max(x, {2}), x.shape()));
  return e / along_rows(ir::reduce_sum(e, {2}), x.shape());
}

// Attention with dropout, and layer normalization of it, which run part by part where they are
// large.
void attention(Builder& b, Value state, int64_t batch, int64_t queries, int64_t keys) {
  const Value x = argument(b, {batch, queries, 32}), y = argument(b, {batch, keys, 32});
  const Value scores = ir::dot_general(x * 0.05, y, {{0}, {0}, {2}, {2}});
  const Draw first = draw(state * 3.0, scores.shape());
  const Value shares = kept(softmax(scores), first.bits);
  const Value sums = ir::dot_general(shares, y, {{0}, {0}, {2}, {1}});
  const Draw second = draw(first.state, sums.shape());
  const Value added = x + kept(sums, second.bits);
  const Value mean = ir::reduce_sum(added, {2}) * (1.0 / 32);
  b.result(added - along_rows(mean, added.shape()));
  b.result(second.state);
}

// Three rounds of a loop that carries the state and x[40,40].
using Round = std::function<std::vector<Value>(Value state, Value x)>;
void loop(Builder& b, Value state, const Round& round) {
  const Value initial[] = {b.constant(Literal::scalar<int32_t>(0)), state, argument(b, {40, 40})};
  const std::vector<Value> last = ir::while_loop(
      initial, [](std::span<const Value> v) { return ir::compare(v[0], 3.0, Direction::lt); },
      [&](std::span<const Value> v) {
        std::vector<Value> next = round(v[1], v[2]);
        next.insert(next.begin(), v[0] + 1.0);
        return next;
      });
  for (const Value value : last) b.result(value);
}

struct Case {
  const char* name;
  std::function<void(Builder&, Value state)> build;
  bool stored = false;
};

const Case cases[] = {
    {"dropout",
     [](Builder& b, Value state) {
       b.result(dropout(draw(state, {30, 40}).bits));
     }},
    {"under another shape",
     [](Builder& b, Value state) {
       b.result(dropout(ir::reshape(draw(state, {60}).bits, {4, 3, 5})));
     }},
    {"as many as blocks have, and fewer are read",
     [](Builder& b, Value state) {
       const Value bits = ir::slice(draw(state, {1272}).bits, {0}, {31 * 41}, {1});
       b.result(dropout(ir::reshape(bits, {31, 41})));
     }},
    {"several tiles that end within a block",
     [](Builder& b, Value state) {
       b.result(dropout(draw(state, {1, 7777}).bits));
     }},
    {"as many as other threads help with",
     [](Builder& b, Value state) {
       b.result(dropout(draw(state, {300, 333}).bits));
     }},
    {"of a scalar", [](Builder& b, Value state) { b.result(dropout(draw(state, {}).bits)); }},
    {"of nothing",
     [](Builder& b, Value state) {
       b.result(dropout(draw(state, {0, 4}).bits));
     }},
    {"read twice in one place",
     [](Builder& b, Value state) {
       const Value bits = draw(state, {30, 40}).bits;
       b.result(dropout(ir::binary(OpCode::xor_, bits, bits * 3.0)));
     }},
    {"rows are summed",
     [](Builder& b, Value state) {
       b.result(ir::reduce_sum(dropout(draw(state, {13, 407, 31}).bits), {1}));
     }},
    {"columns are summed",
     [](Builder& b, Value state) {
       b.result(ir::reduce_sum(dropout(draw(state, {301, 407}).bits), {0}));
     }},
    {"rows of a product",
     [](Builder& b, Value state) {
       const Value product = ir::dot(argument(b, {1001, 20}), argument(b, {20, 65}));
       b.result(kept(product, draw(state, {1001, 65}).bits));
     }},
    {"in attention", [](Builder& b, Value state) { attention(b, state, 2, 8, 9); }},
    {"in large attention", [](Builder& b, Value state) { attention(b, state, 16, 128, 130); }},
    {"whose state goes on",
     [](Builder& b, Value state) {
       const Draw first = draw(state, {5, 9}), second = draw(first.state, {5, 9});
       b.result(dropout(first.bits));
       b.result(dropout(second.bits));
       b.result(second.state);
     }},
    {"whose state alone is read",
     [](Builder& b, Value state) {
       b.result(draw(state, {5, 9}).state);
     }},
    {"whose state's memory takes something else before they are read",
     [](Builder& b, Value state) {
       const Value made = state * 3.0;
       const Draw drawn = draw(made, {33, 33});
       const Value starts[] = {b.constant(Literal::scalar<int32_t>(1))};
       b.result(ir::dynamic_update_slice(made, b.constant(Literal::of<uint64_t>({99})), starts));
       const Value x = argument(b, {33, 33});
       b.result(kept(ir::dot(x, x), drawn.bits));
     }},
    {"in a loop that carries the state",
     [](Builder& b, Value state) {
       loop(b, state, [](Value carried, Value x) -> std::vector<Value> {
         const Draw drawn = draw(carried, x.shape());
         return {drawn.state + 7.0, kept(ir::dot(x, x) * 0.01 + 1.0, drawn.bits)};
       });
     }},
    {"in a loop around the state",
     [](Builder& b, Value state) {
       const Value outer = state + 1.0;
       loop(b, state, [&](Value carried, Value x) -> std::vector<Value> {
         return {carried, kept(x + 1.0, draw(outer, x.shape()).bits)};
       });
     }},
    {"a result too",
     [](Builder& b, Value state) {
       const Value bits = draw(state, {30, 40}).bits;
       b.result(dropout(bits));
       b.result(bits);
     },
     true},
    {"read in two places",
     [](Builder& b, Value state) {
       const Value bits = draw(state, {30, 40}).bits, x = argument(b, {40, 40});
       const Value first = dropout(bits);
       b.result(ir::dot(first, x));
       b.result(kept(ir::dot(first, x * 0.5), bits * 3.0));
     },
     true},
    {"read by a loop",
     [](Builder& b, Value state) {
       const Value bits = draw(state, {40, 40}).bits;
       loop(b, state, [&](Value carried, Value x) -> std::vector<Value> {
         return {carried, kept(x + 1.0, bits)};
       });
     },
     true},
    {"read turned",
     [](Builder& b, Value state) {
       b.result(dropout(ir::transpose(draw(state, {30, 40}).bits, {1, 0})));
     },
     true},
    {"read in part",
     [](Builder& b, Value state) {
       b.result(dropout(ir::slice(draw(state, {30, 40}).bits, {2, 0}, {3, 40}, {1, 1})));
     },
     true},
    {"read from the second on",
     [](Builder& b, Value state) {
       b.result(dropout(ir::slice(draw(state, {40}).bits, {1}, {40}, {1})));
     },
     true},
    {"every second is read",
     [](Builder& b, Value state) {
       b.result(dropout(ir::slice(draw(state, {40}).bits, {0}, {40}, {2})));
     },
     true},
    {"repeated",
     [](Builder& b, Value state) {
       b.result(dropout(ir::broadcast_in_dim(draw(state, {40}).bits, {30, 40}, {1})));
     },
     true},
    {"one for all elements",
     [](Builder& b, Value state) {
       const Value x = argument(b, {100}, DType::u32), zero = b.filled(DType::u32, {}, 0);
       b.result(ir::clamp(zero, x * 99999999.0, draw(state, {}).bits));
     },
     true},
    {"of another algorithm",
     [](Builder& b, Value state) {
       b.result(dropout(draw(state, {30, 40}, DType::u32, RngAlgorithm::three_fry).bits));
     },
     true},
    {"of 16 bits",
     [](Builder& b, Value state) {
       b.result(ir::convert(draw(state, {30, 40}, DType::u16).bits, DType::i32));
     },
     true},
    {"of 64 bits",
     [](Builder& b, Value state) {
       b.result(draw(state, {30, 40}, DType::u64).bits * 3.0);
     },
     true},
};

ir::Module module_of(const Case& one, int64_t state_words) {
  return make_module([&](Builder& b) { one.build(b, b.argument({DType::u64, {state_words}})); });
}

// The state first, and numbers for the others.
std::vector<Literal> arguments_of(const ir::Module& module, const Literal& state) {
  std::vector<Literal> arguments;
  for (const ir::ValueId argument : module.main().body.arguments) {
    const ir::Type& type = module.main().type(argument);
    arguments.push_back(random_literal(type.dtype, type.shape, 5));
  }
  arguments[0] = state;
  return arguments;
}

// The counter carries within the draw.
TEST(DrawnBits, AreThoseOfTheInterpreter) {
  const Literal state = Literal::of<uint64_t>({0x123456789abcdef0u, ~uint64_t{0} - 3});
  for (const Case& one : cases) {
    const ir::Module module = module_of(one, 2);
    expect_same(module, arguments_of(module, state), 64, one.name);
  }
}

TEST(DrawnBits, AreThoseOfAStateOfThreeWords) {
  const Literal state = Literal::of<uint64_t>({3, ~uint64_t{0} - 3, ~uint64_t{0}});
  for (const Case& one : cases) {
    const std::string name = one.name;
    if (name != "dropout" && name != "whose state goes on" && name != "in attention") continue;
    const ir::Module module = module_of(one, 3);
    expect_same(module, arguments_of(module, state), 64, name);
  }
}

TEST(DrawnBits, AreNotStored) {
  for (const Case& one : cases) {
    const std::string plan = plan_summary(2, module_of(one, 2)).text;
    bool stored = false;  // by a step of its own, in a loop or not
    for (size_t at = plan.find("rng_bit_generator"); at != std::string::npos;
         at = plan.find("rng_bit_generator", at + 1)) {
      const size_t line = plan.rfind('\n', at) + 1;  // 0 in the first line
      stored = stored || plan.find_first_not_of(' ', line) == at;
    }
    EXPECT_EQ(stored, one.stored) << one.name << "\n" << plan;
  }
}

TEST(DrawnBits, AreDrawnPartByPart) {
  const std::string plan = plan_summary(2, make_module([](Builder& b) {
                                          attention(b, b.argument({DType::u64, {2}}), 16, 128, 130);
                                        }))
                               .text;
  EXPECT_NE(plan.find("more in 16 parts"), std::string::npos) << plan;
}

}  // namespace
}  // namespace systolic
