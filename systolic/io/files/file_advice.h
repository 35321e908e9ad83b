// How many files of which size hold a data set best. The guides advise 10s to 100s of files of 10s
// to 100s of MB (tensorflow.org/tutorials/load_data/tfrecord, kaggle.com/docs/tpu): about 100 MB
// each, at least ten and one a core as long as each has 10 MB.
//
//   io::advised_files(uint64_t{5} << 30, 8)              // 53
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace systolic::inline v0 {
namespace io {

// From 1 to 999.
int64_t advised_files(uint64_t bytes, int64_t cores);

// Why this many files of this many bytes in all do not suit that many cores: too few, too many or
// too small. Empty where they do, and where a few small ones hold little.
std::string advice_on_files(size_t files, uint64_t bytes, int64_t cores);

}  // namespace io
}  // namespace systolic::inline v0
