#include "systolic/io/tensors/torch/torch_file_write.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/io/archive/zip.h"
#include "systolic/io/tensors/torch/pickle_write.h"

namespace systolic::inline v0 {
namespace io {
namespace {

std::string_view storage_class(DType dtype, const std::string& name, SourceLocation location) {
  switch (dtype) {
    case DType::pred:
      return "BoolStorage";
    case DType::u8:
      return "ByteStorage";
    case DType::i8:
      return "CharStorage";
    case DType::i16:
      return "ShortStorage";
    case DType::i32:
      return "IntStorage";
    case DType::i64:
      return "LongStorage";
    case DType::f16:
      return "HalfStorage";
    case DType::bf16:
      return "BFloat16Storage";
    case DType::f32:
      return "FloatStorage";
    case DType::f64:
      return "DoubleStorage";
    case DType::c64:
      return "ComplexFloatStorage";
    case DType::c128:
      return "ComplexDoubleStorage";
    default:
      raise<Unimplemented>(
          {.what = str("writing '", name, "' of type ", info(dtype).name, " to a PyTorch file"),
           .hint = "convert it first, or write safetensors",
           .location = location});
  }
}

// What torch.save says of one tensor: a view of the storage `key`, which it fills.
void put_tensor(PickleWriter& pickle, const Literal& value, std::string_view storage,
                const std::string& key) {
  pickle.global("torch._utils", "_rebuild_tensor_v2");
  pickle.mark();
  pickle.mark();
  pickle.text("storage");
  pickle.global("torch", storage);
  pickle.text(key);
  pickle.text("cpu");
  pickle.integer(value.size());
  pickle.tuple();
  pickle.persistent();
  pickle.integer(0);  // the offset in the storage
  pickle.mark();
  for (int64_t size : value.shape()) pickle.integer(size);
  pickle.tuple();
  std::vector<int64_t> strides(static_cast<size_t>(value.rank()), 1);
  for (int i = value.rank() - 2; i >= 0; --i) {
    const auto at = static_cast<size_t>(i);
    strides[at] = strides[at + 1] * std::max<int64_t>(value.shape()[i + 1], 1);
  }
  pickle.mark();
  for (int64_t stride : strides) pickle.integer(stride);
  pickle.tuple();
  pickle.boolean(false);  // requires_grad
  pickle.global("collections", "OrderedDict");
  pickle.empty_tuple();
  pickle.reduce();  // hooks: none
  pickle.tuple();
  pickle.reduce();
}

// The name of a path's last part without its ending: what torch.save calls the archive's folder.
std::string folder_of(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const size_t dot = name.find_last_of('.');
  if (dot != std::string::npos && dot > 0) name.resize(dot);
  return name.empty() ? "archive" : name;
}

}  // namespace

void write_torch_archive(const std::string& path, const std::string& pickle,
                         const std::vector<const Literal*>& storages, SourceLocation location) {
  ZipWriter zip(path, location);
  const std::string folder = folder_of(path) + "/";
  zip.add(folder + "data.pkl", pickle);
  zip.add(folder + "byteorder", "little");
  for (size_t i = 0; i < storages.size(); ++i) {
    const auto* bytes = reinterpret_cast<const char*>(storages[i]->raw());
    zip.add(str(folder, "data/", i), {bytes, storages[i]->byte_size()});
  }
  zip.add(folder + "version", "3\n");
  zip.close();
}

void write_torch_file(const std::string& path, const NamedLiterals& tensors,
                      SourceLocation location) {
  PickleWriter pickle;
  pickle.global("collections", "OrderedDict");
  pickle.empty_tuple();
  pickle.reduce();
  pickle.mark();
  std::vector<const Literal*> storages;
  for (const auto& [name, value] : tensors) {
    pickle.text(name);
    put_tensor(pickle, value, storage_class(value.dtype(), name, location),
               std::to_string(storages.size()));
    storages.push_back(&value);
  }
  pickle.set_items();
  write_torch_archive(path, pickle.finish(), storages, location);
}

void write_torch_tensor(const std::string& path, const Literal& tensor, SourceLocation location) {
  PickleWriter pickle;
  put_tensor(pickle, tensor, storage_class(tensor.dtype(), path, location), "0");
  write_torch_archive(path, pickle.finish(), {&tensor}, location);
}

}  // namespace io
}  // namespace systolic::inline v0
