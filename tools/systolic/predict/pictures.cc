#include "tools/systolic/predict/pictures.h"

#include <algorithm>
#include <cstring>

#include "systolic/base/ascii.h"
#include "systolic/base/error.h"
#include "systolic/datasets/forms/class_folders.h"
#include "systolic/image/codecs/decode_image.h"
#include "systolic/image/resize/resize.h"
#include "systolic/io/files/file_system.h"

namespace tool::predict {

using namespace systolic;

namespace {

bool is_picture(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), ascii_lower);
  for (const char* ending : {".jpg", ".jpeg", ".png", ".gif", ".bmp", ".webp"}) {
    if (name.ends_with(ending) && !name.starts_with('.')) return true;
  }
  return false;
}

std::vector<std::string> pictures_at(const std::string& path) {
  constexpr size_t most_files = 10'000'000;
  io::FileSystem& files = io::file_system(path);
  const auto status = files.status(path);
  if (!status) raise<NotFound>({.what = str("there is no '", path, "'")});
  if (!status->folder) {
    if (is_picture(path.substr(path.rfind('/') + 1))) return {path};
    raise<InvalidArgument>({.what = str("'", path, "' does not say what it holds"),
                            .wanted = "a .npz, .csv, .tsv, .jsonl or .txt file, a picture, or a "
                                      "folder of pictures"});
  }
  std::vector<std::string> found;
  for (const std::string& name : files.list(path, most_files)) {
    if (is_picture(name)) found.push_back(str(path, path.ends_with('/') ? "" : "/", name));
  }
  if (found.empty()) {
    for (const auto& file : datasets::list_class_folders(path).files) found.push_back(file.path);
  }
  if (!found.empty()) return found;
  raise<InvalidArgument>({.what = str("'", path, "' has no pictures"),
                          .wanted = ".jpg, .jpeg, .png, .gif, .bmp or .webp files"});
}

// [height, width, channels] of what the model takes; -1 where it is free.
struct PictureShape {
  int64_t height = -1, width = -1;
  int channels = 1;
};
PictureShape shape_of(const std::vector<NetworkPort>& ports) {
  const Shape shape = ports.size() == 1 ? ports.front().type.shape : Shape{};
  if (shape.rank() == 3) return {shape[1], shape[2], 1};
  const bool has_channels = shape.rank() == 4 && (shape[3] == 1 || shape[3] == 3 || shape[3] == 4);
  if (has_channels) return {shape[1], shape[2], static_cast<int>(shape[3])};
  std::vector<std::string> names;
  for (const NetworkPort& port : ports) names.push_back(str(port.name, " ", port.type.shape));
  raise<InvalidArgument>({.what = "the model does not take pictures",
                          .got = join(names, ", "),
                          .wanted = "one input [batch, height, width] or [batch, height, width, "
                                    "channels] of 1, 3 or 4 channels"});
}

Literal prepared(const std::string& bytes, const Predictor& model, double divide_by) {
  if (model.prepare_picture) return model.prepare_picture(bytes);
  const PictureShape shape = shape_of(model.inputs);
  Literal picture = image::decode_image(bytes, {.channels = shape.channels});
  if (shape.height > 0 && shape.width > 0)
    picture = image::resize(picture, shape.height, shape.width);
  picture = picture.convert(DType::f32);
  for (float& number : picture.mutable_data<float>()) number /= static_cast<float>(divide_by);
  if (model.inputs.front().type.shape.rank() == 3)
    picture = picture.reshape({picture.shape()[0], picture.shape()[1]});
  return picture.convert(model.inputs.front().type.dtype);
}

Literal stacked(const std::vector<Literal>& pictures, const std::vector<std::string>& names) {
  const Literal& first = pictures.front();
  std::vector<int64_t> sizes{static_cast<int64_t>(pictures.size())};
  sizes.insert(sizes.end(), first.shape().begin(), first.shape().end());
  Literal all(first.dtype(), Shape(sizes));
  std::byte* to = all.mutable_raw();
  for (size_t i = 0; i < pictures.size(); ++i) {
    if (pictures[i].shape() != first.shape()) {
      raise<InvalidArgument>(
          {.what = str("'", names[i], "' is ", pictures[i].shape()),
           .wanted = str(first.shape(), ", as '", names.front(), "': the model says no size")});
    }
    std::memcpy(to, pictures[i].raw(), pictures[i].byte_size());
    to += pictures[i].byte_size();
  }
  return all;
}

}  // namespace

Rows of_pictures(const std::string& path, const Predictor& model, double divide_by) {
  Rows rows{.title = "file", .names = pictures_at(path)};
  std::vector<Literal> pictures;
  for (const std::string& file : rows.names)
    pictures.push_back(prepared(datasets::read_picture_file(file), model, divide_by));
  rows.arrays.set(model.inputs.front().name, stacked(pictures, rows.names));
  return rows;
}

}  // namespace tool::predict
