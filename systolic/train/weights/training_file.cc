#include "systolic/train/weights/training_file.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/io/files/make_folder.h"
#include "systolic/io/tensors/safetensors_write.h"
#include "systolic/io/tensors/tensor_checksums.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace {

// A layer's path begins with its name, which holds no '/': none begins like this.
constexpr const char *prefix = "/training/", *input_name = "/training/input",
                     *run_prefix = "/training/run/", *text_prefix = "text:";
constexpr const char *epoch_field = "epoch", *step_field = "step";

// That of a process which reads rows of its own; process 0 has that of all where none does.
std::string input_name_of(int process) {
  return process == 0 ? std::string(input_name) : str(input_name, "/", process);
}

ir::Type type_of(const Variable& variable) { return {variable.dtype(), variable.shape()}; }

Literal bytes_of(const std::string& text) {
  Literal bytes(DType::u8, {static_cast<int64_t>(text.size())});
  std::copy(text.begin(), text.end(), bytes.mutable_data<uint8_t>().begin());
  return bytes;
}

std::string text_of(const Literal& bytes) {
  const auto data = bytes.data<uint8_t>();
  return std::string(data.begin(), data.end());
}

// The format has no texts: one is an array of bytes under a name that says so.
Example::Component for_file(const Example::Component& one) {
  const bool is_text = one.value.dtype() == DType::string && one.value.shape().rank() == 0;
  if (!is_text) return {run_prefix + one.name, one.value};
  return {str(run_prefix, text_prefix, one.name), bytes_of(std::string(one.value.bytes()))};
}

Example::Component from_file(const Example::Component& one) {
  const std::string name = one.name.substr(std::string_view(run_prefix).size());
  if (!name.starts_with(text_prefix) || one.value.dtype() != DType::u8) return {name, one.value};
  return {name.substr(std::string_view(text_prefix).size()), Literal::scalar(text_of(one.value))};
}

[[noreturn]] void raise_damaged(const std::string& path, SourceLocation location) {
  raise<DataLoss>({.what = str(path, " does not hold the state of a training run"),
                   .wanted = "a file that BackupAndRestore wrote",
                   .hint = "remove it to begin anew",
                   .location = location});
}

}  // namespace

StoredFile open_training(const std::string& path, SourceLocation location) {
  StoredFile file = open_checked(path, location);
  add_other_parts(file, path, location);
  return file;
}

TrainingArrays split_arrays(const StoredFile& file) {
  if (file.metadata.count(epoch_field) == 0)
    return {.weights = file.arrays, .training = {}, .run = {}};
  TrainingArrays split;
  Example::Components run;
  for (const StoredArray& one : file.arrays) {
    if (one.name.starts_with(run_prefix)) {
      run.push_back(from_file({one.name, one.read()}));
    } else if (!one.name.starts_with(input_name)) {
      (one.name.starts_with(prefix) ? split.training : split.weights).push_back(one);
    }
  }
  split.run = Example(std::move(run));
  return split;
}

std::vector<std::string> misfits(const std::vector<NamedVariable>& variables,
                                 const StoredArrays& arrays) {
  std::vector<std::string> lines;
  std::map<std::string_view, const StoredArray*> left;
  for (const StoredArray& one : arrays) left[one.name] = &one;
  for (const NamedVariable& one : variables) {
    const auto stored = left.find(one.path);
    if (stored == left.end()) {
      lines.push_back(str("missing: ", one.path));
      continue;
    }
    if (stored->second->type != type_of(one.variable)) {
      lines.push_back(str("mismatched: ", one.path, " is ", to_string(stored->second->type),
                          " in the file, ", to_string(type_of(one.variable)), " in the model"));
    }
    left.erase(stored);
  }
  for (const StoredArray& one : arrays) {
    if (left.count(one.name) != 0) lines.push_back(str("unexpected: ", one.name));
  }
  return lines;
}

std::vector<NamedVariable> training_variables(const Model& model) {
  model.optimizer().build(model.trainable_variables());
  std::vector<NamedVariable> all;
  for (const auto& [name, variable] : model.optimizer().named_variables())
    all.push_back({str(prefix, "optimizer/", name), variable});
  all.push_back({str(prefix, "random_state"), model.random_state()});
  return all;
}

TrainingSnapshot training_snapshot(const Model& model, const TrainingPlace& place,
                                   const TrainingPart& part) {
  std::vector<NamedVariable> all = model.network().named_weights();
  for (NamedVariable& one : training_variables(model)) all.push_back(std::move(one));
  Example::Components arrays;
  for (const NamedVariable& one : variables_of_part(all, part))
    arrays.push_back({one.path, one.variable.literal()});
  TrainingSnapshot snapshot{.tensors = {}, .metadata = {{"model", model.name()}}};
  if (place.step > 0) snapshot.metadata[step_field] = str(place.step);
  note_parts(snapshot.metadata, part);
  if (part.index == 0) {
    snapshot.metadata[epoch_field] = str(place.epoch);
    for (const Example::Component& one : place.run) arrays.push_back(for_file(one));
  }
  if (part.index == 0 || !place.input.empty())
    arrays.push_back({input_name_of(part.index), bytes_of(place.input)});
  snapshot.tensors = Example(std::move(arrays));
  return snapshot;
}

namespace {

io::AtomicFile put_training(const TrainingSnapshot& snapshot, const std::string& path,
                            SourceLocation location) {
  io::make_folder_of(path, location);
  return io::put_safetensors(path, snapshot.tensors,
                             io::with_checksums(snapshot.tensors, snapshot.metadata), location);
}

// Absent in files that older versions wrote.
int64_t step_of(const std::map<std::string, std::string>& metadata) {
  const auto field = metadata.find(step_field);
  int64_t step = 0;
  const bool known = field != metadata.end() && parse_number(field->second, step) && step > 0;
  return known ? step : 0;
}

}  // namespace

void write_training(const TrainingSnapshot& snapshot, const std::string& path,
                    SourceLocation location) {
  put_training(snapshot, path, location).commit();
}

void save_training(const Model& model, const std::string& path, const TrainingPlace& place,
                   SourceLocation location) {
  write_training(training_snapshot(model, place), path, location);
}

void save_training_generation(const Model& model, const std::string& path,
                              const std::string& previous, const TrainingPlace& place,
                              SourceLocation location) {
  io::AtomicFile file = put_training(training_snapshot(model, place), path, location);
  if (io::exists(path, location)) io::file_system(path, location).rename(path, previous, location);
  file.commit();
}

TrainingPlace load_training(Model& model, const std::string& path, SourceLocation location,
                            int process) {
  const StoredFile file = open_training(path, location);
  const auto field = file.metadata.find(epoch_field);
  const StoredArray* input = find_array(file.arrays, input_name_of(process));
  if (input == nullptr) input = find_array(file.arrays, input_name);
  int64_t epoch = 0;
  if (field == file.metadata.end() || !parse_number(field->second, epoch) || epoch < 0 ||
      epoch > std::numeric_limits<int>::max() || input == nullptr || input->type.dtype != DType::u8)
    raise_damaged(path, location);
  TrainingArrays arrays = split_arrays(file);
  std::vector<std::string> lines;
  // The optimizer's arrays have the weights' shapes: they tell something where the weights fit.
  // Where those do not, or are not made yet, load_weights says so.
  if (model.network().built() && misfits(model.network().named_weights(), arrays.weights).empty())
    lines = misfits(training_variables(model), arrays.training);
  if (!lines.empty()) {
    raise<InvalidArgument>({.what = str("the state of the optimizer in ", path,
                                        " does not fit the model's:\n  ", join(lines, "\n  ")),
                            .hint = "compile the model with the optimizer of that run, or remove "
                                    "the file to begin anew",
                            .location = location});
  }
  model.load_weights(path, {}, location);
  return {.epoch = static_cast<int>(epoch),
          .input = text_of(input->read()),
          .run = std::move(arrays.run),
          .step = step_of(file.metadata)};
}

}  // namespace systolic::inline v0
