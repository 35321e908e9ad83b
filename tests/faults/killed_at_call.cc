// killed_at_call FOLDER WHAT [CALL NUMBER]: trains with what keeps checkpoints in FOLDER, and goes
// on from there; SIGKILL comes before the NUMBERth CALL (open, write, fsync, rename, unlink).
// Writes FOLDER/result at the end. killed_at_call_test.py counts the calls.
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "systolic/io/encoding/crc32c.h"
#include "systolic/nn/initializers/host_random.h"
#include "systolic/systolic.h"
#include "tests/faults/failing_system.h"

namespace systolic {
namespace {

Model make_model() {
  set_seed(3);
  Model model =
      Sequential({Input{.shape = {3}}, Dense{.units = 2}, Dropout{.rate = 0.2}, Dense{.units = 1}});
  model.compile({.optimizer = Adam{.learning_rate = 0.05}, .loss = "mse"});
  return model;
}

uint32_t checksum_of(const std::vector<Literal>& arrays) {
  uint32_t checksum = 0;
  for (const Literal& one : arrays) checksum = io::crc32c(one.raw(), one.byte_size(), checksum);
  return checksum;
}

uint32_t fit(const CallbackPtr& callback, const std::string& resume) {
  Model model = make_model();
  const data::Dataset rows = data::from_tensor_slices(
      std::pair(host_normal({24, 3}, 0, 1, 1), host_normal({24, 1}, 0, 1, 2)));
  model.fit(rows.shuffle(24, {.seed = 5}).batch(4),
            {.epochs = 3, .callbacks = {callback}, .resume = resume, .verbose = 0});
  return checksum_of(model.get_weights());
}

uint32_t own_loop(const std::string& directory, bool asynchronous) {
  int64_t step = 0;
  const Variable sum{Tensor(Literal::of<float>({1, 2, 3}))};
  CheckpointManager manager(Checkpoint({{"step", step}, {"sum", sum}}), directory,
                            {.max_to_keep = 2, .asynchronous = asynchronous});
  for (manager.restore_or_initialize(); step < 4;) {
    ++step;
    sum.assign_add(sum.value() * 0.5f + static_cast<float>(step));
    manager.save();
  }
  manager.save();  // what a killed writer left goes with the next write of the file
  manager.wait();
  return checksum_of({sum.literal()});
}

uint32_t run(const std::string& what, const std::string& directory) {
  const bool asynchronous = what.ends_with("_in_background");
  if (what.starts_with("manager")) return own_loop(directory, asynchronous);
  if (what.starts_with("steps")) {
    return fit(
        TrainingCheckpoint{
            .directory = directory, .save_freq = 4, .max_to_keep = 2, .asynchronous = asynchronous},
        "auto");
  }
  return fit(BackupAndRestore{.backup_dir = directory, .save_freq = 4}, "");
}

int main_of(int argc, char** argv) {
  if (argc != 3 && argc != 5) return 2;
  const std::string folder = argv[1], what = argv[2];
  std::optional<FailingSystem> failing;
  if (argc == 5) {
    for (int call = 0; call <= static_cast<int>(SystemCall::unlink); ++call) {
      if (name_of(static_cast<SystemCall>(call)) != argv[3]) continue;
      failing.emplace(Fault{.call = static_cast<SystemCall>(call),
                            .number = std::stoll(argv[4]),
                            .error = kills_process});
    }
  }
  const uint32_t checksum = run(what, folder + "/run");
  failing.reset();
  io::write_file(folder + "/result", str(checksum));
  return 0;
}

}  // namespace
}  // namespace systolic

int main(int argc, char** argv) try {
  return systolic::main_of(argc, argv);
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
