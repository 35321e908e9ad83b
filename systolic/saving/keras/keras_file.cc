#include "systolic/saving/keras/keras_file.h"

#include <ctime>

#include "systolic/base/error.h"
#include "systolic/io/archive/zip.h"
#include "systolic/io/files/file.h"
#include "systolic/nn/layer_state.h"
#include "systolic/saving/keras/compile_config.h"
#include "systolic/saving/keras/file_checks.h"
#include "systolic/saving/keras/learned_states.h"
#include "systolic/saving/keras/model_config.h"
#include "systolic/saving/keras/network_config.h"
#include "systolic/train/model/model_access.h"
#include "systolic/train/weights/keras_weights.h"
#include "systolic/train/weights/legacy_weights.h"

namespace systolic::inline v0 {
namespace saving {
namespace {

constexpr const char *metadata_name = "metadata.json", *config_name = "config.json",
                     *weights_name = "model.weights.h5";
constexpr uint64_t most_json_bytes = uint64_t{1} << 26;

std::string metadata_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%d@%H:%M:%S", &utc);
  Config metadata;
  metadata.set("keras_version", keras_version);
  metadata.set("date_saved", date);
  metadata.set("written_by", "Systolic");
  return metadata.text();
}

const io::ZipReader::Member* find_member(const io::ZipReader& archive, const std::string& name) {
  for (const io::ZipReader::Member& member : archive.members()) {
    if (member.name == name) return &member;
  }
  return nullptr;
}

const io::ZipReader::Member& member_of(const io::ZipReader& archive, const std::string& name,
                                       const std::string& path) {
  if (const io::ZipReader::Member* member = find_member(archive, name)) return *member;
  raise<DataLoss>({.what = str("'", path, "' is a ZIP archive without ", name),
                   .wanted = "a model as Keras 3 saves it"});
}

Config json_of(const io::ZipReader& archive, const std::string& name, const std::string& path) {
  const io::ZipReader::Member& member = member_of(archive, name, path);
  if (member.bytes > most_json_bytes) {
    raise<ResourceExhausted>({.what = str("'", path, "': ", name, " of ", member.bytes, " bytes"),
                              .wanted = str("at most ", most_json_bytes)});
  }
  return Config::parse(archive.extract(member).bytes);
}

// An archive that may be read. What wrote it stands in a member that Keras itself does not need.
io::ZipReader checked_archive(const std::string& path, SourceLocation location) {
  io::ZipReader archive(std::make_shared<const io::FileBytes>(path, location), path);
  check_member_names(archive, path, location);
  if (find_member(archive, metadata_name) == nullptr) return archive;
  const Config metadata = json_of(archive, metadata_name, path);
  const Config* version = metadata.is_map() ? metadata.find("keras_version") : nullptr;
  if (version != nullptr && version->is_text()) warn_of_later_keras(version->text_value(), path);
  return archive;
}

// Stored, as Keras and we write them, arrays are read from the archive as they are needed.
io::Hdf5File weights_of(const io::ZipReader& archive, const std::string& path,
                        SourceLocation location) {
  const io::ZipReader::Member& member = member_of(archive, weights_name, path);
  const std::string name = str(path, ":", weights_name);
  if (const auto place = archive.place(member)) {
    archive.check(member);
    return io::open_hdf5(archive.archive(), name, {.offset = *place, .bytes = member.bytes},
                         location);
  }
  const io::ZipReader::Content content = archive.extract(member);
  return io::open_hdf5_bytes(content.bytes, content.owner, name, location);
}

// The file's arrays, and where its members are.
struct KerasArchive {
  KerasArchive(const std::string& path, SourceLocation location)
      : archive(checked_archive(path, location)),
        config(json_of(archive, config_name, path)),
        weights(weights_of(archive, path, location)) {}

  LearnedStates states(SourceLocation location) const {
    return {.text = [this](const std::string& name) -> std::optional<std::string> {
              const io::ZipReader::Member* member = find_member(archive, name);
              if (member == nullptr) return {};
              return std::string(archive.extract(*member).bytes);
            },
            .array = [this, location](const std::string& name) -> std::optional<Literal> {
              const io::Hdf5Dataset* dataset = weights.root().find_dataset(name);
              if (dataset == nullptr) return {};
              return weights.read(*dataset, location);
            }};
  }

  io::ZipReader archive;
  Config config;
  io::Hdf5File weights;
};

// One array at a time comes from the device.
void add_weights(const Model& model, bool with_optimizer, io::ZipWriter& archive,
                 SourceLocation location) {
  const WeightFile file = keras_weight_file(model, with_optimizer);
  const io::Hdf5Layout layout(file.root, location);
  archive.begin(weights_name, layout.bytes());
  layout.write([&](const void* data, size_t size) { archive.write(data, size); },
               file.values(location), location);
  archive.end();
}

}  // namespace

void write_keras_file(const Model& model, const std::string& path, const SaveOptions& options,
                      SourceLocation location) {
  const bool with_optimizer = options.include_optimizer && is_compiled(model);
  const Config config = config_of_model(model, with_optimizer, ".keras");
  io::ZipWriter archive(path, location);
  archive.add(metadata_name, metadata_text());
  archive.add(config_name, config.text());
  add_weights(model, with_optimizer, archive, location);
  archive.close();
}

namespace {

// The layers of `network`, with the weights of the file and what it says of compile.
Model model_of(const KerasArchive& file, const Config& network, const LoadOptions& options,
               SourceLocation location) {
  Model model = network_from_keras(network, location);
  const Config* compiled = file.config.find("compile_config");
  const bool compiles = options.compile && compiled != nullptr && compiled->is_map() &&
                        compiled->find("optimizer") != nullptr;
  if (compiles) compile_from_keras(model, *compiled, location);
  set_keras_weights(model, keras_arrays(file.weights, location),
                    compiles ? OptimizerPart::read : OptimizerPart::left, {}, location);
  return model;
}

}  // namespace

Model read_keras_file(const std::string& path, const LoadOptions& options,
                      SourceLocation location) {
  const KerasArchive file(path, location);
  return model_of(file, with_learned_states(file.config, file.states(location)), options, location);
}

TextModelParts read_keras_text_model(const std::string& path, const LoadOptions& options,
                                     SourceLocation location) {
  const KerasArchive file(path, location);
  HostSplit host = split_host_layers(with_learned_states(file.config, file.states(location)));
  const Config network = host.device_network;
  return {std::move(host), model_of(file, network, options, location)};
}

Config read_keras_config(const std::string& path, SourceLocation location) {
  const KerasArchive file(path, location);
  return with_learned_states(file.config, file.states(location), true);
}

void write_keras_layer(const Layer& layer, const std::vector<double>& token_weights,
                       const std::string& path, DType input, SourceLocation location) {
  const std::string kind = snake_case(layer.kind());
  std::vector<std::string> problems;
  const Config config =
      chain_of_layer(layer, layer.name().empty() ? kind : layer.name(), input, problems);
  if (!problems.empty()) {
    raise<Unimplemented>({.what = str("no .keras file can hold the layer: ", problems.front()),
                          .location = location});
  }
  io::Hdf5Group root;
  root.add_group("vars");
  const Shape shape{static_cast<int64_t>(token_weights.size())};
  std::vector<std::string> places = {str("layers/", kind, "/vars")};
  if (kind == "text_vectorization") places.push_back(str("layers/", kind, "/_lookup_layer/vars"));
  for (const std::string& place : places) {
    root.add_group(place);
    if (!token_weights.empty()) root.add_dataset(place + "/idf_weights", DType::f32, shape);
  }
  const Literal weights = Literal::from(token_weights, shape).convert(DType::f32);
  std::string bytes;
  io::Hdf5Layout(root, location)
      .write([&](const void* data,
                 size_t size) { bytes.append(static_cast<const char*>(data), size); },
             [&](const std::string&, const io::Hdf5Dataset&) { return weights; }, location);
  io::ZipWriter archive(path, location);
  archive.add(metadata_name, metadata_text());
  archive.add(config_name, config.text());
  archive.add(weights_name, bytes);
  archive.close();
}

Config keras_file_metadata(const std::string& path, SourceLocation location) {
  return json_of(io::ZipReader(std::make_shared<const io::FileBytes>(path, location), path),
                 metadata_name, path);
}

}  // namespace saving
}  // namespace systolic::inline v0
