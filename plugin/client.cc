#include "plugin/client.h"

#include <cstdlib>
#include <cstring>

#include "backends/cpu/client.h"
#include "plugin/pivots.h"
#include "plugin/serve.h"
#include "plugin/sink.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace plugin {

namespace {

// A slice of that kind, larger where it has too few cores.
runtime::ClientPtr open_slice(std::string_view tpu, int cores) {
  const TpuKind kind = parse_tpu_kind(tpu);
  if (kind.cores() >= cores) return cpu::open_software_tpu(tpu, cores);
  constexpr int most = 1 << 20;
  for (int size = 1; size <= most; size *= 2) {
    try {
      const TpuKind larger = parse_tpu_kind(str(kind.generation.name, "-", size));
      if (larger.cores() >= cores) return cpu::open_software_tpu(larger.name, cores);
    } catch (const InvalidArgument&) {  // no slice of that size
    }
  }
  raise<InvalidArgument>({.what = str("no ", kind.generation.name, " slice has ", cores, " cores"),
                          .hint = "start fewer processes, or set SYSTOLIC_CORES"});
}

}  // namespace

Client::Client(std::string_view tpu, int cores, std::chrono::seconds wait)
    : Client(cpu::open_software_tpu(tpu, cores), wait) {}

Client::Client(std::string_view tpu, std::shared_ptr<ProcessGroups> processes,
               std::chrono::seconds wait)
    : Client(open_slice(tpu, processes->topology().cores()), processes->topology(), processes,
             wait) {}

Client::Client(runtime::ClientPtr opened, std::chrono::seconds wait)
    : Client(opened, opened->topology(), nullptr, wait) {}

Client::Client(runtime::ClientPtr opened, runtime::Topology all,
               std::shared_ptr<ProcessGroups> processes, std::chrono::seconds wait)
    : engine(std::move(opened)),
      longest_wait(wait),
      processes_(std::move(processes)),
      topology_(std::move(all)) {
  const TpuKind& kind = engine->kind();
  version = str("software TPU ", kind.name, " with ", topology().cores(), " cores");
  for (int id = 0; id < topology().cores(); ++id) {
    auto device = std::make_unique<Device>();
    device->client = this;
    device->id = id;
    device->core = topology().core(id);
    // Not the name of a real TPU: callers would ask for its coordinates.
    device->kind = str("Software ", kind.generation.device_kind);
    device->text = str("SYSTOLIC_", id);
    device->memory = {device.get(), str("SYSTOLIC_", id, "/memory")};
    device_handles.push_back(handle<abi::Device>(device.get()));
    devices.push_back(std::move(device));
  }
  for (int id : topology().addressable_cores()) {
    addressable_handles.push_back(device_handles[static_cast<size_t>(id)]);
    memory_handles.push_back(handle<abi::Memory>(&device(id).memory));
  }
  description.client = this;
}

bool Device::is_addressable() const { return client->topology().is_addressable(id); }

runtime::ClientPtr Client::engine_of(int64_t cores) {
  if (cores == engine->cores() || cores == 1) return engine;
  const std::lock_guard lock(mutex_);
  runtime::ClientPtr& found = engines_[cores];
  if (found == nullptr) {
    found = open_slice(engine->kind().name, static_cast<int>(cores));
  }
  return found;
}

std::shared_ptr<Meeting> Client::meeting_of(const std::string& key, size_t devices) {
  const std::lock_guard lock(mutex_);
  std::erase_if(meetings_, [](const auto& meeting) { return meeting.second.expired(); });
  std::weak_ptr<Meeting>& known = meetings_[key];
  std::shared_ptr<Meeting> meeting = known.lock();
  if (meeting == nullptr) {
    meeting = std::make_shared<Meeting>(devices, longest_wait);
    known = meeting;
  }
  return meeting;
}

Device& Client::device(int64_t id) {
  if (id < 0 || id >= static_cast<int64_t>(devices.size())) {
    raise<InvalidArgument>(
        {.what = str("device ", id), .wanted = str("one of 0 to ", devices.size() - 1)});
  }
  return *devices[static_cast<size_t>(id)];
}

Device& Client::addressable_device(int64_t local_hardware_id) {
  const std::vector<int>& ids = topology().addressable_cores();
  if (local_hardware_id < 0 || local_hardware_id >= static_cast<int64_t>(ids.size())) {
    raise<InvalidArgument>(
        {.what = str("device ", local_hardware_id), .wanted = str("one of 0 to ", ids.size() - 1)});
  }
  return device(ids[static_cast<size_t>(local_hardware_id)]);
}

Device& device_of(abi::Device* device, abi::Memory* memory) {
  return device != nullptr ? of(device) : *of(memory).device;
}

namespace {

// Without options the environment decides: SYSTOLIC_TPU names the slice, SYSTOLIC_CORES takes fewer
// cores of it, SYSTOLIC_WAIT_SECONDS is how long devices that are run one by one wait for each
// other.
struct Wanted {
  std::string tpu = "v3-8";
  int64_t cores = 0, wait_seconds = 600;
  int64_t processes = 1, process = 0;
  std::string coordinator;  // of the processes, "host:port"
};

int64_t* number_of(Wanted& wanted, std::string_view option) {
  if (option == "cores") return &wanted.cores;
  if (option == "wait_seconds") return &wanted.wait_seconds;
  if (option == "num_nodes") return &wanted.processes;  // as JAX names them
  if (option == "node_id") return &wanted.process;
  return nullptr;
}

std::string* text_of(Wanted& wanted, std::string_view option) {
  if (option == "tpu") return &wanted.tpu;
  return option == "coordinator" ? &wanted.coordinator : nullptr;
}

void read_number(const char* variable, int64_t& number) {
  const char* text = std::getenv(variable);
  if (text != nullptr && !parse_number(text, number)) {
    raise<InvalidArgument>({.what = variable, .got = text, .wanted = "a number"});
  }
}

void read_environment(Wanted& wanted) {
  if (const char* tpu = std::getenv("SYSTOLIC_TPU")) wanted.tpu = tpu;
  read_number("SYSTOLIC_CORES", wanted.cores);
  read_number("SYSTOLIC_WAIT_SECONDS", wanted.wait_seconds);
}

// Options that say nothing of the software TPU: JAX's number of a slice, and how libtpu keeps
// memory ready for copies.
bool is_unused(std::string_view option) {
  return option == "partition_index" || option == "premapped_buffer_size";
}

void read_options(Wanted& wanted, const abi::NamedValue* options, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const abi::NamedValue& option = options[i];
    const std::string_view name(option.name, option.name_size);
    int64_t* number = number_of(wanted, name);
    std::string* text = text_of(wanted, name);
    if (number != nullptr && option.type == abi::ValueType::integer) {
      *number = option.integer;
    } else if (text != nullptr && option.type == abi::ValueType::text) {
      text->assign(option.text, option.value_size);
    } else if (!is_unused(name)) {
      raise<InvalidArgument>(
          {.what = str("option ", name),
           .wanted = "tpu, a text such as \"v3-8\", or coordinator, another, or cores, "
                     "wait_seconds, num_nodes or node_id, numbers"});
    }
  }
}

// This process, as the others are told of it.
ProcessGroups::Own own_of(const Wanted& wanted) {
  const TpuKind kind = parse_tpu_kind(wanted.tpu);
  if (wanted.cores > kind.cores()) {
    raise<InvalidArgument>({.what = str(wanted.cores, " cores of a ", kind.name),
                            .wanted = str("1 to ", kind.cores(), ", or 0 for all")});
  }
  return {.processes = {static_cast<int>(wanted.processes), static_cast<int>(wanted.process)},
          .kind = kind.name,
          .cores = wanted.cores == 0 ? kind.cores() : static_cast<int>(wanted.cores),
          .coordinator = wanted.coordinator,
          .wait_seconds = static_cast<double>(wanted.wait_seconds)};
}

}  // namespace

void serve(abi::PluginInitializeArgs&) {}

void serve(abi::PluginAttributesArgs& args) {
  // The version that programs are sent in, and what can be read.
  static const int64_t current[] = {1, 17, 0}, least[] = {0, 9, 0};
  static const auto make = [](const char* name, const int64_t* values, size_t count) {
    abi::NamedValue value{};
    value.struct_size = abi::named_value_size;
    value.name = name;
    value.name_size = std::strlen(name);
    value.type = abi::ValueType::integers;
    value.integers = values;
    value.value_size = count;
    return value;
  };
  static const abi::NamedValue values[] = {make("stablehlo_current_version", current, 3),
                                           make("stablehlo_minimum_version", least, 3)};
  args.attributes = values;
  args.count = 2;
}

void serve(abi::ClientCreateArgs& args) {
  Wanted wanted;
  read_environment(wanted);
  read_options(wanted, args.options, args.option_count);
  if (wanted.cores < 0 || wanted.cores > 1 << 20) {
    raise<InvalidArgument>({.what = str(wanted.cores, " cores")});
  }
  if (wanted.wait_seconds < 0 || wanted.wait_seconds > 1'000'000) {
    raise<InvalidArgument>(
        {.what = str("a wait of ", wanted.wait_seconds, " seconds"), .wanted = "0 to a million"});
  }
  constexpr int64_t most_processes = 1 << 16;
  if (wanted.processes < 1 || wanted.processes > most_processes || wanted.process < 0 ||
      wanted.process >= wanted.processes) {
    raise<InvalidArgument>(
        {.what = str("process ", wanted.process, " of ", wanted.processes, " (node_id, num_nodes)"),
         .wanted = str("0 to below a number of at most ", most_processes)});
  }
  register_pivots_to_permutation();
  register_sink();
  const std::chrono::seconds wait(wanted.wait_seconds);
  args.client = handle<abi::Client>(
      wanted.processes == 1
          ? new Client(wanted.tpu, static_cast<int>(wanted.cores), wait)
          : new Client(wanted.tpu, std::make_shared<ProcessGroups>(KeyValues(args), own_of(wanted)),
                       wait));
}

void serve(abi::ClientDestroyArgs& args) {
  if (args.client != nullptr) delete &of(args.client);
}

void serve(abi::ClientPlatformNameArgs& args) {
  args.name = platform.data();
  args.name_size = platform.size();
}

void serve(abi::ClientPlatformVersionArgs& args) {
  const Client& client = of(args.client);
  args.version = client.version.c_str();
  args.version_size = client.version.size();
}

void serve(abi::ClientProcessIndexArgs& args) {
  args.index = of(args.client).topology().process_index();
}

void serve(abi::ClientDevicesArgs& args) {
  const Client& client = of(args.client);
  args.devices = client.device_handles.data();
  args.count = client.device_handles.size();
}

void serve(abi::ClientAddressableDevicesArgs& args) {
  const Client& client = of(args.client);
  args.devices = client.addressable_handles.data();
  args.count = client.addressable_handles.size();
}

void serve(abi::ClientLookupDeviceArgs& args) {
  args.device = handle<abi::Device>(&of(args.client).device(args.id));
}

void serve(abi::ClientLookupAddressableDeviceArgs& args) {
  args.device = handle<abi::Device>(&of(args.client).addressable_device(args.local_hardware_id));
}

void serve(abi::ClientMemoriesArgs& args) {
  const Client& client = of(args.client);
  args.memories = client.memory_handles.data();
  args.count = client.memory_handles.size();
}

void serve(abi::ClientTopologyArgs& args) {
  args.topology = handle<abi::Topology>(&of(args.client).description);
}

void serve(abi::ClientDefaultAssignmentArgs& args) {
  const Client& client = of(args.client);
  const int64_t wanted = int64_t{args.replicas} * args.partitions;
  if (args.replicas < 1 || args.partitions < 1 ||
      wanted > static_cast<int64_t>(client.devices.size()) ||
      args.size < static_cast<size_t>(wanted)) {
    raise<InvalidArgument>({.what = str(args.replicas, " replicas of ", args.partitions,
                                        " partitions, an array of ", args.size),
                            .wanted = str("at most ", client.devices.size(), " devices")});
  }
  for (int64_t i = 0; i < wanted; ++i) args.assignment[i] = static_cast<int32_t>(i);
}

// JAX tells who is there, again and again. Who is gone is found by its broken connection.
void serve(abi::ClientUpdateProcessesArgs& args) { of(args.client); }

// The topology is the client's: it lives as long.
void serve(abi::TopologyDestroyArgs&) {}

void serve(abi::TopologyPlatformNameArgs& args) {
  args.name = platform.data();
  args.name_size = platform.size();
}

void serve(abi::TopologyPlatformVersionArgs& args) {
  const Client& client = *of(args.topology).client;
  args.version = client.version.c_str();
  args.version_size = client.version.size();
}

void serve(abi::TopologyDevicesArgs& args) {
  const Client& client = *of(args.topology).client;
  // A device is its own description.
  args.descriptions =
      reinterpret_cast<abi::DeviceDescription* const*>(client.device_handles.data());
  args.count = client.device_handles.size();
}

void serve(abi::TopologyAttributesArgs& args) {
  args.attributes = nullptr;
  args.count = 0;
}

}  // namespace plugin
}  // namespace systolic::inline v0
