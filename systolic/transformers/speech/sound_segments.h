// What was written about 30 seconds of sound, cut where its tokens tell times. Internal to
// transformers.
#pragma once

#include <cstdint>
#include <vector>

namespace systolic::inline v0 {

struct SoundSegment;

// Tokens about the moments [begin, begin + frames) of a sound, 100 of which are a second.
struct HeardPart {
  std::vector<int64_t> tokens;  // without what pads, and without the end
  int64_t begin = 0, frames = 0;
  std::vector<float> times = {};  // of each token, in seconds from the part's beginning; perhaps
  int64_t first_time = 0;  // the token of the part's beginning; the next ones are 0.02 s apart
};

// Adds the part's segments, each of which two times end, and gives how many moments are done: up to
// the last such time, for what comes after it was cut off; all where there is none, or where one
// time alone stands at the end.
int64_t add_segments(const HeardPart& part, std::vector<SoundSegment>& segments);

// All tokens of these, where a segment ends with two times the first of the two alone.
std::vector<int64_t> text_of(const std::vector<SoundSegment>& segments, int64_t first_time);

}  // namespace systolic::inline v0
