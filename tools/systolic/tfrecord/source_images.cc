#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>

#include "systolic/base/ascii.h"
#include "systolic/base/error.h"
#include "systolic/datasets/forms/class_folders.h"
#include "systolic/io/files/file.h"
#include "systolic/io/records/idx.h"
#include "tools/systolic/tfrecord/source.h"

namespace tool::tfrecord {

using namespace systolic;

namespace {

constexpr const char* features_package = "tensorflow_datasets.core.features.";

// "jpeg", "png", or nothing.
std::string encoding_of(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), ascii_lower);
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

// Those that tfds reads.
datasets::ClassFolders jpeg_and_png_files(const std::string& folder) {
  const datasets::ClassFolders all = datasets::list_class_folders(folder);
  datasets::ClassFolders found;
  for (const datasets::ClassFolders::File& file : all.files) {
    if (encoding_of(file.path).empty()) continue;
    const std::string& name = all.classes[static_cast<size_t>(file.label)];
    if (found.classes.empty() || found.classes.back() != name) found.classes.push_back(name);
    found.files.push_back({file.path, static_cast<int64_t>(found.classes.size()) - 1});
  }
  return found;
}

}  // namespace

Source images_source(const std::string& folder) {
  const auto pictures = std::make_shared<const datasets::ClassFolders>(jpeg_and_png_files(folder));
  if (pictures->files.empty()) {
    const auto status = io::file_system(folder).status(folder);
    if (!status) io::raise_file_error("cannot list", folder, ENOENT);
    if (!status->folder) io::raise_file_error("cannot list", folder, ENOTDIR);
    raise<InvalidArgument>({.what = str("'", folder, "' has no images"),
                            .wanted = "a folder for each class, with .jpg, .jpeg or .png files"});
  }
  Source source;
  std::set<std::string> encodings;
  for (const datasets::ClassFolders::File& file : pictures->files) {
    encodings.insert(encoding_of(file.path));
    std::error_code unknown;  // reading it says why
    const uintmax_t bytes = std::filesystem::file_size(file.path, unknown);
    if (!unknown) source.bytes += bytes;
  }
  source.class_names = pictures->classes;
  source.records = static_cast<int64_t>(pictures->files.size());
  // What is not a picture is found here, and not by whoever reads the records: only here it has a
  // name.
  source.at = [pictures](int64_t i) {
    const datasets::ClassFolders::File& file = pictures->files[static_cast<size_t>(i)];
    const std::string name = str(pictures->classes[static_cast<size_t>(file.label)], "/",
                                 std::filesystem::path(file.path).filename().string());
    return Example{
        {"image", Literal::scalar(std::string_view(datasets::read_picture_file(file.path, {})))},
        {"image/filename", Literal::scalar(std::string_view(name))},
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
