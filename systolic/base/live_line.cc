#include "systolic/base/live_line.h"

#include <atomic>

namespace systolic::inline v0 {
namespace {

std::atomic<int> live_lines{0};

}  // namespace

LiveLine::LiveLine() { ++live_lines; }
LiveLine::~LiveLine() { --live_lines; }
bool LiveLine::any() { return live_lines > 0; }

}  // namespace systolic::inline v0
