// Which backend takes a program, by what is here and what was asked for. A fake plugin with two
// devices stands for a TPU.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/runtime/open_client.h"
#include "systolic/systolic.h"
#include "systolic/trace/device/default_client.h"

namespace systolic {
namespace {

const std::string fake = SYSTOLIC_FAKE_PLUGIN, nowhere = "/nowhere/libtpu.so";

class BackendChoice : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : variables) {
      const char* value = getenv(name);
      before_.push_back(value == nullptr ? std::nullopt : std::optional<std::string>(value));
      unsetenv(name);
    }
    // What finds plugins must not find a real one that somebody has installed.
    setenv("SYSTOLIC_LIBTPU", "none", 1);
  }
  // Other tests of this program need what the variables say.
  void TearDown() override {
    for (size_t i = 0; i < variables.size(); ++i) {
      unsetenv(variables[i]);
      if (before_[i]) setenv(variables[i], before_[i]->c_str(), 1);
    }
    set_default_client(nullptr);
  }
  bool logged(const std::string& text) const {
    return log_.lines().find(text) != std::string::npos;
  }
  int times_logged(const std::string& text) const {
    const std::string lines = log_.lines();
    int times = 0;
    for (size_t at = 0; (at = lines.find(text, at)) != std::string::npos; at += text.size())
      ++times;
    return times;
  }

  static constexpr std::array<const char*, 3> variables = {"TPU_LIBRARY_PATH", "SYSTOLIC_BACKEND",
                                                           "SYSTOLIC_LIBTPU"};
  CaughtLog log_;
  std::vector<std::optional<std::string>> before_;
};

TEST_F(BackendChoice, WithoutATpuIsTheSoftwareTpu) {
  EXPECT_EQ(runtime::open_client({.announce = true})->platform(), "software_tpu");
  EXPECT_TRUE(logged("This machine has no TPU")) << log_.lines();
}

TEST_F(BackendChoice, WithATpuIsTheTpu) {
  setenv("TPU_LIBRARY_PATH", fake.c_str(), 1);
  const auto client = runtime::open_client({.announce = true});
  EXPECT_EQ(client->platform(), "tpu");
  EXPECT_EQ(client->cores(), 2);
  EXPECT_TRUE(logged("Using the TPU that is here: TPU_LIBRARY_PATH=" + fake)) << log_.lines();
  EXPECT_EQ(runtime::open_client({.cores = 1})->cores(), 1);
}

TEST_F(BackendChoice, SaysWhyATpuDoesNotOpen) {
  setenv("TPU_LIBRARY_PATH", nowhere.c_str(), 1);
  EXPECT_EQ(runtime::open_client()->platform(), "software_tpu");
  EXPECT_TRUE(
      logged("The TPU of this machine does not open, the software TPU takes its "
             "place: "))
      << log_.lines();
  EXPECT_TRUE(logged("no libtpu.so") || logged(nowhere)) << log_.lines();
}

TEST_F(BackendChoice, NeverReplacesWhatWasNamed) {
  EXPECT_NE(message_of<NotFound>([] {
              runtime::open_client({.backend = "tpu"});
            }).find("this machine has no TPU"),
            std::string::npos);
  setenv("SYSTOLIC_BACKEND", "tpu", 1);
  EXPECT_THROW(runtime::open_client(), NotFound);
  setenv("SYSTOLIC_BACKEND", ("pjrt:" + nowhere).c_str(), 1);
  EXPECT_THROW(runtime::open_client(), NotFound);
  setenv("SYSTOLIC_BACKEND", ("pjrt:" + fake).c_str(), 1);
  EXPECT_EQ(runtime::open_client()->platform(), "tpu");
  unsetenv("SYSTOLIC_BACKEND");
  setenv("TPU_LIBRARY_PATH", nowhere.c_str(), 1);
  EXPECT_THROW(runtime::open_client({.backend = "tpu"}), NotFound);
  EXPECT_THROW(runtime::open_client({.backend = "gpu"}), InvalidArgument);
  setenv("TPU_LIBRARY_PATH", fake.c_str(), 1);
  EXPECT_EQ(runtime::open_client({.tpu = "v5e-8"})->platform(), "software_tpu");
  EXPECT_EQ(runtime::open_client({.backend = "software_tpu"})->platform(), "software_tpu");
}

TEST_F(BackendChoice, IsTheResolversToo) {
  EXPECT_THROW(initialize_tpu_system(TPUClusterResolver("tpu")), NotFound);
  setenv("TPU_LIBRARY_PATH", fake.c_str(), 1);
  for (const char* name : {"", "local", "tpu"}) {
    const TPUClusterResolver resolver(name);
    initialize_tpu_system(resolver);
    EXPECT_EQ(default_client()->platform(), "tpu") << name;
    EXPECT_TRUE(logged("Finished initializing TPU system: tpu ")) << log_.lines();
    const auto client = default_client();
    EXPECT_EQ(TPUStrategy(resolver).num_replicas_in_sync(), 2) << name;
    EXPECT_EQ(default_client(), client) << name;  // the system in use is the one asked for
  }
  const TPUClusterResolver named("v3-8");
  EXPECT_EQ(TPUStrategy(named).num_replicas_in_sync(), 8);
  EXPECT_EQ(default_client()->platform(), "software_tpu");
}

// The first that opens the system says which it is and why, whoever that is.
TEST_F(BackendChoice, IsSaidOnce) {
  const std::string no_tpu = "This machine has no TPU";
  const std::string which = "Finished initializing TPU system: software_tpu v3-8, 8 cores.";
  const TPUClusterResolver local("local");
  TPUStrategy{local};
  EXPECT_EQ(times_logged(no_tpu), 1) << log_.lines();
  EXPECT_TRUE(logged("the software TPU takes its place")) << log_.lines();
  EXPECT_EQ(times_logged(which), 1) << log_.lines();
  TPUStrategy{local};
  EXPECT_EQ(times_logged(no_tpu), 1) << log_.lines();
  initialize_tpu_system(local);
  TPUStrategy{local};
  EXPECT_EQ(times_logged(no_tpu), 2) << log_.lines();
  EXPECT_EQ(times_logged(which), 2) << log_.lines();
}

TEST_F(BackendChoice, OpensNoTpuForASoftwareTpuByName) {
  setenv("TPU_LIBRARY_PATH", nowhere.c_str(), 1);  // a warning, if it is opened
  EXPECT_EQ(TPUStrategy(TPUClusterResolver("v5e-8")).num_replicas_in_sync(), 8);
  EXPECT_EQ(default_client()->kind().name, "v5e-8");
  EXPECT_FALSE(logged("does not open")) << log_.lines();
  set_default_client(nullptr);
  TPUStrategy{TPUClusterResolver("local")};
  EXPECT_EQ(times_logged("The TPU of this machine does not open"), 1) << log_.lines();
}

}  // namespace
}  // namespace systolic
