#include "backends/cpu/plan/profile.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "backends/cpu/plan/plan.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace cpu {

Profile* Profile::active() {
  static const std::unique_ptr<Profile> profile = [] {
    const char* wanted = std::getenv("SYSTOLIC_PROFILE");
    return wanted != nullptr && *wanted != '\0' ? std::make_unique<Profile>() : nullptr;
  }();
  return profile.get();
}

void Profile::run(const Step& step, const Frame& frame) {
  const auto start = std::chrono::steady_clock::now();
  step.run(frame);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  const std::lock_guard lock(mutex_);
  Line& line = lines_[step.text];
  ++line.calls;
  line.seconds += time.count();
  line.fastest = std::min(line.fastest, time.count());
  line.flops += step.flops;
}

Profile::~Profile() {
  std::vector<std::pair<std::string, Line>> lines(lines_.begin(), lines_.end());
  std::sort(lines.begin(), lines.end(),
            [](const auto& a, const auto& b) { return a.second.seconds > b.second.seconds; });
  for (const auto& [text, line] : lines) {
    std::fprintf(stderr, "%10.3f ms %8lld calls %8.1f us %8.1f us fastest %7.1f GFLOP/s  %s\n",
                 line.seconds * 1e3, static_cast<long long>(line.calls),
                 line.seconds * 1e6 / static_cast<double>(line.calls), line.fastest * 1e6,
                 line.flops / line.seconds * 1e-9, text.c_str());
  }
}

}  // namespace cpu
}  // namespace systolic::inline v0
