#include "systolic/base/text.h"

#include <gtest/gtest.h>

namespace systolic {
namespace {

TEST(ClosestNames, CountEditsAndSwapsOfNeighbours) {
  struct Row {
    const char* name;
    std::vector<std::string> known, closest;
  };
  const Row table[] = {
      {"mea", {"mean", "msle", "mae"}, {"mae", "mean"}},      // one swap, one insertion
      {"smae", {"some", "same", "valid"}, {"same", "some"}},  // one swap before two edits
      {"rleu", {"elu", "selu", "relu"}, {"relu", "elu", "selu"}},
      {"adm", {"adam", "sgd"}, {"adam"}},
      {"conv", {"dense", "flatten"}, {}},
      {"ca", {"abc"}, {}},  // three: a swap whose letters are edited again does not count
      {"", {"ab", "abc"}, {"ab"}},
  };
  for (const Row& row : table)
    EXPECT_EQ(closest_names(row.name, row.known), row.closest) << row.name;
}

}  // namespace
}  // namespace systolic
