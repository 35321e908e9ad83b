#include "systolic/monitor/sampler/process_start.h"

#include <fstream>
#include <sstream>
#include <string>

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace monitor {

int64_t process_start(int64_t process) {
  std::ifstream file(str("/proc/", process, "/stat"));
  std::string text;
  if (!std::getline(file, text)) return -1;
  // The second field is a name in brackets, which may hold anything; the 22nd is the start.
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return -1;
  std::istringstream fields(text.substr(name_end + 1));
  constexpr int fields_before = 19;  // the third to the 21st
  std::string field;
  for (int i = 0; i < fields_before; ++i) {
    fields >> field;
    if (i == 0 && (field == "Z" || field == "X")) return -1;  // it has ended
  }
  int64_t start = -1;
  return fields >> start ? start : -1;
}

}  // namespace monitor
}  // namespace systolic::inline v0
