#include "systolic/datasets/directory/decode_wav.h"

#include <algorithm>
#include <cstring>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

// A file of a few bytes must not ask for gigabytes of zeros (desired_samples).
constexpr uint32_t most_channels = 1024;

struct WavFormat {
  uint32_t code = 0;  // 1: integers, 3: floats
  uint32_t channels = 0, sampling_rate = 0, bits = 0;
};

// A number with its lowest byte first.
uint32_t number_at(std::string_view bytes, size_t at, size_t size) {
  uint32_t value = 0;
  for (size_t i = 0; i < size; ++i)
    value |= static_cast<uint32_t>(static_cast<uint8_t>(bytes[at + i])) << (8 * i);
  return value;
}

[[noreturn]] void raise_damaged(std::string what, SourceLocation location) {
  raise<DataLoss>({.what = str("WAV file: ", what), .location = location});
}

WavFormat format_of_chunk(std::string_view chunk, SourceLocation location) {
  if (chunk.size() < 16) raise_damaged(str("a format of ", chunk.size(), " bytes"), location);
  WavFormat format{number_at(chunk, 0, 2), number_at(chunk, 2, 2), number_at(chunk, 4, 4),
                   number_at(chunk, 14, 2)};
  // The extensible form has the code at the start of its sub-format.
  if (format.code == 0xFFFE && chunk.size() >= 26) format.code = number_at(chunk, 24, 2);
  const bool integers =
      format.code == 1 && format.bits % 8 == 0 && format.bits >= 8 && format.bits <= 32;
  const bool floats = format.code == 3 && format.bits == 32;
  if ((integers || floats) && format.channels > 0 && format.channels <= most_channels)
    return format;
  raise<InvalidArgument>(
      {.what = str("WAV file of format ", format.code, ", ", format.bits, " bits, ",
                   format.channels, " channels"),
       .wanted = "PCM samples of 8, 16, 24 or 32 bits, or floats of 32, in 1 to 1024 channels",
       .location = location});
}

float sample_at(std::string_view bytes, size_t at, const WavFormat& format) {
  const size_t size = format.bits / 8;
  const uint32_t raw = number_at(bytes, at, size);
  if (format.code == 3) {
    float value;
    std::memcpy(&value, &raw, sizeof value);
    return value;
  }
  if (format.bits == 8) return (static_cast<float>(raw) - 128) / 128;  // without a sign
  const auto shifted = static_cast<int32_t>(raw << (32 - format.bits));
  return static_cast<float>(static_cast<double>(shifted) / 2147483648.0);
}

}  // namespace

DecodedAudio decode_wav(std::string_view bytes, std::optional<int64_t> desired_samples,
                        SourceLocation location) {
  if (bytes.size() < 12 || bytes.substr(0, 4) != "RIFF" || bytes.substr(8, 4) != "WAVE") {
    raise<InvalidArgument>({.what = "bytes that do not begin like a WAV file",
                            .wanted = "RIFF and WAVE",
                            .location = location});
  }
  std::optional<WavFormat> format;
  for (size_t at = 12; at + 8 <= bytes.size();) {
    const std::string_view name = bytes.substr(at, 4);
    const size_t size = number_at(bytes, at + 4, 4);
    const std::string_view chunk = bytes.substr(at + 8, size);
    if (name == "fmt ") format = format_of_chunk(chunk, location);
    if (name == "data") {
      if (!format) raise_damaged("samples before their format", location);
      if (chunk.size() < size)
        raise_damaged(str("ends after ", chunk.size(), " of ", size, " bytes of samples"),
                      location);
      const size_t frame = format->channels * (format->bits / 8);
      const auto count = static_cast<int64_t>(size / frame);
      const int64_t wanted = desired_samples.value_or(count);
      const auto channels = static_cast<int64_t>(format->channels);
      Literal samples = Literal::zeros(DType::f32, {std::max<int64_t>(wanted, 0), channels});
      const std::span<float> to = samples.mutable_data<float>();
      const size_t filled = std::min(to.size(), static_cast<size_t>(count * channels));
      for (size_t i = 0; i < filled; ++i) to[i] = sample_at(chunk, i * (format->bits / 8), *format);
      return {samples, static_cast<int64_t>(format->sampling_rate)};
    }
    at += 8 + size + size % 2;
  }
  raise_damaged("no samples", location);
}

}  // namespace systolic::inline v0
