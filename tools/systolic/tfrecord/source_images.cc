#include <algorithm>
#include <filesystem>
#include <set>

#include "systolic/base/error.h"
#include "systolic/image/format.h"
#include "systolic/io/file.h"
#include "systolic/io/idx.h"
#include "tools/systolic/tfrecord/source.h"

namespace tool::tfrecord {

using namespace systolic;

namespace {

constexpr const char* features_package = "tensorflow_datasets.core.features.";

struct ImageFile {
  std::string path, name;
  int64_t label = 0;
};

// "jpeg", "png", or nothing.
std::string encoding_of(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (ending == ".jpg" || ending == ".jpeg") return "jpeg";
  return ending == ".png" ? "png" : "";
}

FeaturesJson image_feature(const std::string& encoding) {
  FeaturesJson image = {{"shape", {{"dimensions", {"-1", "-1", "3"}}}}, {"dtype", "uint8"}};
  if (!encoding.empty()) image["encodingFormat"] = encoding;
  return {{"pythonClassName", str(features_package, "image_feature.Image")}, {"image", image}};
}

FeaturesJson label_feature(size_t classes) {
  return {{"pythonClassName", str(features_package, "class_label_feature.ClassLabel")},
          {"classLabel", {{"numClasses", str(classes)}}}};
}

// Found here, and not by whoever reads the records: only here it has a name.
std::string picture_bytes(const std::string& path) {
  std::string bytes = io::read_file(path, {});
  if (image::format_of(bytes) != image::Format::unknown) return bytes;
  raise<InvalidArgument>(
      {.what = str("'", path, "' is no picture"),
       .got = bytes.empty() ? std::string("an empty file") : str(bytes.size(), " other bytes"),
       .wanted = "a JPEG or PNG image",
       .hint = "remove it, or write it anew"});
}

std::vector<std::filesystem::path> sorted_entries(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> entries;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    entries.push_back(entry.path());
  }
  if (failed) io::raise_file_error("cannot list", folder.string(), failed.value());
  std::sort(entries.begin(), entries.end());
  return entries;
}

}  // namespace

Source images_source(const std::string& folder) {
  auto files = std::make_shared<std::vector<ImageFile>>();
  Source source;
  std::set<std::string> encodings;
  for (const auto& class_folder : sorted_entries(folder)) {
    if (!std::filesystem::is_directory(class_folder)) continue;
    const size_t before = files->size();
    for (const auto& path : sorted_entries(class_folder)) {
      const std::string encoding = encoding_of(path);
      if (encoding.empty()) continue;
      encodings.insert(encoding);
      source.bytes += std::filesystem::file_size(path);
      files->push_back({path.string(), (class_folder.filename() / path.filename()).string(),
                        static_cast<int64_t>(source.class_names.size())});
    }
    if (files->size() > before) source.class_names.push_back(class_folder.filename().string());
  }
  if (files->empty()) {
    raise<InvalidArgument>({.what = str("'", folder, "' has no images"),
                            .wanted = "a folder for each class, with .jpg, .jpeg or .png files"});
  }
  source.records = static_cast<int64_t>(files->size());
  source.at = [files](int64_t i) {
    const ImageFile& file = (*files)[static_cast<size_t>(i)];
    return Example{{"image", Literal::scalar(std::string_view(picture_bytes(file.path)))},
                   {"image/filename", Literal::scalar(std::string_view(file.name))},
                   {"label", Literal::scalar<int64_t>(file.label)}};
  };
  source.features = {{"image", image_feature(encodings.size() == 1 ? *encodings.begin() : "")},
                     {"image/filename", text_feature()},
                     {"label", label_feature(source.class_names.size())}};
  source.supervised = true;
  return source;
}

Source idx_source(const std::vector<std::string>& files) {
  if (files.empty() || files.size() > 2) {
    raise<InvalidArgument>(
        {.what = str(files.size(), " IDX files"), .wanted = "images, or images and labels"});
  }
  const Literal images = io::read_idx(files[0], {});
  const Literal labels = files.size() == 2 ? io::read_idx(files[1], {}) : Literal();
  const bool with_labels = files.size() == 2;
  if (images.rank() < 1 || images.dtype() != DType::u8 ||
      (with_labels && (labels.rank() != 1 || labels.dtype() != DType::u8 ||
                       labels.shape()[0] != images.shape()[0]))) {
    raise<InvalidArgument>(
        {.what = "these IDX files do not belong together",
         .got = str(to_string(images.dtype()), to_string(images.shape()), " and ",
                    to_string(labels.dtype()), to_string(labels.shape())),
         .wanted = "u8 images, and one u8 label for each"});
  }
  Source source;
  source.records = images.shape()[0];
  source.bytes = images.byte_size() * 3 / 2;  // numbers above 127 take two bytes
  std::vector<int64_t> shape(images.shape().begin() + 1, images.shape().end());
  int64_t size = 1;
  for (const int64_t axis : shape) size *= axis;
  source.at = [images, labels, with_labels, size](int64_t i) {
    const auto pixels =
        images.data<uint8_t>().subspan(static_cast<size_t>(i * size), static_cast<size_t>(size));
    Example example{{"image", Literal::from(pixels, Shape{size})}};
    if (with_labels) {
      example.set("label",
                  Literal::scalar<int64_t>(labels.data<uint8_t>()[static_cast<size_t>(i)]));
    }
    return example;
  };
  source.features = {{"image", tensor_feature("uint8", shape)}};
  if (with_labels) {
    int64_t most = 0;
    for (const uint8_t label : labels.data<uint8_t>()) most = std::max<int64_t>(most, label);
    source.features["label"] = label_feature(static_cast<size_t>(most) + 1);
  }
  source.supervised = with_labels;
  return source;
}

}  // namespace tool::tfrecord
