#include "systolic/data/read_ahead_budget.h"

#include <gtest/gtest.h>

namespace systolic::inline v0 {
namespace data {
namespace {

using Part = ReadAheadBudget::Part;

TEST(ReadAheadBudget, IsKeptOnlyWhereSomebodyReadsAhead) {
  ReadAheadBudget budget(1000);
  Part part(budget);
  EXPECT_EQ(budget.use().kept, 0);
  EXPECT_TRUE(part.hold(0));
  EXPECT_EQ(budget.use().kept, 1000);
  EXPECT_EQ(budget.use().held, 0);
}

TEST(ReadAheadBudget, IsDealtOutInEvenParts) {
  ReadAheadBudget budget(1000);
  Part first(budget);
  EXPECT_FALSE(first.hold(1001));
  EXPECT_TRUE(first.hold(1000));
  {
    Part second(budget);
    EXPECT_FALSE(second.hold(1));  // the first still has all of it
    EXPECT_FALSE(first.hold(1001));
    EXPECT_TRUE(first.hold(600));  // more than its half, but less than before
    EXPECT_TRUE(second.hold(400));
    EXPECT_FALSE(second.hold(401));
    EXPECT_TRUE(first.hold(499));
    EXPECT_TRUE(second.hold(500));
    EXPECT_FALSE(second.hold(501));  // there is one, but it is the first's
    EXPECT_EQ(budget.use().held, 999);
  }
  EXPECT_EQ(budget.use().held, 499);  // what a file held that is closed is free again
  EXPECT_TRUE(first.hold(1000));
}

TEST(ReadAheadBudget, OfNothingGrantsNothing) {
  ReadAheadBudget budget(0);
  Part part(budget);
  EXPECT_TRUE(part.hold(0));
  EXPECT_FALSE(part.hold(1));
}

}  // namespace
}  // namespace data
}  // namespace systolic::inline v0
