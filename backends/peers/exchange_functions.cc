// The functions that programs call.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>

#include "backends/peers/exchange.h"
#include "systolic/base/error.h"
#include "systolic/runtime/custom_function.h"

namespace systolic::inline v0 {
namespace peers {

using ir::OpCode;

namespace {

using Arrays = std::span<const CustomArray>;
using Run = std::function<void(ExchangeQueue&, Arrays operands, Arrays results)>;
using MakeRun = std::function<Run(const ir::CustomCallAttributes&)>;

class ExchangeFunction final : public CustomFunction {
 public:
  ExchangeFunction(std::weak_ptr<ExchangeQueue> queue, Run run)
      : queue_(std::move(queue)), run_(std::move(run)) {}

  void run(Arrays operands, Arrays results) const override {
    const std::shared_ptr<ExchangeQueue> queue = queue_.lock();
    if (queue == nullptr) {
      raise<FailedPrecondition>({.what = "the processes of this program are gone"});
    }
    run_(*queue, operands, results);
  }

 private:
  std::weak_ptr<ExchangeQueue> queue_;
  Run run_;
};

size_t bytes_of(const CustomArray& array) { return static_cast<size_t>(array.type.bytes()); }

// The op by which all_reduce folds, by name in the call's options.
OpCode fold_of(const ir::CustomCallAttributes& call) {
  const std::string& name = std::get<std::string>(call.options.at(0).value);
  for (int code = 0; code < ir::op_count; ++code) {
    const auto op = static_cast<OpCode>(code);
    if (ir::info(op).name == name) return op;
  }
  raise<InvalidArgument>({.what = str("all_reduce by '", name, "', which is no op")});
}

// Sums on their way, by ticket.
class Buckets {
 public:
  using Bytes = std::shared_ptr<std::vector<std::byte>>;
  void add(uint32_t ticket, Bytes bytes) {
    const std::lock_guard lock(mutex_);
    bytes_[ticket] = std::move(bytes);
  }
  Bytes take(uint32_t ticket) {
    const std::lock_guard lock(mutex_);
    const auto found = bytes_.find(ticket);
    ensure(found != bytes_.end(), "a sum is waited for that never left");
    Bytes bytes = std::move(found->second);
    bytes_.erase(found);
    return bytes;
  }

 private:
  std::mutex mutex_;
  std::map<uint32_t, Bytes> bytes_;
};

// The operands, one after the other, leave as one array; the result is the ticket.
Run reduce_start(const ir::CustomCallAttributes& call, const std::shared_ptr<Buckets>& buckets) {
  return [fold = fold_of(call), buckets](ExchangeQueue& queue, Arrays operands, Arrays results) {
    size_t bytes = 0;
    for (const CustomArray& operand : operands) bytes += bytes_of(operand);
    const auto bucket = std::make_shared<std::vector<std::byte>>(bytes);
    int64_t elements = 0;
    std::byte* place = bucket->data();
    for (const CustomArray& operand : operands) {
      std::memcpy(place, operand.data, bytes_of(operand));
      place += bytes_of(operand);
      elements += operand.type.shape.elements();
    }
    const DType dtype = operands[0].type.dtype;
    const uint32_t ticket = queue.start([bucket, elements, dtype, fold](runtime::Peers& peers) {
      peers.all_reduce(bucket->data(), elements, dtype, fold);
    });
    buckets->add(ticket, bucket);
    std::memcpy(results[0].data, &ticket, sizeof(ticket));
  };
}

Run reduce_wait(const std::shared_ptr<Buckets>& buckets) {
  return [buckets](ExchangeQueue& queue, Arrays operands, Arrays results) {
    uint32_t ticket = 0;
    std::memcpy(&ticket, operands[0].data, sizeof(ticket));
    const Buckets::Bytes bucket = buckets->take(ticket);
    queue.wait(ticket);
    const std::byte* place = bucket->data();
    for (const CustomArray& result : results) {
      std::memcpy(result.data, place, bytes_of(result));
      place += bytes_of(result);
    }
  };
}

void all_gather(ExchangeQueue& queue, Arrays operands, Arrays results) {
  queue.run([&](runtime::Peers& peers) {
    peers.all_gather(operands[0].data, results[0].data, bytes_of(operands[0]));
  });
}

void all_to_all(ExchangeQueue& queue, Arrays operands, Arrays results) {
  queue.run([&](runtime::Peers& peers) {
    const auto count = static_cast<size_t>(peers.processes().count);
    peers.all_to_all(operands[0].data, results[0].data, bytes_of(operands[0]) / count);
  });
}

void process_index(ExchangeQueue& queue, Arrays, Arrays results) {
  const auto index = static_cast<uint32_t>(queue.peers().processes().index);
  std::memcpy(results[0].data, &index, sizeof(index));
}

}  // namespace

std::string register_exchange(const std::shared_ptr<ExchangeQueue>& queue) {
  static std::atomic<int> groups{0};
  const std::string exchange = str("systolic.peers.", groups++, ".");
  const std::weak_ptr<ExchangeQueue> weak = queue;
  const auto buckets = std::make_shared<Buckets>();
  const auto known = [&](const char* name, MakeRun make) {
    register_custom_function(exchange + name,
                             [weak, make = std::move(make)](const ir::CustomCallAttributes& call) {
                               return std::make_unique<ExchangeFunction>(weak, make(call));
                             });
  };
  known("reduce_start", [buckets](const auto& call) { return reduce_start(call, buckets); });
  known("reduce_wait", [buckets](const auto&) { return reduce_wait(buckets); });
  known("all_gather", [](const auto&) -> Run { return all_gather; });
  known("all_to_all", [](const auto&) -> Run { return all_to_all; });
  known("process_index", [](const auto&) -> Run { return process_index; });
  return exchange;
}

}  // namespace peers
}  // namespace systolic::inline v0
