// A device's part of an array.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "plugin/array.h"
#include "plugin/client.h"

namespace systolic::inline v0 {
namespace plugin {

struct Buffer {
  Buffer(Device& device, ArrayPtr array, size_t part, abi::ElementType element,
         std::vector<int64_t> minor_to_major);

  // The array; FailedPrecondition when it was deleted or donated.
  ArrayPtr array() const;
  // Gives the array away: the buffer is deleted. Null when it was already.
  ArrayPtr release();
  void restore(ArrayPtr array);
  bool deleted() const;
  Literal to_host() const { return array()->part(part); }
  // A copy of the part's bytes that lives as long as the buffer.
  const void* host_pointer();

  Device* const device;
  const size_t part;
  const ir::Type type;  // of the part, as the engine holds it
  const abi::ElementType element;
  const std::vector<int64_t> dims;
  const std::vector<int64_t> minor_to_major;  // program/axes_order.h

 private:
  mutable std::mutex mutex_;
  ArrayPtr array_;
  std::vector<std::byte> copy_;  // for callers that want a pointer
};

// A separate array on one device; row-major where no order is given.
abi::Buffer* new_buffer(Device& device, const Literal& literal, abi::ElementType element,
                        std::vector<int64_t> minor_to_major = {});

}  // namespace plugin
}  // namespace systolic::inline v0
