#include "systolic/transformers/whisper/whisper_feature_extractor.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "systolic/base/error.h"
#include "systolic/base/threads/thread_pool.h"
#include "systolic/transformers/config/config_fields.h"
#include "systolic/transformers/whisper/mel_filters.h"

namespace systolic::inline v0 {
namespace {

constexpr double highest_hertz = 8000, quietest = 1e-10, range = 8;  // range: powers of 10
constexpr int64_t most_samples = int64_t{1} << 28;

// The power spectrum of windows of one waveform.
class Spectrum {
 public:
  explicit Spectrum(int64_t size)
      : size_(size), cosines_(static_cast<size_t>(size)), sines_(cosines_), hann_(cosines_) {
    for (int64_t i = 0; i < size; ++i) {
      const double angle =
          2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(size);
      cosines_[static_cast<size_t>(i)] = std::cos(angle);
      sines_[static_cast<size_t>(i)] = std::sin(angle);
      hann_[static_cast<size_t>(i)] = 0.5 - 0.5 * std::cos(angle);
    }
  }
  int64_t frequencies() const { return size_ / 2 + 1; }

  // For the window around `center` of a waveform that is reflected at its ends.
  void power(std::span<const double> waveform, int64_t center, std::span<double> result) const {
    std::vector<double> window(static_cast<size_t>(size_));
    const auto count = static_cast<int64_t>(waveform.size());
    for (int64_t i = 0; i < size_; ++i) {
      int64_t at = std::abs(center - size_ / 2 + i);
      if (at >= count) at = 2 * (count - 1) - at;
      window[static_cast<size_t>(i)] =
          waveform[static_cast<size_t>(at)] * hann_[static_cast<size_t>(i)];
    }
    for (int64_t k = 0; k < frequencies(); ++k) {
      double real = 0, imaginary = 0;
      for (int64_t i = 0, turn = 0; i < size_; ++i, turn += k) {
        if (turn >= size_) turn -= size_;
        real += window[static_cast<size_t>(i)] * cosines_[static_cast<size_t>(turn)];
        imaginary += window[static_cast<size_t>(i)] * sines_[static_cast<size_t>(turn)];
      }
      result[static_cast<size_t>(k)] = real * real + imaginary * imaginary;
    }
  }

 private:
  int64_t size_;
  std::vector<double> cosines_, sines_, hann_;
};

// As many samples as a chunk has.
std::vector<double> filled(const Literal& waveform, int64_t samples, double padding) {
  std::vector<double> result(static_cast<size_t>(samples), padding);
  const auto from = waveform.data<float>();
  std::copy_n(from.begin(), std::min<int64_t>(samples, waveform.size()), result.begin());
  return result;
}

// The logarithms of one waveform, [bins, frames], into `to`.
void log_mel(std::span<const double> waveform, const WhisperFeatureExtractor& options,
             const std::vector<double>& filters, std::span<float> to) {
  const Spectrum spectrum(options.n_fft);
  const int64_t frequencies = spectrum.frequencies(), bins = options.feature_size;
  const auto frames = static_cast<int64_t>(to.size()) / bins;
  ThreadPool::compute().parallel_for(frames, 16, [&](int64_t begin, int64_t end) {
    std::vector<double> power(static_cast<size_t>(frequencies));
    for (int64_t frame = begin; frame < end; ++frame) {
      spectrum.power(waveform, frame * options.hop_length, power);
      for (int64_t bin = 0; bin < bins; ++bin) {
        const double* filter = filters.data() + bin * frequencies;
        double sum = 0;
        for (int64_t k = 0; k < frequencies; ++k) sum += filter[k] * power[static_cast<size_t>(k)];
        to[static_cast<size_t>(bin * frames + frame)] =
            static_cast<float>(std::log10(std::max(sum, quietest)));
      }
    }
  });
  const float least = *std::max_element(to.begin(), to.end()) - static_cast<float>(range);
  for (float& value : to) value = (std::max(value, least) + 4) / 4;
}

void check_waveform(const Literal& waveform, size_t i, SourceLocation location) {
  const bool is_mono = waveform.rank() == 1 || (waveform.rank() == 2 && waveform.shape()[1] == 1);
  if (waveform.dtype() == DType::f32 && is_mono) return;
  raise<InvalidArgument>({.what = str("waveform ", i, " is ", to_string(waveform.dtype()),
                                      " of shape ", waveform.shape()),
                          .wanted = "f32 [samples], one channel",
                          .hint = "the mean over the channels makes one of several",
                          .location = location});
}

void check_sizes(const WhisperFeatureExtractor& options, SourceLocation location) {
  const bool positive = options.feature_size > 0 && options.sampling_rate > 0 &&
                        options.hop_length > 0 && options.chunk_length > 0 && options.n_fft > 1;
  const int64_t samples = positive ? options.chunk_length * options.sampling_rate : 0;
  if (positive && samples <= most_samples && samples > options.n_fft / 2) return;
  raise<InvalidArgument>(
      {.what = str("a WhisperFeatureExtractor of ", options.chunk_length, " s, ",
                   options.sampling_rate, " Hz, windows of ", options.n_fft, " every ",
                   options.hop_length, " samples, ", options.feature_size, " bins"),
       .wanted = str("numbers above 0, and a chunk of more than half a window and at most ",
                     most_samples, " samples"),
       .location = location});
}

}  // namespace

WhisperFeatureExtractor WhisperFeatureExtractor::from_pretrained(const std::string& folder,
                                                                 SourceLocation location) {
  const std::string path = folder + "/preprocessor_config.json";
  ConfigFields fields(read_config_file(path, location), path, location);
  WhisperFeatureExtractor result;
  fields.integer("feature_size", result.feature_size, 1, 1 << 10);
  fields.integer("sampling_rate", result.sampling_rate, 1, 1 << 20);
  fields.integer("hop_length", result.hop_length, 1, 1 << 20);
  fields.integer("chunk_length", result.chunk_length, 1, 1 << 12);
  fields.integer("n_fft", result.n_fft, 2, 1 << 16);
  fields.number("padding_value", result.padding_value, -1, 1);
  fields.only("dither", 0.0);
  check_sizes(result, location);
  return result;
}

namespace {

// How many samples each row has.
int64_t samples_of(const std::vector<Literal>& waveforms, int64_t chunk,
                   const WhisperFeatureOptions& options, SourceLocation location) {
  const bool to_longest = options.padding == "longest";
  if (!to_longest && options.padding != "max_length")
    raise<InvalidArgument>({.what = str("padding = \"", options.padding.substr(0, 40), "\""),
                            .wanted = "\"max_length\" or \"longest\"",
                            .location = location});
  int64_t longest = to_longest ? 0 : chunk;
  for (const Literal& waveform : waveforms) longest = std::max(longest, waveform.size());
  if (options.truncation) longest = std::min(longest, chunk);
  return longest;
}

void check_samples(int64_t samples, int64_t window, SourceLocation location) {
  if (samples > window / 2 && samples <= most_samples) return;
  raise<InvalidArgument>(
      {.what = str("sounds of ", samples, " samples at most"),
       .wanted = str("more than half a window, ", window / 2, ", and at most ", most_samples),
       .location = location});
}

// Which moments of each waveform are sound, [waveforms, frames].
Literal sound_mask(const std::vector<Literal>& waveforms, int64_t frames, int64_t hop) {
  Literal mask = Literal::zeros(DType::i32, {static_cast<int64_t>(waveforms.size()), frames});
  auto to = mask.mutable_data<int32_t>().begin();
  for (const Literal& waveform : waveforms) {
    std::fill_n(to, std::min(frames, (waveform.size() + hop - 1) / hop), 1);
    to += frames;
  }
  return mask;
}

}  // namespace

Example WhisperFeatureExtractor::operator()(const std::vector<Literal>& waveforms,
                                            const WhisperFeatureOptions& options,
                                            SourceLocation location) const {
  check_sizes(*this, location);
  for (size_t i = 0; i < waveforms.size(); ++i) check_waveform(waveforms[i], i, location);
  const int64_t samples = samples_of(waveforms, chunk_length * sampling_rate, options, location);
  check_samples(samples, n_fft, location);
  const int64_t frames = samples / hop_length;
  const std::vector<double> filters =
      mel_filters(feature_size, n_fft / 2 + 1, static_cast<double>(sampling_rate), highest_hertz);
  const auto rows = static_cast<int64_t>(waveforms.size());
  Literal features = Literal::zeros(DType::f32, {rows, feature_size, frames});
  const auto size = static_cast<size_t>(feature_size * frames);
  for (size_t i = 0; i < waveforms.size(); ++i) {
    log_mel(filled(waveforms[i], samples, padding_value), *this, filters,
            features.mutable_data<float>().subspan(i * size, size));
  }
  Example result{{"input_features", std::move(features)}};
  if (options.return_attention_mask)
    result.set("attention_mask", sound_mask(waveforms, frames, hop_length));
  return result;
}

}  // namespace systolic::inline v0
