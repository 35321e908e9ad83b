// Layers for sound against Keras's (golden/make_audio.py).
#include <gtest/gtest.h>

#include <cmath>

#include "systolic/base/error.h"
#include "systolic/nn/initializers/initializer.h"
#include "systolic/nn/layers/preprocessing/audio/mel_spectrogram.h"
#include "systolic/nn/layers/preprocessing/audio/real_dft.h"
#include "systolic/nn/layers/preprocessing/audio/stft_spectrogram.h"
#include "systolic/nn/layers/preprocessing/test_golden.h"

namespace systolic {
namespace {

Config golden_audio() { return golden_json(__FILE__, "audio.json"); }

TEST(Audio, SpectrogramsAreKeras) {
  const Config golden = golden_audio();
  ASSERT_GT(golden["cases"].list().size(), 14u);
  for (const Config& one : golden["cases"].list()) {
    SCOPED_TRACE(one.text().substr(0, 150));
    Config config;
    config.set("class_name", one["kind"]);
    config.set("config", one["config"]);
    const Layer layer = layer_from_config(config);
    const Tensor x(golden_floats(golden[one["x"].text_value()]));
    const Literal got = layer(x).literal(), wanted = golden_floats(one["output"]);
    ASSERT_EQ(got.shape(), wanted.shape());
    for (int64_t i = 0; i < got.size(); ++i)
      ASSERT_NEAR(got.number_at(i), wanted.number_at(i), 1e-4) << i;
    EXPECT_EQ(layer_from_config(layer.get_config())(x).literal(), got);
  }
}

TEST(Audio, TransformsAreSumsOfWaves) {
  for (const int64_t samples : {1, 2, 7, 12, 64, 90}) {
    Literal x(DType::f32, {2, samples});
    for (int64_t i = 0; i < x.size(); ++i)
      x.mutable_data<float>()[i] = static_cast<float>(std::sin(3.0 * static_cast<double>(i * i)));
    const Spectrum got = real_dft(Tensor(x));
    ASSERT_EQ(got.real.shape(), (Shape{2, samples / 2 + 1}));
    const Literal real = got.real.literal(), imaginary = got.imaginary.literal();
    for (int64_t i = 0; i < real.size(); ++i) {
      const int64_t row = i / (samples / 2 + 1), k = i % (samples / 2 + 1);
      double re = 0, im = 0;
      for (int64_t n = 0; n < samples; ++n) {
        const double angle = -2 * M_PI * static_cast<double>(n * k) / static_cast<double>(samples);
        re += x.number_at(row * samples + n) * std::cos(angle);
        im += x.number_at(row * samples + n) * std::sin(angle);
      }
      EXPECT_NEAR(real.number_at(i), re, 1e-4) << samples;
      EXPECT_NEAR(imaginary.number_at(i), im, 1e-4) << samples;
    }
  }
}

TEST(Audio, OneRowNeedsNoBatch) {
  const Literal x = golden_floats(golden_audio()["sound"]);
  const Layer layer = MelSpectrogram{.fft_length = 32, .num_mel_bins = 3};
  EXPECT_EQ(layer(Tensor(x.row(0))).shape(), (Shape{3, 1}));
}

TEST(Audio, TheInitializerComesBack) {
  const Initializer waves = STFT{.side = "imag", .window = "none", .scaling = "none"};
  EXPECT_EQ(Initializer::from_config(waves.config()), waves);
  const Literal values = waves({4, 1, 3}, 0);
  EXPECT_NEAR(values.number_at(1 * 3 + 1), -1, 1e-6);  // a quarter of a turn back
}

TEST(Audio, WrongInputIsRefused) {
  const Tensor few(Literal::zeros(DType::f32, {1, 10})),
      cube(Literal::zeros(DType::f32, {1, 9, 1}));
  const auto mel = [&](const Layer& layer) { layer(few); };
  const auto stft = [&](const Layer& layer) { layer(cube); };
  EXPECT_THROW(mel(MelSpectrogram{}), InvalidArgument);  // fewer than half a frame
  EXPECT_THROW(mel(MelSpectrogram{.fft_length = 8, .sequence_length = 9}), InvalidArgument);
  EXPECT_THROW(mel(MelSpectrogram{.fft_length = 8, .sequence_stride = 0}), InvalidArgument);
  EXPECT_THROW(mel(STFTSpectrogram{}), InvalidArgument);  // no axis of channels
  EXPECT_THROW(stft(STFTSpectrogram{.frame_length = 4, .frame_step = 5}), InvalidArgument);
  EXPECT_THROW(stft(STFTSpectrogram{.frame_length = 4, .fft_length = 2}), InvalidArgument);
  EXPECT_THROW(stft(STFTSpectrogram{.frame_length = 4, .padding = "causal"}), InvalidArgument);
  EXPECT_THROW(Initializer(STFT{})({4, 1}, 0), InvalidArgument);
}

}  // namespace
}  // namespace systolic
