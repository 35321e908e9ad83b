#include "backends/pjrt/device_client.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "backends/pjrt/api/deadline.h"
#include "backends/pjrt/api/key_values.h"
#include "backends/pjrt/api/program_text.h"
#include "backends/pjrt/api/teardown.h"
#include "systolic/base/error.h"
#include "systolic/pjrt_abi/element_type.h"

namespace systolic::inline v0 {
namespace pjrt {
namespace {

std::string platform_name(const Api& api, abi::Client* client) {
  abi::ClientPlatformNameArgs args{};
  args.client = client;
  api.call(args);
  return text_of(args.name, args.name_size);
}

std::string platform_version(const Api& api, abi::Client* client) {
  if (!api.has<abi::ClientPlatformVersionArgs>()) return {};
  abi::ClientPlatformVersionArgs args{};
  args.client = client;
  api.call(args);
  return text_of(args.version, args.version_size);
}

}  // namespace

DeviceClient::DeviceClient(PluginPtr plugin, runtime::SharedKeysPtr keys, ClientHandle handle)
    : plugin_(std::move(plugin)), keys_(std::move(keys)), handle_(std::move(handle)) {
  platform_name_ = pjrt::platform_name(*api(), get());
  platform_version_ = pjrt::platform_version(*api(), get());
  list_devices();
  list_all_processes();
}

void DeviceClient::list_devices() {
  abi::ClientAddressableDevicesArgs args{};
  args.client = get();
  api()->call(args);
  for (size_t i = 0; i < args.count; ++i) {
    devices_.push_back({args.devices[i], describe(*api(), args.devices[i])});
  }
  if (devices_.empty()) {
    raise<Unavailable>(
        {.what = str(api()->plugin(), " opened, but has no device for this process")});
  }
  std::stable_sort(devices_.begin(), devices_.end(), [](const Device& a, const Device& b) {
    return a.description.id < b.description.id;
  });
}

void DeviceClient::list_all_processes() {
  runtime::Processes processes;
  std::vector<std::pair<int, int>> places;  // id and process
  if (api()->has<abi::ClientDevicesArgs>() && api()->has<abi::ClientProcessIndexArgs>()) {
    abi::ClientProcessIndexArgs own{};
    own.client = get();
    api()->call(own);
    processes.index = own.index;
    abi::ClientDevicesArgs all{};
    all.client = get();
    api()->call(all);
    for (size_t i = 0; i < all.count; ++i) {
      const DeviceDescription device = describe(*api(), all.devices[i]);
      places.emplace_back(device.id, device.process);
      processes.count = std::max(processes.count, device.process + 1);
    }
  } else {
    for (const Device& device : devices_) places.emplace_back(device.description.id, 0);
  }
  std::stable_sort(places.begin(), places.end());
  std::vector<int> process_of;
  for (const auto& [id, process] : places) {
    device_ids_.push_back(id);
    process_of.push_back(process);
  }
  topology_ = runtime::Topology(process_of, processes);
  const std::vector<int>& own = topology_.addressable_cores();
  const bool agree =
      std::equal(own.begin(), own.end(), devices_.begin(), devices_.end(),
                 [&](int core, const Device& device) {
                   return device_ids_[static_cast<size_t>(core)] == device.description.id;
                 });
  ensure(agree, "the devices of this process are those that it may use");
}

std::shared_ptr<DeviceClient> DeviceClient::create_now(const PluginPtr& plugin,
                                                       const ClientCreateOptions& options,
                                                       Phase& phase) {
  phase.enter("PJRT_Client_Create");
  const std::vector<abi::NamedValue> values = named_values(options.values);
  abi::ClientCreateArgs args{};
  args.options = values.data();
  args.option_count = values.size();
  if (options.keys) set_key_values(args, *options.keys);
  plugin->api()->call(args);
  ClientHandle handle(plugin->api(), args.client);
  guard_teardown_end();
  phase.enter("listing the devices");
  return std::shared_ptr<DeviceClient>(new DeviceClient(plugin, options.keys, std::move(handle)));
}

std::shared_ptr<DeviceClient> DeviceClient::create(PluginPtr plugin,
                                                   const ClientCreateOptions& options) {
  const auto result = std::make_shared<std::shared_ptr<DeviceClient>>();
  run_with_deadline(
      str("taking the devices of ", plugin->path()), options.deadline_seconds,
      [plugin, options, result](Phase& phase) { *result = create_now(plugin, options, phase); },
      "another process may hold them: `systolic doctor` names it");
  return *result;
}

DeviceBuffer DeviceClient::copy(const Literal& literal, size_t device) const {
  static constexpr std::byte nothing{};
  // Memory of a Literal's own stays as it is while a copy of the Literal lives.
  const bool keeps = literal.owns_memory() && api()->has<abi::EventOnReadyArgs>();
  abi::ClientBufferFromHostArgs args{};
  args.client = get();
  args.data = literal.byte_size() == 0 ? &nothing : literal.raw();
  args.type = element_type(literal.dtype());
  args.dims = literal.shape().begin();
  args.rank = static_cast<size_t>(literal.rank());
  args.semantics = keeps ? abi::HostSemantics::until_transferred : abi::HostSemantics::during_call;
  args.device = devices_.at(device).device;
  api()->call(args);
  DeviceBuffer buffer(shared_from_this(), args.buffer);
  const Event free(api(), args.host_memory_free);
  if (keeps) {
    try {
      free.on_ready([literal](const std::optional<PluginError>&) {});
    } catch (const Error&) {  // then nobody would keep the literal: wait instead
      free.await();
    }
  }
  return buffer;
}

std::shared_ptr<LoadedProgram> DeviceClient::compile(std::string_view program,
                                                     const std::string& options) const {
  std::string code(program);
  abi::ProgramText text = mlir_text(code);
  abi::ClientCompileArgs args{};
  args.client = get();
  args.program = &text;
  args.options = options.data();
  args.options_size = options.size();
  api()->call(args);
  guard_teardown_end();
  return std::make_shared<LoadedProgram>(shared_from_this(), args.executable);
}

std::shared_ptr<LoadedProgram> DeviceClient::load(std::string_view serialized) const {
  abi::ExecutableDeserializeAndLoadArgs args{};
  args.client = get();
  args.bytes = serialized.data();
  args.bytes_size = serialized.size();
  api()->call(args);
  return std::make_shared<LoadedProgram>(shared_from_this(), args.executable);
}

}  // namespace pjrt
}  // namespace systolic::inline v0
