#include "systolic/transformers/speech/sound_inputs.h"

#include <algorithm>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

const std::vector<std::string> sound_names{"input_features", "attention_mask"};

[[noreturn]] void fail_sounds(const std::string& what, const std::string& wanted,
                              SourceLocation location) {
  raise<InvalidArgument>({.what = "generate: " + what, .wanted = wanted, .location = location});
}

void check_sound_features(const Literal& features, const SourceSizes& sizes,
                          SourceLocation location) {
  const bool fits = features.dtype() == DType::f32 && features.rank() == 3 &&
                    features.shape()[1] == sizes.bins && features.size() > 0;
  if (fits) return;
  fail_sounds(
      str("'input_features' of ", to_string(features.dtype()), " and shape ", features.shape()),
      str("f32 [sounds, ", sizes.bins, ", moments], as a WhisperFeatureExtractor makes them"),
      location);
}

// How many moments of each sound count.
std::vector<int64_t> counted_moments(const Literal& mask, const Literal& features,
                                     SourceLocation location) {
  const int64_t sounds = features.shape()[0], frames = features.shape()[2];
  if (mask.shape() != Shape{sounds, frames} || mask.dtype() == DType::string) {
    fail_sounds(str("'attention_mask' of ", to_string(mask.dtype()), " and shape ", mask.shape()),
                str("0 and 1, [", sounds, ", ", frames, "]"), location);
  }
  std::vector<int64_t> result(static_cast<size_t>(sounds), 0);
  for (int64_t i = 0; i < mask.size(); ++i) {
    const double value = mask.number_at(i);
    if (value != 0 && value != 1)
      fail_sounds(str("value ", value, " in 'attention_mask'"), "0 and 1", location);
    result[static_cast<size_t>(i / frames)] += static_cast<int64_t>(value);
  }
  return result;
}

}  // namespace

SoundInputs SoundInputs::of(const ModelArrays& arrays, const SourceSizes& sizes,
                            SourceLocation location) {
  std::optional<Literal> given[2];
  for (size_t i = 0; i < arrays.arrays().size(); ++i) {
    const std::string name = i < arrays.names().size() ? arrays.names()[i]
                             : i < sound_names.size()  ? sound_names[i]
                                                       : str("array ", i);
    const auto at = std::find(sound_names.begin(), sound_names.end(), name);
    if (at == sound_names.end())
      fail_sounds(str("the input '", name, "'"), join(sound_names), location);
    given[at - sound_names.begin()] = arrays.arrays()[i];
  }
  if (!given[0]) fail_sounds("no 'input_features'", "the features of one or more sounds", location);
  check_sound_features(*given[0], sizes, location);
  SoundInputs result;
  result.features_ = *given[0];
  const Shape& shape = result.features_.shape();
  const bool is_long = shape[2] > sizes.frames;
  if (is_long && shape[0] > 1) {
    if (!given[1])
      fail_sounds(
          str(shape[0], " sounds of up to ", shape[2], " moments, without an attention_mask"),
          "one that says how long each is", location);
    result.frames_ = counted_moments(*given[1], result.features_, location);
  } else {
    result.frames_.assign(static_cast<size_t>(shape[0]), shape[2]);
  }
  if (given[1]) result.heard_ = counted_moments(*given[1], result.features_, location);
  return result;
}

SoundInputs SoundInputs::repeated(int64_t times) const {
  std::vector<size_t> sounds;
  SoundInputs result;
  for (size_t i = 0; i < count(); ++i) {
    sounds.insert(sounds.end(), static_cast<size_t>(times), i);
    result.frames_.insert(result.frames_.end(), static_cast<size_t>(times), frames_[i]);
    if (!heard_.empty())
      result.heard_.insert(result.heard_.end(), static_cast<size_t>(times), heard_[i]);
  }
  result.features_ = part(sounds, std::vector<int64_t>(sounds.size(), 0), longest());
  return result;
}

Literal SoundInputs::part(const std::vector<size_t>& sounds, const std::vector<int64_t>& from,
                          int64_t frames) const {
  const int64_t bins = features_.shape()[1], all = longest();
  Literal result = Literal::zeros(DType::f32, {static_cast<int64_t>(sounds.size()), bins, frames});
  const auto read = features_.data<float>();
  auto to = result.mutable_data<float>().begin();
  for (size_t i = 0; i < sounds.size(); ++i) {
    const int64_t first = from[i], count = std::min(frames, frames_[sounds[i]] - first);
    for (int64_t bin = 0; bin < bins; ++bin, to += frames) {
      const auto row = read.begin() + (static_cast<int64_t>(sounds[i]) * bins + bin) * all + first;
      std::copy_n(row, count, to);
    }
  }
  return result;
}

}  // namespace systolic::inline v0
