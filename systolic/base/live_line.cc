#include "systolic/base/live_line.h"

#include <atomic>
#include <ostream>

#include "systolic/base/terminal.h"

namespace systolic::inline v0 {
namespace {

std::atomic<int> lines_drawn{0};

}  // namespace

LiveLine::Drawn::Drawn() { ++lines_drawn; }
LiveLine::Drawn::~Drawn() { --lines_drawn; }
bool LiveLine::any() { return lines_drawn > 0; }

LiveLine::~LiveLine() {
  if (drawn_) out_ << std::endl;
}

void LiveLine::draw(std::string_view text, Clock::time_point now) {
  last_ = now;
  if (!drawn_) drawn_.emplace();
  out_ << '\r' << text << erase_rest << std::flush;
}

void LiveLine::finish(std::string_view text, bool terminal) {
  if (terminal) out_ << '\r';
  out_ << text;
  if (terminal) out_ << erase_rest;
  out_ << '\n' << std::flush;
  drawn_.reset();
}

}  // namespace systolic::inline v0
