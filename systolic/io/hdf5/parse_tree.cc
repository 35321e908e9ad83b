#include "systolic/io/hdf5/parse_tree.h"

#include <algorithm>
#include <cstring>

#include "systolic/base/text.h"
#include "systolic/io/hdf5/wire.h"

namespace systolic::inline v0 {
namespace io {
namespace {

namespace wire = hdf5_wire;

class TreeParser {
 public:
  TreeParser(std::string_view bytes, const std::function<void(std::string_view)>& fail)
      : in_(bytes), fail_(fail) {}

  Hdf5Tree parse() {
    if (static_cast<wire::Item>(in_.byte()) != wire::Item::group) nonsense();
    read_group(tree_.root, 0);
    if (!in_.is_whole() || !in_.at_end()) nonsense();
    return std::move(tree_);
  }

 private:
  [[noreturn]] void nonsense() const {
    fail_("its reader's answer makes no sense");
    throw;  // never reached
  }

  void read_group(Hdf5Group& group, size_t depth) {
    group.name = in_.text();
    group.attributes = read_attributes();
    if (depth > wire::most_depth) nonsense();
    for (;;) {
      const auto item = static_cast<wire::Item>(in_.byte());
      if (!in_.is_whole()) nonsense();
      if (item == wire::Item::end) return;
      if (item == wire::Item::group) {
        read_group(group.groups.emplace_back(), depth + 1);
      } else if (item == wire::Item::dataset) {
        read_dataset(group.datasets.emplace_back());
      } else if (item == wire::Item::link) {
        Hdf5Link& link = group.links.emplace_back();
        link.name = in_.text();
        link.why = in_.text();
      } else {
        nonsense();
      }
    }
  }

  void read_dataset(Hdf5Dataset& dataset) {
    dataset.name = in_.text();
    dataset.number = tree_.places.size();
    dataset.dtype = read_dtype();
    dataset.shape = read_shape(dataset.dtype);
    Hdf5Place& place = tree_.places.emplace_back();
    place.dtype = dataset.dtype;
    place.shape = dataset.shape;
    place.offset = in_.number();
    place.stored_bytes = in_.number();
    place.unreadable = in_.text();
    dataset.unreadable = place.unreadable;
    dataset.attributes = read_attributes();
  }

  DType read_dtype() {
    const std::optional<DType> dtype = find_dtype(in_.text());
    if (!dtype || *dtype == DType::token) nonsense();
    return *dtype;
  }

  // One whose bytes can be counted.
  Shape read_shape(DType dtype) {
    const uint64_t rank = in_.number();
    if (rank > in_.left() / sizeof(uint64_t)) nonsense();
    std::vector<int64_t> dims(rank);
    for (int64_t& size : dims) size = static_cast<int64_t>(in_.number());
    int64_t bytes = std::max(1, byte_width(dtype));
    for (const int64_t size : dims) {
      if (size < 0) nonsense();
      if (size > 0 && __builtin_mul_overflow(bytes, size, &bytes))
        fail_(str("a dataset of shape (", join(dims), ")"));
    }
    return Shape(dims);
  }

  std::vector<Hdf5Attribute> read_attributes() {
    std::vector<Hdf5Attribute> attributes;
    for (uint64_t count = in_.number(); count > 0 && in_.is_whole(); --count) {
      std::string name(in_.text());
      const DType dtype = read_dtype();
      Shape shape = read_shape(dtype);
      attributes.push_back({std::move(name), read_value(dtype, shape)});
    }
    return attributes;
  }

  Literal read_value(DType dtype, const Shape& shape) {
    const auto count = static_cast<uint64_t>(shape.elements());
    if (dtype == DType::string) {
      if (count > in_.left() / sizeof(uint64_t)) nonsense();
      std::vector<std::string_view> strings(count);
      for (std::string_view& each : strings) each = in_.text();
      return Literal::strings(strings, shape);
    }
    const std::string_view bytes = in_.take(count * static_cast<uint64_t>(byte_width(dtype)));
    if (!in_.is_whole()) nonsense();
    Literal value(dtype, shape);
    std::byte* out = value.mutable_raw();
    if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
    if (dtype == DType::pred) {  // one that is neither 0 nor 1 is undefined behaviour
      std::transform(out, out + bytes.size(), out,
                     [](std::byte b) { return b != std::byte{0} ? std::byte{1} : b; });
    }
    return value;
  }

  wire::Reader in_;
  const std::function<void(std::string_view)>& fail_;
  Hdf5Tree tree_;
};

}  // namespace

Hdf5Tree parse_tree(std::string_view bytes, const std::function<void(std::string_view)>& fail) {
  return TreeParser(bytes, fail).parse();
}

}  // namespace io
}  // namespace systolic::inline v0
