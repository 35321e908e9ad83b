// For tests: a fake plugin (test_plugins/fake_plugin.h), each test its own copy of the library.
#pragma once

#include <string>

#include "backends/pjrt/test_plugins/fake_plugin.h"

namespace systolic {

// "pjrt_fake", "pjrt_fake_without_entry", "pjrt_fake_dies".
std::string fake_plugin_file(const std::string& name);

class FakePlugin {
 public:
  FakePlugin();
  FakePlugin(const FakePlugin&) = delete;
  ~FakePlugin();

  const std::string& path() const { return path_; }
  fake::Control* operator->() const { return control_; }

  // The call with this number from now on fails; -1: none.
  void fail_at(int64_t call, int32_t code = 13) const;
  // The function that hangs goes on; waits until the thread that was left behind in it has come to
  // the end of `last`.
  void release(const std::string& last) const;

 private:
  std::string path_;
  fake::Control* control_;
};

}  // namespace systolic
