// One element of a dataset: host arrays under names, in order. A batch is an Example whose arrays
// have a batch axis. Indexing a temporary Example returns the array by value, so that it outlives
// it.
//
//   Example e{{"image", image}, {"label", 7}, {"file", "7.jpg"}};  // 7 and the text: scalars
//   e["label"].item<int64_t>()                                     // 7
//   Example batch{{"text", texts}, {"label", labels}};             // of std::vectors
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/base/name_at.h"
#include "systolic/base/source_location.h"
#include "systolic/core/literal.h"
#include "systolic/core/memory/block_pool.h"

namespace systolic::inline v0 {

class Example {
 public:
  struct Component {
    Component(std::string its_name, Literal array)
        : name(std::move(its_name)), value(std::move(array)) {}
    template <class T>
    requires Element<T> || std::same_as<T, std::string> Component(std::string its_name,
                                                                  const std::vector<T>& values)
        : Component(std::move(its_name), array_of(values)) {}
    template <Element T>
    Component(std::string its_name, T number)
        : Component(std::move(its_name), Literal::scalar<T>(number)) {}
    Component(std::string its_name, std::string_view text)
        : Component(std::move(its_name), Literal::scalar(text)) {}

    std::string name;
    Literal value;

   private:
    static Literal array_of(const std::vector<std::string>& texts) {
      return Literal::strings(texts);
    }
    template <Element T>
    static Literal array_of(const std::vector<T>& values) {
      Literal array(dtype_of<T>, Shape{static_cast<int64_t>(values.size())});
      std::copy(values.begin(), values.end(), array.mutable_data<T>().begin());
      return array;
    }
  };
  using Components = std::vector<Component, BlockAllocator<Component>>;

  Example() = default;
  // A name that appears twice is an InvalidArgument.
  Example(std::initializer_list<Component> components) : Example(Components(components)) {}
  explicit Example(Components components);

  size_t size() const { return components_.size(); }
  bool empty() const { return components_.empty(); }
  auto begin() const { return components_.begin(); }
  auto end() const { return components_.end(); }

  // The array of that name. An unknown name is a NotFound that lists what the element has.
  const Literal& operator[](NameAt name) const&;
  Literal operator[](NameAt name) && { return std::as_const(*this)[name]; }
  const Literal* find(std::string_view name) const;
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  // The i-th array and its name.
  const Literal& value(size_t i) const& { return component(i).value; }
  Literal value(size_t i) && { return component(i).value; }
  const std::string& name(size_t i) const { return component(i).name; }
  // The array of an element that has exactly one.
  const Literal& only(SourceLocation location = SourceLocation::current()) const&;
  Literal only(SourceLocation location = SourceLocation::current()) && {
    return std::as_const(*this).only(location);
  }
  std::vector<std::string> names() const;

  // Replaces the array of that name, or adds it at the end.
  void set(std::string_view name, Literal value);
  // The arrays, moved out.
  Components release() { return std::move(components_); }

  // Bytes of data in all arrays.
  size_t byte_size() const;

  friend bool operator==(const Example& a, const Example& b);

 private:
  const Component& component(size_t i) const {
    if (i >= components_.size()) raise_index(i);
    return components_[i];
  }
  [[noreturn]] void raise_index(size_t i) const;
  Components components_;
};

// "{image: f32(28, 28, 1), label: i64()}"
std::string to_string(const Example& example);

}  // namespace systolic::inline v0
