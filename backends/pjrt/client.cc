#include "backends/pjrt/client.h"

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "backends/pjrt/buffer.h"
#include "backends/pjrt/executable.h"
#include "backends/pjrt/lookup_form.h"
#include "backends/pjrt/place.h"
#include "systolic/base/error.h"
#include "systolic/ir/infer/verify.h"
#include "systolic/ir/print/print.h"
#include "systolic/runtime/takes_pieces.h"

namespace systolic::inline v0 {
namespace pjrt {
namespace {

using runtime::BufferPtr;
using runtime::Placement;

int64_t memory_limit(const DeviceClient& client) {
  const auto memory = memory_of(*client.api(), client.devices()[0].device);
  return memory ? memory->limit.value_or(0) : 0;
}

class Client final : public runtime::Client, public runtime::TakesPieces {
 public:
  Client(DeviceClientPtr client, runtime::Topology topology, runtime::SharedKeysPtr keys = {})
      : kind_(kind_of(client->devices()[0].description.kind, client->topology().cores(),
                      memory_limit(*client))),
        state_(std::make_shared<ClientState>(std::move(client), std::move(topology))),
        keys_(std::move(keys)) {}

  std::string platform() const override { return state_->client->platform_name(); }
  const TpuKind& kind() const override { return kind_; }
  const runtime::Topology& topology() const override { return state_->topology; }

  BufferPtr from_host(const Literal& literal, const Placement& placement) override {
    if (literal.dtype() == DType::string) {
      raise<InvalidArgument>({.what = str("a string array ", to_string(literal.shape()),
                                          " cannot be copied to a device"),
                              .hint = "tokenize or encode it on the host first"});
    }
    check_placement(*state_, literal.shape(), placement);
    const bool per_core = placement.kind == Placement::Kind::per_core;
    ir::Type type{literal.dtype(), per_core ? literal.shape().without(0) : literal.shape()};
    return std::make_shared<Buffer>(state_, std::move(type), placement,
                                    place(*state_, literal, placement));
  }

  BufferPtr from_host_piece(const Literal& piece, const Placement& placement) override {
    Parts parts = place_piece(*state_, piece, placement);
    Shape shape = piece.shape();
    shape.set(0, shape[0] * topology().num_processes());
    check_placement(*state_, shape, placement);
    return std::make_shared<Buffer>(state_, ir::Type{piece.dtype(), std::move(shape)}, placement,
                                    std::move(parts));
  }

  // The module is verified first: a plugin may end the process over groups of cores that are not
  // there.
  runtime::ExecutablePtr compile(const ir::Module& module,
                                 const runtime::CompileOptions& options) override {
    ir::verify(module);
    for (int64_t count : {module.num_replicas, module.num_partitions}) {
      if (count == 1 || (count == cores() && module.num_replicas * module.num_partitions == count))
        continue;
      raise<InvalidArgument>(
          {.what = str("program '", options.name, "' is for ", module.num_replicas, " x ",
                       module.num_partitions, " cores"),
           .wanted = str("1 or ", cores())});
    }
    if (topology().num_processes() == 1) return compile_here(module, options);
    if (keys_) agree_on(module, options.name);
    return compile_here(with_whole_results(module), options);
  }

  runtime::CoreCounters counters(int core) const override {
    return state_->use[state_->device_of(core)].read();
  }
  void reset_counters() override {
    for (CoreUse& use : state_->use) use.reset();
  }
  void add_input_wait(double seconds) override {
    for (CoreUse& use : state_->use) use.input_waited(seconds);
  }

  int64_t memory_in_use(int core) const override {
    const DeviceClient& client = *state_->client;
    const auto& device = client.devices()[state_->device_of(core)];
    if (const auto memory = memory_of(*client.api(), device.device)) return memory->in_use;
    const std::lock_guard lock(state_->mutex);
    int64_t bytes = 0;
    for (const Buffer* buffer : state_->buffers) bytes += buffer->bytes_on(core);
    return bytes;
  }

  void reset() override {
    const std::lock_guard lock(state_->mutex);
    for (Buffer* buffer : state_->buffers) buffer->release();
  }

 private:
  runtime::ExecutablePtr compile_here(const ir::Module& module,
                                      const runtime::CompileOptions& options) {
    // The form of lookups is the TPU's own; "systolic" is our plugin, whose kinds are TPUs too.
    if (platform() != "tpu") return std::make_shared<Executable>(state_, module, options.name);
    return std::make_shared<Executable>(state_, in_lookup_form(module, kind_.generation),
                                        options.name);
  }

  // A program that one process lacks, or has otherwise, would be waited for without end.
  void agree_on(const ir::Module& module, const std::string& name) {
    const std::string text = ir::to_text(module);
    keys_->agree(
        str("program ", programs_++, " (", name, ")"),
        str(module.name, ", ", text.size(), " characters, ", std::hash<std::string>{}(text)));
  }

  TpuKind kind_;
  ClientStatePtr state_;
  runtime::SharedKeysPtr keys_;  // null where nobody was told of other processes
  std::atomic<int64_t> programs_{0};
};

}  // namespace

TpuKind kind_of(const std::string& device_kind, int devices, int64_t memory_bytes) {
  for (const TpuGeneration& generation : tpu_generations()) {
    if (generation.device_kind != device_kind) continue;
    // Names of some generations count the halves of a chip.
    for (int named : {devices, 2 * devices}) {
      try {
        TpuKind kind = parse_tpu_kind(str(generation.name, "-", named));
        if (kind.cores() == devices) return kind;
      } catch (const InvalidArgument&) {  // no slice of this size is sold
      }
    }
    return {.name = str(generation.name, ", ", devices, " devices"),
            .topology = "",
            .generation = generation,
            .chips = devices / generation.cores_per_chip};
  }
  const TpuGeneration other = {.name = ir::intern(device_kind),
                               .device_kind = ir::intern(device_kind),
                               .cores_per_chip = 1,
                               .memory_bytes_per_core = memory_bytes,
                               .peak_bf16_flops_per_core = 0,
                               .memory_bandwidth_per_core = 0,
                               .matrix_unit = 0};
  return {.name = device_kind, .topology = "", .generation = other, .chips = devices};
}

namespace {

// The devices belong to one client of a process at a time: a second opening gets the first one's.
DeviceClientPtr device_client(const std::string& path, const PluginRun& run) {
  static auto* mutex = new std::mutex;  // neither is destroyed: programs that end may open
  static auto* known = new std::map<std::string, std::weak_ptr<const DeviceClient>>;
  const std::lock_guard lock(*mutex);
  DeviceClientPtr client = (*known)[path].lock();
  if (client == nullptr) {
    client = DeviceClient::create(Plugin::load(path), create_options(path, run));
    check_processes(*client, run);
    (*known)[path] = client;
  }
  return client;
}

}  // namespace

runtime::ClientPtr open_client(const std::string& path, int cores, const PluginRun& run) {
  DeviceClientPtr client = device_client(path, run);
  const runtime::Topology all = client->topology();
  const bool shared = all.num_processes() > 1;
  const int devices = all.local_cores();
  if (cores < 0 || cores > devices || (shared && cores != 0 && cores != devices)) {
    raise<InvalidArgument>(
        {.what = str(cores, " cores of the ", devices, " of ", path,
                     shared ? ", one of several processes" : ""),
         .wanted = shared ? str(devices, ", or 0") : str("1 to ", devices, ", or 0 for all")});
  }
  if (shared) return std::make_shared<Client>(std::move(client), all, run.keys);
  if (cores == 0 || cores == devices) return std::make_shared<Client>(std::move(client), all);
  return std::make_shared<Client>(std::move(client), runtime::Topology(cores));
}

}  // namespace pjrt
}  // namespace systolic::inline v0
