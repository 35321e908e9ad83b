// How much of each frequency a bin of Mel's scale hears (Stevens et al. 1937), as Slaney's Auditory
// Toolbox (1998) has it: linear below 1000 Hz, logarithmic above, each bin's triangle of area 1.
// Internal to transformers.
#pragma once

#include <cstdint>
#include <vector>

namespace systolic::inline v0 {

// [bins, frequencies], row by row: `frequencies` evenly from 0 to half of sampling_rate, bins up to
// `most`, all in Hz.
std::vector<double> mel_filters(int64_t bins, int64_t frequencies, double sampling_rate,
                                double most);

}  // namespace systolic::inline v0
