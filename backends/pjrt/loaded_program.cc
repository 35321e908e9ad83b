#include "backends/pjrt/loaded_program.h"

#include <algorithm>
#include <utility>

#include "backends/pjrt/device_client.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace pjrt {
namespace {

std::vector<size_t> devices_of(const DeviceClient& client, abi::LoadedExecutable* executable) {
  abi::LoadedExecutableAddressableDevicesArgs args{};
  args.executable = executable;
  client.api()->call(args);
  std::vector<size_t> result;
  for (size_t i = 0; i < args.count; ++i) {
    const auto& known = client.devices();
    const auto found = std::find_if(known.begin(), known.end(), [&](const auto& device) {
      return device.device == args.devices[i];
    });
    if (found == known.end()) {
      raise<Internal>({.what = str(client.api()->plugin(),
                                   ": a program runs on a device that the client does not have")});
    }
    result.push_back(static_cast<size_t>(found - known.begin()));
  }
  return result;
}

[[noreturn]] void raise_no_result(const Api& api) {
  raise<Internal>({.what = str(api.plugin(), ": a run that succeeded left a result out")});
}

// Pointers to the first element of each row.
template <class T>
auto rows(std::vector<std::vector<T>>& table) {
  std::vector<T*> result;
  for (std::vector<T>& row : table) result.push_back(row.data());
  return result;
}

}  // namespace

LoadedProgram::LoadedProgram(std::shared_ptr<const DeviceClient> client,
                             abi::LoadedExecutable* executable)
    : client_(std::move(client)), handle_(client_->api(), executable) {
  devices_ = devices_of(*client_, executable);
  outputs_ = compiled().outputs();
}

CompiledProgram LoadedProgram::compiled() const {
  abi::LoadedExecutableGetExecutableArgs args{};
  args.loaded = handle_.get();
  handle_.api().call(args);
  return CompiledProgram(handle_.api_ptr(), args.executable);
}

Run LoadedProgram::execute(const std::vector<std::vector<abi::Buffer*>>& arguments,
                           const std::vector<int64_t>& not_donated, int64_t launch_id) const {
  const size_t devices = devices_.size();
  ensure(arguments.size() == devices, "as many lists of arguments as devices");
  std::vector<abi::Buffer* const*> lists;
  for (const auto& list : arguments) lists.push_back(list.data());
  std::vector<std::vector<abi::Buffer*>> outputs(devices, std::vector<abi::Buffer*>(outputs_));
  const std::vector<abi::Buffer**> output_lists = rows(outputs);
  std::vector<abi::Event*> events(devices);

  abi::ExecuteOptions options{};
  options.struct_size = abi::execute_options_size;
  options.launch_id = static_cast<int32_t>(launch_id);
  options.not_donated = not_donated.data();
  options.not_donated_count = not_donated.size();
  abi::LoadedExecutableExecuteArgs args{};
  args.executable = handle_.get();
  args.options = &options;
  args.arguments = lists.data();
  args.device_count = devices;
  args.argument_count = devices == 0 ? 0 : arguments[0].size();
  args.results = output_lists.data();
  args.complete = events.data();
  handle_.api().call(args);

  Run run;
  for (size_t device = 0; device < devices; ++device) {
    run.complete.emplace_back(handle_.api_ptr(), events[device]);
    std::vector<DeviceBuffer>& results = run.results.emplace_back();
    for (abi::Buffer* output : outputs[device]) {
      if (output == nullptr) raise_no_result(*client_->api());
      results.emplace_back(client_, output);
    }
  }
  return run;
}

}  // namespace pjrt
}  // namespace systolic::inline v0
