// A PJRT plugin that computes next to nothing and fails when told to (fake_plugin.h).
#include "backends/pjrt/test_plugins/fake_plugin.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <thread>

#include "systolic/pjrt_abi/pjrt_abi.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace systolic::fake {
namespace {

namespace abi = pjrt::abi;

Control control;

struct Counted {
  Counted() { ++control.live; }
  Counted(const Counted&) { ++control.live; }
  ~Counted() { --control.live; }
};
struct Error : Counted {
  abi::Code code;
  const char* message;
};
struct Event : Counted {};
struct Device {
  int id, process;
  std::string text;
};
struct Client : Counted {
  std::vector<std::unique_ptr<Device>> devices;
  std::vector<abi::Device*> pointers, addressable;
};
struct Buffer : Counted {
  abi::ElementType type;
  std::vector<int64_t> dims;
  std::string bytes;
  bool deleted = false;
};
struct Executable : Counted {
  std::vector<abi::Device*> devices;
};
struct Topology : Counted {};

template <class Ours, class Theirs>
Ours* as(Theirs* thing) {
  return reinterpret_cast<Ours*>(thing);
}
template <class Theirs, class Ours>
Theirs* give(Ours* thing) {
  return reinterpret_cast<Theirs*>(thing);
}
abi::Event* new_event() { return give<abi::Event>(new Event); }
abi::Error* new_error(abi::Code code, const char* message) {
  auto* error = new Error;
  error->code = code;
  error->message = message;
  return give<abi::Error>(error);
}

const abi::NamedValue* properties() {
  static abi::NamedValue all[2];
  all[0] = all[1] = abi::NamedValue{};
  all[0].name = "flops";
  all[0].name_size = 5;
  all[0].type = abi::ValueType::real;
  all[0].real = 1000;
  all[1].name = "note";
  all[1].name_size = 4;
  all[1].type = abi::ValueType::text;
  all[1].text = "fake";
  all[1].value_size = 4;
  return all;
}

// --- what each function does, by its arguments -------------------------------------------------
abi::Error* run(abi::PluginInitializeArgs&) { return nullptr; }
abi::Error* run(abi::PluginAttributesArgs& args) {
  static const int64_t version[] = {1, 9, 0};
  static abi::NamedValue value;
  value = abi::NamedValue{};
  value.name = "stablehlo_current_version";
  value.name_size = std::strlen(value.name);
  value.type = abi::ValueType::integers;
  value.integers = version;
  value.value_size = 3;
  args.attributes = &value;
  args.count = 1;
  return nullptr;
}
abi::Error* run(abi::ClientCreateArgs& args) {
  auto* client = new Client;
  // Not in the order of their ids.
  for (int id = control.devices; id-- > 0;) {
    const int process = id / 2 % control.processes;
    client->devices.push_back(
        std::make_unique<Device>(Device{id, process, "FAKE_" + std::to_string(id)}));
    client->pointers.push_back(give<abi::Device>(client->devices.back().get()));
    if (process == control.process) client->addressable.push_back(client->pointers.back());
  }
  args.client = give<abi::Client>(client);
  return nullptr;
}
abi::Error* run(abi::ClientPlatformNameArgs& args) {
  args.name = "tpu and more";
  args.name_size = 3;
  return nullptr;
}
abi::Error* run(abi::ClientPlatformVersionArgs& args) {
  const std::string& version = control.platform_version;
  args.version = version.empty() ? nullptr : version.data();
  args.version_size = version.empty() ? 7 : version.size();
  return nullptr;
}
abi::Error* run(abi::ClientProcessIndexArgs& args) {
  args.index = control.process;
  return nullptr;
}
abi::Error* run(abi::ClientDevicesArgs& args) {
  auto* client = as<Client>(args.client);
  args.devices = client->pointers.data();
  args.count = client->pointers.size();
  return nullptr;
}
abi::Error* run(abi::ClientAddressableDevicesArgs& args) {
  auto* client = as<Client>(args.client);
  args.devices = client->addressable.data();
  args.count = client->addressable.size();
  return nullptr;
}
abi::Error* run(abi::DeviceGetDescriptionArgs& args) {
  args.description = give<abi::DeviceDescription>(args.device);
  return nullptr;
}
abi::Error* run(abi::DeviceDescriptionIdArgs& args) {
  args.id = as<Device>(args.description)->id;
  return nullptr;
}
abi::Error* run(abi::DeviceDescriptionProcessIndexArgs& args) {
  args.index = as<Device>(args.description)->process;
  return nullptr;
}
abi::Error* run(abi::DeviceDescriptionKindArgs& args) {
  args.kind = control.kind.data();
  args.kind_size = control.kind.size();
  return nullptr;
}
abi::Error* run(abi::DeviceDescriptionToStringArgs& args) {
  const std::string& text = as<Device>(args.description)->text;
  args.text = text.data();
  args.text_size = text.size();
  return nullptr;
}
abi::Error* run(abi::DeviceMemoryStatsArgs& args) {
  args.bytes_in_use = 4096;
  args.bytes_limit = 1 << 20;
  args.has_bytes_limit = true;
  return nullptr;
}
abi::Error* run(abi::ClientBufferFromHostArgs& args) {
  auto* buffer = new Buffer;
  buffer->type = args.type;
  buffer->dims.assign(args.dims, args.dims + args.rank);
  size_t bytes = args.type == abi::ElementType::pred ? 1 : 4;
  for (int64_t dim : buffer->dims) bytes *= static_cast<size_t>(dim);
  buffer->bytes.assign(static_cast<const char*>(args.data), bytes);
  args.buffer = give<abi::Buffer>(buffer);
  args.host_memory_free = new_event();
  return nullptr;
}

// The integers of one message of a serialized protobuf, and its messages.
using Fields = std::multimap<uint64_t, std::pair<int64_t, std::string>>;
uint64_t varint(const std::string& bytes, size_t& at) {
  uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.at(at++));
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}
Fields fields_of(const std::string& bytes) {
  Fields fields;
  for (size_t at = 0; at < bytes.size();) {
    const uint64_t key = varint(bytes, at);
    const uint64_t value = varint(bytes, at);
    if ((key & 7) == 0) {
      fields.insert({key >> 3, {static_cast<int64_t>(value), ""}});
    } else {
      fields.insert({key >> 3, {0, bytes.substr(at, value)}});
      at += value;
    }
  }
  return fields;
}

abi::LoadedExecutable* load(Client& client, const std::string& options) {
  const Fields build = fields_of(fields_of(options).find(3)->second.second);
  const int64_t count = build.find(4)->second.first * build.find(5)->second.first;
  std::vector<int64_t> ids;
  if (build.count(9) != 0) {
    const Fields assignment = fields_of(build.find(9)->second.second);
    for (auto [at, end] = assignment.equal_range(3); at != end; ++at) {
      const std::string packed = fields_of(at->second.second).find(1)->second.second;
      for (size_t place = 0; place < packed.size();) {
        ids.push_back(static_cast<int64_t>(varint(packed, place)));
      }
    }
  }
  for (int64_t id = static_cast<int64_t>(ids.size()); id < count; ++id) ids.push_back(id);
  auto* executable = new Executable;
  for (int64_t id : ids) {
    for (const auto& device : client.devices) {
      if (device->id != id || device->process != control.process) continue;
      executable->devices.push_back(give<abi::Device>(device.get()));
    }
  }
  control.device_ids = ids;
  return give<abi::LoadedExecutable>(executable);
}

abi::Error* run(abi::ClientCompileArgs& args) {
  control.program.assign(args.program->code, args.program->code_size);
  if (control.program.find("func.func") == std::string::npos) {
    return new_error(abi::Code::unknown, "-:1:1: error: no function");
  }
  args.executable = load(*as<Client>(args.client), std::string(args.options, args.options_size));
  return nullptr;
}
abi::Error* run(abi::CompileArgs& args) {
  control.program.assign(args.program->code, args.program->code_size);
  args.executable = give<abi::Executable>(new Executable);
  return nullptr;
}
abi::Error* run(abi::LoadedExecutableAddressableDevicesArgs& args) {
  auto* executable = as<Executable>(args.executable);
  args.devices = executable->devices.data();
  args.count = executable->devices.size();
  return nullptr;
}
abi::Error* run(abi::LoadedExecutableGetExecutableArgs& args) {
  args.executable = give<abi::Executable>(new Executable);
  return nullptr;
}
abi::Error* run(abi::ExecutableNumOutputsArgs& args) {
  args.count = control.results.size();
  return nullptr;
}
abi::Error* run(abi::ExecutableMemoryStatsArgs& args) {
  args.code = 1;
  args.arguments = 20;
  args.outputs = 30;
  args.aliased = 4;
  args.temporaries = 50;
  args.peak = 96;
  return nullptr;
}
abi::Error* run(abi::ExecutableCostAnalysisArgs& args) {
  args.properties = properties();
  args.count = 2;
  return nullptr;
}
abi::Error* run(abi::ExecutableSerializeArgs& args) {
  args.bytes = "serialized";
  args.bytes_size = 10;
  args.holder = give<abi::SerializedExecutable>(new Event);
  args.destroy = [](abi::SerializedExecutable* holder) { delete as<Event>(holder); };
  return nullptr;
}
abi::Error* run(abi::ExecutableDeserializeAndLoadArgs& args) {
  if (std::string(args.bytes, args.bytes_size) != "serialized") {
    return new_error(abi::Code::invalid_argument, "no program of this plugin");
  }
  auto* executable = new Executable;
  executable->devices = as<Client>(args.client)->addressable;
  std::reverse(executable->devices.begin(), executable->devices.end());
  args.executable = give<abi::LoadedExecutable>(executable);
  return nullptr;
}

bool donated(const abi::ExecuteOptions& options, int64_t argument) {
  const int64_t* end = options.not_donated + options.not_donated_count;
  return std::find(options.not_donated, end, argument) == end;
}
abi::Error* run(abi::LoadedExecutableExecuteArgs& args) {
  for (size_t device = 0; device < args.device_count; ++device) {
    for (size_t i = 0; i < args.argument_count; ++i) {
      if (as<Buffer>(args.arguments[device][i])->deleted) {
        return new_error(abi::Code::invalid_argument, "an argument was deleted");
      }
    }
    for (size_t i = 0; i < control.results.size(); ++i) {
      const Result& result = control.results[i];
      auto* buffer = new Buffer(*as<Buffer>(args.arguments[device][result.argument]));
      for (size_t at = 0; buffer->type == abi::ElementType::f32 && at < buffer->bytes.size();
           at += 4) {
        float value;
        std::memcpy(&value, buffer->bytes.data() + at, 4);
        value += result.plus;
        std::memcpy(buffer->bytes.data() + at, &value, 4);
      }
      args.results[device][i] = give<abi::Buffer>(buffer);
    }
    for (int64_t argument : control.donates) {
      if (!donated(*args.options, argument)) continue;
      as<Buffer>(args.arguments[device][argument])->deleted = true;
    }
    if (args.complete != nullptr) args.complete[device] = new_event();
  }
  return nullptr;
}
abi::Error* run(abi::BufferElementTypeArgs& args) {
  args.type = as<Buffer>(args.buffer)->type;
  return nullptr;
}
abi::Error* run(abi::BufferDimensionsArgs& args) {
  args.dims = as<Buffer>(args.buffer)->dims.data();
  args.rank = as<Buffer>(args.buffer)->dims.size();
  return nullptr;
}
abi::Error* run(abi::BufferOnDeviceSizeArgs& args) {
  args.bytes = 512;
  return nullptr;
}
abi::Error* run(abi::BufferDeleteArgs& args) {
  as<Buffer>(args.buffer)->deleted = true;
  return nullptr;
}
abi::Error* run(abi::BufferIsDeletedArgs& args) {
  args.deleted = as<Buffer>(args.buffer)->deleted;
  return nullptr;
}
abi::Error* run(abi::BufferToHostArgs& args) {
  const auto* buffer = as<Buffer>(args.buffer);
  if (buffer->deleted) return new_error(abi::Code::invalid_argument, "the buffer was deleted");
  if (args.size < buffer->bytes.size()) return new_error(abi::Code::invalid_argument, "too small");
  std::memcpy(args.data, buffer->bytes.data(), buffer->bytes.size());
  args.event = new_event();
  return nullptr;
}
abi::Error* run(abi::BufferReadyEventArgs& args) {
  args.event = new_event();
  return nullptr;
}
abi::Error* run(abi::EventIsReadyArgs& args) {
  args.ready = true;
  return nullptr;
}
abi::Error* run(abi::EventAwaitArgs&) { return nullptr; }
abi::Error* run(abi::EventOnReadyArgs& args) {
  args.callback(nullptr, args.argument);
  return nullptr;
}
abi::Error* run(abi::TopologyCreateArgs& args) {
  args.topology = give<abi::Topology>(new Topology);
  return nullptr;
}
abi::Error* run(abi::EventDestroyArgs& args) { return delete as<Event>(args.event), nullptr; }
abi::Error* run(abi::ClientDestroyArgs& args) { return delete as<Client>(args.client), nullptr; }
abi::Error* run(abi::BufferDestroyArgs& args) { return delete as<Buffer>(args.buffer), nullptr; }
abi::Error* run(abi::ExecutableDestroyArgs& args) {
  return delete as<Executable>(args.executable), nullptr;
}
abi::Error* run(abi::LoadedExecutableDestroyArgs& args) {
  return delete as<Executable>(args.executable), nullptr;
}
abi::Error* run(abi::TopologyDestroyArgs& args) {
  return delete as<Topology>(args.topology), nullptr;
}

// --- the table ----------------------------------------------------------------------------------
void hang(const char* name) {
  while (control.hangs_in == name && !control.released) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

bool fails(const char* name) {
  if (control.calls++ != control.fail_at) return false;
  control.failed = name;
  return true;
}

template <class Args>
abi::Error* function(Args* args) {
  // A function that destroys does so even where it fails.
  constexpr bool destroys =
      std::string_view(abi::Entry<Args>::name).find("_Destroy") != std::string_view::npos;
  if (args->struct_size != abi::Entry<Args>::struct_size) {
    return new_error(abi::Code::invalid_argument, "a wrong struct_size");
  }
  hang(abi::Entry<Args>::name);
  const bool failing = fails(abi::Entry<Args>::name);
  if (!failing || destroys) {
    abi::Error* error = run(*args);
    control.last = abi::Entry<Args>::name;
    if (error != nullptr) return error;
  }
  return failing ? new_error(static_cast<abi::Code>(control.fail_code), control.fail_message)
                 : nullptr;
}

void error_destroy(abi::ErrorDestroyArgs* args) { delete reinterpret_cast<Error*>(args->error); }
void error_message(abi::ErrorMessageArgs* args) {
  const auto* error = reinterpret_cast<const Error*>(args->error);
  args->message = error->message;
  args->message_size = error->message == nullptr ? 99 : std::strlen(error->message);
}
abi::Error* error_code(abi::ErrorCodeArgs* args) {
  args->code = reinterpret_cast<const Error*>(args->error)->code;
  return nullptr;
}

constexpr size_t most_functions = 200;
struct FullTable {
  abi::Table table;
  abi::AnyFunction rest[most_functions];
};
FullTable full;

void put(size_t slot, abi::AnyFunction function) {
  abi::AnyFunction* functions = full.table.functions;
  std::memcpy(functions + slot, &function, sizeof(function));
}
template <class... Args>
void put_all() {
  (put(abi::Entry<Args>::slot, reinterpret_cast<abi::AnyFunction>(&function<Args>)), ...);
}

const abi::Table* make_table() {
  full = FullTable{};
  full.table.struct_size = abi::table_head_size + control.functions * sizeof(abi::AnyFunction);
  full.table.version.struct_size = sizeof(abi::Version);
  full.table.version.major = control.major;
  full.table.version.minor = control.minor;
  put(0, reinterpret_cast<abi::AnyFunction>(&error_destroy));
  put(1, reinterpret_cast<abi::AnyFunction>(&error_message));
  put(2, reinterpret_cast<abi::AnyFunction>(&error_code));
  using namespace abi;
  put_all<PluginInitializeArgs, PluginAttributesArgs, EventDestroyArgs, EventIsReadyArgs,
          EventAwaitArgs, EventOnReadyArgs, ClientCreateArgs, ClientDestroyArgs,
          ClientPlatformNameArgs, ClientPlatformVersionArgs, ClientProcessIndexArgs,
          ClientDevicesArgs, ClientAddressableDevicesArgs, DeviceDescriptionProcessIndexArgs,
          ClientCompileArgs, ClientBufferFromHostArgs, DeviceDescriptionIdArgs,
          DeviceDescriptionKindArgs, DeviceDescriptionToStringArgs, DeviceGetDescriptionArgs,
          DeviceMemoryStatsArgs, ExecutableDestroyArgs, ExecutableNumOutputsArgs,
          ExecutableCostAnalysisArgs, ExecutableSerializeArgs, LoadedExecutableDestroyArgs,
          LoadedExecutableGetExecutableArgs, LoadedExecutableAddressableDevicesArgs,
          LoadedExecutableExecuteArgs, ExecutableDeserializeAndLoadArgs, BufferDestroyArgs,
          BufferElementTypeArgs, BufferDimensionsArgs, BufferOnDeviceSizeArgs, BufferDeleteArgs,
          BufferIsDeletedArgs, BufferToHostArgs, BufferReadyEventArgs, TopologyCreateArgs,
          TopologyDestroyArgs, CompileArgs, ExecutableMemoryStatsArgs>();
  return &full.table;
}

#ifdef FAKE_DIES_AT_TEARDOWN
struct Dies {
  ~Dies() { std::abort(); }
};
Dies dies;
#endif

}  // namespace
}  // namespace systolic::fake

EXPORTED systolic::fake::Control* FakePluginControl() { return &systolic::fake::control; }

#ifndef FAKE_ENTRY
#define FAKE_ENTRY GetPjrtApi
#endif
EXPORTED const systolic::pjrt::abi::Table* FAKE_ENTRY() {
  systolic::fake::hang("GetPjrtApi");
  return systolic::fake::make_table();
}
