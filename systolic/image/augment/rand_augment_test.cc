#include "systolic/image/augment/rand_augment.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "systolic/base/error.h"
#include "systolic/image/augment/affine.h"
#include "systolic/image/augment/enhance.h"
#include "systolic/image/test_golden.h"

namespace systolic::inline v0 {
namespace image {
namespace {

Literal picture() {
  return golden_literal(read_golden("augmenting.json")[0]["inputs"]["large"]);  // 40 × 50 × 3
}

TEST(RandAugment, OperationsAreThoseOfPillowAtTheStatedStrengths) {
  const Literal x = picture();
  const auto operation = [&](std::string_view name, double strength, bool negative) {
    return rand_augment_operation(x, name, strength, negative);
  };
  EXPECT_EQ(operation("identity", 1, false), x);
  EXPECT_EQ(operation("rotate", 1, true), rotate(x, -30));
  EXPECT_EQ(operation("shear_x", 0.5, false), affine(x, {1, 0.15, 0, 0, 1, 0}));
  EXPECT_EQ(operation("translate_x", 1, false), affine(x, {1, 0, -22, 0, 1, 0}));  // 150/331 * 50
  EXPECT_EQ(operation("translate_y", 1, true), affine(x, {1, 0, 0, 0, 1, 18}));
  EXPECT_EQ(operation("brightness", 1, true), enhance_brightness(x, 0.1));
  EXPECT_EQ(operation("sharpness", 1, false), enhance_sharpness(x, 1.9));
  EXPECT_EQ(operation("posterize", 1, false), posterize(x, 4));
  EXPECT_EQ(operation("solarize", 1, false), invert(x));
  EXPECT_EQ(operation("equalize", 0, false), equalize(x));
  EXPECT_THROW(operation("blur", 1, false), InvalidArgument);
  EXPECT_THROW(operation("rotate", 1.1, false), InvalidArgument);
}

TEST(RandAugment, EveryOperationIsDrawn) {
  const Literal x = picture();
  std::set<std::string> drawn;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Literal got = rand_augment(x, seed, {.num_ops = 1, .magnitude = 20});
    EXPECT_EQ(got.shape(), x.shape());
    EXPECT_EQ(got, rand_augment(x, seed, {.num_ops = 1, .magnitude = 20}));
    for (const std::string_view name : rand_augment_operations()) {
      for (const bool negative : {false, true}) {
        if (rand_augment_operation(x, name, 20.0 / 30, negative) == got) drawn.emplace(name);
      }
    }
  }
  EXPECT_EQ(drawn.size(), rand_augment_operations().size());
}

TEST(RandAugment, Errors) {
  EXPECT_THROW(rand_augment(picture(), 0, {.magnitude = 31}), InvalidArgument);
  EXPECT_THROW(rand_augment(picture().convert(DType::f32), 2, {.num_ops = 30}), InvalidArgument);
}

// Whatever is drawn: most operations would take these.
TEST(RandAugment, OtherPicturesAreRefusedForEverySeed) {
  for (const Literal& picture :
       {Literal::zeros(DType::u8, {4, 4, 4}), Literal::zeros(DType::f32, {4, 4, 3})}) {
    for (uint64_t seed = 0; seed < 20; ++seed)
      EXPECT_THROW(rand_augment(picture, seed), InvalidArgument) << seed;
    for (const std::string_view name : rand_augment_operations())
      EXPECT_THROW(rand_augment_operation(picture, name, 0.5, false), InvalidArgument) << name;
  }
}

}  // namespace
}  // namespace image
}  // namespace systolic::inline v0
