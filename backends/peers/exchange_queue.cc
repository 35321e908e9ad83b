#include "backends/peers/exchange_queue.h"

#include <utility>

namespace systolic::inline v0 {
namespace peers {

ExchangeQueue::ExchangeQueue(runtime::PeersPtr peers)
    : peers_(std::move(peers)), thread_([this] { loop(); }) {}

ExchangeQueue::~ExchangeQueue() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

uint32_t ExchangeQueue::start(Work work) {
  const std::lock_guard lock(mutex_);
  const uint32_t ticket = next_++;
  jobs_.push_back({ticket, std::move(work)});
  changed_.notify_all();
  return ticket;
}

void ExchangeQueue::wait(uint32_t ticket) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done_.count(ticket) > 0; });
  const std::exception_ptr thrown = done_.at(ticket);
  done_.erase(ticket);
  lock.unlock();
  if (thrown) std::rethrow_exception(thrown);
}

void ExchangeQueue::loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ends_ || !jobs_.empty(); });
    if (ends_) return;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    std::exception_ptr thrown;
    try {
      job.work(*peers_);
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    done_[job.ticket] = thrown;
    changed_.notify_all();
  }
}

}  // namespace peers
}  // namespace systolic::inline v0
