// What torchvision makes of a picture, or of a batch, with the numbers that we draw:
// golden/make_random.py.
#include <gtest/gtest.h>

#include "systolic/image/augment/mix.h"
#include "systolic/image/augment/rand_augment.h"
#include "systolic/image/augment/random.h"
#include "systolic/image/test_golden.h"

namespace systolic::inline v0 {
namespace image {
namespace {

class RandomGolden : public testing::Test {
 protected:
  // The cases of one function.
  std::vector<nlohmann::json> cases(const std::string& function) const {
    std::vector<nlohmann::json> found;
    for (size_t i = 1; i < golden_.size(); ++i) {
      if (golden_[i]["function"] == function) found.push_back(golden_[i]);
    }
    EXPECT_FALSE(found.empty()) << function;
    return found;
  }
  Literal input(const char* name) const { return golden_literal(golden_[0][name]); }

 private:
  const nlohmann::json golden_ = read_golden("random.json");
};

void expect_output(const Literal& got, const nlohmann::json& each, double tolerance = 0) {
  EXPECT_LE(largest_difference(got, golden_literal(each["output"])), tolerance)
      << each["function"] << " " << each.value("name", "") << " " << each.value("magnitude", 0)
      << " " << each.value("negative", false) << " seed " << each.value("seed", 0);
}

TEST_F(RandomGolden, OperationsOfRandAugment) {
  const Literal picture = input("picture");
  for (const auto& each : cases("operation")) {
    expect_output(rand_augment_operation(picture, each["name"].get<std::string>(),
                                         each["magnitude"].get<double>() / 30, each["negative"]),
                  each);
  }
}

TEST_F(RandomGolden, RandAugment) {
  const Literal picture = input("picture");
  for (const auto& each : cases("rand_augment")) {
    expect_output(rand_augment(picture, each["seed"],
                               {.num_ops = each["num_ops"], .magnitude = each["magnitude"]}),
                  each);
  }
}

TEST_F(RandomGolden, RandomResizedCrop) {
  const Literal picture = input("picture");
  for (const auto& each : cases("random_resized_crop")) {
    const RandomResizedCropOptions options{.scale_low = each["scale"][0],
                                           .scale_high = each["scale"][1],
                                           .ratio_low = each["ratio"][0],
                                           .ratio_high = each["ratio"][1],
                                           .resize = {.convention = Convention::pillow}};
    expect_output(
        random_resized_crop(picture, each["height"], each["width"], each["seed"], options), each);
  }
}

TEST_F(RandomGolden, Mixup) {
  for (const auto& each : cases("mixup")) {
    const Mixed mixed =
        mixup(input("batch"), input("labels"), each["seed"], {.alpha = each["alpha"]});
    // Two products and their sum, each rounded to 24 bits, here and there; numbers up to 255 and 1.
    expect_output(mixed.images, each, 2 * 3 * 255 * 0x1p-24);
    EXPECT_LE(largest_difference(mixed.labels, golden_literal(each["labels"])), 2 * 3 * 0x1p-24);
  }
}

TEST_F(RandomGolden, Cutmix) {
  for (const auto& each : cases("cutmix")) {
    const Mixed mixed =
        cutmix(input("batch"), input("labels"), each["seed"], {.alpha = each["alpha"]});
    expect_output(mixed.images, each);
    EXPECT_LE(largest_difference(mixed.labels, golden_literal(each["labels"])), 2 * 3 * 0x1p-24);
  }
}

}  // namespace
}  // namespace image
}  // namespace systolic::inline v0
