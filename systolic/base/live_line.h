// A line on the terminal that is drawn again and again, such as a progress bar.
#pragma once

namespace systolic::inline v0 {

// While one lives, the cursor stands behind such a line: lines of the log (log.h) that go to a
// terminal take its place instead of following it.
class LiveLine {
 public:
  LiveLine();
  ~LiveLine();
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  // Whether one lives, on any thread.
  static bool any();
};

}  // namespace systolic::inline v0
