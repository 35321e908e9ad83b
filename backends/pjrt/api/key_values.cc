#include "backends/pjrt/api/key_values.h"

#include <cstring>
#include <string_view>
#include <utility>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace pjrt {
namespace {

runtime::SharedKeys& keys_of(void* argument) {
  return *static_cast<runtime::SharedKeys*>(argument);
}

// What `call` throws, as an error that the plugin makes: it cannot catch exceptions of ours.
template <class Call>
abi::Error* guarded(abi::MakeError* make_error, const Call& call) noexcept {
  const auto failed = [make_error](abi::Code code, std::string_view text) {
    return (*make_error)(code, text.data(), text.size());
  };
  try {
    call();
    return nullptr;
  } catch (const DeadlineExceeded& error) {
    return failed(abi::Code::deadline_exceeded, error.what());
  } catch (const NotFound& error) {
    return failed(abi::Code::not_found, error.what());
  } catch (const InvalidArgument& error) {
    return failed(abi::Code::already_exists, error.what());
  } catch (const std::exception& error) {
    return failed(abi::Code::unavailable, error.what());
  }
}

// To either of the functions that ask for a value.
template <class Args>
void hand_out(Args& args, const std::string& value) {
  args.value = new char[value.size() + 1];
  std::memcpy(args.value, value.data(), value.size());
  args.value_size = value.size();
  args.delete_value = [](char* data) { delete[] data; };
}

abi::Error* get(abi::KeyValueGetArgs* args) {
  return guarded(args->make_error, [&] {
    const std::string key(args->key, args->key_size);
    hand_out(*args, keys_of(args->argument).get(key, args->timeout_milliseconds / 1e3));
  });
}

abi::Error* try_get(abi::KeyValueTryGetArgs* args) {
  return guarded(args->make_error, [&] {
    const std::string key(args->key, args->key_size);
    const std::optional<std::string> value = keys_of(args->argument).try_get(key);
    if (!value) raise<NotFound>({.what = str("the key '", key, "' is not there yet")});
    hand_out(*args, *value);
  });
}

abi::Error* put(abi::KeyValuePutArgs* args) {
  return guarded(args->make_error, [&] {
    keys_of(args->argument)
        .put(std::string(args->key, args->key_size), std::string(args->value, args->value_size));
  });
}

}  // namespace

void set_key_values(abi::ClientCreateArgs& args, runtime::SharedKeys& keys) {
  args.key_value_get = reinterpret_cast<abi::AnyFunction>(&get);
  args.key_value_put = reinterpret_cast<abi::AnyFunction>(&put);
  args.key_value_try_get = reinterpret_cast<abi::AnyFunction>(&try_get);
  args.key_value_get_argument = args.key_value_put_argument = args.key_value_try_get_argument =
      &keys;
}

}  // namespace pjrt
}  // namespace systolic::inline v0
