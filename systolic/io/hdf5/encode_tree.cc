#include "systolic/io/hdf5/encode_tree.h"

#include <algorithm>
#include <set>

#include "systolic/base/error.h"
#include "systolic/io/hdf5/wire.h"

namespace systolic::inline v0 {
namespace io {
namespace {

namespace wire = hdf5_wire;

constexpr uint64_t most_attribute_header = 64'512;  // a header's message has two bytes for its size
constexpr uint64_t string_header = 16;              // of each, whose text lies elsewhere
constexpr int most_axes = 32;

bool is_stored(DType dtype) {
  return byte_width(dtype) > 0 && dtype != DType::i4 && dtype != DType::u4 &&
         dtype != DType::f8e4m3fn && dtype != DType::f8e5m2;
}

class TreeEncoder {
 public:
  explicit TreeEncoder(SourceLocation location) : location_(location) {}

  std::string encode(const Hdf5Group& root) {
    append_group(root, "", 0);
    return out_.bytes();
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& wanted) const {
    raise<InvalidArgument>({.what = str("HDF5: ", what), .wanted = wanted, .location = location_});
  }

  void append_group(const Hdf5Group& group, const std::string& path, size_t depth) {
    if (depth > wire::most_depth)
      fail(str("groups in each other, more than ", wire::most_depth), "fewer");
    out_.byte(static_cast<uint8_t>(wire::Item::group));
    out_.text(group.name);
    append_attributes(group.attributes, path);
    std::set<std::string_view> names;
    for (const Hdf5Dataset& dataset : group.datasets) {
      check_name(dataset.name, path, names);
      append_dataset(dataset, path);
    }
    for (const Hdf5Group& child : group.groups) {
      check_name(child.name, path, names);
      append_group(child, path + child.name + "/", depth + 1);
    }
    out_.byte(static_cast<uint8_t>(wire::Item::end));
  }

  void check_name(std::string_view name, const std::string& path,
                  std::set<std::string_view>& names) {
    const bool bad = name.empty() || name == "." ||
                     name.find_first_of(std::string_view("/\0", 2)) != std::string_view::npos;
    if (bad) fail(str("the name '", name, "' in '/", path, "'"), "a name without '/'");
    if (!names.insert(name).second)
      fail(str("the name '", path, name, "' is given twice"), "another");
    if (++objects_ > wire::most_objects)
      fail("too many groups and datasets", str("at most ", wire::most_objects));
  }

  void append_dataset(const Hdf5Dataset& dataset, const std::string& path) {
    const std::string full = path + dataset.name;
    if (!is_stored(dataset.dtype))
      fail(str("dataset '", full, "' of type ", dataset.dtype), "numbers of 8 to 128 bits, no f8");
    out_.byte(static_cast<uint8_t>(wire::Item::dataset));
    out_.text(dataset.name);
    append_array(dataset.dtype, dataset.shape, full);
    if (dataset.dtype != DType::bf16 || dataset.attribute("dtype") != nullptr)
      return append_attributes(dataset.attributes, full);
    std::vector<Hdf5Attribute> attributes = dataset.attributes;
    attributes.push_back({"dtype", Literal::scalar("bfloat16")});  // as Keras knows it by
    append_attributes(attributes, full);
  }

  void append_array(DType dtype, const Shape& shape, const std::string& what) {
    if (shape.rank() > most_axes) fail(str("'", what, "' of shape ", shape), "at most 32 axes");
    out_.text(to_string(dtype));
    out_.number(static_cast<uint64_t>(shape.rank()));
    for (const int64_t size : shape) out_.number(static_cast<uint64_t>(size));
  }

  void append_attributes(const std::vector<Hdf5Attribute>& attributes, const std::string& path) {
    out_.number(attributes.size());
    std::set<std::string_view> names;
    for (const Hdf5Attribute& attribute : attributes) {
      const std::string full = str(path, "@", attribute.name);
      const bool bad = attribute.name.empty() || attribute.name.find('\0') != std::string::npos;
      if (bad || !names.insert(attribute.name).second)
        fail(str("the attribute '", full, "'"), "another name");
      append_attribute(attribute, full);
    }
  }

  void append_attribute(const Hdf5Attribute& attribute, const std::string& full) {
    const Literal& value = attribute.value;
    const bool text = value.dtype() == DType::string;
    if ((!text && !is_stored(value.dtype())) || value.dtype() == DType::bf16)
      fail(str("the attribute '", full, "' of type ", value.dtype()), "numbers or strings");
    const uint64_t header =
        text ? string_header * static_cast<uint64_t>(value.size()) : value.byte_size();
    if (header > most_attribute_header) {
      fail(str("the attribute '", full, "' takes ", header, " bytes"),
           str("at most ", most_attribute_header, "; set_hdf5_strings divides lists"));
    }
    out_.text(attribute.name);
    append_array(value.dtype(), value.shape(), full);
    if (!text) return out_.raw({reinterpret_cast<const char*>(value.raw()), value.byte_size()});
    for (int64_t i = 0; i < value.size(); ++i) {
      const std::string_view each = value.string_at(i);
      if (each.find('\0') != std::string_view::npos)
        fail(str("the attribute '", full, "' holds a zero byte"), "text");
      out_.text(each);
    }
  }

  SourceLocation location_;
  wire::Writer out_;
  size_t objects_ = 0;
};

}  // namespace

std::string encode_tree(const Hdf5Group& root, SourceLocation location) {
  return TreeEncoder(location).encode(root);
}

}  // namespace io
}  // namespace systolic::inline v0
