// Python's pickles (pickletools.py describes the opcodes), read as data: nothing that a pickle asks
// for is ever run. What it would call stands in the result as a name and arguments, for a reader
// that knows what they mean; every name that this reader does not know is refused.
//
//   const io::Pickle pickle(bytes, "data.pkl", [](std::string_view name) {
//     return name == "collections.OrderedDict";
//   });
//   pickle.root().items
//
// Bounded: 32 MiB of opcodes, 4,000,000 values. Cyclic where the pickle is: a walk over the values
// must bound its depth.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/function_ref.h"
#include "systolic/base/source_location.h"

namespace systolic::inline v0 {
namespace io {

struct PickleValue {
  enum class Kind : uint8_t {
    none,
    boolean,
    integer,
    number,      // a float
    text,        // bytes too, and integers beyond 64 bits: their little-endian bytes
    tuple,       // items
    list,        // items
    dictionary,  // items: each key, then its value
    global,      // text: "torch._utils._rebuild_tensor_v2"
    call,        // text: what would be called; arguments; items: what was put into the result
    persistent   // items: the one value that says which object outside is meant
  };
  Kind kind = Kind::none;
  union {
    int64_t integer = 0;  // 0 or 1 of a boolean
    double number;
  };
  std::string_view text;
  std::vector<const PickleValue*> items;
  const PickleValue* arguments = nullptr;  // a tuple

  // The value of a dictionary's key, the last where it comes twice; null where it has none.
  const PickleValue* find(std::string_view key) const;
  bool is(Kind wanted) const { return kind == wanted; }
  bool is_call(std::string_view name) const { return kind == Kind::call && text == name; }
};
std::string to_string(PickleValue::Kind kind);

class Pickle {
 public:
  // Reads the pickle that `bytes` start with; they must outlive it. `name` is for errors.
  // `is_known` is asked for each global by "module.name"; InvalidArgument, naming it, for one that
  // is not known. DataLoss for damage.
  Pickle(std::string_view bytes, const std::string& name,
         FunctionRef<bool(std::string_view global)> is_known, SourceLocation location = {});
  Pickle(Pickle&&) = default;
  Pickle(const Pickle&) = delete;
  Pickle& operator=(const Pickle&) = delete;

  const PickleValue& root() const { return *root_; }
  // Bytes that it took.
  size_t size() const { return size_; }

 private:
  friend class PickleReader;
  std::deque<PickleValue> values_;
  std::deque<std::string> names_;  // of globals
  const PickleValue* root_ = nullptr;
  size_t size_ = 0;
};

}  // namespace io
}  // namespace systolic::inline v0
