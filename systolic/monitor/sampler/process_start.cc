#include "systolic/monitor/sampler/process_start.h"

#include <fstream>
#include <sstream>
#include <string>

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

struct ProcessStat {
  char state = 'X';  // as ps has it; X: there is none
  int64_t start = -1;
};

ProcessStat stat_of(int64_t process) {
  std::ifstream file(str("/proc/", process, "/stat"));
  std::string text;
  if (!std::getline(file, text)) return {};
  // The second field is a name in brackets, which may hold anything; the 22nd is the start.
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream fields(text.substr(name_end + 1));
  ProcessStat stat;
  fields >> stat.state;
  constexpr int fields_between = 18;  // the fourth to the 21st
  std::string field;
  for (int i = 0; i < fields_between; ++i) fields >> field;
  return fields >> stat.start ? stat : ProcessStat{};
}

bool has_ended(const ProcessStat& stat) { return stat.state == 'Z' || stat.state == 'X'; }

}  // namespace

int64_t process_start(int64_t process) {
  const ProcessStat stat = stat_of(process);
  return has_ended(stat) ? -1 : stat.start;
}

ProcessState process_state(int64_t process, int64_t start) {
  const ProcessStat stat = stat_of(process);
  if (has_ended(stat) || stat.start != start) return ProcessState::gone;
  const bool stopped = stat.state == 'T' || stat.state == 't';
  return stopped ? ProcessState::stopped : ProcessState::there;
}

}  // namespace monitor
}  // namespace systolic::inline v0
