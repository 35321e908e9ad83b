// Whole models as files, read in this process: Keras's configurations and archives, SavedModels,
// and the checkpoints of runs.
#include "systolic/base/protobuf/message.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/io/tensors/tensor_checksums.h"
#include "systolic/saving/keras/keras_file.h"
#include "systolic/saving/saved_model_file.h"
#include "systolic/systolic.h"
#include "systolic/train/weights/steps/step_folder.h"
#include "tests/fuzz/attempt.h"
#include "tests/fuzz/scratch_folder.h"
#include "tests/fuzz/targets.h"

namespace fuzz {
namespace {

using namespace systolic;

// What is read is written as something that is read alike.
void read_configuration(std::string_view json) {
  attempt([&] {
    const std::string written = model_from_json(std::string(json)).to_json();
    if (model_from_json(written).to_json() != written)
      throw std::logic_error("what is written is read otherwise");
  });
}

Model run_model() {
  Model made = Sequential({Input{.shape = {2}}, Dense{.units = 2, .name = "d"}});
  made.compile({.optimizer = SGD{.momentum = 0.5}, .loss = MeanSquaredError{}});
  return made;
}

// A run's folder of one whole checkpoint, whose file has these bytes.
void take_up(const ScratchFolder& folder, std::string_view file) {
  static Model model = run_model();
  folder.write("run/step_000003/state.safetensors", file);
  folder.write("run/step_000003/commit_success.txt", "step 3\n");
  const std::string run = folder.path() + "/run";
  attempt([&] { best_checkpoint(run); });
  for (const StepCheckpoint& one : step_checkpoints(run)) {
    attempt([&] { load_training(model, one.file(), {}); });
    attempt([&] { model.load_weights(one.file()); });
  }
}

// Checksums are those of the arrays, so that what they say is looked at.
void take_up_whole(const ScratchFolder& folder, std::string_view text) {
  static const TrainingSnapshot whole = training_snapshot(run_model(), {});
  TrainingSnapshot snapshot = whole;
  const size_t cut = text.find('\n');
  const std::string first(text.substr(0, cut));
  snapshot.metadata["epoch"] = first;
  snapshot.metadata["step"] = first;
  snapshot.metadata["monitored"] = first;
  const std::string rest(cut == std::string_view::npos ? "" : text.substr(cut + 1));
  Literal input(DType::u8, {static_cast<int64_t>(rest.size())});
  std::copy(rest.begin(), rest.end(), input.mutable_data<uint8_t>().begin());
  snapshot.tensors.set("/training/input", input);
  snapshot.tensors.set("/training/run/text:logs", input);
  attempt([&] {
    const std::string path = folder.path() + "/whole.safetensors";
    write_training(snapshot, path, {});
    take_up(folder, io::read_file(path));
  });
}

}  // namespace

void keras(std::string_view bytes) {
  read_configuration(bytes);
  const MemoryFile file(bytes);
  attempt([&] { saving::keras_file_metadata(file.path(), {}); });
  attempt([&] { saving::read_keras_config(file.path(), {}); });
}

void saved_model(std::string_view bytes) {
  static const ScratchFolder folder;
  const auto read = [&](std::string_view metadata) {
    folder.write("keras_metadata.pb", metadata);
    attempt([&] { saving::read_saved_model_file(folder.path(), {}, {}); });
  };
  read(bytes);
  // SavedMetadata.nodes = 1, of which node_path = 3, identifier = 4, metadata = 5.
  const protobuf::Message node =
      protobuf::Message().bytes(3, "root").bytes(4, "_tf_keras_network").bytes(5, bytes);
  read(protobuf::Message().message(1, node).data());
}

void checkpoint(std::string_view bytes) {
  static const ScratchFolder folder;
  take_up(folder, bytes);
  take_up_whole(folder, bytes);
}

}  // namespace fuzz
