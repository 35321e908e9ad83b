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
#include "systolic/monitor/crash/dead_runs.h"
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
using systolic::str;
using systolic::monitor::ProcessState;
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
  ProcessState process = ProcessState::there;
  std::string nothing = {};  // why there is no status
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
  // Why there is none; and whether one may come.
  virtual std::string why_nothing() const = 0;
  virtual bool may_come() const { return true; }
  virtual ProcessState process_state(const RunStatus& status) const = 0;
  virtual Profile record(double seconds) const = 0;
  // Why no more is heard of a run that may well go on; "": it is heard, or gone.
  virtual std::string silence() const { return ""; }
  // The file that it left when it died; "": none is known.
  virtual std::string crash_file() const { return ""; }
};

class ProcessSource : public Source {
 public:
  explicit ProcessSource(int64_t process) : process_(process), reader_(process) {}
  std::unique_ptr<RunStatus> read() override { return reader_.read(); }
  std::string why_nothing() const override {
    return str("process ", process_, may_come() ? ": " : " is gone: ", reader_.why_nothing());
  }
  bool may_come() const override { return reader_.has_process(); }
  ProcessState process_state(const RunStatus& status) const override {
    return reader_.process_state(status);
  }
  Profile record(double seconds) const override {
    return systolic::monitor::ask_for_profile(process_, seconds);
  }
  std::string crash_file() const override { return systolic::monitor::crash_file_of(process_); }

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
      silence_.clear();
      return status;
    } catch (const systolic::DeadlineExceeded& error) {  // it may go on
      if (!answered_) throw;
      silence_ = error.what();
    } catch (const systolic::Unavailable& error) {
      if (!answered_) throw;
      silence_ = str("It is over, or can no longer be reached. ", error.what());
      gone_ = true;
    }
    return nullptr;
  }
  std::string why_nothing() const override { return "no run has begun there yet"; }
  ProcessState process_state(const RunStatus& /*status*/) const override {
    return gone_ ? ProcessState::gone : ProcessState::there;
  }
  Profile record(double /*seconds*/) const override {
    systolic::raise<systolic::Unimplemented>(
        {.what = "a profile of a run at an address", .hint = "its own page records one"});
  }
  std::string silence() const override { return silence_; }

 private:
  const systolic::monitor::RemoteStatusReader reader_;
  bool answered_ = false, gone_ = false;
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
      if (seen_.status->run > 0 || !has_status()) print_line();
      if (!wait(line_interval)) return result();
    }
    print_line();
    report_silence();
    report_crash_file();
    return result();
  }

  int serve(const std::string& address, const std::string& logs) {
    systolic::monitor::WebServer server(
        systolic::monitor::parse_web_address(address, {}),
        {.record = [this](double seconds) { return source_.record(seconds); },
         .runs = runs_of(logs)});
    out_ << "The run is shown at " << server.url() << std::endl;
    while (look()) {
      // The page says that nothing comes from a process that is stopped.
      if (seen_.status->run > 0 && seen_.process == ProcessState::there) {
        server.publish(*seen_.status);
      }
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
    report_crash_file();
    return result();
  }

 private:
  // The run may go on where it is no longer heard.
  bool is_lost() const { return !seen_.status->is_over() && !source_.silence().empty(); }
  void report_crash_file() const {
    const bool died = has_status() && seen_.process == ProcessState::gone && result() != 0;
    const std::string left = died ? source_.crash_file() : "";
    if (!left.empty()) out_ << "What is known of it: systolic doctor " << left << "\n";
  }
  void report_silence() const {
    if (!source_.silence().empty()) out_ << source_.silence() << "\n";
  }

  // False when the process is gone: nothing more will come.
  bool look() {
    if (auto status = source_.read()) seen_ = {.status = std::move(status)};
    if (!has_status()) {
      seen_.status = std::make_unique<RunStatus>();
      seen_.nothing = source_.why_nothing();
      return source_.may_come();
    }
    seen_.process = source_.process_state(*seen_.status);
    return seen_.process != ProcessState::gone;
  }
  bool has_status() const { return seen_.status != nullptr && seen_.nothing.empty(); }

  // A run that is no longer heard is shown as it was.
  ProcessState shown_process() const { return is_lost() ? ProcessState::there : seen_.process; }

  std::vector<std::string> lines(int columns, int rows, bool color) const {
    if (!has_status()) return {seen_.nothing};
    const std::string silence = source_.silence();
    auto lines = systolic::monitor::screen(*seen_.status, {.columns = columns,
                                                           .rows = rows - (silence.empty() ? 0 : 1),
                                                           .color = color,
                                                           .process = shown_process(),
                                                           .now = time_now()});
    if (!silence.empty()) lines.push_back(systolic::cut_to_columns(silence, columns));
    return lines;
  }

  void print_line() {
    out_ << (has_status()
                 ? systolic::monitor::status_line(*seen_.status, shown_process(), time_now())
                 : seen_.nothing)
         << std::endl;
  }

  // False on Ctrl-C.
  bool wait(double seconds) {
    constexpr auto slice = std::chrono::milliseconds(100);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end) {
      if (interrupt_.requested()) return false;
      std::this_thread::sleep_for(slice);
      if (!has_status()) continue;
      if (source_.process_state(*seen_.status) == ProcessState::gone) return true;
    }
    return !interrupt_.requested();
  }

  int result() const {
    if (is_lost()) return error_code;
    if (!has_status()) return source_.may_come() ? 0 : error_code;
    const auto condition =
        systolic::monitor::condition_of(*seen_.status, seen_.process, time_now());
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
  try {
    return std::make_unique<ProcessSource>(process);
  } catch (const systolic::NotFound&) {
    const std::string left = systolic::monitor::crash_file_of(process);
    if (left.empty()) throw;
    systolic::raise<systolic::NotFound>({.what = str("process ", process, " has died"),
                                         .hint = str("systolic doctor ", left, " says of what")});
  }
}

// What it ends with is told; then it need not lie in memory any longer.
struct KeepWhatDeadRunsSaid {
  ~KeepWhatDeadRunsSaid() { systolic::monitor::keep_what_dead_runs_said(); }
};

}  // namespace

int monitor(const MonitorOptions& options, std::ostream& out) {
  if (!options.logs.empty() && options.what.empty()) {
    return serve_logs(options.web.empty() ? ":0" : options.web, options.logs, out);
  }
  const KeepWhatDeadRunsSaid at_the_end;
  const std::unique_ptr<Source> source = source_of(options.what);
  Watcher watcher(*source, out);
  if (options.once) return watcher.print_once();
  if (!options.web.empty()) return watcher.serve(options.web, options.logs);
  return systolic::terminal_columns() > 0 ? watcher.watch_on_screen() : watcher.watch_in_lines();
}

}  // namespace tool
