#include "plugin/processes/process_groups.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "backends/peers/exchange.h"
#include "plugin/processes/host_address.h"
#include "plugin/processes/mesh_library.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace plugin {
namespace {

// What a process says of itself, in lines.
struct Introduction {
  std::string kind, host, address;
  int cores = 0;

  std::string text() const { return str(kind, "\n", cores, "\n", host, "\n", address); }
};

Introduction read_introduction(const std::string& text, int process) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  Introduction result;
  constexpr int64_t most_cores = 1 << 20;
  int64_t cores = 0;
  if (lines.size() != 4 || !parse_number(lines[1], cores) || cores < 1 || cores > most_cores) {
    raise<FailedPrecondition>({.what = str("process ", process, " runs another version"),
                               .hint = "load the same libsystolic_pjrt.so in all processes"});
  }
  result.cores = static_cast<int>(cores);
  result.kind = lines[0];
  result.host = lines[2];
  result.address = lines[3];
  return result;
}

std::string key_of(int process) { return str("systolic/process/", process); }

Introduction introduction_of(const KeyValues& keys, int process, int count, double seconds) {
  try {
    return read_introduction(keys.get(key_of(process), seconds), process);
  } catch (const DeadlineExceeded&) {
    raise<DeadlineExceeded>(
        {.what = str("process ", process, " of ", count, " has not come after ", seconds, " s"),
         .hint = "look at what it printed; SYSTOLIC_WAIT_SECONDS says how long "
                 "to wait"});
  }
}

}  // namespace

ProcessGroups::ProcessGroups(KeyValues keys, Own own) : keys_(keys), own_(std::move(own)) {
  const runtime::Processes& processes = own_.processes;
  const Introduction self{own_.kind, host_identity(), address_towards(own_.coordinator),
                          own_.cores};
  keys_.put(key_of(processes.index), self.text());
  std::vector<int> process_of;
  bool one_host = true;
  for (int i = 0; i < processes.count; ++i) {
    const Introduction other = introduction_of(keys_, i, processes.count, own_.wait_seconds);
    if (other.kind != self.kind) {
      raise<FailedPrecondition>({.what = str("process ", i, " has devices of another kind"),
                                 .got = other.kind,
                                 .wanted = str(self.kind, ", as process ", processes.index),
                                 .hint = "give SYSTOLIC_TPU the same value in all processes"});
    }
    process_of.insert(process_of.end(), static_cast<size_t>(other.cores), i);
    addresses_.push_back(other.address);
    one_host = one_host && other.host == self.host;
  }
  if (one_host) std::fill(addresses_.begin(), addresses_.end(), "127.0.0.1");
  topology_ = runtime::Topology(process_of, processes);
}

const std::string& ProcessGroup::exchange() {
  std::call_once(made_, [this] {
    queue_ = std::make_shared<peers::ExchangeQueue>(peers);
    exchange_ = peers::register_exchange(queue_);
  });
  return exchange_;
}

std::shared_ptr<ProcessGroup> ProcessGroups::among(const std::vector<int>& processes) {
  std::shared_ptr<ProcessGroup> group = group_of(processes);
  group->peers->opened();
  return group;
}

std::shared_ptr<ProcessGroup> ProcessGroups::group_of(const std::vector<int>& processes) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<ProcessGroup>& group = groups_[processes];
  if (group == nullptr) group = make_group(processes);
  return group;
}

std::shared_ptr<ProcessGroup> ProcessGroups::make_group(const std::vector<int>& processes) const {
  const auto own = std::find(processes.begin(), processes.end(), own_.processes.index);
  if (own == processes.end()) {
    raise<InvalidArgument>({.what = str("an exchange between processes ", join(processes),
                                        " in process ", own_.processes.index)});
  }
  const std::string prefix = str("systolic/group/", join(processes, "_"), "/");
  const runtime::Processes place{static_cast<int>(processes.size()),
                                 static_cast<int>(own - processes.begin())};
  const gloo_peers::MeshOptions options{
      .processes = place,
      .address = addresses_[static_cast<size_t>(own_.processes.index)],
      .connect_seconds = own_.wait_seconds,
      .exchange_seconds = own_.wait_seconds,
      .put = [keys = keys_, prefix](const std::string& key,
                                    const std::string& value) { keys.put(prefix + key, value); },
      .get = [keys = keys_, prefix](const std::string& key,
                                    double most) { return keys.get(prefix + key, most); }};
  return std::make_shared<ProcessGroup>(
      std::make_shared<LatePeers>(place, [options] { return open_mesh_of_library(options); }),
      std::hash<std::string>{}(prefix));
}

}  // namespace plugin
}  // namespace systolic::inline v0
