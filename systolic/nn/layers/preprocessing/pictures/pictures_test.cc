// Layers for pictures: at given parameters against Keras's (golden/make_pictures.py), and what they
// draw by its range.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <thread>

#include "systolic/base/error.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/contrast_limited_adaptive_histogram_equalization.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/equalization.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/random_brightness.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/random_color_jitter.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/random_invert.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/random_posterization.h"
#include "systolic/nn/layers/preprocessing/pictures/geometry/center_crop.h"
#include "systolic/nn/layers/preprocessing/pictures/geometry/random_crop.h"
#include "systolic/nn/layers/preprocessing/pictures/geometry/random_elastic_transform.h"
#include "systolic/nn/layers/preprocessing/pictures/geometry/random_erasing.h"
#include "systolic/nn/layers/preprocessing/pictures/geometry/random_gaussian_blur.h"
#include "systolic/nn/layers/preprocessing/pictures/geometry/random_perspective.h"
#include "systolic/nn/layers/preprocessing/pictures/geometry/random_shear.h"
#include "systolic/nn/layers/preprocessing/pictures/geometry/random_translation.h"
#include "systolic/nn/layers/preprocessing/pictures/geometry/random_zoom.h"
#include "systolic/nn/layers/preprocessing/pictures/geometry/resizing.h"
#include "systolic/nn/layers/preprocessing/pictures/histograms.h"
#include "systolic/nn/layers/preprocessing/pictures/mixtures/aug_mix.h"
#include "systolic/nn/layers/preprocessing/pictures/mixtures/cut_mix.h"
#include "systolic/nn/layers/preprocessing/pictures/mixtures/mix_up.h"
#include "systolic/nn/layers/preprocessing/pictures/mixtures/rand_augment.h"
#include "systolic/nn/layers/preprocessing/pictures/warps.h"
#include "systolic/nn/layers/preprocessing/test_golden.h"
#include "systolic/nn/network/network.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic {
namespace {

Config golden_pictures() { return golden_json(__FILE__, "pictures.json"); }

// `within`: of values from 0 to `most`.
void expect_near(const Literal& got, const Literal& wanted, double within) {
  ASSERT_EQ(got.shape(), wanted.shape());
  for (int64_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got.number_at(i), wanted.number_at(i), within) << i;
}

Tensor changed_as(const Config& one, const Tensor& x, const std::vector<Tensor>& with) {
  const std::string& what = one["what"].text_value();
  const bool bytes = one["x"].text_value() == "bytes";
  const ValueRange range(0, bytes ? 255 : 1), whole(0, 255), unit(0, 1);
  const auto in_bytes = [&](auto change) {
    return in_range(change(in_range(x, range, whole)), whole, range);
  };
  const auto limited = [&](const Tensor& y) { return clip(y, range.low(), range.high()); };
  if (what == "contrast") return limited(contrast_changed(x, with[0]));
  if (what == "gray") return where(constant(true), gray_of(x), x);
  if (what == "saturation") return saturation_changed(x, with[0], range);
  if (what == "hue") {
    const Tensor moved = hue_moved(in_range(x, range, unit), with[0]);
    return in_range(clip(moved, 0.0, 1.0), unit, range);
  }
  if (what == "posterization")
    return in_bytes([&](const Tensor& y) { return posterized(y, with[0]); });
  if (what == "solarization")
    return in_bytes([&](const Tensor& y) { return solarized(y, with[0], with[1]); });
  if (what == "auto contrast")
    return in_bytes([&](const Tensor& y) { return contrast_stretched(y); });
  if (what == "sharpness") return limited(sharpened(x, with[0] * 2.0));
  if (what == "degeneration") return limited(x + with[0] * (gray_of(x) - x));
  if (what == "equalization") {
    return in_bytes([&](const Tensor& y) { return equalized(y, one["bins"].integer(), {}); });
  }
  if (what == "blur") return blurred(x, gaussian_weights(5, with[0]), gaussian_weights(3, with[1]));
  const Sampling sampling = Sampling::parse(one["interpolation"].text_value());
  const FillMode fill_mode = FillMode::parse(one["fill_mode"].text_value());
  const double fill_value = one["fill_value"].number();
  if (what == "perspective")
    return seen_from(x, {with[0], with[1], with[2], with[3]}, sampling, fill_value);
  const int64_t height = x.shape()[1], width = x.shape()[2];
  const AffineTransform transform = what == "translation" ? translation_of(with[0], with[1])
                                    : what == "shear"     ? shear_of(with[0], with[1])
                                    : what == "zoom"      ? zoom_of(with[0], with[1], height, width)
                                                          : rotation_of(with[0], height, width);
  return transformed(x, transform, sampling, fill_mode, fill_value);
}

// Every seventh pixel of each picture.
Literal distorted_as(const Config& golden, const Config& one) {
  const auto field = [&](const char* name) {
    return Tensor(golden_floats(golden[name]).reshape({2, 40, 50, 1}));
  };
  const Distortion distortion{.strength = fill({}, one["strength"].number()),
                              .most_strength = 1,
                              .right = field("right"),
                              .down = field("down")};
  const Tensor changed =
      distorted(field("wide"), distortion, "bilinear",
                FillMode::parse(one["fill_mode"].text_value()), one["fill_value"].number());
  const Literal y = clip(changed, 0.0, 255.0).literal();
  std::vector<double> values;
  for (int64_t picture = 0; picture < 2; ++picture)
    for (int64_t i = 0; i < 2000; i += 7) values.push_back(y.number_at(picture * 2000 + i));
  return Literal::from(values, {2, 286}).convert(DType::f32);
}

TEST(PicturesGolden, GiveWhatKerasGives) {
  const Config golden = golden_pictures();
  ASSERT_GT(golden["cases"].list().size(), 40u);
  for (const Config& one : golden["cases"].list()) {
    SCOPED_TRACE(one.text().substr(0, 120));
    const Literal wanted = golden_floats(one["output"]);
    if (const Config* kind = one.find("kind")) {
      Config config;
      config.set("class_name", *kind);
      config.set("config", one["config"]);
      const Tensor x(golden_floats(golden["bytes"]));
      expect_near(layer_from_config(config)(x).literal(), wanted, 1e-3);
      continue;
    }
    if (one["x"].text_value() == "wide") {
      expect_near(distorted_as(golden, one), wanted, 0.02);  // values to 255, places to 50
      continue;
    }
    const bool bytes = one["x"].text_value() == "bytes";
    std::vector<Tensor> with;
    for (const Config& each : one["parameters"].list()) with.emplace_back(golden_floats(each));
    const Tensor x(golden_floats(golden[one["x"].text_value()]));
    // Numbers to 255 have an error of 2^-16 each.
    expect_near(changed_as(one, x, with).literal(), wanted, bytes ? 2e-3 : 1e-5);
  }
}

Literal gray_pictures(int64_t count, double value) {
  return Literal::filled(DType::f32, {count, 4, 4, 1}, value);
}

Literal trained(const Layer& layer, const Literal& x) {
  return layer(Tensor(x), {.training = true}).literal();
}

// The first pixel of each picture.
std::vector<double> first_pixels(const Literal& pictures) {
  std::vector<double> values;
  const int64_t size = pictures.size() / pictures.shape()[0];
  for (int64_t i = 0; i < pictures.shape()[0]; ++i) values.push_back(pictures.number_at(i * size));
  return values;
}

TEST(Pictures, DrawFromTheirRange) {
  set_seed(5);
  const std::vector<double> bright = first_pixels(
      trained(RandomBrightness{.factor = DrawnFactor{-0.1, 0.3}}, gray_pictures(400, 100)));
  const auto [low, high] = std::minmax_element(bright.begin(), bright.end());
  EXPECT_GE(*low, 100 - 25.5);
  EXPECT_LT(*low, 100 - 23);
  EXPECT_LT(*high, 100 + 76.5);
  EXPECT_GT(*high, 100 + 74);
  const std::vector<double> inverted =
      first_pixels(trained(RandomInvert{.factor = {0.3, 0.3}}, gray_pictures(1000, 55)));
  const auto count = std::count(inverted.begin(), inverted.end(), 200.0);
  EXPECT_NEAR(static_cast<double>(count), 300, 60);  // four standard deviations
  EXPECT_EQ(count + std::count(inverted.begin(), inverted.end(), 55.0), 1000);
  // 1 or 2 bits of 255: 128 or 192.
  const std::vector<double> bits =
      first_pixels(trained(RandomPosterization{.factor = {1, 3}}, gray_pictures(200, 255)));
  EXPECT_GT(std::count(bits.begin(), bits.end(), 128.0), 50);
  EXPECT_GT(std::count(bits.begin(), bits.end(), 192.0), 50);
  EXPECT_EQ(
      std::count(bits.begin(), bits.end(), 128.0) + std::count(bits.begin(), bits.end(), 192.0),
      200);
}

// A layer of one's own that draws.
struct Noise {
  static constexpr const char* kind = "Noise";
  Tensor call(const Tensor& x, CallContext& context) const {
    PictureDraws draws(x, context, 7);
    return box_at(x + draws.normal() * draws.uniform(1, 1), constant(1), constant(2), 2, 2);
  }
};

TEST(Pictures, DrawOthersForEachPicture) {
  set_seed(1);
  const Literal y = trained(Noise{}, gray_pictures(2, 0));
  ASSERT_EQ(y.shape(), (Shape{2, 2, 2, 1}));
  EXPECT_NE(y.number_at(0), y.number_at(4));
}

TEST(Pictures, AreAsTheyWereInEvaluation) {
  const Literal x = gray_pictures(2, 7);
  for (const Layer& layer :
       {Layer(RandomBrightness{.factor = 0.5}), Layer(RandomInvert{}), Layer(RandomErasing{}),
        Layer(RandomTranslation{.height_factor = 0.5, .width_factor = 0.5})})
    EXPECT_EQ(layer(Tensor(x)).literal(), x) << layer.kind();
}

// Draws of one's own, as `what` says.
struct Drawn {
  static constexpr const char* kind = "Drawn";
  std::string what;
  double alpha = 1;
  Tensor call(const Tensor& x, CallContext& context) const {
    PictureDraws draws(x, context, 7);
    const Shape each{x.shape()[0], 1, 1, 1};
    if (what == "gamma") return exp(draws.log_gamma(each, fill({}, alpha)));
    if (what == "beta") return draws.beta(each, fill({}, alpha));
    return reshape(cast(draws.permutation(), DType::f32), each);
  }
};

TEST(Pictures, GammaAndBetaHaveTheirMoments) {
  set_seed(2);
  const int64_t count = 4000;
  const auto moments = [&](const Drawn& drawn) {
    const Literal y = trained(drawn, gray_pictures(count, 0));
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < count; ++i) sum += y.number_at(i);
    for (int64_t i = 0; i < count; ++i)
      squares += std::pow(y.number_at(i) - sum / static_cast<double>(count), 2);
    return std::pair(sum / static_cast<double>(count), squares / static_cast<double>(count));
  };
  for (const double alpha : {0.2, 1.0, 3.5}) {
    const auto [mean, variance] = moments({"gamma", alpha});  // both are alpha
    EXPECT_NEAR(mean, alpha, 5 * std::sqrt(alpha / count)) << alpha;
    EXPECT_NEAR(variance, alpha, 0.2 * alpha + 0.05) << alpha;
    const auto [half, spread] = moments({"beta", alpha});
    EXPECT_NEAR(half, 0.5, 0.04) << alpha;
    EXPECT_NEAR(spread, 1 / (4 * (2 * alpha + 1)), 0.02) << alpha;
  }
  // So small a parameter leaves 0 and 1 alone.
  EXPECT_NEAR(moments({"beta", 1e-6}).second, 0.25, 0.001);
}

TEST(Pictures, PermutationsHaveEachRowOnce) {
  set_seed(3);
  const Literal y = trained(Drawn{"permutation"}, gray_pictures(50, 0));
  std::set<double> rows;
  int64_t moved = 0;
  for (int64_t i = 0; i < 50; ++i) {
    rows.insert(y.number_at(i));
    moved += y.number_at(i) != static_cast<double>(i) ? 1 : 0;
  }
  EXPECT_EQ(rows.size(), 50u);
  EXPECT_GT(moved, 40);
}

// Pictures 0, 1, 2, ... and the labels of each its own class.
std::vector<Tensor> mixed_by(const Layer& layer, int64_t count) {
  Literal x(DType::f32, {count, 8, 8, 1}), y = Literal::zeros(DType::f32, {count, count});
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t k = 0; k < 64; ++k) x.mutable_data<float>()[i * 64 + k] = static_cast<float>(i);
    y.mutable_data<float>()[i * count + i] = 1;
  }
  const Symbol picture = input({.shape = {8, 8, 1}}), label = input({.shape = {count}});
  const Network network({picture, label}, layer.outputs({picture, label}));
  return network.outputs({Tensor(x), Tensor(y)}, {.training = true});
}

TEST(Pictures, MixedLabelsSayWhatIsInThePictures) {
  set_seed(4);
  const int64_t count = 20;
  for (const Layer& layer : {Layer(MixUp{.alpha = 1}), Layer(CutMix{})}) {
    const std::vector<Tensor> mixed = mixed_by(layer, count);
    const Literal x = mixed[0].literal(), y = mixed[1].literal();
    int64_t changed = 0;
    for (int64_t i = 0; i < count; ++i) {
      double shown = 0, said = 0, whole = 0;
      for (int64_t k = 0; k < 64; ++k) shown += x.number_at(i * 64 + k) / 64;
      for (int64_t c = 0; c < count; ++c) {
        said += static_cast<double>(c) * y.number_at(i * count + c);
        whole += y.number_at(i * count + c);
      }
      // A box of CutMix ends between pixels: by less than one on each of its sides.
      const double within = layer.kind() == "MixUp" ? 1e-4 : count * 18.0 / 64;
      EXPECT_NEAR(shown, said, within) << layer.kind() << i;
      EXPECT_NEAR(whole, 1, 1e-5);
      changed += y.number_at(i * count + i) < 0.999 ? 1 : 0;
    }
    EXPECT_GT(changed, 10) << layer.kind();
    EXPECT_EQ(layer(Tensor(gray_pictures(2, 3))).literal(), gray_pictures(2, 3));
  }
  EXPECT_THROW(trained(MixUp{.alpha = 0}, gray_pictures(2, 3)), InvalidArgument);
}

TEST(Pictures, ChangesAreDrawnFromMany) {
  const Literal x = golden_floats(golden_pictures()["bytes"]);
  for (const Layer& layer : {Layer(RandAugment{.num_ops = 1}), Layer(AugMix{})}) {
    set_seed(6);
    std::set<std::string> results;
    for (int i = 0; i < 12; ++i) {
      const Literal y = trained(layer, x);
      ASSERT_EQ(y.shape(), x.shape());
      std::string bytes;
      for (int64_t k = 0; k < y.size(); ++k) {
        EXPECT_GE(y.number_at(k), -1e-3) << layer.kind();
        EXPECT_LE(y.number_at(k), 255 + 1e-3) << layer.kind();
        bytes += std::to_string(y.number_at(k)) + " ";
      }
      results.insert(bytes);
    }
    EXPECT_GT(results.size(), 8u) << layer.kind();
    EXPECT_EQ(layer(Tensor(x)).literal(), x) << layer.kind();
  }
}

TEST(Pictures, JitterChangesWhatIsAsked) {
  set_seed(1);
  const Literal x = golden_floats(golden_pictures()["unit"]);
  EXPECT_EQ(trained(RandomColorJitter{.value_range = {0, 1}}, x), x);
  const Literal y =
      trained(RandomColorJitter{.value_range = {0, 1}, .hue_factor = DrawnFactor{0.5, 0.5}}, x);
  EXPECT_NE(y, x);
  // The largest channel stays where hue alone changes.
  for (int64_t i = 0; i < x.size(); i += 3) {
    const auto most = [&](const Literal& z) {
      return std::max({z.number_at(i), z.number_at(i + 1), z.number_at(i + 2)});
    };
    EXPECT_NEAR(most(x), most(y), 1e-5);
  }
}

TEST(Pictures, OneLevelStaysWhenEqualized) {
  const Literal x = gray_pictures(2, 30);
  EXPECT_EQ(trained(Equalization{}, x), x);
  // A picture that only pads does not count.
  Literal two(DType::f32, {2, 1, 2, 1});
  const std::vector<float> values = {10, 20, 200, 210};
  std::copy(values.begin(), values.end(), two.mutable_data<float>().begin());
  const Literal mask = Literal::of<int32_t>({1, 0}).convert(DType::pred);
  const Layer layer = Equalization{};
  const Literal y = layer(Tensor(two), {.training = true, .sample_mask = Tensor(mask)}).literal();
  EXPECT_EQ(y.number_at(0), 0);
  EXPECT_EQ(y.number_at(1), 255);
}

TEST(Pictures, ErasedBoxesHaveTheirSize) {
  set_seed(1);
  const Literal y = trained(RandomErasing{.factor = {1, 1}, .scale = {0.5, 0.5}, .fill_value = 9},
                            Literal::filled(DType::f32, {50, 8, 8, 2}, 1));
  for (int64_t picture = 0; picture < 50; ++picture) {
    int64_t erased = 0;
    for (int64_t i = 0; i < 128; ++i) erased += y.number_at(picture * 128 + i) == 9 ? 1 : 0;
    EXPECT_EQ(erased, 4 * 4 * 2);  // half of each side
  }
}

TEST(Pictures, CropsAreBoxesOfThePicture) {
  set_seed(1);
  Literal x(DType::f32, {1, 6, 7, 1});
  for (int64_t i = 0; i < 42; ++i) x.mutable_data<float>()[i] = static_cast<float>(i);
  const Layer crop = RandomCrop{.height = 2, .width = 3};
  std::set<double> corners;
  for (int i = 0; i < 100; ++i) {
    const Literal y = trained(crop, x);
    const double corner = y.number_at(0);
    corners.insert(corner);
    for (int64_t k = 0; k < 6; ++k)
      EXPECT_EQ(y.number_at(k), corner + static_cast<double>(k / 3 * 7 + k % 3));
  }
  EXPECT_GT(corners.size(), 20u);                         // of 5 x 5 places
  EXPECT_EQ(crop(Tensor(x)).literal().number_at(0), 16);  // the middle
}

TEST(Pictures, ColorsComeBackFromHue) {
  const Tensor x(golden_floats(golden_pictures()["unit"]));
  check_pictures(x, 3);
  expect_near(hsv_to_rgb(rgb_to_hsv(x)).literal(), x.literal(), 1e-6);
}

TEST(Pictures, TakeBytes) {
  const Literal bytes = Literal::filled(DType::u8, {1, 3, 3, 1}, 200);
  const Layer layer = Resizing{.height = 2, .width = 2};
  EXPECT_EQ(layer(Tensor(bytes)).literal(), Literal::filled(DType::f32, {1, 2, 2, 1}, 200));
}

TEST(Pictures, RunInThreadsOfAPipeline) {
  const Layer layer = CenterCrop{.height = 2, .width = 2};
  std::vector<std::thread> threads;
  std::vector<Literal> results(4);
  for (size_t i = 0; i < results.size(); ++i) {
    threads.emplace_back(
        [&, i] { results[i] = layer(Tensor(gray_pictures(1, static_cast<double>(i)))).literal(); });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i].number_at(3), i);
}

TEST(Pictures, WrongInputIsRefused) {
  const Tensor x(gray_pictures(1, 1));
  const auto train = [&](const Layer& layer) { layer(x, {.training = true}); };
  EXPECT_THROW(train(RandomBrightness{.factor = 1.5}), InvalidArgument);
  EXPECT_THROW(train(RandomZoom{.height_factor = {-2, 0}}), InvalidArgument);
  EXPECT_THROW(Layer(RandomBrightness{.factor = 0.5, .value_range = {3, 3}}), InvalidArgument);
  EXPECT_THROW(Layer(RandomBrightness{.factor = {0.1, 0.2, 0.3}}), InvalidArgument);
  EXPECT_THROW(train(CenterCrop{.height = 0, .width = 1}), InvalidArgument);
  EXPECT_THROW(
      train(Resizing{
          .height = 1, .width = 1, .crop_to_aspect_ratio = true, .pad_to_aspect_ratio = true}),
      InvalidArgument);
  EXPECT_THROW(Choice<FillModeNames>::parse("mirror"), InvalidArgument);
  EXPECT_THROW(Choice<SamplingNames>::parse("cubic"), InvalidArgument);
  EXPECT_THROW(train(RandomGaussianBlur{.kernel_size = 2}), InvalidArgument);
  EXPECT_THROW(train(RandomPerspective{.scale = 2}), InvalidArgument);
  EXPECT_THROW(train(RandomShear{.x_factor = {0, 2}}), InvalidArgument);
  EXPECT_THROW(train(RandomElasticTransform{.scale = 3}), InvalidArgument);
  EXPECT_THROW(train(RandAugment{}), InvalidArgument);  // one channel
  EXPECT_THROW(train(ContrastLimitedAdaptiveHistogramEqualization{.tile_grid_size = 0}),
               InvalidArgument);
  const Layer invert = RandomInvert{};
  EXPECT_THROW(invert(Tensor(Literal::of<float>({1}))), InvalidArgument);
}

}  // namespace
}  // namespace systolic
