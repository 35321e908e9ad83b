// Keys and values in memory, as PJRT's caller keeps them. Only for tests.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "plugin/processes/key_values.h"

namespace systolic::inline v0 {
namespace plugin {

class TestKeys {
 public:
  // What a client of one of the processes is made with.
  abi::ClientCreateArgs arguments() {
    abi::ClientCreateArgs args{};
    args.key_value_get = reinterpret_cast<abi::AnyFunction>(&get);
    args.key_value_put = reinterpret_cast<abi::AnyFunction>(&put);
    args.key_value_get_argument = args.key_value_put_argument = this;
    return args;
  }

 private:
  static abi::Error* get(abi::KeyValueGetArgs* args) {
    auto& self = *static_cast<TestKeys*>(args->argument);
    std::unique_lock lock(self.mutex_);
    const std::string key(args->key, args->key_size);
    const auto wait = std::chrono::milliseconds(args->timeout_milliseconds);
    if (!self.came_.wait_for(lock, wait, [&] { return self.values_.count(key) > 0; })) {
      constexpr std::string_view text = "no such key";
      return (*args->make_error)(abi::Code::deadline_exceeded, text.data(), text.size());
    }
    const std::string& value = self.values_.at(key);
    args->value = new char[value.size()];
    std::memcpy(args->value, value.data(), value.size());
    args->value_size = value.size();
    args->delete_value = [](char* data) { delete[] data; };
    return nullptr;
  }
  static abi::Error* put(abi::KeyValuePutArgs* args) {
    auto& self = *static_cast<TestKeys*>(args->argument);
    const std::lock_guard lock(self.mutex_);
    self.values_[std::string(args->key, args->key_size)] =
        std::string(args->value, args->value_size);
    self.came_.notify_all();
    return nullptr;
  }

  std::mutex mutex_;
  std::condition_variable came_;
  std::map<std::string, std::string> values_;
};

}  // namespace plugin
}  // namespace systolic::inline v0
