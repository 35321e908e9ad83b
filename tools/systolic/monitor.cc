// systolic monitor: a run of another process of this user's, live.
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>

#include "systolic/base/process/interrupt.h"
#include "systolic/base/terminal.h"
#include "systolic/base/text.h"
#include "systolic/monitor/shared_memory/status_reader.h"
#include "systolic/monitor/terminal/condition.h"
#include "systolic/monitor/terminal/screen.h"
#include "systolic/monitor/web/web_server.h"
#include "tools/systolic/commands.h"

namespace tool {
namespace {

using systolic::InterruptGuard;
using systolic::monitor::RunStatus;
using systolic::monitor::StatusReader;

constexpr int error_code = 1;
constexpr double screen_interval = 1, line_interval = 10;  // seconds

double time_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// A terminal's own screen, with what was on it before put back at the end.
class AlternateScreen {
 public:
  explicit AlternateScreen(std::ostream& out) : out_(out) { out_ << "\x1b[?1049h\x1b[?25l"; }
  ~AlternateScreen() { out_ << "\x1b[?25h\x1b[?1049l" << std::flush; }
  AlternateScreen(const AlternateScreen&) = delete;
  AlternateScreen& operator=(const AlternateScreen&) = delete;

  void draw(const std::vector<std::string>& lines) {
    out_ << "\x1b[H";
    for (size_t i = 0; i < lines.size(); ++i) {
      out_ << (i == 0 ? "" : "\r\n") << lines[i] << systolic::erase_rest;
    }
    out_ << "\x1b[J" << std::flush;
  }

 private:
  std::ostream& out_;
};

int terminal_rows() {
  winsize size{};
  constexpr int usual = 24;
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0;
  return known ? size.ws_row : usual;
}

// As https://no-color.org asks.
bool wants_color() {
  const char* none = std::getenv("NO_COLOR");
  return none == nullptr || *none == '\0';
}

// A run as it is now, and whether its process is there.
struct Seen {
  std::unique_ptr<RunStatus> status;
  bool alive = false;
};

class Watcher {
 public:
  Watcher(int64_t process, std::ostream& out) : reader_(process), out_(out) {}

  int watch_on_screen() {
    {
      AlternateScreen screen(out_);
      while (look()) {
        const int columns = std::max(1, systolic::terminal_columns());
        screen.draw(lines(columns, terminal_rows(), wants_color()));
        if (!wait(screen_interval)) break;
      }
    }
    return print_once();
  }

  int watch_in_lines() {
    while (look()) {
      if (seen_.status->run > 0) print_line();
      if (!wait(line_interval)) return result();
    }
    print_line();
    return result();
  }

  int serve(const std::string& address) {
    systolic::monitor::WebServer server(systolic::monitor::parse_web_address(address, {}));
    out_ << "The run is shown at " << server.url() << std::endl;
    while (look()) {
      if (seen_.status->run > 0) server.publish(*seen_.status);
      if (!wait(screen_interval)) break;
    }
    return print_once();
  }

  // What it is now, whole.
  int print_once() {
    if (seen_.status == nullptr) look();
    constexpr int usual_columns = 100, all_rows = 60;
    const int columns = systolic::terminal_columns();
    for (const auto& line : lines(columns > 0 ? columns : usual_columns, all_rows, false)) {
      out_ << line << "\n";
    }
    return result();
  }

 private:
  // False when the process is gone: nothing more will come.
  bool look() {
    if (auto status = reader_.read()) seen_.status = std::move(status);
    if (seen_.status == nullptr) {
      seen_.status = std::make_unique<RunStatus>();
      seen_.status->time = time_now();
      seen_.alive = true;  // it has only begun
      return true;
    }
    seen_.alive = reader_.is_alive(*seen_.status);
    return seen_.alive;
  }

  std::vector<std::string> lines(int columns, int rows, bool color) const {
    return systolic::monitor::screen(*seen_.status, {.columns = columns,
                                                     .rows = rows,
                                                     .color = color,
                                                     .alive = seen_.alive,
                                                     .now = time_now()});
  }

  void print_line() {
    out_ << systolic::monitor::status_line(*seen_.status, seen_.alive, time_now()) << std::endl;
  }

  // False on Ctrl-C.
  bool wait(double seconds) {
    constexpr auto slice = std::chrono::milliseconds(100);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end) {
      if (interrupt_.requested()) return false;
      std::this_thread::sleep_for(slice);
      if (!reader_.is_alive(*seen_.status) && seen_.status->process > 0) return true;
    }
    return !interrupt_.requested();
  }

  int result() const {
    const auto condition = systolic::monitor::condition_of(*seen_.status, seen_.alive, time_now());
    return condition.health == systolic::monitor::Health::bad ? error_code : 0;
  }

  const InterruptGuard interrupt_;
  StatusReader reader_;
  std::ostream& out_;
  Seen seen_;
};

}  // namespace

int monitor(const MonitorOptions& options, std::ostream& out) {
  const int64_t process =
      options.process > 0 ? options.process : systolic::monitor::newest_process();
  Watcher watcher(process, out);
  if (options.once) return watcher.print_once();
  if (!options.web.empty()) return watcher.serve(options.web);
  return systolic::terminal_columns() > 0 ? watcher.watch_on_screen() : watcher.watch_in_lines();
}

}  // namespace tool
