#include "systolic/transformers/speech/token_times.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace systolic::inline v0 {
namespace {

constexpr double seconds_of_moment = 0.02;

// Values of one head, [tokens][moments], less their mean over the tokens, by their deviation.
std::vector<float> normalized(const TokenAttention& attention, int64_t head) {
  const int64_t tokens = attention.tokens, moments = attention.moments;
  std::vector<float> result(static_cast<size_t>(tokens * moments));
  for (int64_t moment = 0; moment < moments; ++moment) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < tokens; ++i) sum += attention.value(head, i, moment);
    const double mean = sum / static_cast<double>(tokens);
    for (int64_t i = 0; i < tokens; ++i)
      squares += std::pow(attention.value(head, i, moment) - mean, 2);
    const double deviation = std::sqrt(squares / static_cast<double>(tokens));
    for (int64_t i = 0; i < tokens; ++i) {
      result[static_cast<size_t>(i * moments + moment)] =
          static_cast<float>((attention.value(head, i, moment) - mean) / deviation);
    }
  }
  return result;
}

// A value that is no number, of tokens that are all alike, is the largest.
bool is_less(float a, float b) { return a < b || (std::isnan(b) && !std::isnan(a)); }

// The median of so many values around each, which are reflected at the ends.
void smooth(std::span<float> row, int64_t width) {
  const auto count = static_cast<int64_t>(row.size());
  const int64_t half = width / 2;
  if (count <= half) return;
  const std::vector<float> before(row.begin(), row.end());
  std::vector<float> window(static_cast<size_t>(2 * half + 1));
  for (int64_t at = 0; at < count; ++at) {
    for (int64_t i = -half; i <= half; ++i) {
      int64_t from = std::abs(at + i);
      if (from >= count) from = 2 * (count - 1) - from;
      window[static_cast<size_t>(i + half)] = before[static_cast<size_t>(from)];
    }
    std::nth_element(window.begin(), window.begin() + half, window.end(), is_less);
    row[static_cast<size_t>(at)] = window[static_cast<size_t>(half)];
  }
}

// The heads' mean, [tokens][moments].
std::vector<float> likeness(const TokenAttention& attention, int64_t median_width) {
  const int64_t moments = attention.moments;
  std::vector<float> sum(static_cast<size_t>(attention.tokens * moments));
  for (int64_t head = 0; head < attention.heads; ++head) {
    std::vector<float> values = normalized(attention, head);
    for (int64_t i = 0; i < attention.tokens; ++i)
      smooth(
          std::span(values).subspan(static_cast<size_t>(i * moments), static_cast<size_t>(moments)),
          median_width);
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
  }
  for (float& value : sum) value /= static_cast<float>(attention.heads);
  return sum;
}

enum Step : uint8_t { both, next_token, next_moment };

// How the best path from the first token and moment to the last came to each pair of them.
class Warping {
 public:
  Warping(const std::vector<float>& likeness, int64_t tokens, int64_t moments)
      : columns_(moments + 1), steps_(static_cast<size_t>((tokens + 1) * columns_), next_moment) {
    constexpr float barred = std::numeric_limits<float>::infinity();
    std::vector<float> costs(steps_.size(), barred);
    costs[0] = 0;
    for (int64_t j = 1; j <= moments; ++j) {
      for (int64_t i = 1; i <= tokens; ++i) {
        const float corner = costs[place(i - 1, j - 1)], above = costs[place(i - 1, j)];
        const float left = costs[place(i, j - 1)];
        const Step step = corner < above && corner < left  ? both
                          : above < corner && above < left ? next_token
                                                           : next_moment;
        const float least = step == both ? corner : step == next_token ? above : left;
        const float own = likeness[static_cast<size_t>((i - 1) * moments + j - 1)];
        costs[place(i, j)] = static_cast<float>(static_cast<double>(least) - own);
        steps_[place(i, j)] = step;
      }
    }
    for (int64_t i = 1; i <= tokens; ++i) steps_[place(i, 0)] = next_token;
  }

  // The first moment of each token on it.
  std::vector<int64_t> first_moments(int64_t tokens) const {
    std::vector<int64_t> result(static_cast<size_t>(tokens), 0);
    int64_t i = tokens, j = columns_ - 1;
    while (i > 0 || j > 0) {
      if (i > 0) result[static_cast<size_t>(i - 1)] = j - 1;
      const Step step = steps_[place(i, j)];
      if (step != next_moment) --i;
      if (step != next_token) --j;
    }
    return result;
  }

 private:
  size_t place(int64_t i, int64_t j) const { return static_cast<size_t>(i * columns_ + j); }

  int64_t columns_;
  std::vector<Step> steps_;  // [tokens + 1][moments + 1]
};

}  // namespace

std::vector<float> token_times(const TokenAttention& attention, int64_t median_width) {
  if (attention.tokens == 0) return {};
  const Warping warping(likeness(attention, median_width), attention.tokens, attention.moments);
  std::vector<float> result;
  for (const int64_t moment : warping.first_moments(attention.tokens))
    result.push_back(static_cast<float>(static_cast<double>(moment) * seconds_of_moment));
  return result;
}

}  // namespace systolic::inline v0
