// Keys and values that all processes of a run see: what a device's library finds the other
// processes by, where its devices are those of several.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "systolic/runtime/topology.h"

namespace systolic::inline v0 {
namespace runtime {

// May be called by several threads.
class SharedKeys {
 public:
  virtual ~SharedKeys() = default;
  virtual Processes processes() const = 0;
  // A key is written once; InvalidArgument for a second time.
  virtual void put(const std::string& key, const std::string& value) = 0;
  // Waits for the key; DeadlineExceeded names it.
  virtual std::string get(const std::string& key, double seconds) = 0;
  virtual std::optional<std::string> try_get(const std::string& key) = 0;
  // FailedPrecondition where a process brings another value: it names the process.
  virtual void agree(const std::string& name, const std::string& value) = 0;
};
using SharedKeysPtr = std::shared_ptr<SharedKeys>;

}  // namespace runtime
}  // namespace systolic::inline v0
