#include "systolic/train/batches/feed_state.h"

#include <gtest/gtest.h>

#include <string>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"

namespace systolic {
namespace {

std::string feed_bytes(FeedState state) {
  data::StateArchive archive;
  state.transfer(archive);
  return archive.finish();
}

FeedState feed_from(const std::string& bytes) {
  FeedState state;
  data::StateArchive archive(bytes);
  state.transfer(archive);
  archive.expect_end();
  return state;
}

FeedState some_state(const FeedPiece& piece) {
  return {.piece = piece,
          .place = {.iterator = "where it is", .elements = {Example{{"x", 1}}, Example{{"x", 2}}}},
          .steps_in_epoch = 7,
          .batch_size = 4,
          .sources = "lines",
          .last_used = Example{{"x", 5}}};
}

TEST(FeedState, WhatWasSavedIsReadWithWhoseItIs) {
  for (const FeedPiece piece : {FeedPiece{}, FeedPiece{4, 3}, FeedPiece{2, 0}}) {
    const std::string bytes = feed_bytes(some_state(piece));
    const FeedState read = feed_from(bytes);
    const FeedPlace said = feed_place(bytes);
    for (const FeedPiece& one : {read.piece, said.piece}) {
      EXPECT_EQ(one.count, piece.count);
      EXPECT_EQ(one.index, piece.index);
    }
    EXPECT_EQ(said.steps_in_epoch, piece.count > 1 ? 7 : 0);
    EXPECT_EQ(read.steps_in_epoch, 7);
    EXPECT_EQ(read.batch_size, 4);
    EXPECT_EQ(read.sources, "lines");
    EXPECT_EQ(read.place.iterator, "where it is");
    EXPECT_EQ(read.place.elements.size(), 2u);
    EXPECT_EQ(read.last_used.empty(), piece.count == 1);
  }
  EXPECT_EQ(feed_place("").piece.count, 1);
}

TEST(FeedState, DamageAndOtherStatesAreSaid) {
  for (const FeedPiece piece :
       {FeedPiece{4, 4}, FeedPiece{4, -1}, FeedPiece{int64_t{1} << 40, 0}}) {
    const std::string bytes = feed_bytes(some_state(piece));
    EXPECT_THROW(feed_from(bytes), DataLoss) << piece.count;
    EXPECT_THROW(feed_place(bytes), DataLoss) << piece.count;
  }
  const std::string bytes = feed_bytes(some_state({4, 3}));
  for (size_t size = 1; size < bytes.size(); ++size) {
    EXPECT_THROW(feed_from(bytes.substr(0, size)), DataLoss) << size;
    EXPECT_THROW(feed_place(bytes.substr(0, size)), DataLoss) << size;
  }
  data::StateArchive other;
  std::string name = "a shuffle";
  other.text(name);
  EXPECT_CONTAINS(error_of([bytes = other.finish()] { feed_place(bytes); }),
                  "none that a fit saved, got 'a shuffle'");
}

}  // namespace
}  // namespace systolic
