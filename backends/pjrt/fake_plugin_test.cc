#include "backends/pjrt/fake_plugin_test.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <thread>

namespace systolic {

std::string fake_plugin_file(const std::string& name) {
  return std::string(SYSTOLIC_FAKE_PLUGINS) + "/lib" + name + ".so";
}

FakePlugin::FakePlugin() {
  static std::atomic<int> number{0};
  path_ = testing::TempDir() + "fake_" + std::to_string(getpid()) + "_" + std::to_string(number++) +
          ".so";
  std::filesystem::copy_file(fake_plugin_file("pjrt_fake"), path_,
                             std::filesystem::copy_options::overwrite_existing);
  void* library = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  control_ = reinterpret_cast<fake::Control* (*)()>(dlsym(library, "FakePluginControl"))();
}

FakePlugin::~FakePlugin() { std::filesystem::remove(path_); }

void FakePlugin::fail_at(int64_t call, int32_t code) const {
  control_->fail_at = call;
  control_->fail_code = code;
  control_->calls = 0;
  control_->failed.clear();
}

void FakePlugin::release(const std::string& last) const {
  control_->released = true;
  while (control_->last.load() != last) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace systolic
