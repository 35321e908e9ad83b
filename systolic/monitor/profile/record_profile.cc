#include "systolic/monitor/profile/record_profile.h"

#include <errno.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace systolic::inline v0 {
namespace monitor {
namespace {

struct ProfiledDevice {
  std::mutex mutex;
  std::weak_ptr<runtime::Client> client;
};
ProfiledDevice& profiled_device() {
  static auto* const device = new ProfiledDevice;
  return *device;
}

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "host";
  std::string text = name.data();
  for (char& c : text) {
    if (c == '/' || static_cast<unsigned char>(c) <= ' ') c = '_';
  }
  return text;
}

void name_main_thread(spans::Recorded& recorded, int64_t process) {
  for (auto& thread : recorded.threads) {
    if (thread.id == process && thread.name.empty()) thread.name = "main";
  }
}

}  // namespace

void set_profiled_device(const runtime::ClientPtr& client) {
  const std::lock_guard lock(profiled_device().mutex);
  profiled_device().client = client;
}

Profile profile_of_this_process(spans::Recorded recorded) {
  Profile profile;
  profile.host = host_name();
  profile.program = program_invocation_short_name;
  profile.process = getpid();
  name_main_thread(recorded, profile.process);
  profile.recorded = std::move(recorded);
  const runtime::ClientPtr device = [] {
    const std::lock_guard lock(profiled_device().mutex);
    return profiled_device().client.lock();
  }();
  if (device == nullptr) return profile;
  profile.platform = device->platform();
  profile.device_kind = device->kind().name;
  profile.cores = device->cores();
  profile.peak_flops = device->kind().generation.peak_bf16_flops_per_core;
  profile.peak_bytes = device->kind().generation.memory_bandwidth_per_core;
  return profile;
}

Profile record_for(double seconds) {
  spans::Recording recording;
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  return profile_of_this_process(recording.finish());
}

}  // namespace monitor
}  // namespace systolic::inline v0
