#include "systolic/monitor/crash/crash_report.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <functional>
#include <map>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/monitor/crash/write_record.h"
#include "systolic/monitor/terminal/numbers.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

constexpr size_t most_file_bytes = size_t{8} << 20, most_lines_of_a_kind = 4096;

// The words of a line, one after the other. What is missing or no number reads as 0.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  std::string_view next() {
    const size_t end = std::min(rest_.find(' '), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return word;
  }
  Words& skip() {
    next();
    return *this;
  }
  int64_t integer() {
    int64_t value = 0;
    parse_number(next(), value);
    return value;
  }
  double real() {
    const std::string_view word = next();
    double value = 0;
    return parse_number(word, value) ? value : word == "nan" ? double{unknown} : 0;
  }
  uint64_t hexadecimal() {
    std::string_view word = next();
    if (word.starts_with("0x")) word.remove_prefix(2);
    uint64_t value = 0;
    std::from_chars(word.data(), word.data() + word.size(), value, 16);
    return value;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

CrashCause cause_of(std::string_view name) {
  if (name == "signal") return CrashCause::signal;
  if (name == "terminate") return CrashCause::terminate;
  return name == "exception" ? CrashCause::exception : CrashCause::unknown;
}

template <class List, class Item>
void add_bounded(List& list, Item item) {
  if (list.size() < most_lines_of_a_kind) list.push_back(std::move(item));
}

void read_progress(CrashReport& report, Words& words) {
  report.epoch = words.skip().integer();
  report.epochs = words.skip().integer();
  report.steps = words.skip().integer();
  report.samples = words.skip().integer();
  report.batch_size = words.skip().integer();
  report.evaluates = words.skip().integer() != 0;
}

void read_step(CrashReport& report, Words& words) {
  LastStep step{.step = words.integer()};
  step.time = words.skip().real();
  step.milliseconds = words.skip().real();
  step.samples = words.skip().integer();
  step.knows_loss = words.skip().rest() != "unknown";
  if (step.knows_loss) step.loss = static_cast<float>(words.real());
  add_bounded(report.last_steps, step);
}

void read_memory(CrashReport& report, Words& words) {
  MemoryPoint point{.time = words.skip().real()};
  point.process_bytes = words.skip().integer();
  point.device_bytes = words.skip().integer();
  point.host.left = words.skip().integer();
  point.host.limit = words.skip().integer();
  add_bounded(report.memory, point);
}

// "7f00-7f10 r-xp 00001000 08:01 123   /usr/lib/libc.so.6"
void read_module(CrashReport& report, Words& words) {
  const std::string_view range = words.next();
  ReportedModule module;
  Words ends(range.substr(0, range.find('-')));
  module.begin = ends.hexadecimal();
  module.end = Words(range.substr(std::min(range.find('-') + 1, range.size()))).hexadecimal();
  module.offset = words.skip().hexadecimal();
  module.path = trim(words.skip().skip().rest());
  add_bounded(report.modules, std::move(module));
}

void read_signal(CrashReport& report, Words& words) {
  report.signal = words.integer();
  report.by_process = words.skip().integer();
  report.address = words.skip().hexadecimal();
  report.signal_code = words.skip().integer();
  report.by_user = words.skip().integer();
  report.by_program = words.skip().rest();
}

void read_frame(CrashReport& report, Words& words, bool sure) {
  if (report.stacks.empty()) return;
  ReportedThread& thread = report.stacks.back();
  add_bounded(thread.frames, words.hexadecimal());
  if (sure) thread.sure_frames = thread.frames.size();
}

// What the file said that it holds, against what was found in it.
struct Counts {
  int64_t steps = 0, memory = 0, events = 0, stacks = 0;
};

Counts read_counts(Words& words) {
  Counts counts{.steps = words.skip().integer()};
  counts.memory = words.skip().integer();
  counts.events = words.skip().integer();
  counts.stacks = words.skip().integer();
  return counts;
}

void add_missing(std::string& text, int64_t wanted, size_t found, std::string_view what) {
  const auto got = static_cast<int64_t>(found);
  if (got >= wanted) return;
  text += str(text.empty() ? "" : ", ", wanted - got, " of ", wanted, " ", what);
}

std::string missing_of(const CrashReport& report, const Counts& counts, bool has_end) {
  std::string text = report.process > 0 ? "" : "what run it was";
  add_missing(text, counts.steps, report.last_steps.size(), "last steps");
  add_missing(text, counts.memory, report.memory.size(), "readings of memory");
  add_missing(text, counts.events, report.events.size(), "events");
  add_missing(text, counts.stacks, report.stacks.size(), "stacks");
  if (!has_end && counts.stacks > 0) {
    text += str(text.empty() ? "" : ", ", "some of what the program had loaded");
  }
  return text.empty() && !has_end ? "its end" : text;
}

using ReadLine = std::function<void(CrashReport&, Words&)>;

ReadLine into(std::string CrashReport::*text) {
  return [=](CrashReport& report, Words& words) { report.*text = words.rest(); };
}

const std::map<std::string_view, ReadLine>& line_readers() {
  // Never destroyed: a run's sampler reads the files of dead runs, and may do so while the program
  // ends.
  static const auto& readers = *new std::map<std::string_view, ReadLine>{
      {"cause", [](CrashReport& report, Words& words) { report.cause = cause_of(words.next()); }},
      {"signal", read_signal},
      {"error", into(&CrashReport::error)},
      {"doing", into(&CrashReport::doing)},
      {"layer", into(&CrashReport::layer)},
      {"line", into(&CrashReport::line)},
      {"time", [](CrashReport& report, Words& words) { report.time = words.real(); }},
      {"begin", [](CrashReport& report, Words& words) { report.begin_time = words.real(); }},
      {"program", into(&CrashReport::program)},
      {"process",
       [](CrashReport& report, Words& words) {
         report.process = words.integer();
         report.process_start = words.skip().integer();
       }},
      {"versions", into(&CrashReport::versions)},
      {"device", into(&CrashReport::device)},
      {"cores", [](CrashReport& report, Words& words) { report.cores = words.integer(); }},
      {"run", [](CrashReport& report, Words& words) { report.run = words.skip().rest(); }},
      {"progress", read_progress},
      {"shapes", into(&CrashReport::shapes)},
      {"step", read_step},
      {"memory", read_memory},
      {"event",
       [](CrashReport& report, Words& words) {
         const double time = words.skip().real();
         add_bounded(report.events, str(clock_text(time), " ", words.rest()));
       }},
      {"threads", [](CrashReport& report, Words& words) { report.threads = words.integer(); }},
      {"thread",
       [](CrashReport& report, Words& words) {
         add_bounded(report.stacks,
                     ReportedThread{.name = std::string(words.rest()), .frames = {}});
       }},
      {"frame", [](CrashReport& report, Words& words) { read_frame(report, words, true); }},
      {"perhaps", [](CrashReport& report, Words& words) { read_frame(report, words, false); }},
      {"module", read_module},
      {"build",
       [](CrashReport& report, Words& words) {
         if (!report.modules.empty()) report.modules.back().build_id = words.next();
       }},
  };
  return readers;
}

std::string crash_file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) raise<NotFound>({.what = str("cannot open '", path, "'")});
  std::string text(most_file_bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.starts_with(crash_file_begin) || text.starts_with(old_crash_file_begin)) return text;
  if (text.find_first_not_of('\0') == text.npos) {
    raise<DataLoss>({.what = str("'", path, "' is empty"),
                     .wanted = "the file of a run that died",
                     .hint = "the disk was full, or the machine ended before it was written"});
  }
  raise<DataLoss>({.what = str("'", path, "' is no file that a run of Systolic left"),
                   .wanted = str("a first line '", crash_file_begin, "'")});
}

}  // namespace

CrashReport read_crash_file(const std::string& path) {
  CrashReport report;
  std::string text = crash_file_text(path);
  for (char& one : text) {
    const auto code = static_cast<unsigned char>(one);
    if ((code < ' ' && one != '\n') || code == 0x7F) one = ' ';  // a terminal would obey
  }
  Counts counts;
  bool has_end = text.starts_with(old_crash_file_begin);
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const bool whole = end < rest.size();  // else it was cut within the line
    Words words(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::string_view kind = words.next();
    if (!whole && !has_end) break;
    if (kind == "holds") counts = read_counts(words);
    if (kind == crash_file_end) has_end = true;
    const auto reader = line_readers().find(kind);
    if (reader != line_readers().end()) reader->second(report, words);
  }
  report.missing = missing_of(report, counts, has_end);
  return report;
}

FramePlace place_of_frame(const CrashReport& report, uint64_t address) {
  for (const ReportedModule& module : report.modules) {
    if (address < module.begin || address >= module.end) continue;
    const bool generated = module.path.empty() || module.path.starts_with("/memfd:");
    if (generated) return {.offset = address, .mapped = true};
    return {.path = module.path,
            .offset = address - module.begin + module.offset,
            .build_id = module.build_id,
            .mapped = true};
  }
  return {.offset = address};
}

}  // namespace monitor
}  // namespace systolic::inline v0
