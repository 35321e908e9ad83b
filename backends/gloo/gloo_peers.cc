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
#include <thread>

#include "backends/gloo/open_peers.h"
#include "backends/gloo/own_address.h"
#include "backends/peers/fold.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace gloo_peers {
namespace {

// Gloo's rendezvous, on the run's keys.
class RunStore final : public ::gloo::rendezvous::Store {
 public:
  RunStore(cluster::Coordination& run, std::string prefix, double seconds)
      : run_(run), prefix_(std::move(prefix)), seconds_(seconds) {}

  void set(const std::string& key, const std::vector<char>& data) override {
    run_.put(prefix_ + key, std::string(data.begin(), data.end()));
  }
  std::vector<char> get(const std::string& key) override {
    const std::string value = run_.get(prefix_ + key, seconds_);
    return {value.begin(), value.end()};
  }
  void wait(const std::vector<std::string>& keys) override {
    for (const std::string& key : keys) run_.get(prefix_ + key, seconds_);
  }

 private:
  cluster::Coordination& run_;
  std::string prefix_;
  double seconds_;
};

class GlooPeers final : public runtime::Peers {
 public:
  GlooPeers(std::shared_ptr<cluster::Coordination> run, double seconds) : run_(std::move(run)) {
    const runtime::Processes processes = run_->place().processes;
    RunStore store(*run_, "gloo/", seconds);
    guarded("the connection of all processes", [&] {
      ::gloo::transport::tcp::attr attributes;
      attributes.hostname = own_address(run_->place().coordinator);
      auto device = ::gloo::transport::tcp::CreateDevice(attributes);
      auto context =
          std::make_shared<::gloo::rendezvous::Context>(processes.index, processes.count);
      context->setTimeout(std::chrono::milliseconds(static_cast<int64_t>(seconds * 1e3)));
      context->connectFullMesh(store, device);
      // Who has died or hangs is found by the run's signs of life; who is slow is waited for.
      context->setTimeout(std::chrono::hours(24));
      context_ = std::move(context);
    });
  }

  runtime::Processes processes() const override { return run_->place().processes; }

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
    });
  }

  void agree(const std::string& name, const std::string& value) override {
    run_->agree(name, value, agree_seconds);
  }

 private:
  static constexpr double agree_seconds = 600;  // one process may compile or read longer

  // Exchanges may run at once; each has a tag of its own, the same in all processes.
  uint32_t next_tag() { return tag_++; }

  // A broken connection is found by both sides at once; the run knows a moment later who is gone.
  template <class Body>
  void guarded(const char* what, const Body& body) {
    try {
      body();
    } catch (const Error&) {
      throw;
    } catch (const std::exception& error) {
      for (int i = 0; i < 20 && !run_->failure(); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
      raise<Unavailable>({.what = str(what, " between ", processes().count,
                                      " processes: ", run_->failure().value_or(error.what()))});
    }
  }

  std::shared_ptr<cluster::Coordination> run_;
  std::shared_ptr<::gloo::Context> context_;
  std::atomic<uint32_t> tag_{0};
};

}  // namespace

runtime::PeersPtr open_peers(std::shared_ptr<cluster::Coordination> run, double seconds) {
  return std::make_shared<GlooPeers>(std::move(run), seconds);
}

}  // namespace gloo_peers
}  // namespace systolic::inline v0
