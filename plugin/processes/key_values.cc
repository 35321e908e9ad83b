#include "plugin/processes/key_values.h"

#include <algorithm>
#include <memory>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace plugin {
namespace {

// What the caller's functions say of a failure comes back to us alone.
struct Failure {
  abi::Code code;
  std::string message;
};

abi::Error* make_failure(abi::Code code, const char* text, size_t size) {
  return reinterpret_cast<abi::Error*>(new Failure{code, std::string(text, size)});
}

void raise_failure(abi::Error* error, const std::string& key) {
  if (error == nullptr) return;
  const std::unique_ptr<Failure> failure(reinterpret_cast<Failure*>(error));
  const std::string what = str("the key ", key, ": ", failure->message);
  if (failure->code == abi::Code::deadline_exceeded || failure->code == abi::Code::not_found) {
    raise<DeadlineExceeded>({.what = what});
  }
  raise<Unavailable>({.what = what});
}

}  // namespace

KeyValues::KeyValues(const abi::ClientCreateArgs& args)
    : get_(reinterpret_cast<abi::KeyValueGet>(args.key_value_get)),
      put_(reinterpret_cast<abi::KeyValuePut>(args.key_value_put)),
      get_argument_(args.key_value_get_argument),
      put_argument_(args.key_value_put_argument) {
  if (get_ != nullptr && put_ != nullptr) return;
  raise<FailedPrecondition>(
      {.what = "a client of several processes without a place for keys that all of them see",
       .hint = "call jax.distributed.initialize() before the first use of a device"});
}

void KeyValues::put(const std::string& key, const std::string& value) const {
  abi::MakeError maker = make_failure;
  abi::KeyValuePutArgs args{};
  args.struct_size = abi::key_value_put_size;
  args.key = key.data();
  args.key_size = key.size();
  args.value = value.data();
  args.value_size = value.size();
  args.make_error = &maker;
  args.argument = put_argument_;
  raise_failure(put_(&args), key);
}

std::string KeyValues::get(const std::string& key, double seconds) const {
  abi::MakeError maker = make_failure;
  abi::KeyValueGetArgs args{};
  args.struct_size = abi::key_value_get_size;
  args.key = key.data();
  args.key_size = key.size();
  args.timeout_milliseconds = static_cast<int>(std::clamp(seconds, 0.001, 1e6) * 1e3);
  args.make_error = &maker;
  args.argument = get_argument_;
  raise_failure(get_(&args), key);
  const std::string value(args.value, args.value_size);
  if (args.delete_value != nullptr) args.delete_value(args.value);
  return value;
}

}  // namespace plugin
}  // namespace systolic::inline v0
