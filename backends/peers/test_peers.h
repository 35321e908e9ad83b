// Processes of tests: threads of one process.
#pragma once

#include <algorithm>
#include <barrier>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "backends/peers/fold.h"
#include "systolic/base/error.h"
#include "systolic/runtime/peers.h"

namespace systolic {

// What the threads share.
class ThreadGroup {
 public:
  explicit ThreadGroup(int count) : barrier_(count), posts_(static_cast<size_t>(count)) {}

  // `post` of every thread, in order; they stay valid until `read` has returned on all.
  template <class Read>
  void exchange(int own, const void* post, const Read& read) {
    posts_[static_cast<size_t>(own)] = post;
    barrier_.arrive_and_wait();
    read(posts_);
    barrier_.arrive_and_wait();
  }
  int count() const { return static_cast<int>(posts_.size()); }

 private:
  std::barrier<> barrier_;
  std::vector<const void*> posts_;
};

class ThreadPeers final : public runtime::Peers {
 public:
  ThreadPeers(std::shared_ptr<ThreadGroup> group, int own) : group_(std::move(group)), own_(own) {}

  runtime::Processes processes() const override { return {group_->count(), own_}; }
  void all_reduce(std::byte* data, int64_t elements, DType dtype, ir::OpCode fold) override {
    const size_t bytes = static_cast<size_t>(elements) * static_cast<size_t>(byte_width(dtype));
    const std::vector<std::byte> own(data, data + bytes);
    const peers::FoldArrays fold_two = peers::fold_arrays(dtype, fold);
    group_->exchange(own_, own.data(), [&](const std::vector<const void*>& all) {
      std::memcpy(data, all[0], bytes);
      for (size_t i = 1; i < all.size(); ++i) {
        fold_two(data, data, all[i], static_cast<size_t>(elements));
      }
    });
  }
  void all_gather(const std::byte* own, std::byte* to, size_t bytes) override {
    group_->exchange(own_, own, [&](const std::vector<const void*>& all) {
      for (size_t i = 0; i < all.size(); ++i) std::memcpy(to + i * bytes, all[i], bytes);
    });
  }
  void all_to_all(const std::byte* own, std::byte* from, size_t bytes) override {
    group_->exchange(own_, own, [&](const std::vector<const void*>& all) {
      for (size_t i = 0; i < all.size(); ++i) {
        const auto* theirs = static_cast<const std::byte*>(all[i]);
        std::memcpy(from + i * bytes, theirs + static_cast<size_t>(own_) * bytes, bytes);
      }
    });
  }
  void agree(const std::string& name, const std::string& value) override {
    std::string other;
    group_->exchange(own_, &value, [&](const std::vector<const void*>& all) {
      for (const void* theirs : all) {
        if (*static_cast<const std::string*>(theirs) != value) {
          other = *static_cast<const std::string*>(theirs);
        }
      }
    });
    if (!other.empty()) raise<FailedPrecondition>({.what = str("another ", name, ": ", other)});
  }

 private:
  std::shared_ptr<ThreadGroup> group_;
  int own_;
};

// Runs `body` as each of this many processes; the errors, by process ("" where there was none). All
// must throw, or none.
inline std::vector<std::string> as_processes(
    int count, const std::function<void(const runtime::PeersPtr&)>& body) {
  const auto group = std::make_shared<ThreadGroup>(count);
  std::vector<std::string> errors(static_cast<size_t>(count));
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      try {
        body(std::make_shared<ThreadPeers>(group, i));
      } catch (const std::exception& error) {
        errors[static_cast<size_t>(i)] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

}  // namespace systolic
