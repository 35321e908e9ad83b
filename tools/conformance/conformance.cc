#include "tools/conformance/conformance.h"

#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <map>
#include <ostream>
#include <sstream>

#include "systolic/base/error.h"
#include "systolic/io/file.h"
#include "systolic/stablehlo/bytecode/bytecode.h"
#include "systolic/stablehlo/bytecode/read_program.h"
#include "systolic/stablehlo/parse.h"
#include "systolic/stablehlo/print.h"
#include "tools/conformance/run_program.h"

namespace tool {
namespace {

using namespace systolic;
namespace fs = std::filesystem;

struct Outcome {
  enum class Kind { passed, failed, skipped, read };  // read: passed without a run
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

// What the file is for, by its RUN lines; bytecode, which has none, is for running.
struct Purpose {
  bool interprets = false;
  std::string disabled;  // why upstream does not run it
  std::string other_tool;
};

Purpose purpose_of(const std::string& text) {
  Purpose purpose;
  purpose.interprets = stablehlo::is_bytecode(text);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line) && line.substr(0, 2) == "//";) {
    if (line.find("RUN") == std::string::npos) continue;
    purpose.interprets |= line.find("--interpret") != std::string::npos;
    const bool prints = line.find("FileCheck") != std::string::npos ||
                        line.find("--probe-output-dir") != std::string::npos;
    if (prints) purpose.other_tool = "tests the command line and output of another tool";
    const size_t disabled = line.find("RUN-DISABLED(");
    if (disabled != std::string::npos) {
      const size_t start = disabled + 13;
      purpose.disabled = line.substr(start, line.find(')', start) - start);
    }
  }
  return purpose;
}

bool takes_arguments(const stablehlo::Program& program) {
  return !program.entry().body.arguments.empty();
}

std::optional<std::string> run_file(TestRunner& runner, const std::string& text,
                                    const std::string& name, bool interprets) {
  for (const stablehlo::Program& program : stablehlo::read_programs(text, name)) {
    const std::string printed = stablehlo::program_text(program);
    const std::string again = stablehlo::program_text(stablehlo::parse(printed, name));
    if (printed != again) return "prints another text when it is read again";
    // Nobody gives main arguments.
    if (!interprets || (program.is_bytecode && takes_arguments(program))) continue;
    if (auto failed = runner.run(program)) return failed;
  }
  return std::nullopt;
}

// What goes wrong, on one line.
std::optional<std::string> failure_of(TestRunner& runner, const std::string& text,
                                      const std::string& name, bool interprets) {
  std::optional<std::string> failed;
  try {
    failed = run_file(runner, text, name, interprets);
  } catch (const Error& error) {
    failed = str(error.kind(), ": ", error.what());
  }
  if (failed) std::replace(failed->begin(), failed->end(), '\n', ' ');
  return failed;
}

Outcome outcome_of(TestRunner& runner, const fs::path& file) {
  const std::string text = io::read_file(file.string());
  const Purpose purpose = purpose_of(text);
  if (!purpose.other_tool.empty()) return {Outcome::Kind::skipped, purpose.other_tool};
  const std::string name = file.filename().string();
  const std::optional<std::string> failed = failure_of(runner, text, name, purpose.interprets);
  if (!failed) return {};
  const bool reads = !purpose.disabled.empty() && !failure_of(runner, text, name, false);
  if (!reads) return {Outcome::Kind::failed, *failed};
  return {Outcome::Kind::read,
          str("its own RUN line is disabled (", purpose.disabled, "): ", *failed)};
}

}  // namespace

int run_conformance(const std::string& folder, const std::string& backend, const std::string& only,
                    std::ostream& out) {
  if (!fs::is_directory(folder)) {
    raise<NotFound>({.what = str("there is no folder '", folder, "'")});
  }
  if (backend != "interpreter" && backend != "cpu") {
    raise<InvalidArgument>(
        {.what = str("no backend is called '", backend, "'"), .wanted = "interpreter or cpu"});
  }
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const fs::path extension = entry.path().extension();
    const bool program = extension == ".mlir" || extension == ".mlirbc";
    if (program && entry.path().string().find(only) != std::string::npos)
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  TestRunner runner(backend == "cpu" ? "software_tpu" : backend);
  std::map<std::string, Family> families;
  Family all;
  std::vector<std::string> failures, skips, only_read;
  for (const fs::path& file : files) {
    const Outcome outcome = outcome_of(runner, file);
    const std::string line = str(fs::relative(file, folder).string(), ": ", outcome.reason);
    for (Family* family : {&families[family_of(file)], &all}) {
      family->passed +=
          outcome.kind == Outcome::Kind::passed || outcome.kind == Outcome::Kind::read;
      family->failed += outcome.kind == Outcome::Kind::failed;
      family->skipped += outcome.kind == Outcome::Kind::skipped;
      if (outcome.kind == Outcome::Kind::failed && family->first.empty()) family->first = line;
    }
    if (outcome.kind == Outcome::Kind::failed) failures.push_back(line);
    if (outcome.kind == Outcome::Kind::skipped) skips.push_back(line);
    if (outcome.kind == Outcome::Kind::read) only_read.push_back(line);
  }
  out << std::left << std::setw(40) << "op family" << std::right << std::setw(8) << "passed"
      << std::setw(8) << "failed" << std::setw(8) << "skipped"
      << "  first mismatch\n";
  for (const auto& [name, family] : families) {
    out << std::left << std::setw(40) << name << std::right << std::setw(8) << family.passed
        << std::setw(8) << family.failed << std::setw(8) << family.skipped
        << (family.first.empty() ? "" : "  ") << family.first << "\n";
  }
  for (const std::string& line : failures) out << "failed: " << line << "\n";
  for (const std::string& line : skips) out << "skipped: " << line << "\n";
  for (const std::string& line : only_read) out << "only read: " << line << "\n";
  if (!only_read.empty()) {
    out << only_read.size() << " of those that passed were only read, as upstream does\n";
  }
  out << all.passed << " passed, " << all.failed << " failed, " << all.skipped << " skipped\n";
  return all.failed == 0 ? 0 : 1;
}

}  // namespace tool
