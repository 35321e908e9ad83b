#include "systolic/image/codecs/bmp_run_lengths.h"

namespace systolic::inline v0 {
namespace image {
namespace {

// Writes pixels one after the other; those beyond the row or the picture are dropped.
class Pen {
 public:
  Pen(int64_t height, int64_t width)
      : height_(height), width_(width), pixels_(static_cast<size_t>(height * width)) {}
  void put(uint32_t colour) {
    if (x_ < width_ && y_ < height_)
      pixels_[static_cast<size_t>(y_ * width_ + x_)] = static_cast<uint8_t>(colour);
    ++x_;
  }
  void end_row() { x_ = 0, ++y_; }
  void move(int64_t right, int64_t up) { x_ += right, y_ += up; }
  bool is_done() const { return y_ >= height_ || (y_ == height_ - 1 && x_ >= width_); }
  std::vector<uint8_t> pixels() && { return std::move(pixels_); }

 private:
  int64_t height_, width_, x_ = 0, y_ = 0;
  std::vector<uint8_t> pixels_;
};

// The pixel at an even or odd place of a byte with two.
uint32_t nibble(uint32_t byte, uint32_t place) { return place % 2 == 0 ? byte >> 4 : byte & 15; }

// `count` pixels as they are, in whole pairs of bytes.
void put_literally(ByteReader& reader, int64_t bits, uint32_t count, Pen& pen) {
  const uint32_t bytes = bits == 8 ? count : (count + 1) / 2;
  uint32_t at = 0;
  for (const char c : reader.take(bytes + bytes % 2)) {
    const auto byte = static_cast<uint8_t>(c);
    for (uint32_t i = 0; i < 8 / bits && at < count; ++i, ++at) {
      pen.put(bits == 8 ? byte : nibble(byte, i));
    }
  }
}

}  // namespace

std::vector<uint8_t> read_run_lengths(ByteReader& reader, int64_t bits, int64_t height,
                                      int64_t width) {
  Pen pen(height, width);
  while (!pen.is_done()) {
    const uint32_t count = reader.number(1), value = reader.number(1);
    if (count > 0) {
      for (uint32_t i = 0; i < count; ++i) pen.put(bits == 8 ? value : nibble(value, i));
    } else if (value == 0) {
      pen.end_row();
    } else if (value == 1) {
      break;
    } else if (value == 2) {
      const int64_t right = reader.number(1);
      pen.move(right, reader.number(1));
    } else {
      put_literally(reader, bits, value, pen);
    }
  }
  return std::move(pen).pixels();
}

}  // namespace image
}  // namespace systolic::inline v0
