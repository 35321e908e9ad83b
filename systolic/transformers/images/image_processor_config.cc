// preprocessor_config.json: an ImageProcessor's fields in a file.
#include <algorithm>
#include <array>
#include <optional>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/folder_without.h"
#include "systolic/io/files/make_folder.h"
#include "systolic/transformers/config/config_fields.h"
#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/images/image_processor.h"

namespace systolic::inline v0 {
namespace {

constexpr const char* file_name = "/preprocessor_config.json";

// By Pillow's numbers.
constexpr std::array<image::Resize, 6> filters{image::Resize::nearest,  image::Resize::lanczos3,
                                               image::Resize::bilinear, image::Resize::bicubic,
                                               image::Resize::area,     image::Resize::hamming};

// "ViTImageProcessorFast", "ViTFeatureExtractor" -> "ViTImageProcessor".
std::string present_type(std::string type) {
  for (const std::string_view suffix : {"Fast", "Pil"}) {
    if (type.ends_with(suffix)) type.resize(type.size() - suffix.size());
  }
  const size_t older = type.find("FeatureExtractor");
  if (older != std::string::npos) type.replace(older, std::string::npos, "ImageProcessor");
  return type;
}

// A field that is null has its default.
Config without_nulls(const Config& entries) {
  if (!entries.is_map()) return entries;
  Config result{Config::Map{}};
  for (const auto& [name, value] : entries.map()) {
    if (!value.is_null()) result.set(name, value);
  }
  return result;
}

// {"height": 224, "width": 224}, {"shortest_edge": 224}.
ImageSize size_of(const Config& entry, const char* name, const ConfigFields& fields) {
  ConfigFields parts(entry, str(fields.file(), ": field '", name, "'"), fields.location());
  ImageSize size;
  std::optional<int64_t> height, width, shortest;
  parts.integer("height", height, 1, limits::picture);
  parts.integer("width", width, 1, limits::picture);
  parts.integer("shortest_edge", shortest, 1, limits::picture);
  const bool both = height && width && !shortest, one = shortest && !height && !width;
  if ((!both && !one) || entry.map().size() != (both ? 2U : 1U)) {
    fields.fail(name, entry.text().substr(0, 80),
                "{\"height\": ..., \"width\": ...} or {\"shortest_edge\": ...}");
  }
  size.height = height.value_or(0);
  size.width = width.value_or(0);
  size.shortest_edge = shortest.value_or(0);
  return size;
}

// In any form that `transformers` wrote: as above, a number, a list of height and width.
void read_size(ConfigFields& fields, const char* name, ImageSize& size) {
  const Config* entry = fields.entries().find(name);
  if (entry == nullptr) return;
  if (entry->is_map()) {
    size = size_of(*entry, name, fields);
    return;
  }
  bool square = size.shortest_edge == 0;
  fields.boolean("default_to_square", square);
  Size2 both;
  fields.size(name, both, 1, limits::picture);
  size = {.height = both.height, .width = both.width};
  if (entry->is_integer() && !square) size = {.shortest_edge = both.height};
}

Config entry_of(const ImageSize& size) {
  Config entry{Config::Map{}};
  if (size.shortest_edge > 0) {
    entry.set("shortest_edge", size.shortest_edge);
  } else {
    entry.set("height", size.height);
    entry.set("width", size.width);
  }
  return entry;
}

int64_t number_of(image::Resize filter) {
  const auto found = std::find(filters.begin(), filters.end(), filter);
  if (found != filters.end()) return found - filters.begin();
  raise<InvalidArgument>({.what = "a resample that Pillow lacks",
                          .wanted = "nearest, lanczos3, bilinear, bicubic, area, or hamming"});
}

void transfer(ConfigFields& fields, ImageProcessor& processor) {
  fields.boolean("do_resize", processor.do_resize);
  int64_t filter = number_of(processor.resample);
  fields.integer("resample", filter, 0, filters.size() - 1);
  processor.resample = filters[static_cast<size_t>(filter)];
  if (fields.reads() || processor.crop_pct) fields.number("crop_pct", processor.crop_pct, 1e-2, 1);
  fields.boolean("do_center_crop", processor.do_center_crop);
  fields.boolean("do_rescale", processor.do_rescale);
  fields.number("rescale_factor", processor.rescale_factor, 0, 1e3);
  fields.boolean("do_normalize", processor.do_normalize);
  fields.numbers("image_mean", processor.image_mean, -1e6, 1e6);
  fields.numbers("image_std", processor.image_std, 1e-6, 1e6);
}

void check_no_padding(ConfigFields& fields) {
  bool pads = false;
  fields.boolean("do_pad", pads);
  if (!pads) return;
  raise<Unimplemented>({.what = str(fields.file(), ": field 'do_pad' is true"),
                        .wanted = "false: pictures are resized and cropped to one size",
                        .location = fields.location()});
}

// Their defaults; ViT's are those of the struct.
std::vector<ImageProcessor> other_types() {
  using image::Resize;
  const std::vector<double> clip_mean = {0.48145466, 0.4578275, 0.40821073};
  const std::vector<double> clip_std = {0.26862954, 0.26130258, 0.27577711};
  std::vector<ImageProcessor> types{
      {.image_processor_type = "DeiTImageProcessor",
       .size = {.height = 256, .width = 256},
       .resample = Resize::bicubic,
       .do_center_crop = true},
      {.image_processor_type = "BeitImageProcessor", .resample = Resize::bicubic},
      {.image_processor_type = "SiglipImageProcessor", .resample = Resize::bicubic},
      {.image_processor_type = "ConvNextImageProcessor",
       .size = {.shortest_edge = 384},
       .resample = Resize::bicubic,
       .crop_pct = 224.0 / 256},
  };
  for (const char* name : {"CLIPImageProcessor", "BitImageProcessor"}) {
    types.push_back({.image_processor_type = name,
                     .size = {.shortest_edge = 224},
                     .resample = Resize::bicubic,
                     .do_center_crop = true,
                     .image_mean = clip_mean,
                     .image_std = clip_std});
  }
  return types;
}

}  // namespace

ImageProcessor ImageProcessor::of_type(const std::string& type, SourceLocation location) {
  const std::string present = present_type(type);
  if (present == "ViTImageProcessor") return {};
  for (const ImageProcessor& one : other_types()) {
    if (one.image_processor_type == present) return one;
  }
  std::vector<std::string> known{"ViTImageProcessor"};
  for (const ImageProcessor& one : other_types()) known.push_back(one.image_processor_type);
  raise<Unimplemented>({.what = str("image_processor_type \"", type.substr(0, 80), "\""),
                        .wanted = str("one of ", join(known)),
                        .location = location});
}

ImageProcessor ImageProcessor::from_pretrained(const std::string& folder, SourceLocation location) {
  const std::string path = folder + file_name;
  if (!io::exists(path, location))
    io::raise_folder_without("image processor", folder, "preprocessor_config.json", location);
  ConfigFields fields(without_nulls(read_config_file(path, location)), path, location);
  std::string type;
  fields.text("feature_extractor_type", type);
  fields.text("image_processor_type", type);
  if (type.empty()) fields.fail("image_processor_type", "none", "such as \"ViTImageProcessor\"");
  ImageProcessor processor;
  try {
    processor = of_type(type, location);
  } catch (const Error& error) {
    error.rethrow_within(path, location);
  }
  transfer(fields, processor);
  read_size(fields, "size", processor.size);
  ImageSize crop{.height = processor.crop_size.height, .width = processor.crop_size.width};
  read_size(fields, "crop_size", crop);
  if (crop.shortest_edge > 0)
    fields.fail("crop_size", "a shortest_edge", "{\"height\": ..., \"width\": ...}");
  processor.crop_size = {crop.height, crop.width};
  check_no_padding(fields);
  return processor;
}

void ImageProcessor::save_pretrained(const std::string& folder, SourceLocation location) const {
  ConfigFields fields;
  ImageProcessor copy = *this;
  transfer(fields, copy);
  Config entries = fields.entries();
  entries.set("image_processor_type", image_processor_type);
  entries.set("size", entry_of(size));
  entries.set("crop_size", entry_of({.height = crop_size.height, .width = crop_size.width}));
  io::make_folder(folder, location);
  io::write_file(folder + file_name, entries.text() + "\n", location);
}

}  // namespace systolic::inline v0
