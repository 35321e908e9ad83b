// Layers and other objects as configurations, and the small types of their fields.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/systolic.h"
#include "tests/examples/matches.h"

namespace systolic {
namespace {

TEST(ConfigExamples, FieldsOfALayer) {
  static_assert(HasFields<Dropout> && HasOwnFields<Dropout>);
  const std::vector<std::string> names = field_names<Dropout>();
  EXPECT_EQ(names.front(), "rate");
  const Dropout half = spec_from<Dropout>(*config_of(Dropout{.rate = 0.5}).find("config"));
  EXPECT_EQ(half.rate, 0.5);
}

// An object of one's own is written and read by its list of fields.
struct Scaled {
  static constexpr const char* kind = "Scaled";
  Required<double> factor = Unset{};
  std::vector<double> bounds = {0, 1};
  static constexpr Field<Scaled, std::vector<double>> bounds_field() {
    return field("bounds", &Scaled::bounds);
  }
  static constexpr auto fields() {
    return std::tuple(field("factor", &Scaled::factor), bounds_field());
  }
};

TEST(ConfigExamples, OfOnesOwn) {
  const Config config = config_of(Scaled{.factor = 2.0, .bounds = {-1, 1}});
  EXPECT_EQ(config.find("class_name")->text_value(), "Scaled");
  const Scaled read = spec_from<Scaled>(*config.find("config"));
  EXPECT_EQ(read.factor, 2.0);
  EXPECT_EQ(read.bounds, (std::vector<double>{-1, 1}));
  EXPECT_THROW(spec_from<Scaled>(Config(Config::Map{})), InvalidArgument);
}

TEST(ConfigExamples, Margins) {
  const Margins<2> frame = {{1, 0}, {0, 2}};  // (top, bottom), (left, right)
  const Config written = to_config(frame);
  EXPECT_EQ(written, margins_config({{1, 0}, {0, 2}}));
  Margins<2> read;
  from_config(written, read);
  EXPECT_EQ(read, frame);
  EXPECT_EQ(margins_from(Config(3), 2), (std::vector<std::pair<int64_t, int64_t>>{{3, 3}, {3, 3}}));
}

TEST(ConfigExamples, SizesAlongThreeAxes) {
  const Size3 cube = 3;
  EXPECT_EQ(cube, (Size3{3, 3, 3}));
  EXPECT_EQ(to_string(Size3{3, 5, 7}), "(3, 5, 7)");
  static_assert(std::is_same_v<SpatialSize<3>, Size3> && std::is_same_v<SpatialSize<1>, int64_t>);
}

TEST(ConfigExamples, PairsAreListsOfTwo) {
  const Config two{Config::List{Config(1), Config(2)}};
  EXPECT_EQ(pair_of(two).size(), 2U);
  EXPECT_THROW(pair_of(Config{Config::List{Config(1)}}), InvalidArgument);
}

TEST(ConfigExamples, NamesOfKerasWhereTheyDiffer) {
  const KerasForm form{.renamed = {{"units", "dim"}}, .is_bare = true};
  EXPECT_TRUE(form.is_of_keras);
  EXPECT_EQ(form.renamed.front().second, "dim");
}

TEST(ConfigExamples, ActivationsByName) {
  const Config written = to_config(Activation("relu"));
  EXPECT_EQ(written.text_value(), "relu");
  Activation read;
  from_config(written, read);
  expect_numbers(read(constant({-1.f, 2.f})), {0, 2});
}

}  // namespace
}  // namespace systolic
