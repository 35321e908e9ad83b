// A client whose processes exchange arrays, and count what they send.
//
//   if (const auto* sender = dynamic_cast<const runtime::SendsToProcesses*>(client.get())) {
//     sender->sent_bytes();
//   }
#pragma once

#include <cstdint>

namespace systolic::inline v0 {
namespace runtime {

class SendsToProcesses {
 public:
  virtual ~SendsToProcesses() = default;
  // Bytes of arrays that this process has sent to the others for collectives, since the client was
  // opened or its counters were reset; -1 where nobody counts. Thread-safe.
  virtual int64_t sent_bytes() const = 0;
};

}  // namespace runtime
}  // namespace systolic::inline v0
