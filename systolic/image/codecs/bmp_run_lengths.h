// Run-length encoded BMP images with 4 or 8 bits a pixel (BI_RLE4, BI_RLE8).
#pragma once

#include <cstdint>
#include <vector>

#include "systolic/image/codecs/byte_reader.h"

namespace systolic::inline v0 {
namespace image {

// The palette indices of the pixels [height, width], rows from the bottom up, from where the reader
// stands; 0 where the file skips pixels. Runs end with their row. DataLoss where the file ends
// before the picture.
std::vector<uint8_t> read_run_lengths(ByteReader& reader, int64_t bits, int64_t height,
                                      int64_t width);

}  // namespace image
}  // namespace systolic::inline v0
