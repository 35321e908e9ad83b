#include "tools/systolic/project/tpu_vm.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <string_view>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/runtime/tpu_kind.h"

namespace tool::project {
namespace {

using namespace systolic;

constexpr std::string_view tpu_vm = "gcloud compute tpus tpu-vm ";

// The system that Cloud TPU's documentation names for each kind ("TPU software versions").
struct SystemOfKind {
  std::string_view kind, version;
};
constexpr SystemOfKind systems[] = {{"v2", "tpu-ubuntu2204-base"},
                                    {"v3", "tpu-ubuntu2204-base"},
                                    {"v4", "tpu-ubuntu2204-base"},
                                    {"v5e", "v2-alpha-tpuv5-lite"},
                                    {"v5p", "v2-alpha-tpuv5"},
                                    {"v6e", "v2-alpha-tpuv6e"},
                                    {"tpu7x", "v2-alpha-tpu7-ubuntu2404"}};

std::string system_of(const TpuVm& vm) {
  const std::string kind(parse_tpu_kind(vm.type).generation.name);
  if (!vm.version.empty()) return vm.version;
  const auto* found = std::find_if(std::begin(systems), std::end(systems),
                                   [&](const SystemOfKind& row) { return row.kind == kind; });
  if (found != std::end(systems)) return std::string(found->version);
  raise<InvalidArgument>({.what = str("the system of a ", vm.type),
                          .got = "no version",
                          .wanted = "--version",
                          .hint = "gcloud compute tpus tpu-vm versions list"});
}

// Cloud TPU's own spelling: its v5e are "v5litepod-8".
std::string accelerator_type(const TpuVm& vm) {
  const std::string name = parse_tpu_kind(vm.type).name;
  return name.rfind("v5e-", 0) == 0 ? "v5litepod-" + name.substr(4) : name;
}

// As a shell reads it as one word.
std::string quoted(const std::string& text) {
  constexpr std::string_view plain = "-_./:=,@%+";
  const auto fits = [&](unsigned char c) {
    return std::isalnum(c) != 0 || plain.find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), fits)) return text;
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string line(std::string_view verb, const TpuVm& vm, const std::string& rest = "") {
  return str(tpu_vm, verb, " ", quoted(vm.name), rest, " --zone=", quoted(vm.zone));
}

std::string command_on_all(const TpuVm& vm, const std::string& command) {
  return line("ssh", vm) + str(" --worker=all --command=", quoted(command));
}

std::string copy_to_all(const TpuVm& vm, const std::string& file) {
  return str(tpu_vm, "scp ", quoted(file), " ", quoted(vm.name), ": --zone=", quoted(vm.zone),
             " --worker=all");
}

std::string name_of(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

}  // namespace

std::vector<std::string> create_lines(const TpuVm& vm) {
  std::vector<std::string> lines = {
      line("create", vm) + str(" --accelerator-type=", quoted(accelerator_type(vm)),
                               " --version=", quoted(system_of(vm)), vm.spot ? " --spot" : "")};
  if (!vm.tarball.empty()) {
    lines.push_back(copy_to_all(vm, vm.tarball));
    lines.push_back(command_on_all(vm, str("tar xzf ", quoted(name_of(vm.tarball)))));
  }
  return lines;
}

std::vector<std::string> ssh_lines(const TpuVm& vm) { return {line("ssh", vm)}; }

std::vector<std::string> run_lines(const TpuVm& vm, const std::vector<std::string>& program) {
  std::string command = "./" + quoted(name_of(program.at(0)));
  for (size_t i = 1; i < program.size(); ++i) command += " " + quoted(program[i]);
  // The libraries of the tarball, wherever the program was linked.
  command = "LD_LIBRARY_PATH=$(echo ~/systolic-*/lib) " + command;
  return {copy_to_all(vm, program[0]), command_on_all(vm, command)};
}

std::vector<std::string> delete_lines(const TpuVm& vm) { return {line("delete", vm)}; }

int say_or_run(const std::vector<std::string>& lines, bool yes, std::ostream& out) {
  for (const std::string& text : lines) {
    out << text << std::endl;
    if (!yes) continue;
    const int status = std::system(text.c_str());
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    if (code != 0) return code;
  }
  return 0;
}

}  // namespace tool::project
