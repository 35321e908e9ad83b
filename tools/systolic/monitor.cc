// systolic monitor: a run of another process, live.
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>

#include "systolic/base/error.h"
#include "systolic/base/process/interrupt.h"
#include "systolic/base/terminal.h"
#include "systolic/base/text.h"
#include "systolic/monitor/profile/ask_for_profile.h"
#include "systolic/monitor/shared_memory/status_reader.h"
#include "systolic/monitor/terminal/condition.h"
#include "systolic/monitor/terminal/screen.h"
#include "systolic/monitor/web/remote_status.h"
#include "systolic/monitor/web/web_server.h"
#include "tools/systolic/commands.h"
#include "tools/systolic/logged_runs.h"

namespace tool {
namespace {

using systolic::InterruptGuard;
using systolic::monitor::Profile;
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

  // Each line is erased before it is written: after one that fills it the cursor stands on its last
  // character.
  void draw(const std::vector<std::string>& lines, int rows) {
    constexpr std::string_view home = "\x1b[H", erase_line = "\x1b[2K", erase_below = "\x1b[J";
    out_ << home;
    for (size_t i = 0; i < lines.size(); ++i) {
      out_ << (i == 0 ? "" : "\r\n") << erase_line << lines[i];
    }
    if (static_cast<int>(lines.size()) < rows) out_ << "\r\n" << erase_below;
    out_ << std::flush;
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

// What the page compares; null without a folder.
std::function<std::string()> runs_of(const std::string& logs) {
  if (logs.empty()) return nullptr;
  return [logs] { return logged_runs_json(read_logged_runs(logs)); };
}

// The runs of a folder alone.
int serve_logs(const std::string& address, const std::string& logs, std::ostream& out) {
  read_logged_runs(logs);  // whether it is there
  const InterruptGuard interrupt;
  systolic::monitor::WebServer server(systolic::monitor::parse_web_address(address, {}),
                                      {.runs = runs_of(logs)});
  out << "The runs are compared at " << server.url() << std::endl;
  while (!interrupt.requested()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  return 0;
}

// Where a run's status comes from.
class Source {
 public:
  virtual ~Source() = default;
  // Null where there is none yet.
  virtual std::unique_ptr<RunStatus> read() = 0;
  virtual bool is_alive(const RunStatus& status) const = 0;
  virtual Profile record(double seconds) const = 0;
  // Why no more is heard of a run that may well go on; "": it is heard, or gone.
  virtual std::string silence() const { return ""; }
};

class ProcessSource : public Source {
 public:
  explicit ProcessSource(int64_t process) : process_(process), reader_(process) {}
  std::unique_ptr<RunStatus> read() override { return reader_.read(); }
  bool is_alive(const RunStatus& status) const override { return reader_.is_alive(status); }
  Profile record(double seconds) const override {
    return systolic::monitor::ask_for_profile(process_, seconds);
  }

 private:
  const int64_t process_;
  const StatusReader reader_;
};

// What is wrong at first is thrown; what is wrong later ends the watching.
class AddressSource : public Source {
 public:
  explicit AddressSource(const std::string& address) : reader_(address) {}
  std::unique_ptr<RunStatus> read() override {
    try {
      auto status = reader_.read();
      answered_ = true;
      return status;
    } catch (const systolic::Unavailable& error) {
      if (!answered_) throw;
      silence_ = error.what();
      return nullptr;
    }
  }
  bool is_alive(const RunStatus& /*status*/) const override { return silence_.empty(); }
  Profile record(double /*seconds*/) const override {
    systolic::raise<systolic::Unimplemented>(
        {.what = "a profile of a run at an address", .hint = "its own page records one"});
  }
  std::string silence() const override { return silence_; }

 private:
  const systolic::monitor::RemoteStatusReader reader_;
  bool answered_ = false;
  std::string silence_;
};

class Watcher {
 public:
  Watcher(Source& source, std::ostream& out) : source_(source), out_(out) {}

  int watch_on_screen() {
    {
      AlternateScreen screen(out_);
      while (look()) {
        const int columns = std::max(1, systolic::terminal_columns());
        const int rows = terminal_rows();
        screen.draw(lines(columns, rows, wants_color()), rows);
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
    report_silence();
    return result();
  }

  int serve(const std::string& address, const std::string& logs) {
    systolic::monitor::WebServer server(
        systolic::monitor::parse_web_address(address, {}),
        {.record = [this](double seconds) { return source_.record(seconds); },
         .runs = runs_of(logs)});
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
    report_silence();
    return result();
  }

 private:
  // The run may go on where it is no longer heard.
  bool is_lost() const { return !seen_.status->is_over() && !source_.silence().empty(); }
  void report_silence() const {
    if (is_lost()) out_ << "It is over, or can no longer be reached. " << source_.silence() << "\n";
  }

  // False when the process is gone: nothing more will come.
  bool look() {
    if (auto status = source_.read()) seen_.status = std::move(status);
    if (seen_.status == nullptr) {
      seen_.status = std::make_unique<RunStatus>();
      seen_.status->time = time_now();
      seen_.alive = true;  // it has only begun
      return true;
    }
    seen_.alive = source_.is_alive(*seen_.status);
    return seen_.alive;
  }

  std::vector<std::string> lines(int columns, int rows, bool color) const {
    return systolic::monitor::screen(*seen_.status, {.columns = columns,
                                                     .rows = rows,
                                                     .color = color,
                                                     .alive = seen_.alive || is_lost(),
                                                     .now = time_now()});
  }

  void print_line() {
    out_ << systolic::monitor::status_line(*seen_.status, seen_.alive || is_lost(), time_now())
         << std::endl;
  }

  // False on Ctrl-C.
  bool wait(double seconds) {
    constexpr auto slice = std::chrono::milliseconds(100);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end) {
      if (interrupt_.requested()) return false;
      std::this_thread::sleep_for(slice);
      if (!source_.is_alive(*seen_.status) && seen_.status->process > 0) return true;
    }
    return !interrupt_.requested();
  }

  int result() const {
    if (is_lost()) return error_code;
    const auto condition = systolic::monitor::condition_of(*seen_.status, seen_.alive, time_now());
    return condition.health == systolic::monitor::Health::bad ? error_code : 0;
  }

  const InterruptGuard interrupt_;
  Source& source_;
  std::ostream& out_;
  Seen seen_;
};

std::unique_ptr<Source> source_of(const std::string& what) {
  if (systolic::monitor::is_remote_address(what)) return std::make_unique<AddressSource>(what);
  int64_t process = 0;
  if (!systolic::parse_number(what, process)) process = systolic::monitor::newest_process();
  return std::make_unique<ProcessSource>(process);
}

}  // namespace

int monitor(const MonitorOptions& options, std::ostream& out) {
  if (!options.logs.empty() && options.what.empty()) {
    return serve_logs(options.web.empty() ? ":0" : options.web, options.logs, out);
  }
  const std::unique_ptr<Source> source = source_of(options.what);
  Watcher watcher(*source, out);
  if (options.once) return watcher.print_once();
  if (!options.web.empty()) return watcher.serve(options.web, options.logs);
  return systolic::terminal_columns() > 0 ? watcher.watch_on_screen() : watcher.watch_in_lines();
}

}  // namespace tool
