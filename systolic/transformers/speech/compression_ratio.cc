#include "systolic/transformers/speech/compression_ratio.h"

#include <zlib.h>

#include <cmath>

#include "systolic/base/error.h"

namespace systolic::inline v0 {

double compression_ratio(const std::vector<int64_t>& tokens, int64_t vocabulary) {
  const int bytes = static_cast<int>(std::log2(static_cast<double>(vocabulary)) / 8) + 1;
  std::vector<Bytef> text;
  for (const int64_t token : tokens)
    for (int i = 0; i < bytes; ++i) text.push_back(static_cast<Bytef>(token >> (8 * i)));
  uLongf size = compressBound(text.size());
  std::vector<Bytef> compressed(size);
  if (compress(compressed.data(), &size, text.data(), text.size()) != Z_OK)
    raise<ResourceExhausted>(
        {.what = str("zlib compresses ", tokens.size(), " tokens"), .wanted = "memory to do so"});
  return static_cast<double>(text.size()) / static_cast<double>(size);
}

}  // namespace systolic::inline v0
