#include "backends/gloo/mesh/open_mesh.h"

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/alltoall.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/store.h>
#include <gloo/transport/tcp/device.h>

#include <array>
#include <atomic>
#include <chrono>
#include <exception>

#include "backends/peers/fold.h"
#include "systolic/base/error.h"
#include "systolic/base/process/failed_writes.h"

namespace systolic::inline v0 {
namespace gloo_peers {
namespace {

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1e3));
}

// Gloo's rendezvous, on the run's keys.
class KeyStore final : public ::gloo::rendezvous::Store {
 public:
  explicit KeyStore(const MeshOptions& options) : options_(options) {}

  void set(const std::string& key, const std::vector<char>& data) override {
    options_.put(key, std::string(data.begin(), data.end()));
  }
  std::vector<char> get(const std::string& key) override {
    const std::string value = options_.get(key, options_.connect_seconds);
    return {value.begin(), value.end()};
  }
  void wait(const std::vector<std::string>& keys) override {
    for (const std::string& key : keys) options_.get(key, options_.connect_seconds);
  }

 private:
  const MeshOptions& options_;
};

class Mesh final : public runtime::Peers {
 public:
  explicit Mesh(MeshOptions options) : options_(std::move(options)) {
    survive_failed_writes();  // Gloo writes to processes that are gone
    KeyStore store(options_);
    guarded("the connection of all processes", [&] {
      ::gloo::transport::tcp::attr attributes;
      attributes.hostname = options_.address;
      auto device = ::gloo::transport::tcp::CreateDevice(attributes);
      auto context = std::make_shared<::gloo::rendezvous::Context>(options_.processes.index,
                                                                   options_.processes.count);
      context->setTimeout(milliseconds(options_.connect_seconds));
      context->connectFullMesh(store, device);
      context->setTimeout(milliseconds(options_.exchange_seconds));
      context_ = std::move(context);
      wait_for_others();
    });
  }

  runtime::Processes processes() const override { return options_.processes; }

  void all_reduce(std::byte* data, int64_t elements, DType dtype, ir::OpCode fold) override {
    if (elements == 0) return;
    const peers::FoldArrays fold_two = peers::fold_arrays(dtype, fold);
    guarded("all_reduce", [&] {
      ::gloo::AllreduceOptions options(context_);
      const auto count = static_cast<size_t>(elements);
      switch (byte_width(dtype)) {
        case 1:
          options.setOutput(reinterpret_cast<uint8_t*>(data), count);
          break;
        case 2:
          options.setOutput(reinterpret_cast<uint16_t*>(data), count);
          break;
        case 4:
          options.setOutput(reinterpret_cast<uint32_t*>(data), count);
          break;
        case 8:
          options.setOutput(reinterpret_cast<uint64_t*>(data), count);
          break;
        default:
          options.setOutput(reinterpret_cast<std::array<uint64_t, 2>*>(data), count);
      }
      options.setReduceFunction(fold_two);
      options.setTag(next_tag());
      ::gloo::allreduce(options);
      // In a ring each process sends all but one of as many parts twice: sums, then results.
      sent_ += 2 * elements * byte_width(dtype) * others() / processes().count;
    });
  }

  void all_gather(const std::byte* own, std::byte* all, size_t bytes) override {
    if (bytes == 0) return;
    guarded("all_gather", [&] {
      ::gloo::AllgatherOptions options(context_);
      options.setInput(reinterpret_cast<uint8_t*>(const_cast<std::byte*>(own)), bytes);
      options.setOutput(reinterpret_cast<uint8_t*>(all),
                        bytes * static_cast<size_t>(processes().count));
      options.setTag(next_tag());
      ::gloo::allgather(options);
      sent_ += static_cast<int64_t>(bytes) * others();  // in a ring, too
    });
  }

  void all_to_all(const std::byte* to, std::byte* from, size_t bytes) override {
    if (bytes == 0) return;
    guarded("all_to_all", [&] {
      const size_t all = bytes * static_cast<size_t>(processes().count);
      ::gloo::AlltoallOptions options(context_);
      options.setInput(reinterpret_cast<uint8_t*>(const_cast<std::byte*>(to)), all);
      options.setOutput(reinterpret_cast<uint8_t*>(from), all);
      options.setTag(next_tag());
      ::gloo::alltoall(options);
      sent_ += static_cast<int64_t>(bytes) * others();
    });
  }

  int64_t sent_bytes() const override { return sent_; }

  void agree(const std::string& name, const std::string& value) override {
    if (!options_.agree) raise<Unimplemented>({.what = str("an agreement on ", name)});
    options_.agree(name, value);
  }

 private:
  // Until all are connected. A process that is done before another has noticed its connection would
  // seem to have broken it.
  void wait_for_others() const {
    const auto key = [](int process) { return str("connected/", process); };
    options_.put(key(processes().index), "yes");
    for (int process = 0; process < processes().count; ++process) {
      options_.get(key(process), options_.connect_seconds);
    }
  }
  // Exchanges may run at once; each has a tag of its own, the same in all processes.
  uint32_t next_tag() { return tag_++; }
  int64_t others() const { return processes().count - 1; }

  template <class Body>
  void guarded(const char* what, const Body& body) {
    try {
      body();
    } catch (const Error&) {
      throw;
    } catch (const std::exception& error) {
      raise<Unavailable>(
          {.what = str(what, " between ", processes().count, " processes: ",
                       options_.reason ? options_.reason(error.what()) : error.what())});
    }
  }

  const MeshOptions options_;
  std::shared_ptr<::gloo::Context> context_;
  std::atomic<uint32_t> tag_{0};
  std::atomic<int64_t> sent_{0};
};

}  // namespace

runtime::PeersPtr open_mesh(MeshOptions options) {
  return std::make_shared<Mesh>(std::move(options));
}

}  // namespace gloo_peers
}  // namespace systolic::inline v0
