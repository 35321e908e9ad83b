// The keys and values that PJRT's caller keeps for all processes of a run, as JAX does in its
// coordination service: through them processes find each other.
#pragma once

#include <string>

#include "systolic/pjrt_abi/pjrt_abi.h"

namespace systolic::inline v0 {
namespace plugin {

namespace abi = pjrt::abi;

class KeyValues {
 public:
  // FailedPrecondition where the caller gave no functions. They are called as long as the client
  // lives.
  explicit KeyValues(const abi::ClientCreateArgs& args);

  // Errors are those of the caller's functions: Unavailable with their words.
  void put(const std::string& key, const std::string& value) const;
  // Waits for the key; DeadlineExceeded after this many seconds.
  std::string get(const std::string& key, double seconds) const;

 private:
  abi::KeyValueGet get_ = nullptr;
  abi::KeyValuePut put_ = nullptr;
  void* get_argument_ = nullptr;
  void* put_argument_ = nullptr;
};

}  // namespace plugin
}  // namespace systolic::inline v0
