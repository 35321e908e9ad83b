// The file "checkpoint": what is written is read, and what is damaged is said.
#include "systolic/io/tensor_bundle/checkpoint_state.h"

#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/make_folder.h"
#include "systolic/io/files/test_files.h"

namespace systolic {
namespace {

TEST(CheckpointStateFile, IsReadAsItWasWritten) {
  const TemporaryFolder folder;
  const std::string run = folder / "run";
  io::make_folder(run);
  io::write_file(run + "/ckpt-2.index", "");
  io::CheckpointState state{.latest = run + "/ckpt-2",
                            .all = {run + "/ckpt-1", run + "/ckpt-2"},
                            .timestamps = {100.5, 200.25},
                            .last_preserved = 50.125};
  io::write_checkpoint_state(run, state);
  const std::optional<io::CheckpointState> read = io::read_checkpoint_state(run);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->latest, state.latest);
  EXPECT_EQ(read->all, state.all);
  EXPECT_EQ(read->timestamps, state.timestamps);
  EXPECT_EQ(read->last_preserved, 50.125);
  EXPECT_EQ(latest_checkpoint(run), run + "/ckpt-2");
  EXPECT_FALSE(io::read_checkpoint_state(folder / "empty").has_value());
}

TEST(CheckpointStateFile, NamesOnlyWhatLiesInTheFolder) {
  const TemporaryFolder folder;
  for (const char* name : {"../other/ckpt-1", "/etc/passwd"}) {
    io::write_file(folder / "checkpoint", std::string("model_checkpoint_path: \"") + name + "\"\n");
    EXPECT_NE(message_of<DataLoss>([&] { io::read_checkpoint_state(folder / ""); }), "no error")
        << name;
  }
}

}  // namespace
}  // namespace systolic
