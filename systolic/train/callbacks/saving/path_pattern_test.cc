#include "systolic/train/callbacks/saving/path_pattern.h"

#include <gtest/gtest.h>

#include <cmath>

#include "systolic/base/error.h"

namespace systolic {
namespace {

constexpr SourceLocation here{"user.cc", 7};

// What Python's str.format gives.
TEST(PathPattern, IsFilledAsByPython) {
  const Logs logs = {{"epoch", 7}, {"loss", 0.25}, {"val_loss", 12.3456}, {"val_acc", 1}};
  const struct {
    const char *pattern, *path;
  } table[] = {
      {"best.safetensors", "best.safetensors"},
      {"{epoch:02d}-{val_loss:.2f}.safetensors", "07-12.35.safetensors"},
      {"{epoch:d}", "7"},
      {"{epoch:3d}x", "  7x"},
      {"{loss}", "0.25"},
      {"{loss:.3e}", "2.500e-01"},
      {"{val_loss:08.1f}", "000012.3"},
      {"{val_acc:.0f}", "1"},
      {"a{{{epoch:d}}}b", "a{7}b"},
      {"run/{{epoch}}", "run/{epoch}"},
  };
  for (const auto& row : table) EXPECT_EQ(PathPattern(row.pattern, here).filled(logs), row.path);
}

TEST(PathPattern, RefusesWhatIsNone) {
  for (const char* pattern :
       {"{epoch", "epoch}", "{}", "{:02d}", "{epoch:02x}", "{epoch:%s}", "{epoch:s}", "{epoch:.2d}",
        "{loss:.f}", "{loss:.999f}", "{epoch:99999d}", "{epoch:02d%n}", "{", "}"}) {
    try {
      const PathPattern made(pattern, here);
      ADD_FAILURE() << pattern;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(pattern), std::string::npos) << error.what();
      EXPECT_EQ(error.report().location.line, here.line);
    }
  }
}

TEST(PathPattern, NamesWhatIsNotLogged) {
  try {
    PathPattern("{val_los:.2f}", here).filled({{"epoch", 1}, {"loss", 2}});
    FAIL();
  } catch (const NotFound& error) {
    for (const char* part : {"val_los", "epoch, loss", "user.cc:7"})
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
  for (const double value : {0.5, std::nan(""), 1e300})
    EXPECT_THROW(PathPattern("{loss:d}", here).filled({{"loss", value}}), InvalidArgument);
}

TEST(PathPattern, KnowsWhetherItAsksForLogs) {
  EXPECT_FALSE(PathPattern("{epoch}-{batch}", here).names_besides({"epoch", "batch"}));
  EXPECT_TRUE(PathPattern("{epoch}-{loss}", here).names_besides({"epoch", "batch"}));
}

}  // namespace
}  // namespace systolic
