// For tests: compressed data that unpacks to a thousand times its size.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <string>

namespace systolic {

// A GZIP member of `bytes` zeros after `head`, a thousandth as large.
inline std::string gzip_bomb(const std::string& head, size_t bytes) {
  z_stream stream{};
  ::deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_RLE);
  std::string packed(bytes / 500 + 1000, '\0');
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  std::string piece = head;
  for (size_t left = bytes;; piece.assign(std::min<size_t>(left, 1 << 20), '\0')) {
    stream.next_in = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_in = static_cast<uInt>(piece.size());
    ::deflate(&stream, left == 0 ? Z_FINISH : Z_NO_FLUSH);
    if (left == 0) break;
    left -= std::min<size_t>(left, 1 << 20);
  }
  packed.resize(stream.total_out);
  ::deflateEnd(&stream);
  return packed;
}

}  // namespace systolic
