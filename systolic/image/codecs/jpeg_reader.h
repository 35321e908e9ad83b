// A JPEG image row by row, the base of decode_jpeg and the fused decoders.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "systolic/image/codecs/decode_jpeg.h"

namespace systolic::inline v0 {
namespace image {

class JpegReader {
 public:
  // Reads the header and chooses the scale. The bytes must outlive the reader. Raises decode_jpeg's
  // errors.
  JpegReader(std::string_view bytes, const DecodeJpegOptions& options);
  ~JpegReader();
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  // The size of what is decoded, after scaling.
  int64_t height() const;
  int64_t width() const;
  int64_t channels() const;

  // All rows, width() * channels() bytes each, one after another. Once.
  void read(uint8_t* pixels);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace image
}  // namespace systolic::inline v0
