#include "systolic/transformers/speech/sound_segments.h"

#include "systolic/transformers/speech/speech_generation.h"

namespace systolic::inline v0 {
namespace {

constexpr double seconds_between_times = 0.02, seconds_of_frame = 0.01;
constexpr int64_t frames_of_time = 2;

// After which tokens a segment ends: between two times.
std::vector<size_t> cuts_of(const HeardPart& part) {
  std::vector<size_t> cuts;
  for (size_t i = 1; i < part.tokens.size(); ++i) {
    if (part.tokens[i - 1] >= part.first_time && part.tokens[i] >= part.first_time)
      cuts.push_back(i);
  }
  return cuts;
}

double second_of(const HeardPart& part, int64_t token) {
  return static_cast<double>(part.begin) * seconds_of_frame +
         static_cast<double>(token - part.first_time) * seconds_between_times;
}

// The times of the tokens from `begin` on to before `end`, in seconds from the sound's beginning.
std::vector<float> times_of(const HeardPart& part, size_t begin, size_t end) {
  std::vector<float> times;
  if (part.times.empty()) return times;
  const auto before = static_cast<float>(static_cast<double>(part.begin) * seconds_of_frame);
  for (size_t i = begin; i < end; ++i) times.push_back(part.times[i] + before);
  return times;
}

// The whole part, up to the last time that it tells.
SoundSegment whole_part(const HeardPart& part) {
  int64_t times = part.frames / frames_of_time;
  for (const int64_t token : part.tokens) {
    if (token >= part.first_time) times = token - part.first_time;
  }
  // One that tells the beginning alone tells nothing.
  if (times == 0) times = part.frames / frames_of_time;
  return {.begin = second_of(part, part.first_time),
          .end = second_of(part, part.first_time + times),
          .tokens = part.tokens,
          .times = times_of(part, 0, part.tokens.size())};
}

}  // namespace

int64_t add_segments(const HeardPart& part, std::vector<SoundSegment>& segments) {
  const std::vector<int64_t>& tokens = part.tokens;
  std::vector<size_t> cuts = cuts_of(part);
  if (cuts.empty()) {
    segments.push_back(whole_part(part));
    return part.frames;
  }
  const auto is_time = [&](size_t i) { return tokens[i] >= part.first_time; };
  const bool single = is_time(tokens.size() - 1) && !is_time(tokens.size() - 2);
  if (single) {
    cuts.push_back(tokens.size());
  } else {
    cuts.back() += 1;  // the last time stays, and says that it was no single one
  }
  size_t begin = 0;
  for (const size_t end : cuts) {
    const std::vector<int64_t> own(tokens.begin() + static_cast<std::ptrdiff_t>(begin),
                                   tokens.begin() + static_cast<std::ptrdiff_t>(end));
    const bool has_two = !single && end == cuts.back();
    const int64_t last = own[own.size() - (has_two ? 2 : 1)];
    segments.push_back({.begin = second_of(part, own.front()),
                        .end = second_of(part, last),
                        .tokens = own,
                        .times = times_of(part, begin, end)});
    begin = end;
  }
  const int64_t done = (tokens[begin - 2] - part.first_time) * frames_of_time;
  // The rules of times let none end at the beginning; a text without them would not go on.
  return single || done <= 0 ? part.frames : done;
}

std::vector<int64_t> text_of(const std::vector<SoundSegment>& segments, int64_t first_time) {
  std::vector<int64_t> result;
  for (const SoundSegment& segment : segments) {
    const std::vector<int64_t>& tokens = segment.tokens;
    const bool has_two = tokens.size() > 2 && tokens[tokens.size() - 2] >= first_time;
    result.insert(result.end(), tokens.begin(), tokens.end() - (has_two ? 1 : 0));
  }
  return result;
}

}  // namespace systolic::inline v0
