#include "tools/conformance/conformance.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iomanip>
#include <map>
#include <ostream>
#include <span>
#include <sstream>

#include "systolic/base/error.h"
#include "systolic/base/process/child_process.h"
#include "systolic/io/files/file.h"
#include "systolic/stablehlo/bytecode/bytecode.h"
#include "systolic/stablehlo/bytecode/read_program.h"
#include "systolic/stablehlo/parse.h"
#include "systolic/stablehlo/print.h"
#include "tools/conformance/find_programs.h"
#include "tools/conformance/legalize.h"
#include "tools/conformance/run_program.h"

namespace tool {
namespace {

using namespace systolic;
namespace fs = std::filesystem;

struct Outcome {
  // Passed as well: a file that was only read, and one that ran but compares nothing.
  enum class Kind { passed, read, ran, failed, skipped };
  Kind kind = Kind::passed;
  std::string reason = {};
};

struct Family {
  int passed = 0, failed = 0, skipped = 0;
  std::string first;
};

// "abs" of abs_complex64_20_20: the words before the first that names a type or a size.
std::string family_of(const fs::path& file) {
  std::string family;
  for (const std::string& word : split(file.stem().string(), '_')) {
    const bool numbered =
        std::any_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (word == "bool" || (numbered && !family.empty())) break;
    family += family.empty() ? word : "_" + word;
  }
  return family;
}

// What the file is for, by its RUN lines. One that has none, as bytecode, is for running.
struct Purpose {
  bool run_lines = false, interprets = false, legalizes = false;
  std::string disabled;  // why upstream does not run it
  std::string other_tool;
};

// What was done with the programs of a file.
struct Done {
  int functions = 0, programs_run = 0, checks = 0;
  std::optional<std::string> failure = {};
};

Purpose purpose_of(const std::string& text) {
  Purpose purpose;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line) && line.substr(0, 2) == "//";) {
    if (line.find("RUN") == std::string::npos) continue;
    purpose.run_lines = true;
    purpose.interprets |= line.find("--interpret") != std::string::npos;
    purpose.legalizes |= line.find("--chlo-legalize-to-stablehlo") != std::string::npos;
    if (line.find("FileCheck") != std::string::npos)
      purpose.other_tool = "tests the command line and output of another tool";
    const size_t disabled = line.find("RUN-DISABLED(");
    if (disabled != std::string::npos) {
      const size_t start = disabled + 13;
      purpose.disabled = line.substr(start, line.find(')', start) - start);
    }
  }
  purpose.interprets |= !purpose.run_lines;
  return purpose;
}

bool takes_arguments(const stablehlo::Program& program) {
  return !program.entry().body.arguments.empty();
}

// Reads, prints and reads again each program of the file, and runs it where `interprets` says so.
void run_file(TestRunner& runner, const std::string& text, const std::string& name,
              const Purpose& purpose, bool interprets, Done& done) {
  for (const stablehlo::Program& program : stablehlo::read_programs(text, name)) {
    const std::string printed = stablehlo::program_text(program);
    const std::string again = stablehlo::program_text(stablehlo::parse(printed, name));
    if (printed != again) done.failure = "prints another text when it is read again";
    done.functions += static_cast<int>(program.functions.size());
    if (done.failure || !interprets || program.functions.empty()) continue;
    // Without a RUN line nobody says what main's arguments are.
    if (!purpose.run_lines && takes_arguments(program)) continue;
    done.failure = runner.run(program);
    if (done.failure) return;
    ++done.programs_run;
  }
}

// A failure stands on one line.
Done try_file(TestRunner& runner, const std::string& text, const std::string& name,
              const Purpose& purpose, bool interprets) {
  Done done;
  const int checks = runner.checks_held();
  try {
    run_file(runner, text, name, purpose, interprets, done);
  } catch (const Error& error) {
    done.failure = str(error.kind(), ": ", error.what());
  }
  done.checks = runner.checks_held() - checks;
  if (done.failure) std::replace(done.failure->begin(), done.failure->end(), '\n', ' ');
  return done;
}

// For a file in which nothing went wrong: was anything shown?
Outcome judge(const Purpose& purpose, const Done& done) {
  using Kind = Outcome::Kind;
  if (done.checks > 0) return {};
  if (done.functions == 0) return {Kind::skipped, "it holds no function"};
  if (purpose.run_lines && done.programs_run > 0) {
    return {Kind::ran, "it has no checks, and its RUN line compares nothing"};
  }
  if (done.programs_run > 0) return {Kind::skipped, "it has neither a RUN line nor a check"};
  return {Kind::read, purpose.run_lines ? "its RUN lines only read and print it"
                                        : "nothing says what the arguments of its main are"};
}

Outcome outcome_of_legalized(const Legalized& legalized) {
  if (legalized.failure) return {Outcome::Kind::failed, *legalized.failure};
  return {Outcome::Kind::read,
          str("its RUN line compares another tool's text; of its ", legalized.read, " programs ",
              legalized.made,
              " became ops of StableHLO, and the others leave sizes open or are "
              "refused as they should be")};
}

Outcome outcome_of(TestRunner& runner, const fs::path& file) {
  const std::string text = io::read_file(file.string());
  const Purpose purpose = purpose_of(text);
  const std::string name = file.filename().string();
  if (purpose.legalizes && !purpose.interprets)
    return outcome_of_legalized(legalize_file(text, name));
  if (!purpose.other_tool.empty()) return {Outcome::Kind::skipped, purpose.other_tool};
  const Done done = try_file(runner, text, name, purpose, purpose.interprets);
  if (!done.failure) return judge(purpose, done);
  if (purpose.disabled.empty() || try_file(runner, text, name, purpose, false).failure) {
    return {Outcome::Kind::failed, *done.failure};
  }
  return {Outcome::Kind::read,
          str("its own RUN line is disabled (", purpose.disabled, "): ", *done.failure)};
}

// One that nobody foresaw is a failure too: a file that went away, memory that is spent.
Outcome outcome_or_error(TestRunner& runner, const fs::path& file) {
  try {
    return outcome_of(runner, file);
  } catch (const Error& error) {
    return {Outcome::Kind::failed, str(error.kind(), ": ", error.what())};
  } catch (const std::exception& error) {
    return {Outcome::Kind::failed, error.what()};
  }
}

std::string why_it_ended(const ChildResult& child, double deadline) {
  if (child.timed_out) return str("it still runs after ", deadline, " s (--deadline)");
  std::string why = child.signal != 0 ? str("it ends its process: ", strsignal(child.signal))
                                      : str("it ends its process with status ", child.status);
  std::string last_words;
  for (const std::string& line : split(child.log, '\n')) {
    if (!line.empty()) last_words = line;
  }
  return last_words.empty() ? why : str(why, ", after it wrote '", last_words, "'");
}

// In a process of their own, since a program may loop forever or end its process. Where one does,
// nothing is known of the others, and each gets a process to itself.
std::vector<Outcome> outcomes_apart(std::span<const fs::path> files, const std::string& backend,
                                    double deadline) {
  const auto work = [&] {
    TestRunner runner(backend);
    std::vector<std::string> lines;
    for (const fs::path& file : files) {
      const Outcome outcome = outcome_or_error(runner, file);
      lines.push_back(str(static_cast<int>(outcome.kind), outcome.reason));
    }
    return lines;
  };
  const ChildResult child = run_in_child(work, deadline);
  std::vector<Outcome> outcomes;
  if (child.fields.size() == files.size()) {
    for (const std::string& line : child.fields) {
      outcomes.push_back({static_cast<Outcome::Kind>(line[0] - '0'), line.substr(1)});
    }
    return outcomes;
  }
  if (files.size() == 1) return {{Outcome::Kind::failed, why_it_ended(child, deadline)}};
  for (size_t i = 0; i < files.size(); ++i) {
    outcomes.push_back(outcomes_apart(files.subspan(i, 1), backend, deadline)[0]);
  }
  return outcomes;
}

// The outcomes so far, and what is said of them.
class Report {
 public:
  void add(const std::string& family, const std::string& file, const Outcome& outcome) {
    using Kind = Outcome::Kind;
    const std::string line = str(file, ": ", outcome.reason);
    for (Family* row : {&families_[family], &all_}) {
      const bool failed = outcome.kind == Kind::failed, skipped = outcome.kind == Kind::skipped;
      row->passed += !failed && !skipped;
      row->failed += failed;
      row->skipped += skipped;
      if (failed && row->first.empty()) row->first = line;
    }
    if (outcome.kind != Kind::passed) named_[outcome.kind].push_back(line);
  }

  // The exit code.
  int print(std::ostream& out) {
    using Kind = Outcome::Kind;
    print_families(out);
    for (const auto& [kind, text] : {std::pair(Kind::read, "only read"),
                                     {Kind::ran, "unchecked"},
                                     {Kind::skipped, "skipped"},
                                     {Kind::failed, "failed"}}) {
      for (const std::string& line : named_[kind]) out << text << ": " << line << "\n";
    }
    const size_t read = named_[Kind::read].size(), ran = named_[Kind::ran].size();
    if (read + ran > 0) {
      out << "of those that passed " << all_.passed - static_cast<int>(read + ran)
          << " hold in checks of their own, " << ran << " ran and have none, " << read
          << " were only read\n";
    }
    out << all_.passed << " passed, " << all_.failed << " failed, " << all_.skipped << " skipped\n";
    return all_.failed == 0 ? 0 : 1;
  }

 private:
  void print_families(std::ostream& out) const {
    out << std::left << std::setw(40) << "op family" << std::right << std::setw(8) << "passed"
        << std::setw(8) << "failed" << std::setw(8) << "skipped"
        << "  first mismatch\n";
    for (const auto& [name, family] : families_) {
      out << std::left << std::setw(40) << name << std::right << std::setw(8) << family.passed
          << std::setw(8) << family.failed << std::setw(8) << family.skipped
          << (family.first.empty() ? "" : "  ") << family.first << "\n";
    }
  }

  std::map<std::string, Family> families_;
  Family all_;
  std::map<Outcome::Kind, std::vector<std::string>> named_;
};

}  // namespace

int run_conformance(const ConformanceOptions& options, std::ostream& out) {
  if (options.backend != "interpreter" && options.backend != "cpu") {
    raise<InvalidArgument>({.what = str("no backend is called '", options.backend, "'"),
                            .wanted = "interpreter or cpu"});
  }
  constexpr size_t together = 64;  // files in a process
  const std::vector<fs::path> files =
      find_programs(options.folder, options.only, {".mlir", ".mlirbc"});
  const std::string backend = options.backend == "cpu" ? "software_tpu" : options.backend;
  Report report;
  for (size_t first = 0; first < files.size(); first += together) {
    const auto some = std::span(files).subspan(first, std::min(together, files.size() - first));
    const std::vector<Outcome> outcomes = outcomes_apart(some, backend, options.deadline_seconds);
    for (size_t i = 0; i < some.size(); ++i) {
      report.add(family_of(some[i]), fs::relative(some[i], options.folder).string(), outcomes[i]);
    }
  }
  return report.print(out);
}

}  // namespace tool
