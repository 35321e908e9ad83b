// A .npz file whose arrays are read one at a time.
#include <set>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/io/archive/zip.h"
#include "systolic/io/tensors/npy.h"

namespace systolic::inline v0 {
namespace io {
namespace {

std::string array_name(const ZipReader::Member& member) {
  constexpr std::string_view ending = ".npy";
  return member.name.ends_with(ending) ? member.name.substr(0, member.name.size() - ending.size())
                                       : member.name;
}

class NpzFile : public TensorFile {
 public:
  NpzFile(const std::string& path, SourceLocation location)
      : path_(path), zip_(MappedFile::open(path, location), path) {
    std::set<std::string> names;
    for (const ZipReader::Member& member : zip_.members()) {
      const std::string_view view = zip_.stored_bytes(member);
      const ZipReader::Content unpacked =
          view.empty() ? zip_.extract(member) : ZipReader::Content{};
      tensors_.push_back(parse_npy_type(view.empty() ? unpacked.bytes : view, place_of(member)));
      tensors_.back().name = array_name(member);
      if (names.insert(tensors_.back().name).second) continue;
      raise<DataLoss>({.what = str("'", path, "' has two arrays '", tensors_.back().name, "'"),
                       .location = location});
    }
  }

  const std::string& path() const override { return path_; }
  const std::vector<TensorInfo>& tensors() const override { return tensors_; }
  const std::map<std::string, std::string>& metadata() const override { return metadata_; }
  Literal read(size_t i, SourceLocation /*location*/) const override {
    const ZipReader::Member& member = zip_.members().at(i);
    return parse_npy(zip_.extract(member).bytes, place_of(member));
  }

 private:
  std::string place_of(const ZipReader::Member& member) const {
    return str(path_, ":", member.name);
  }

  std::string path_;
  ZipReader zip_;
  std::vector<TensorInfo> tensors_;
  std::map<std::string, std::string> metadata_;
};

}  // namespace

std::shared_ptr<const TensorFile> open_npz(const std::string& path, SourceLocation location) {
  return std::make_shared<const NpzFile>(path, location);
}

}  // namespace io
}  // namespace systolic::inline v0
