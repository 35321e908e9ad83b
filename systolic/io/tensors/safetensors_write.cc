#include "systolic/io/tensors/safetensors_write.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "systolic/base/error.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/io/tensors/safetensors_header.h"

namespace systolic::inline v0 {
namespace io {
namespace {

using Json = nlohmann::ordered_json;
using Order = std::vector<const Example::Component*>;

// Wide types first, so that every tensor is aligned.
Order order_of(const Example& tensors, SourceLocation location) {
  Order order;
  for (const auto& tensor : tensors) {
    if (tensor.name == "__metadata__") {
      raise<InvalidArgument>(
          {.what = "a tensor cannot be named __metadata__", .location = location});
    }
    if (safetensors_type_name(tensor.value.dtype()).empty()) {
      raise<InvalidArgument>({.what = str("tensor '", tensor.name, "' of type ",
                                          tensor.value.dtype(), " in a safetensors file"),
                              .wanted = "numbers of 8 to 64 bits",
                              .location = location});
    }
    order.push_back(&tensor);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return byte_width(a->value.dtype()) > byte_width(b->value.dtype());
  });
  return order;
}

std::string header_of(const Order& order, const std::map<std::string, std::string>& metadata,
                      const std::string& path, SourceLocation location) {
  // An ordered object compares each new name with all others: here they are put together as text.
  std::string text = "{";
  try {
    if (!metadata.empty()) text += str(R"("__metadata__":)", Json(metadata).dump(), ",");
    uint64_t at = 0;
    for (const auto* tensor : order) {
      const uint64_t end = at + tensor->value.byte_size();
      const Json entry = {{"dtype", safetensors_type_name(tensor->value.dtype())},
                          {"shape", tensor->value.shape().to_vector()},
                          {"data_offsets", {at, end}}};
      text += str(Json(tensor->name).dump(), ":", entry.dump(), ",");
      at = end;
    }
  } catch (const Json::exception& error) {
    raise<InvalidArgument>(
        {.what = str("a name or metadata of '", path, "' is not UTF-8: ", error.what()),
         .location = location});
  }
  if (text.size() > 1) text.pop_back();
  text += "}";
  text.append((8 - text.size() % 8) % 8, ' ');
  if (text.size() <= most_safetensors_header_bytes) return text;
  raise<InvalidArgument>({.what = str("the header of '", path, "' has ", text.size(), " bytes"),
                          .wanted = str("at most ", most_safetensors_header_bytes),
                          .hint = "write several files: io::save_tensor_folder",
                          .location = location});
}

}  // namespace

AtomicFile put_safetensors(const std::string& path, const Example& tensors,
                           const std::map<std::string, std::string>& metadata,
                           SourceLocation location) {
  const Order order = order_of(tensors, location);
  const std::string header = header_of(order, metadata, path, location);
  const uint64_t size = header.size();
  AtomicFile file(path, location);
  file.write(&size, sizeof(size));
  file.write(header);
  for (const auto* tensor : order) file.write(tensor->value.raw(), tensor->value.byte_size());
  return file;
}

void write_safetensors(const std::string& path, const Example& tensors,
                       const std::map<std::string, std::string>& metadata,
                       SourceLocation location) {
  put_safetensors(path, tensors, metadata, location).commit();
}

}  // namespace io
}  // namespace systolic::inline v0
