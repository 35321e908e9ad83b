#include "systolic/io/tensors/torch/torch_references.h"

#include <filesystem>
#include <optional>

#include "systolic/base/error.h"
#include "systolic/io/tensors/torch/pickle.h"
#include "systolic/io/tensors/torch/pickle_write.h"
#include "systolic/io/tensors/torch/torch_archive.h"
#include "systolic/io/tensors/torch/torch_file.h"

namespace systolic::inline v0 {
namespace io {
namespace {

using Kind = PickleValue::Kind;

constexpr std::string_view reference_module = "torch_xla.utils.serialization";
constexpr std::string_view reference_class = "torch_xla.utils.serialization.TensorReference";
constexpr std::string_view dictionary_class = "collections.OrderedDict";
constexpr int most_levels = 16;  // of dictionaries in dictionaries
constexpr size_t most_tensors = 200'000;

std::string tensors_folder(const std::string& path) { return path + ".tensors"; }
std::string tensor_file(const std::string& path, int64_t number) {
  return str(tensors_folder(path), "/tensor_", number, ".pt");
}

void make_anew(const std::string& folder, SourceLocation location) {
  std::error_code failed;
  std::filesystem::remove_all(folder, failed);
  if (!failed) std::filesystem::create_directory(folder, failed);
  if (!failed) return;
  raise<Unavailable>(
      {.what = str("the folder '", folder, "' of tensors cannot be made: ", failed.message()),
       .location = location});
}

// The object TensorReference(i): its class, no arguments, and its attributes.
void put_reference(PickleWriter& pickle, int64_t number) {
  pickle.global(reference_module, "TensorReference");
  pickle.empty_tuple();
  pickle.new_object();
  pickle.empty_dictionary();
  pickle.mark();
  pickle.text("tid");
  pickle.integer(number);
  pickle.set_items();
  pickle.build();
}

// The numbers of the tensors' files, by name.
class ReferenceWalk {
 public:
  ReferenceWalk(const std::string& path, SourceLocation location)
      : path_(path), location_(location) {}

  void walk(const PickleValue& dictionary, const std::string& prefix, int level) {
    if (level > most_levels) damaged(str("dictionaries nest deeper than ", most_levels));
    for (size_t i = 0; i + 1 < dictionary.items.size(); i += 2) {
      const PickleValue& key = *dictionary.items[i];
      const PickleValue& value = *dictionary.items[i + 1];
      const bool inner = value.is(Kind::dictionary) || value.is_call(dictionary_class);
      if (!inner && !value.is_call(reference_class)) continue;  // a number, a text
      if (!key.is(Kind::text)) damaged(str("a key that is a ", to_string(key.kind)));
      const std::string name = prefix + std::string(key.text);
      if (inner) {
        walk(value, name + ".", level + 1);
      } else {
        add(name, value);
      }
    }
  }

  std::vector<std::pair<std::string, int64_t>> numbers;

 private:
  void add(const std::string& name, const PickleValue& value) {
    const PickleValue* number = value.find("tid");
    if (number == nullptr || !number->is(Kind::integer) || number->integer < 0)
      damaged(str("'", name, "' is a reference without a number"));
    if (numbers.size() == most_tensors) damaged(str("more than ", most_tensors, " tensors"));
    numbers.emplace_back(name, number->integer);
  }
  [[noreturn]] void damaged(const std::string& what) const {
    raise_damaged_torch_file(path_, what, location_);
  }

  const std::string& path_;
  SourceLocation location_;
};

Literal read_reference(const std::string& path, const std::string& name, int64_t number,
                       SourceLocation location) {
  const std::string file = tensor_file(path, number);
  std::error_code none;
  if (!std::filesystem::exists(file, none)) {
    raise_damaged_torch_file(path, str("the tensor '", name, "' has no file '", file, "'"),
                             location);
  }
  return read_torch_tensor(file, location);
}

}  // namespace

void write_torch_references(const std::string& path, const NamedLiterals& tensors,
                            SourceLocation location) {
  make_anew(tensors_folder(path), location);
  PickleWriter pickle;
  pickle.global("collections", "OrderedDict");
  pickle.empty_tuple();
  pickle.reduce();
  pickle.mark();
  for (size_t i = 0; i < tensors.size(); ++i) {
    const auto number = static_cast<int64_t>(i);
    write_torch_tensor(tensor_file(path, number), tensors[i].second, location);
    pickle.text(tensors[i].first);
    put_reference(pickle, number);
  }
  pickle.set_items();
  write_torch_archive(path, pickle.finish(), {}, location);
}

NamedLiterals read_torch_references(const std::string& path, SourceLocation location) {
  const TorchArchive archive(std::make_shared<const FileBytes>(path, location), path, location);
  const ZipReader::Content bytes = archive.pickle();
  const auto is_known = [](std::string_view global) {
    return global == reference_class || global == dictionary_class;
  };
  const Pickle pickle(bytes.bytes, path, is_known, location);
  const PickleValue& root = pickle.root();
  if (!root.is(Kind::dictionary) && !root.is_call(dictionary_class)) {
    raise_damaged_torch_file(
        path, str("it holds a ", to_string(root.kind), " instead of a dictionary of references"),
        location);
  }
  ReferenceWalk walk(path, location);
  walk.walk(root, "", 0);
  NamedLiterals result;
  for (const auto& [name, number] : walk.numbers)
    result.emplace_back(name, read_reference(path, name, number, location));
  return result;
}

}  // namespace io
}  // namespace systolic::inline v0
