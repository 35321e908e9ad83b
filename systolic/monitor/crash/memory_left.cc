#include "systolic/monitor/crash/memory_left.h"

#include <algorithm>
#include <fstream>
#include <string_view>

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

// The number after a name, as /proc/meminfo and memory.stat have them; 0 where it is not there.
int64_t number_after(const std::string& path, std::string_view name) {
  std::ifstream file(path);
  std::string word;
  int64_t number = 0;
  while (file >> word) {
    if (word == name && file >> number) return number;
  }
  return 0;
}

MemoryLeft of_machine(const std::string& root) {
  constexpr int64_t unit = 1024;
  const std::string path = root + "/proc/meminfo";
  return {.left = unit * number_after(path, "MemAvailable:"),
          .limit = unit * number_after(path, "MemTotal:")};
}

// A group without a limit has "max" there, which is no number.
MemoryLeft of_group(const std::string& folder) {
  int64_t limit = 0, used = 0;
  if (!(std::ifstream(folder + "/memory.max") >> limit)) return {};
  if (!(std::ifstream(folder + "/memory.current") >> used)) return {};
  // What was read from files and can be dropped counts as used there.
  used -= number_after(folder + "/memory.stat", "inactive_file");
  return {.left = std::clamp<int64_t>(limit - used, 0, limit), .limit = limit};
}

// "0::/a/b" names the group; a container sees its own as "/".
std::string group_of_process(const std::string& root) {
  std::ifstream file(root + "/proc/self/cgroup");
  constexpr std::string_view version_2 = "0::";
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(version_2)) return line.substr(version_2.size());
  }
  return "/";
}

}  // namespace

MemoryLeft memory_left(const std::string& root) {
  MemoryLeft least = of_machine(root);
  const std::string groups = root + "/sys/fs/cgroup";
  for (std::string group = group_of_process(root);;) {
    const MemoryLeft one = of_group(groups + group);
    if (one.limit > 0 && (least.limit == 0 || one.left < least.left)) least = one;
    const size_t slash = group.rfind('/');
    if (group.size() <= 1 || slash == std::string::npos) return least;
    group.resize(std::max<size_t>(slash, 1));
  }
}

}  // namespace monitor
}  // namespace systolic::inline v0
