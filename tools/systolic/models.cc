// systolic show and convert: what is done with a model as a file.
#include <ostream>

#include "systolic/base/error.h"
#include "systolic/core/example.h"
#include "systolic/io/files/make_folder.h"
#include "systolic/io/tensors/npy.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/saving/load_model.h"
#include "systolic/saving/model_file_info.h"
#include "systolic/train/model/model_access.h"
#include "tools/systolic/commands.h"

namespace tool {
namespace {

using namespace systolic;

bool ends_in_any(const std::string& path, std::initializer_list<std::string_view> endings) {
  for (const std::string_view ending : endings) {
    if (path.ends_with(ending)) return true;
  }
  return false;
}

Config json_shape(const Shape& shape) {
  Config::List sizes;
  for (const int64_t size : shape) sizes.push_back(size < 0 ? Config() : Config(size));
  return sizes;
}

Config json_ports(const std::vector<NetworkPort>& ports) {
  Config::List list;
  for (const NetworkPort& port : ports) {
    Config one;
    one.set("name", port.name);
    one.set("dtype", str(port.type.dtype));
    one.set("shape", json_shape(port.type.shape));
    list.push_back(std::move(one));
  }
  return list;
}

Config json_layers(const Network& network) {
  Config::List list;
  for (const SummaryRow& row : network.summary_rows()) {
    Config one, shapes{Config::List{}};
    Config::List outputs;
    for (const Shape& shape : row.output_shapes) outputs.push_back(json_shape(shape));
    one.set("name", row.name);
    one.set("kind", row.kind);
    one.set("output_shapes", std::move(outputs));
    one.set("parameters", row.parameters);
    one.set("trainable", row.trainable);
    list.push_back(std::move(one));
  }
  return list;
}

Config json_arrays(const std::vector<io::TensorInfo>& arrays) {
  Config::List list;
  for (const io::TensorInfo& array : arrays) {
    Config one;
    one.set("name", array.name);
    one.set("dtype", str(array.dtype));
    one.set("shape", json_shape(array.shape));
    list.push_back(std::move(one));
  }
  return list;
}

void show_as_json(const std::string& file, const ModelFileInfo& info, std::ostream& out) {
  Config result;
  result.set("file", file);
  result.set("form", info.form);
  result.set("written_by", info.written_by.empty() ? Config() : Config(info.written_by));
  result.set("date", info.date.empty() ? Config() : Config(info.date));
  if (info.has_model) {
    const Model model = load_model(file);
    result.set("name", model.name());
    result.set("parameters", model.count_params());
    result.set("inputs", json_ports(model.network().input_ports()));
    result.set("outputs", json_ports(model.network().output_ports()));
    result.set("layers", json_layers(model.network()));
    result.set("optimizer", is_compiled(model) ? model.optimizer().get_config() : Config());
    result.set("steps", is_compiled(model) ? Config(model.optimizer().iterations().item<int32_t>())
                                           : Config());
  } else {
    result.set("arrays", json_arrays(info.arrays));
  }
  out << result.text() << "\n";
}

void show_model(const Model& model, std::ostream& out) {
  out << model.summary_text();
  if (!is_compiled(model)) {
    out << "not compiled\n";
    return;
  }
  out << "optimizer: " << model.optimizer().name() << ", "
      << with_commas(model.optimizer().iterations().item<int32_t>()) << " steps so far\n";
}

void show_arrays(const std::vector<io::TensorInfo>& arrays, std::ostream& out) {
  int64_t elements = 0, bytes = 0;
  for (const io::TensorInfo& array : arrays) {
    out << str(array.name, ": ", array.dtype, array.shape, "\n");
    elements += array.shape.elements();
    bytes += array.dtype == DType::string ? 0 : static_cast<int64_t>(array.byte_size());
  }
  out << arrays.size() << " arrays, " << with_commas(elements) << " numbers, " << bytes_text(bytes)
      << "\n";
}

// Between forms whose names are the same, so that no model need be known.
void convert_named_arrays(const std::string& from, const std::string& to) {
  const Example arrays =
      from.ends_with(".npz") ? io::read_npz(from) : io::read_safetensors(from).tensors;
  to.ends_with(".npz") ? io::write_npz(to, arrays) : io::write_safetensors(to, arrays);
}

}  // namespace

int show_model_file(const std::string& file, bool json, std::ostream& out) {
  const ModelFileInfo info = model_file_info(file);
  if (json) {
    show_as_json(file, info, out);
    return 0;
  }
  out << file << ": " << info.form;
  if (!info.written_by.empty()) out << ", written by " << info.written_by;
  if (!info.date.empty()) out << ", " << info.date;
  out << "\n";
  info.has_model ? show_model(load_model(file), out) : show_arrays(info.arrays, out);
  return 0;
}

int convert_model(const ConvertOptions& options, std::ostream& out) {
  const auto& [from, to, model_file] = options;
  const ModelFileInfo info = model_file_info(from);
  const bool weights =
      !to.ends_with(".keras") && (!to.ends_with(".h5") || to.ends_with(".weights.h5"));
  if (!info.has_model && model_file.empty()) {
    const bool named =
        ends_in_any(from, {".npz", ".safetensors"}) && ends_in_any(to, {".npz", ".safetensors"});
    if (!named) {
      raise<InvalidArgument>({.what = str("'", from, "' holds weights alone"),
                              .wanted = "a model that they are of",
                              .hint = "--model MODEL names a file of it"});
    }
    convert_named_arrays(from, to);
  } else {
    Model model = load_model(info.has_model ? from : model_file);
    if (!info.has_model) model.load_weights(from);
    weights ? model.save_weights(to) : model.save(to);
  }
  out << to << ": " << model_file_info(to).form << "\n";
  return 0;
}

}  // namespace tool
