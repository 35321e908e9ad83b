// Plugins of several processes: the keys that they find each other by, how they are opened, and the
// form of programs. tests/pod/plugin_test.py runs two of them.
#include "backends/pjrt/processes.h"

#include <gtest/gtest.h>

#include <map>

#include "backends/pjrt/api/key_values.h"
#include "systolic/base/error.h"
#include "systolic/ir/builder/builder.h"

namespace systolic {
namespace {

namespace abi = pjrt::abi;

// The keys of one process, in memory. What begins with "never" does not come, with "broken" fails.
class KeysInMemory final : public runtime::SharedKeys {
 public:
  runtime::Processes processes() const override { return {.count = 4, .index = 3}; }
  void put(const std::string& key, const std::string& value) override {
    if (!values_.emplace(key, value).second) raise<InvalidArgument>({.what = key + " again"});
  }
  std::string get(const std::string& key, double seconds) override {
    if (key.starts_with("broken")) raise<Unavailable>({.what = "worker 2 was lost"});
    if (!values_.count(key)) raise<DeadlineExceeded>({.what = str(key, " after ", seconds, " s")});
    return values_.at(key);
  }
  std::optional<std::string> try_get(const std::string& key) override {
    return values_.count(key) ? std::optional(values_.at(key)) : std::nullopt;
  }
  void agree(const std::string&, const std::string&) override {}

 private:
  std::map<std::string, std::string> values_;
};

// A plugin's errors, which its own function makes.
struct Failure {
  abi::Code code;
  std::string message;
};
abi::Error* make_failure(abi::Code code, const char* text, size_t size) {
  return reinterpret_cast<abi::Error*>(new Failure{code, std::string(text, size)});
}
std::string words_of(abi::Error* error) {
  if (error == nullptr) return "";
  const std::unique_ptr<Failure> failure(reinterpret_cast<Failure*>(error));
  return str(static_cast<int>(failure->code), ": ", failure->message);
}

// The functions as a plugin calls them. A value, or the error's number and words.
class PluginSide {
 public:
  explicit PluginSide(runtime::SharedKeys& keys) { pjrt::set_key_values(given_, keys); }

  std::string put(const std::string& key, const std::string& value) {
    abi::KeyValuePutArgs args{};
    args.value = value.data();
    args.value_size = value.size();
    args.argument = given_.key_value_put_argument;
    return words_of(call<abi::KeyValuePut>(given_.key_value_put, args, key));
  }
  std::string get(const std::string& key) {
    abi::KeyValueGetArgs args{};
    args.timeout_milliseconds = 1500;
    args.argument = given_.key_value_get_argument;
    return value_of(call<abi::KeyValueGet>(given_.key_value_get, args, key), args);
  }
  std::string try_get(const std::string& key) {
    abi::KeyValueTryGetArgs args{};
    args.argument = given_.key_value_try_get_argument;
    return value_of(call<abi::KeyValueTryGet>(given_.key_value_try_get, args, key), args);
  }

 private:
  template <class Function, class Args>
  abi::Error* call(abi::AnyFunction function, Args& args, const std::string& key) {
    args.key = key.data();
    args.key_size = key.size();
    args.make_error = &maker_;
    return reinterpret_cast<Function>(function)(&args);
  }
  template <class Args>
  static std::string value_of(abi::Error* error, const Args& args) {
    if (error != nullptr) return words_of(error);
    std::string value(args.value, args.value_size);
    args.delete_value(args.value);
    return value;
  }

  abi::MakeError maker_ = make_failure;
  abi::ClientCreateArgs given_{};
};

TEST(PluginProcesses, KeysAreTheRuns) {
  KeysInMemory keys;
  PluginSide plugin(keys);
  const std::string bytes("a\0b", 3);
  EXPECT_EQ(plugin.try_get("topology"), "5: the key 'topology' is not there yet.");
  EXPECT_EQ(plugin.put("topology", bytes), "");
  EXPECT_EQ(plugin.get("topology"), bytes);
  EXPECT_EQ(plugin.try_get("topology"), bytes);
  EXPECT_EQ(plugin.put("", ""), "");
  EXPECT_EQ(plugin.get(""), "");
  EXPECT_EQ(plugin.put("topology", "x"), "6: topology again.");
  EXPECT_EQ(plugin.get("never"), "4: never after 1.5 s.");
  EXPECT_EQ(plugin.get("broken"), "14: worker 2 was lost.");
}

TEST(PluginProcesses, AreToldToThePluginThatAsks) {
  struct Row {
    const char* path;
    runtime::Processes on_host;
    size_t options;
    bool keys;
  };
  const auto keys = std::make_shared<KeysInMemory>();
  for (const Row& row :
       {Row{"/lib/libtpu.so", {1, 0}, 0, false}, Row{"/cuda/libsystolic_pjrt.so", {2, 1}, 2, true},
        Row{"xla_cuda_plugin.so", {1, 0}, 2, true}, Row{"xla_cuda_plugin.so", {4, 3}, 3, true}}) {
    const auto options = pjrt::create_options(row.path, {keys, row.on_host});
    EXPECT_EQ(options.values.size(), row.options) << row.path;
    EXPECT_EQ(options.keys != nullptr, row.keys) << row.path;
    if (row.options < 2) continue;
    EXPECT_EQ(options.values.at("num_nodes"), pjrt::Value(int64_t{4}));
    EXPECT_EQ(options.values.at("node_id"), pjrt::Value(int64_t{3}));
    if (row.options < 3) continue;
    EXPECT_EQ(options.values.at("visible_devices"), pjrt::Value(std::vector<int64_t>{3}));
  }
  EXPECT_TRUE(pjrt::create_options("libsystolic_pjrt.so", {}).values.empty());  // alone
}

TEST(PluginProcesses, ResultsAreWholeButForThoseInPlace) {
  const ir::Sharding rows = ir::Sharding::along(0, 2, 4);
  ir::Module module;
  module.num_partitions = 4;
  module.functions.emplace_back();
  ir::Builder b(module.main(), &module);
  const ir::Value x = b.argument({DType::f32, {8, 2}}, {.sharding = rows, .aliases_result = 1});
  b.result(x, {.sharding = rows});
  b.result(x, {.sharding = rows});
  const ir::Module whole = pjrt::with_whole_results(module);
  EXPECT_TRUE(whole.main().results[0].sharding->replicated());
  EXPECT_EQ(whole.main().results[1].sharding, rows);
  module.num_partitions = 1;  // without shardings that count
  EXPECT_EQ(pjrt::with_whole_results(module).main().results[0].sharding, rows);
}

}  // namespace
}  // namespace systolic
