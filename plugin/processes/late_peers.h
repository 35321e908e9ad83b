// Peers that connect when they first exchange something, or when somebody asks for it: a program
// that exchanges is compiled before, perhaps in one process alone.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "systolic/runtime/peers.h"

namespace systolic::inline v0 {
namespace plugin {

class LatePeers final : public runtime::Peers {
 public:
  LatePeers(const runtime::Processes& processes, std::function<runtime::PeersPtr()> open)
      : processes_(processes), open_(std::move(open)) {}

  // Connected by the first call, which waits for the others.
  runtime::Peers& opened() {
    const std::lock_guard lock(mutex_);
    if (peers_ == nullptr) peers_ = open_();
    return *peers_;
  }

  runtime::Processes processes() const override { return processes_; }
  void all_reduce(std::byte* data, int64_t elements, DType dtype, ir::OpCode fold) override {
    opened().all_reduce(data, elements, dtype, fold);
  }
  void all_gather(const std::byte* own, std::byte* all, size_t bytes) override {
    opened().all_gather(own, all, bytes);
  }
  void all_to_all(const std::byte* to, std::byte* from, size_t bytes) override {
    opened().all_to_all(to, from, bytes);
  }
  // 0 until they are connected.
  int64_t sent_bytes() const override {
    const std::lock_guard lock(mutex_);
    return peers_ == nullptr ? 0 : peers_->sent_bytes();
  }
  void agree(const std::string& name, const std::string& value) override {
    opened().agree(name, value);
  }

 private:
  const runtime::Processes processes_;
  const std::function<runtime::PeersPtr()> open_;
  mutable std::mutex mutex_;
  runtime::PeersPtr peers_;
};

}  // namespace plugin
}  // namespace systolic::inline v0
