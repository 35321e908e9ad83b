#include "systolic/train/training_file.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/io/make_folder.h"
#include "systolic/io/safetensors.h"

namespace systolic::inline v0 {
namespace {

constexpr const char *epoch_field = "epoch", *input_name = "training/input";

Literal bytes_of(const std::string& text) {
  Literal bytes(DType::u8, {static_cast<int64_t>(text.size())});
  std::copy(text.begin(), text.end(), bytes.mutable_data<uint8_t>().begin());
  return bytes;
}

[[noreturn]] void raise_damaged(const std::string& path, SourceLocation location) {
  raise<DataLoss>({.what = str(path, " does not hold the state of a training run"),
                   .wanted = "a file that BackupAndRestore wrote",
                   .hint = "remove it to begin anew",
                   .location = location});
}

}  // namespace

bool is_training_file(const std::map<std::string, std::string>& metadata) {
  return metadata.count(epoch_field) != 0;
}

std::vector<NamedVariable> training_variables(const Model& model) {
  model.optimizer().build(model.trainable_variables());
  std::vector<NamedVariable> all;
  for (const auto& [name, variable] : model.optimizer().named_variables())
    all.push_back({"training/optimizer/" + name, variable});
  all.push_back({"training/random_state", model.random_state()});
  return all;
}

void save_training(const Model& model, const std::string& path, const TrainingPlace& place) {
  Example::Components tensors;
  for (const NamedVariable& weight : model.network().named_weights())
    tensors.push_back({weight.path, weight.variable.literal()});
  for (const NamedVariable& one : training_variables(model))
    tensors.push_back({one.path, one.variable.literal()});
  tensors.push_back({input_name, bytes_of(place.input)});
  io::make_folder_of(path);
  io::write_safetensors(
      path, Example(std::move(tensors)),
      {{"format", "systolic"}, {"model", model.name()}, {epoch_field, str(place.epoch)}});
}

TrainingPlace load_training(Model& model, const std::string& path, SourceLocation location) {
  const io::Safetensors file = io::read_safetensors(path, location);
  const auto field = file.metadata.find(epoch_field);
  const Literal* input = file.tensors.find(input_name);
  int64_t epoch = 0;
  if (field == file.metadata.end() || !parse_number(field->second, epoch) || epoch < 0 ||
      epoch > std::numeric_limits<int>::max() || input == nullptr || input->dtype() != DType::u8)
    raise_damaged(path, location);
  model.load_weights(path, location);
  const auto bytes = input->data<uint8_t>();
  return {.epoch = static_cast<int>(epoch), .input = std::string(bytes.begin(), bytes.end())};
}

}  // namespace systolic::inline v0
