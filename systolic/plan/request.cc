#include "systolic/plan/request.h"

#include <array>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/runtime/tpu_kind.h"

namespace systolic::inline v0 {
namespace plan {
namespace {

using runtime::CompileEffort;

std::optional<Request>& slot() {
  static std::optional<Request> request;
  return request;
}

constexpr std::array<std::pair<const char*, CompileEffort>, 5> efforts = {
    {{"0", CompileEffort::o0},
     {"1", CompileEffort::o1},
     {"2", CompileEffort::o2},
     {"3", CompileEffort::o3},
     {"default", CompileEffort::standard}}};

// A command line without the flags that were taken.
class Flags {
 public:
  Flags(int argc, char** argv) : words_(argv, argv + argc) {}

  std::optional<std::string> take(const std::string& flag) {
    for (size_t i = 1; i < words_.size() && std::string_view(words_[i]) != "--"; ++i) {
      const std::string word = words_[i];
      const auto at = words_.begin() + static_cast<std::ptrdiff_t>(i);
      if (word.rfind(flag + "=", 0) == 0) {
        words_.erase(at);
        return word.substr(flag.size() + 1);
      }
      if (word != flag) continue;
      if (i + 1 == words_.size()) {
        raise<InvalidArgument>(
            {.what = str(flag, " is the last argument"), .wanted = "a value after it"});
      }
      const std::string value = words_[i + 1];
      words_.erase(at, at + 2);
      return value;
    }
    return std::nullopt;
  }

  void give_back(int& argc, char** argv) const {
    argc = static_cast<int>(words_.size());
    for (size_t i = 0; i < words_.size(); ++i) argv[i] = words_[i];
    argv[argc] = nullptr;
  }

 private:
  std::vector<char*> words_;
};

}  // namespace

const std::optional<Request>& requested() { return slot(); }
void request(std::optional<Request> request) { slot() = std::move(request); }

std::vector<int64_t> parse_batches(const std::string& text, const std::string& flag) {
  std::vector<int64_t> batches;
  if (text.empty()) {
    raise<InvalidArgument>({.what = str(flag, " without a number"),
                            .wanted = "batch sizes per core, such as 8,16,128"});
  }
  for (const std::string& part : split(text, ',')) {
    int64_t batch = 0;
    if (!parse_number(trim(part), batch) || batch < 1) {
      raise<InvalidArgument>({.what = str(flag, " ", text),
                              .got = str("'", part, "'"),
                              .wanted = "batch sizes per core, such as 8,16,128"});
    }
    batches.push_back(batch);
  }
  return batches;
}

CompileEffort parse_effort(const std::string& text, const std::string& flag) {
  for (const auto& [name, effort] : efforts) {
    if (text == name) return effort;
  }
  raise<InvalidArgument>({.what = str(flag, " ", text), .wanted = "0 (fastest) to 3, or default"});
}

std::string to_string(CompileEffort effort) {
  for (const auto& [name, value] : efforts) {
    if (effort == value) return name;
  }
  return "default";
}

void set_network(Request& request, const std::optional<std::string>& processes,
                 const std::optional<std::string>& network) {
  if (!processes && !network) return;
  constexpr int64_t most = 1 << 20;
  int64_t count = 0;
  if (!processes || !parse_number(*processes, count) || count < 1 || count > most) {
    raise<InvalidArgument>({.what = str("--processes ", processes.value_or("is missing")),
                            .wanted = str("1 to ", most, ", beside --network")});
  }
  if (!network) {
    raise<InvalidArgument>(
        {.what = "--network is missing", .wanted = "a link, such as 25Gbit, beside --processes"});
  }
  request.processes = count;
  request.network = parse_network(*network);
}

void parse_command_line(int& argc, char** argv) {
  Flags flags(argc, argv);
  const auto topology = flags.take("--plan");
  if (!topology) return;
  Request wanted{.topology = parse_tpu_kind(*topology).topology};
  if (const auto batches = flags.take("--batches")) wanted.batches = parse_batches(*batches);
  if (const auto effort = flags.take("--effort")) wanted.effort = parse_effort(*effort);
  if (const auto file = flags.take("--plan-json")) wanted.json_file = *file;
  const auto processes = flags.take("--processes");
  set_network(wanted, processes, flags.take("--network"));
  flags.give_back(argc, argv);
  request(std::move(wanted));
}

}  // namespace plan
}  // namespace systolic::inline v0
