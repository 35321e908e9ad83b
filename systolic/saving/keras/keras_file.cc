#include "systolic/saving/keras/keras_file.h"

#include <ctime>

#include "systolic/base/error.h"
#include "systolic/io/archive/zip.h"
#include "systolic/io/files/file.h"
#include "systolic/saving/keras/compile_config.h"
#include "systolic/saving/keras/model_config.h"
#include "systolic/saving/keras/network_config.h"
#include "systolic/train/saving/keras_weights.h"
#include "systolic/train/saving/legacy_weights.h"
#include "systolic/train/state/model_state.h"

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

const io::ZipReader::Member& member_of(const io::ZipReader& archive, const std::string& name,
                                       const std::string& path) {
  for (const io::ZipReader::Member& member : archive.members()) {
    if (member.name == name) return member;
  }
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

}  // namespace

void write_keras_file(const Model& model, const std::string& path, const SaveOptions& options,
                      SourceLocation location) {
  const bool with_optimizer =
      options.include_optimizer && model.state()->compiled().optimizer.has_value();
  const Config config = config_of_model(model, with_optimizer, ".keras");
  io::ZipWriter archive(path, location);
  archive.add(metadata_name, metadata_text());
  archive.add(config_name, config.text());
  archive.add(weights_name, keras_weights(model, with_optimizer, location));
  archive.close();
}

Model read_keras_file(const std::string& path, const LoadOptions& options,
                      SourceLocation location) {
  const io::ZipReader archive(io::MappedFile::open(path, location), path);
  const Config config = json_of(archive, config_name, path);
  const io::ZipReader::Member& member = member_of(archive, weights_name, path);
  Model model = network_from_keras(config, location);
  const Config* compiled = config.find("compile_config");
  const bool compiles = options.compile && compiled != nullptr && compiled->is_map() &&
                        compiled->find("optimizer") != nullptr;
  if (compiles) compile_from_keras(model, *compiled, location);
  const io::ZipReader::Content content = archive.extract(member);
  const io::Hdf5File weights =
      io::open_hdf5_bytes(content.bytes, content.owner, str(path, ":", weights_name), location);
  set_keras_weights(model, weights, compiles ? OptimizerPart::read : OptimizerPart::left, {},
                    location);
  return model;
}

Config keras_file_metadata(const std::string& path, SourceLocation location) {
  return json_of(io::ZipReader(io::MappedFile::open(path, location), path), metadata_name, path);
}

}  // namespace saving
}  // namespace systolic::inline v0
