// A .npz file whose arrays are read one at a time.
#include <algorithm>
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
      : path_(path), zip_(std::make_shared<const FileBytes>(path, location), path) {
    std::set<std::string> names;
    for (const ZipReader::Member& member : zip_.members()) {
      tensors_.push_back(type_of(member));
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
  // By its beginning, where it is stored.
  TensorInfo type_of(const ZipReader::Member& member) const {
    constexpr uint64_t longest_head = 128 << 10;
    const ZipReader::Content content =
        zip_.place(member) ? zip_.read(member, 0, std::min(member.bytes, longest_head))
                           : zip_.extract(member);
    return parse_npy_type(content.bytes, place_of(member));
  }
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
