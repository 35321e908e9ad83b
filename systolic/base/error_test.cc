#include "systolic/base/error.h"

#include <gtest/gtest.h>

namespace systolic {
namespace {

std::string message(const ErrorReport& report) {
  try {
    raise<InvalidArgument>(report);
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Error, SaysWhatWhereGotWantedAndWhatToDo) {
  ErrorScope scope("Conv2D 'stage1/conv2'");
  EXPECT_EQ(
      message({.what = "input has 3 axes (28, 28, 1)",
               .wanted = "4: [batch, height, width, channels]",
               .hint = "add the batch axis with expand_dims(x, 0)",
               .location = {"examples/mnist.cc", 41}}),
      "Conv2D 'stage1/conv2': input has 3 axes (28, 28, 1), expected 4: [batch, height, width, "
      "channels].\n  hint: add the batch axis with expand_dims(x, 0).\n  at "
      "examples/mnist.cc:41");
}

TEST(Error, LeavesOutThePartsThatAreNotThere) {
  EXPECT_EQ(message({.what = "label out of range"}), "label out of range.");
  EXPECT_EQ(message({.what = "label", .got = "12", .wanted = "0 to 9"}),
            "label, got 12, expected 0 to 9.");
}

// Names from files: nothing that ends a text or that a terminal would obey.
TEST(Error, ControlCharactersAreWrittenOut) {
  EXPECT_EQ(message({.what = std::string("a\0b\x1b[2Jc\x7f", 9), .hint = "two\nlines"}),
            "a\\x00b\\x1b[2Jc\\x7f.\n  hint: two\nlines.");
}

TEST(Error, InnermostScopeIsNamedAndRestored) {
  ErrorScope outer("outer");
  {
    ErrorScope inner("inner");
    EXPECT_EQ(message({.what = "x"}), "inner: x.");
  }
  EXPECT_EQ(message({.what = "x"}), "outer: x.");
}

TEST(Error, KindTellsWhichClassWasThrown) {
  try {
    raise<DataLoss>({.what = "x"});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), "DataLoss");
  }
}

TEST(Error, RethrownWithinAScopeKeepsItsKindAndParts) {
  try {
    try {
      raise<DataLoss>({.what = "wrong checksum", .hint = "fetch it again"});
    } catch (const Error& error) {
      error.rethrow_within("record 3");
    }
  } catch (const DataLoss& error) {
    EXPECT_STREQ(error.what(), "record 3: wrong checksum.\n  hint: fetch it again.");
  }
}

// What was made on a line below 0 is called by the one who is told.
TEST(Error, OfWhatIsCalledNamesTheLineOfTheCall) {
  const ErrorScope scope("Dense 'dense'", {"made.cc", -3});
  try {
    raise<InvalidArgument>({.what = "x", .location = {"ours.cc", 9}});
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "Dense 'dense': x.\n  at made.cc:3");
    EXPECT_THROW(error.rethrow_within("fit", {"user.cc", 7}), InvalidArgument);
    try {
      error.rethrow_within("fit", {"user.cc", 7});
    } catch (const Error& told) {
      EXPECT_STREQ(told.what(),
                   "fit: Dense 'dense': x.\n  hint: the model was made at made.cc:3.\n  at "
                   "user.cc:7");
    }
  }
}

}  // namespace
}  // namespace systolic
