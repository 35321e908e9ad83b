// A line on the terminal that is drawn again and again, such as a progress bar. Whoever draws one
// (Progress, the bar of fit, commands) decides what it says; how it moves stands here alone.
//
//   LiveLine line(std::cerr);
//   if (line.is_due()) line.draw("3 of 10");   // again and again, in the same place
//   line.finish("10 of 10", true);
#pragma once

#include <chrono>
#include <iosfwd>
#include <optional>
#include <string_view>

namespace systolic::inline v0 {

class LiveLine {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr auto redraw_interval = std::chrono::milliseconds(100);

  // While one lives, the cursor stands after such a line: lines of the log (log.h) that go to a
  // terminal take its place instead of following it.
  class Drawn {
   public:
    Drawn();
    ~Drawn();
    Drawn(const Drawn&) = delete;
    Drawn& operator=(const Drawn&) = delete;
  };
  // Whether a line is drawn and not finished, on any thread.
  static bool any();

  // The first draw() is due at once.
  explicit LiveLine(std::ostream& out, Clock::time_point now = Clock::now())
      : out_(out), last_(now - redraw_interval) {}
  // Ends a line that was drawn and not finished: an error that is printed next has its own.
  ~LiveLine();
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  // Ten times a second.
  bool is_due(Clock::time_point now = Clock::now()) const { return now - last_ >= redraw_interval; }
  // The next draw() is due an interval from now, without one.
  void skip(Clock::time_point now) { last_ = now; }
  // In the place of what was drawn before. A text as wide as the terminal would wrap, and could not
  // be drawn over: callers keep it narrower.
  void draw(std::string_view text, Clock::time_point now = Clock::now());
  // The last text, and the end of the line. Without control codes where `out` is no terminal.
  void finish(std::string_view text, bool terminal);

 private:
  std::ostream& out_;
  Clock::time_point last_;
  std::optional<Drawn> drawn_;  // from draw() to finish()
};

}  // namespace systolic::inline v0
