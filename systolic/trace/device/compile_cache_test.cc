#include "systolic/trace/device/compile_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/ir/structure_key.h"
#include "systolic/runtime/failing_client.h"
#include "systolic/runtime/open_client.h"

namespace systolic {
namespace {

// x * factor
ir::Module program(const std::string& name, double factor) {
  ir::Module module;
  module.name = name;
  module.functions.emplace_back();
  ir::Builder b(module.main());
  b.location = {"user.cc", 7};
  b.result(b.argument({DType::f32, {2}}) * factor);
  return module;
}

class Cached : public ::testing::Test {
 protected:
  std::shared_ptr<runtime::FailingClient> client =
      std::make_shared<runtime::FailingClient>(runtime::open_client({.cores = 1}));
  CompileCache cache;
};

TEST_F(Cached, ThreadsThatWantOneProgramCompileItOnce) {
  constexpr size_t count = 4;
  std::atomic<size_t> arrived{0};
  // The first to compile goes on when all others ask for the program too, or are about to.
  client->on_compile([&](const std::string&) {
    while (arrived < count) std::this_thread::yield();
  });
  const ir::Module module = program("shared", 2);
  std::vector<runtime::ExecutablePtr> got(count);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      ++arrived;
      got[i] = cache.get(client, module);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cache.compilations(), 1);
  for (const runtime::ExecutablePtr& executable : got) EXPECT_EQ(executable, got[0]);
  EXPECT_NE(got[0], nullptr);
}

// While one program compiles, another is compiled from start to end: a cache that let it wait would
// never return.
TEST_F(Cached, NobodyWaitsForAnotherProgram) {
  runtime::ExecutablePtr other;
  client->on_compile([&](const std::string& name) {
    if (name != "slow") return;
    std::thread([&] { other = cache.get(client, program("quick", 3)); }).join();
  });
  const runtime::ExecutablePtr slow = cache.get(client, program("slow", 2));
  EXPECT_NE(other, nullptr);
  EXPECT_NE(other, slow);
  EXPECT_EQ(cache.compilations(), 2);
}

TEST_F(Cached, WhoWaitedForACompilationThatFailedCompilesItself) {
  std::atomic<int> asked{0}, failed{0};
  client->on_compile([&](const std::string&) {
    while (asked < 2) std::this_thread::yield();
    if (failed++ == 0) raise<ResourceExhausted>({.what = "no memory"});
  });
  const ir::Module module = program("shared", 2);
  std::atomic<int> errors{0}, executables{0};
  const auto ask = [&] {
    ++asked;
    try {
      executables += cache.get(client, module) != nullptr;
    } catch (const ResourceExhausted&) {
      ++errors;
    }
  };
  std::thread first(ask), second(ask);
  first.join();
  second.join();
  EXPECT_EQ(errors, 1);
  EXPECT_EQ(executables, 1);
  EXPECT_NE(cache.get(client, module), nullptr);
  EXPECT_EQ(cache.compilations(), 1);
}

TEST_F(Cached, LabelsTellProgramsOfEqualOpsApart) {
  const ir::Module first = program("first", 2), second = program("second", 2);
  EXPECT_EQ(cache.get(client, first), cache.get(client, second));
  const auto labelled = [&](const ir::Module& module) {
    return cache.get(client, module, ir::label_key(module));
  };
  EXPECT_NE(labelled(first), labelled(second));
  EXPECT_EQ(labelled(first), labelled(program("first", 2)));
  EXPECT_EQ(cache.compilations(), 3);
}

TEST_F(Cached, AnotherClientCompilesAnew) {
  const ir::Module module = program("program", 2);
  const runtime::ExecutablePtr here = cache.get(client, module);
  const auto elsewhere =
      std::make_shared<runtime::FailingClient>(runtime::open_client({.cores = 1}));
  EXPECT_NE(cache.get(elsewhere, module), here);
  EXPECT_EQ(cache.compilations(), 2);
}

}  // namespace
}  // namespace systolic
