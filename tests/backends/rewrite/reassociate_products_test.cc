// Chains of products in their cheaper order. Numbers are small integers, whose sums and products
// f32 holds exactly in either order, but where the error is bounded.
#include "backends/cpu/rewrite/reassociate_products.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "backends/interpreter/evaluate.h"
#include "systolic/base/text.h"
#include "systolic/ir/infer/verify.h"
#include "systolic/ir/print/print.h"
#include "systolic/passes/eliminate_dead_code.h"
#include "tests/backends/compare.h"
#include "tests/backends/rewrite/product_chains.h"

namespace systolic {
namespace {

using ir::Axes;
using ir::Builder;
using ir::Direction;
using ir::OpCode;
using ir::Value;

int64_t multiply_adds(const ir::Module& module) {
  int64_t sum = 0;
  ir::for_each_op(module.main().body, [&](const ir::Op& op) {
    if (op.code != OpCode::dot_general) return;
    const Shape& left = module.main().type(op.operands[0]).shape;
    int64_t terms = 1;
    for (int64_t axis : op.get<ir::DotAttributes>().lhs_contracting_dimensions) {
      terms *= left[static_cast<int>(axis)];
    }
    sum += terms * module.main().type(op.results[0]).shape.elements();
  });
  return sum;
}

int64_t count_ops(const ir::Module& module) {
  int64_t count = 0;
  ir::for_each_op(module.main().body, [&](const ir::Op&) { ++count; });
  return count;
}

constexpr double any_saving = 1;

ir::Module reassociated(const ir::Module& module, double least_saving = any_saving) {
  ir::Module after = module;
  cpu::reassociate_products(after, {.least_saving = least_saving});
  return after;
}

constexpr int64_t batch = 2, positions = 16, heads = 3, size = 4, features = 8;
constexpr int64_t columns = heads * size;

Value features_of_all(Builder& b) { return argument(b, {batch, positions, features}); }
Value made_of_all(Builder& b) {
  const Value x = features_of_all(b);
  return dense(x, argument(b, {features, columns}));
}
Value split(Value x) { return ir::reshape(x, {batch, positions, heads, size}); }

Value scores(Value keys) {
  return ir::dot_general(argument(keys.builder(), {batch, 1, heads, size}), keys, with_keys);
}
Value context(Value values) {
  return ir::dot_general(argument(values.builder(), {batch, heads, 1, positions}), values,
                         with_values);
}

struct Row {
  const char* what;
  std::function<Value(Builder&)> build;
  int64_t multiply_adds;  // that remain
};
ir::Module module_of(const Row& row) {
  return make_module([&](Builder& b) { b.result(row.build(b)); });
}

// One query's u and its scores, or what its weights make of the features and then of that: the
// same products in another order.
constexpr int64_t one = batch * heads * features * (positions + size);
constexpr int64_t of_bias = batch * columns;
constexpr int64_t terms = 16, inner = 8, wide = 32;  // of plain matrices

const Row cheaper[] = {
    {"scores", [](Builder& b) { return scores(split(made_of_all(b))); }, one},
    {"scores of keys with a bias", [](Builder& b) { return scores(split(biased(made_of_all(b)))); },
     one + of_bias},
    {"context", [](Builder& b) { return context(split(made_of_all(b))); }, one},
    {"context of values with a bias",
     [](Builder& b) { return context(split(biased(made_of_all(b)))); }, one},
    {"a bias that stands first",
     [](Builder& b) {
       const Value keys = made_of_all(b);
       const Value bias = argument(b, {columns});
       return scores(split(ir::broadcast_in_dim(bias, keys.shape(), {2}) + keys));
     },
     one + of_bias},
    {"a bias with axes of size 1",
     [](Builder& b) {
       const Value keys = made_of_all(b);
       const Value bias = argument(b, {1, columns, 1});
       return context(split(keys + ir::broadcast_in_dim(bias, keys.shape(), {0, 2, 1})));
     },
     one},
    {"a bias of two axes, exchanged",
     [](Builder& b) {
       const Value w = argument(b, {features, size, size});
       const Value keys = dense(features_of_all(b), w);
       const Value bias = ir::broadcast_in_dim(argument(b, {size, size}), keys.shape(), {3, 2});
       return ir::dot_general(argument(b, {batch, 1, size, size}), keys + bias, with_keys);
     },
     batch* size*(features*(positions + size) + size)},
    {"one number as a bias",
     [](Builder& b) {
       const Value keys = made_of_all(b);
       return scores(split(keys + ir::broadcast_in_dim(argument(b, {}), keys.shape(), {})));
     },
     one + of_bias},
    {"a bias that is read twice",
     [](Builder& b) {
       const Value keys = made_of_all(b);
       const Value bias = ir::broadcast_in_dim(argument(b, {columns}), keys.shape(), {2});
       b.result(bias);
       return scores(split(keys + bias));
     },
     one + of_bias},
    {"keys on the left",
     [](Builder& b) {
       const Value keys = split(biased(made_of_all(b)));
       return ir::dot_general(keys, argument(b, {batch, 1, heads, size}), with_keys);
     },
     one + of_bias},
    {"values on the left",
     [](Builder& b) {
       const Value values = split(biased(made_of_all(b)));
       return ir::dot_general(values, argument(b, {batch, heads, 1, positions}),
                              {{0, 2}, {0, 1}, {1}, {3}});
     },
     one},
    {"heads before the batch",
     [](Builder& b) {
       const Value keys = split(biased(made_of_all(b)));
       return ir::dot_general(argument(b, {heads, size, 1, batch}), keys,
                              {{0, 3}, {2, 0}, {1}, {3}});
     },
     one + of_bias},
    {"scores of both axes of a head",
     [](Builder& b) {
       const Value keys = split(biased(made_of_all(b)));
       return ir::dot_general(argument(b, {size, batch, heads}), keys, {{1}, {0}, {0, 2}, {3, 2}});
     },
     batch*(columns* features + features * positions) + of_bias},
    {"context over the batch too",
     [](Builder& b) {
       const Value values = split(biased(made_of_all(b)));
       return ir::dot_general(argument(b, {positions, heads, batch}), values,
                              {{1}, {2}, {2, 0}, {0, 1}});
     },
     heads*(batch* positions* features + features * size)},
    {"positions of all examples in one axis",
     [](Builder& b) {
       const Value x = argument(b, {batch * positions, features});
       return context(split(biased(dense(x, argument(b, {features, columns})))));
     },
     one},
    {"features first, and more axes of size 1",
     [](Builder& b) {
       const Value x = argument(b, {features, batch * positions});
       const Value w = argument(b, {columns, features});
       const Value keys = biased(ir::dot_general(x, w, {{}, {}, {0}, {1}}));
       return ir::dot_general(argument(b, {size, heads, batch}),
                              ir::reshape(keys, {1, batch, positions, 1, heads, size, 1}),
                              {{2, 1}, {1, 4}, {0}, {5}});
     },
     one + of_bias},
    {"features between batch and positions",
     [](Builder& b) {
       const Value x = argument(b, {batch, features, positions});
       const Value w = argument(b, {heads, features, size});
       return scores(biased(ir::dot_general(x, w, {{}, {}, {1}, {1}})));
     },
     one + of_bias},
    {"a matrix's columns times a matrix",
     [](Builder& b) {
       const Value product = dense(argument(b, {wide, inner}), argument(b, {inner, terms}));
       return dense(product, argument(b, {terms, 1}));
     },
     inner* terms + wide* inner},
    {"a matrix times a matrix's rows",
     [](Builder& b) {
       const Value product = dense(argument(b, {terms, inner}), argument(b, {inner, wide}));
       return dense(argument(b, {1, terms}), biased(product));
     },
     terms* inner + inner* wide},
    {"a vector times a matrix's rows",
     [](Builder& b) {
       const Value product = dense(argument(b, {terms, inner}), argument(b, {inner, wide}));
       return ir::dot_general(argument(b, {terms}), product, {{}, {}, {0}, {0}});
     },
     terms* inner + inner* wide},
    {"a matrix's rows times a matrix",
     [](Builder& b) {
       const Value product = dense(argument(b, {terms, inner}), argument(b, {inner, wide}));
       return ir::dot_general(biased(product), argument(b, {2, terms}), {{}, {}, {0}, {1}});
     },
     2 * (terms * inner + inner * wide)},
    {"a chain of three",
     [](Builder& b) {
       const Value two = dense(argument(b, {wide, wide}), argument(b, {wide, wide}));
       return dense(dense(two, argument(b, {wide, wide})), argument(b, {wide, 1}));
     },
     wide* wide*(wide + 2)},
    {"the dearer of two",
     [](Builder& b) {
       const Value dear = dense(argument(b, {1, wide}), argument(b, {wide, wide}));
       const Value dearer = dense(argument(b, {wide, wide}), argument(b, {wide, terms}));
       return dense(dear, dearer);
     },
     2 * wide* wide + wide* terms},
    {"in a loop",
     [](Builder& b) {
       const Value x = argument(b, {wide, inner}), w = argument(b, {inner, wide});
       const Value initial[] = {b.filled(DType::i32, {}, 0), argument(b, {wide, 1})};
       return ir::while_loop(
           initial, [](std::span<const Value> v) { return ir::compare(v[0], 2, Direction::lt); },
           [&](std::span<const Value> v) {
             return std::vector<Value>{v[0] + 1.0, dense(dense(x, w), v[1])};
           })[1];
     },
     2 * wide* inner}};

TEST(ReassociateProducts, TakesTheCheaperOrder) {
  for (const Row& row : cheaper) {
    SCOPED_TRACE(row.what);
    const ir::Module before = module_of(row), after = reassociated(before);
    ASSERT_NO_THROW(ir::verify(after)) << ir::to_text(after);
    EXPECT_EQ(multiply_adds(after), row.multiply_adds) << ir::to_text(after);
    EXPECT_EQ(count_ops(passes::eliminate_dead_code(after)), count_ops(after));
    const std::vector<Literal> arguments = integer_arguments(before);
    EXPECT_EQ(interpreter::evaluate(after, arguments), interpreter::evaluate(before, arguments));
  }
}

// Random numbers, which the two orders round differently.
struct Rounded {
  const char* what;
  Value (*read)(Value made);  // of [batch, positions, heads, size]
  bool sums_columns;
};

const Rounded rounded[] = {
    {"scores", scores, true},
    {"keys on the left",
     [](Value keys) {
       return ir::dot_general(keys, argument(keys.builder(), {batch, 1, heads, size}), with_keys);
     },
     true},
    {"context", context, false},
    {"values on the left",
     [](Value values) {
       const Value weights = argument(values.builder(), {batch, heads, 1, positions});
       return ir::dot_general(values, weights, {{0, 2}, {0, 1}, {1}, {3}});
     },
     false}};

struct Elements {
  std::vector<double> sums, magnitudes;
};
// For the features, the kernel, the bias if there is one, and what reads their product: all
// products of three and those with the bias, summed in double, and their magnitudes summed.
Elements in_double(const std::vector<Literal>& arguments, bool sums_columns) {
  const Literal &x = arguments[0], &w = arguments[1], &reader = arguments.back();
  const std::vector<double> zeros(batch * heads * (sums_columns ? positions : size));
  Elements result{zeros, zeros};
  for (int64_t n = 0; n < batch * positions * columns; ++n) {
    const int64_t row = n / columns, column = n % columns;
    const int64_t head = row / positions * heads + column / size;  // of all examples
    const int64_t by_position = head * positions + row % positions;
    const int64_t by_size = head * size + column % size;
    const double factor = reader.number_at(sums_columns ? by_size : by_position);
    const auto add = [&](double term) {
      const auto element = static_cast<size_t>(sums_columns ? by_position : by_size);
      result.sums[element] += term;
      result.magnitudes[element] += std::abs(term);
    };
    for (int64_t i = 0; i < features; ++i) {
      add(factor * x.number_at(row * features + i) * w.number_at(i * columns + column));
    }
    if (arguments.size() == 4) add(factor * arguments[2].number_at(column));
  }
  return result;
}

double gamma_of(int64_t n) {
  const double nu = std::ldexp(static_cast<double>(n), -24);
  return nu / (1 - nu);
}

TEST(ReassociateProducts, ErrsWithinTheBound) {
  for (const Rounded& row : rounded) {
    for (const bool has_bias : {false, true}) {
      SCOPED_TRACE(std::string(row.what) + (has_bias ? " with a bias" : ""));
      const ir::Module before = make_module([&](Builder& b) {
        const Value product = made_of_all(b);
        b.result(row.read(split(has_bias ? biased(product) : product)));
      });
      const ir::Module after = reassociated(before);
      ASSERT_LT(multiply_adds(after), multiply_adds(before));
      std::vector<Literal> arguments;
      for (ir::ValueId id : before.main().body.arguments) {
        const auto seed = static_cast<uint32_t>(arguments.size() + 1);
        arguments.push_back(
            random_literal(DType::f32, before.main().type(id).shape, seed, {-1, 1}));
      }
      const Elements wanted = in_double(arguments, row.sums_columns);
      const double gamma =
          gamma_of(features + (row.sums_columns ? size : positions) + (has_bias ? 1 : 0));
      const Literal in_order = interpreter::evaluate(before, arguments).at(0);
      const Literal got = interpreter::evaluate(after, arguments).at(0);
      EXPECT_NE(got, in_order);  // else nothing was rounded
      for (const Literal& result : {in_order, got}) {
        ASSERT_EQ(static_cast<size_t>(result.size()), wanted.sums.size());
        for (size_t i = 0; i < wanted.sums.size(); ++i) {
          EXPECT_NEAR(result.number_at(static_cast<int64_t>(i)), wanted.sums[i],
                      gamma * wanted.magnitudes[i])
              << "element " << i;
        }
      }
    }
  }
}

struct Untouched {
  const char* what;
  std::function<Value(Builder&)> build;
  double least_saving = any_saving;
};

// Two products in one type, the second to `result`.
Value in_type(Builder& b, DType dtype, DType result) {
  const Value x = argument(b, {wide, inner}, dtype), w = argument(b, {inner, wide}, dtype);
  return ir::dot_general(dense(x, w), argument(b, {wide, 1}, dtype), {{}, {}, {1}, {0}}, result);
}

const Untouched others[] = {
    {"a product that is returned as well",
     [](Builder& b) {
       const Value keys = made_of_all(b);
       b.result(keys);
       return scores(split(keys));
     }},
    {"keys that are read twice",
     [](Builder& b) {
       const Value keys = split(biased(made_of_all(b)));
       b.result(ir::unary(OpCode::negate, keys));
       return scores(keys);
     }},
    {"a product that is read before its bias",
     [](Builder& b) {
       const Value keys = made_of_all(b);
       b.result(-keys);
       return scores(split(biased(keys)));
     }},
    {"a product that a loop reads",
     [](Builder& b) {
       const Value keys = made_of_all(b);
       const Value query = argument(b, {batch, 1, heads, size});
       const Value initial[] = {argument(b, {batch, heads, 1, positions})};
       return ir::while_loop(
           initial,
           [](std::span<const Value> v) {
             return ir::compare(ir::reduce_sum(v[0], {0, 1, 2, 3}), 0, Direction::lt);
           },
           [&](std::span<const Value> v) {
             return std::vector<Value>{v[0] + ir::dot_general(query, split(keys), with_keys)};
           })[0];
     }},
    {"the square of a product",
     [](Builder& b) {
       const Value product = dense(argument(b, {wide, 1}), argument(b, {1, wide}));
       return dense(product, product);
     }},
    {"a sum over rows and columns",
     [](Builder& b) {
       const Value keys = split(biased(made_of_all(b)));
       return ir::dot_general(argument(b, {batch, positions, size}), keys,
                              {{0}, {0}, {1, 2}, {1, 3}});
     }},
    {"no sum at all",
     [](Builder& b) {
       const Value product = dense(argument(b, {terms, inner}), argument(b, {inner, terms}));
       return ir::dot_general(argument(b, {1}), product, {});
     }},
    {"a bias along the rows",
     [](Builder& b) {
       const Value keys = made_of_all(b);
       const Value bias = argument(b, {positions});
       return scores(split(keys + ir::broadcast_in_dim(bias, keys.shape(), {1})));
     }},
    {"a bias of each element",
     [](Builder& b) {
       const Value keys = made_of_all(b);
       return scores(split(keys + argument(b, {batch, positions, columns})));
     }},
    {"the sum of two products",
     [](Builder& b) { return scores(split(made_of_all(b) + made_of_all(b))); }},
    {"a function of the product",
     [](Builder& b) { return scores(split(ir::unary(OpCode::tanh, made_of_all(b)))); }},
    {"rows and columns in one axis",
     [](Builder& b) {
       const Value keys = ir::reshape(made_of_all(b), {batch, positions / 2, 2 * columns});
       return ir::dot_general(argument(b, {batch, 1, 2 * columns}), keys, {{0}, {0}, {2}, {2}});
     }},
    {"rows in one axis, with the features between",
     [](Builder& b) {
       const Value x = argument(b, {batch, features, positions});
       const Value keys = ir::dot_general(x, argument(b, {features, columns}), {{}, {}, {1}, {0}});
       return dense(ir::reshape(keys, {batch * positions, columns}), argument(b, {columns, 1}));
     }},
    {"a product of batches",
     [](Builder& b) {
       const Value x = argument(b, {2, wide, inner}), w = argument(b, {inner, 2, wide});
       const Value product = ir::dot_general(x, w, {{0}, {1}, {2}, {0}});
       return ir::dot_general(product, argument(b, {2, wide}), {{0}, {0}, {2}, {1}});
     }},
    {"a product over two axes",
     [](Builder& b) {
       const Value x = argument(b, {wide, 2, inner}), w = argument(b, {2, inner, wide});
       return dense(ir::dot_general(x, w, {{}, {}, {1, 2}, {0, 1}}), argument(b, {wide, 1}));
     }},
    {"f64", [](Builder& b) { return in_type(b, DType::f64, DType::f64); }},
    {"bf16", [](Builder& b) { return in_type(b, DType::bf16, DType::bf16); }},
    {"bf16 to f32", [](Builder& b) { return in_type(b, DType::bf16, DType::f32); }},
    {"whole numbers", [](Builder& b) { return in_type(b, DType::i32, DType::i32); }},
    {"the cheaper order",
     [](Builder& b) {
       return dense(dense(argument(b, {1, inner}), argument(b, {inner, wide})),
                    argument(b, {wide, wide}));
     }},
    {"all queries",
     [](Builder& b) {
       const Value queries = argument(b, {batch, positions, heads, size});
       return ir::dot_general(queries, split(made_of_all(b)), with_keys);
     }},
    {"less than half of the operations to save",
     [](Builder& b) {
       return dense(argument(b, {3 * wide / 4, wide}),
                    dense(argument(b, {wide, wide}), argument(b, {wide, wide})));
     }},
    {"a larger array between the products",
     [](Builder& b) {
       const Value product = dense(argument(b, {3, 2 * wide}), argument(b, {2 * wide, 8}));
       return dense(product, argument(b, {8, 1}));
     }},
    {"too little to save", [](Builder& b) { return scores(split(made_of_all(b))); }, 1e5},
    {"no elements", [](Builder& b) {
       return dense(argument(b, {1, 0}), dense(argument(b, {0, wide}), argument(b, {wide, wide})));
     }}};

TEST(ReassociateProducts, LeavesOthersAlone) {
  for (const Untouched& row : others) {
    const ir::Module before = make_module([&](Builder& b) { b.result(row.build(b)); });
    EXPECT_EQ(ir::to_text(reassociated(before, row.least_saving)), ir::to_text(before)) << row.what;
  }
}

TEST(ReassociateProducts, OfAGradientStayOfAGradient) {
  for (const bool of_gradient : {false, true}) {
    const ir::Module before = make_module([&](Builder& b) {
      ir::DotAttributes outer{{}, {}, {1}, {0}};
      outer.of_gradient = of_gradient;
      const Value inner = dense(argument(b, {wide, wide}), argument(b, {wide, wide}));
      b.result(ir::dot_general(inner, argument(b, {wide, 1}), outer));
    });
    const ir::Module after = reassociated(before);
    EXPECT_LT(multiply_adds(after), multiply_adds(before));
    ir::for_each_op(after.main().body, [&](const ir::Op& op) {
      if (op.code != OpCode::dot_general) return;
      EXPECT_EQ(op.get<ir::DotAttributes>().of_gradient, of_gradient);
    });
  }
}

}  // namespace
}  // namespace systolic
