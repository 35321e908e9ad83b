// PNG images (ISO/IEC 15948), as data sets store small pictures.
#pragma once

#include <string_view>

#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace io {

// u8 [height, width, channels]. Channels: 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA; 0 takes those of
// the file (a palette: 3). Another number than the file's converts as TensorFlow's decode_png does:
// grey is repeated, colour becomes 0.299 R + 0.587 G + 0.114 B rounded, alpha is dropped or 255.
// Damage is a DataLoss; 16 bits a sample and interlacing are Unimplemented.
Literal decode_png(std::string_view bytes, int channels = 0);

}  // namespace io
}  // namespace systolic::inline v0
