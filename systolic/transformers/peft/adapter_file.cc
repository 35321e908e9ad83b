#include "systolic/transformers/peft/adapter_file.h"

#include <optional>
#include <set>

#include "systolic/base/error.h"
#include "systolic/base/join_some.h"
#include "systolic/base/log.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/make_folder.h"
#include "systolic/io/tensors/folder/tensor_folder.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/transformers/config/weight_names.h"

namespace systolic::inline v0 {
namespace {

constexpr const char* config_name = "/adapter_config.json";
constexpr const char* weights_name = "/adapter_model.safetensors";
constexpr const char* pickle_name = "/adapter_model.bin";
constexpr size_t most_listed = 100;  // in an error

Shape shape_in_file(const AdapterWeight& weight) {
  return weight.reversed ? stored_shape(weight.variable.shape()) : weight.variable.shape();
}

// What is wrong with the file's array; nothing where it fits.
std::optional<std::string> misfit(const AdapterWeight& weight, const io::TensorInfo* found) {
  if (found == nullptr) return str(weight.name, " is missing");
  const Shape wanted = shape_in_file(weight);
  if (found->shape == wanted && is_float(found->dtype)) return {};
  return str(weight.name, " is ", found->dtype, found->shape, ", not ", weight.variable.dtype(),
             wanted);
}

void log_unused(const io::TensorFolder& file, const std::vector<AdapterWeight>& weights) {
  std::set<std::string> known;
  for (const AdapterWeight& weight : weights) known.insert(weight.name);
  std::vector<std::string> unused;
  for (const io::TensorInfo& tensor : file.tensors()) {
    if (!known.contains(tensor.name)) unused.push_back(tensor.name);
  }
  constexpr size_t most_named = 12;
  if (!unused.empty())
    log_warning(str("the model has no use for these weights of ", file.path(), ": ",
                    join_some(unused, most_named)));
}

}  // namespace

LoraConfig read_adapter_config(const std::string& folder, SourceLocation location) {
  const std::string path = folder + config_name;
  ConfigFields reader(read_config_file(path, location), path, location);
  LoraConfig config;
  config.transfer(reader);
  return config;
}

void load_adapter_weights(const std::string& folder, const std::vector<AdapterWeight>& weights,
                          SourceLocation location) {
  const std::string safe = folder + weights_name, pickle = folder + pickle_name;
  const bool has_pickle = !io::exists(safe, location) && io::exists(pickle, location);
  const io::TensorFolder file = io::open_tensor_folder(has_pickle ? pickle : safe, location);
  std::vector<std::string> misfits;
  for (const AdapterWeight& weight : weights) {
    std::optional<std::string> wrong = misfit(weight, file.find(weight.name));
    if (wrong) misfits.push_back(std::move(*wrong));
  }
  if (!misfits.empty()) {
    raise<InvalidArgument>(
        {.what = str("the adapters in ", file.path(), " do not fit; nothing was loaded: ",
                     join_some(std::move(misfits), most_listed)),
         .hint = "load them into the model that they were trained with",
         .location = location});
  }
  log_unused(file, weights);
  std::vector<Literal> values;
  for (const AdapterWeight& weight : weights) {
    const Literal value = file.read(weight.name, weight.variable.dtype(), location);
    values.push_back(weight.reversed ? from_stored_axes(value) : value);
  }
  for (size_t i = 0; i < weights.size(); ++i) weights[i].variable.set(values[i], location);
}

void save_adapter(const std::string& folder, LoraConfig config, bool fan_in_fan_out,
                  const std::vector<AdapterWeight>& weights, SourceLocation location) {
  io::make_folder(folder, location);
  ConfigFields writer;
  config.transfer(writer);
  Config entries = writer.entries();
  entries.set("bias", "none");
  entries.set("fan_in_fan_out", fan_in_fan_out);
  entries.set("inference_mode", true);
  io::AtomicFile text(folder + config_name, location);
  text.write(entries.text() + "\n");
  Example::Components tensors;
  for (const AdapterWeight& weight : weights) {
    const Literal value = weight.variable.literal(location).convert(DType::f32);
    tensors.push_back({weight.name, weight.reversed ? to_stored_axes(value) : value});
  }
  io::write_safetensors(folder + weights_name, Example(std::move(tensors)), {{"format", "pt"}},
                        location);
  text.commit();
}

}  // namespace systolic::inline v0
