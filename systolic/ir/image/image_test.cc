#include "systolic/ir/image/image.h"

#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/ir/print/print.h"
#include "systolic/ir/window.h"

namespace systolic {
namespace {

using namespace ir;

// A step with a loop, a branch, a fold, a convolution, random bits, and all that text leaves out.
Module whole_module() {
  Module module;
  module.name = "step";
  module.num_partitions = 2;
  module.functions.emplace_back();
  Builder b(module.main(), &module);
  b.location = {intern("train.cc"), 12};
  b.layer_path = intern("net/dense");
  const Value x =
      b.argument({DType::f32, {4, 6, 2}}, {.name = "x", .sharding = Sharding::along(0, 3, 2)});
  const Value w = b.argument({DType::f32, {3, 2, 2}},
                             {.name = "w", .aliases_result = 0, .role = Role::parameter});
  const Value state = b.argument({DType::u64, {2}}, {.role = Role::other_state});
  const Value y = convolution(x, w, channels_last_convolution(1));
  const auto [next, bits] = rng_bit_generator(state, {DType::u32, {2}}, RngAlgorithm::three_fry);
  const Value flat = reshape(y, {4, 8});
  const Value gram = dot_general(flat, flat, {{}, {}, {0}, {0}, Precision::high, true});
  const std::vector<Value> initial{b.filled(DType::i32, {}, 0), reduce_sum(gram, {0, 1})};
  const std::vector<Value> looped = while_loop(
      initial, [](std::span<const Value> s) { return compare(s[0], 3, Direction::lt); },
      [](std::span<const Value> s) {
        return std::vector<Value>{s[0] + 1.0, s[1] * 0.5};
      });
  const std::vector<Value> chosen = if_else(
      compare(looped[1], 0, Direction::gt), [&] { return std::vector<Value>{w * 2.0}; },
      [&] { return std::vector<Value>{-w}; });
  CustomCallAttributes call{
      .call_target_name = "mine", .operand_layouts = {{}}, .result_layouts = {{}}};
  call.options = {{"a", Literal::scalar(1.5f)},
                  {"b", std::vector<CustomOption>{{"c", std::string("d")}}}};
  b.result(chosen[0]);
  b.result(b.append_one(OpCode::custom_call, {looped[1]}, call, {}, {{DType::f32, {}}}));
  b.result(next);
  b.result(bits);
  return module;
}

TEST(Image, IsTheModule) {
  const Module module = whole_module();
  const std::string image = image_of(module);
  const Module read = module_of(image);
  EXPECT_EQ(to_text(read, {.locations = true}), to_text(module, {.locations = true}));
  EXPECT_EQ(image_of(read), image);
  EXPECT_EQ(read.main().arguments[1].role, Role::parameter);
  bool of_gradient = false;
  for_each_op(read.main().body, [&](const Op& op) {
    EXPECT_STREQ(op.layer_path, "net/dense");
    if (op.code == OpCode::dot_general) of_gradient = op.get<DotAttributes>().of_gradient;
  });
  EXPECT_TRUE(of_gradient);
}

TEST(Image, DamageAtEveryByteEndsWell) {
  const std::string image = image_of(whole_module());
  for (size_t size = 0; size < image.size(); ++size) {
    EXPECT_CONTAINS(error_of([&] { module_of(image.substr(0, size)); }), "DataLoss: the image of");
  }
  for (size_t i = 0; i < image.size(); ++i) {
    for (const int change : {1, 0x80, 0xff}) {
      std::string damaged = image;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      error_of([&] { module_of(damaged); });  // an Error or none, never anything else
    }
  }
}

TEST(Image, OddBytes) {
  EXPECT_CONTAINS(error_of([] { module_of(""); }), "does not begin as the image");
  EXPECT_CONTAINS(error_of([] { module_of("SYSTOLIC-IR-2"); }), "does not begin as the image");
  EXPECT_CONTAINS(error_of([] { module_of(image_of(whole_module()) + "x"); }), "after its end");
}

}  // namespace
}  // namespace systolic
