// save and load: elements on disk.
#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/data/advice.h"
#include "systolic/data/dataset.h"
#include "systolic/data/sources/element_stream.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/make_folder.h"

namespace systolic::inline v0 {
namespace data {
namespace {

ElementSpec spec_of_file(const std::string& path) {
  Example first;
  return ElementReader(path).next(first) ? spec_of(first) : ElementSpec{};
}

}  // namespace

void Dataset::save(const std::string& path, SourceLocation location) const {
  for (const std::string& line : advice_on_kept(*node_, "save")) log_warning(line);
  io::make_folder(path, location);
  ElementWriter writer(path + std::string(file_in_folder), location);
  for (const Example& element : *this) writer.write(element);
  writer.finish();
}

Dataset load(const std::string& path, SourceLocation location) {
  const std::string file = path + std::string(file_in_folder);
  if (!io::exists(file)) {
    raise<NotFound>({.what = str("no saved dataset in '", path, "'"),
                     .hint = "write one with dataset.save(path)",
                     .location = location});
  }
  return Dataset(make_file_source(
      {.files = {file},
       .open = [](const std::string& name) { return std::make_unique<ElementReader>(name); },
       .spec = spec_of_file(file),
       .reading = "reading of saved elements"},
      "load", location));
}

}  // namespace data
}  // namespace systolic::inline v0
