#!/usr/bin/env python3
"""What the reader of headers finds in declarations of each kind."""
import sys
import unittest

import headers

HEADER = """// What the file is about.
//
//   use(it);
#pragma once

#include <vector>

#define MACRO(x) \\
  more(x)

namespace systolic::inline v0 {
namespace data {

class Declared;  // elsewhere

// A value
// in two lines.
struct Options {
  int64_t units = 32;           // how many,
                                // at most
  std::map<int, int> table = {};
  // Above.
  double a = 1, b = 2;
  bool on{true};
};

class Made : public Base<int, 3> {
 public:
  explicit Made(Options options = {}) : options_(options), list_{1, 2} { check(options); }
  Made(const Made&) = default;
  ~Made();
  // Says.
  template <class T, class = std::enable_if_t<(sizeof(T) > 1)>>
  std::vector<T> get(const std::function<void(int)>& f = [](int) {}) const {
    return {"}", '}'};  // }
  }
  bool operator==(const Made& other) const;
  int operator()(int x) const;

 private:
  int hidden() const;
  Options options_;
};

}  // namespace data
namespace internal {
int not_public();
}

// Says of both.
Tensor sum(const Tensor& x);  // beside
Tensor mean(const Tensor& x);

Tensor alone(const Tensor& x);
enum class Way : uint8_t {
  first = 1,  // the first
  second,
};
template <class T>
concept Element = requires { T::value; };
inline constexpr int count = 21;
using Choice = std::variant<int, double>;
template <class V>
decltype(auto) visit(V&& v) {
  return v();
}
template <>
struct Special<int> {};
static_assert(sizeof(int) == 4);

}  // namespace systolic::inline v0

namespace systolic::inline v0::internal {
int hidden_too();
}  // namespace systolic::inline v0::internal
namespace systolic::inline v0::io {
template <class T>
requires requires(T t) { t.size(); } && (sizeof(T) > 1)
int open(const T& t);
int Made::outside() const;
}  // namespace systolic::inline v0::io
"""
WANTED = [
    ("type", "data::Options", "A value\nin two lines."), ("type", "data::Made", ""), ("function", "sum", "Says of both.\nbeside"),
    ("function", "mean", ""), ("function", "alone", ""), ("enum", "Way", ""), ("concept", "Element", ""),
    ("value", "count", ""), ("alias", "Choice", ""), ("function", "visit", ""),
    ("function", "io::open", ""),
]


class Reading(unittest.TestCase):
    def setUp(self):
        self.header = headers.read("x.h", HEADER)
        self.named = {declared.qualified: declared for declared in self.header.declarations}

    def test_declarations(self):
        self.assertEqual(self.header.comment, "What the file is about.\n\n  use(it);")
        self.assertEqual([(d.kind, d.qualified, d.comment) for d in self.header.declarations], WANTED)

    def test_fields(self):
        fields = [(m.name, m.default, m.comment) for m in self.named["data::Options"].members]
        self.assertEqual(fields[:2], [("units", "32", "how many,\nat most"), ("table", "{}", "")])
        self.assertEqual([name for name, _, _ in fields[2:]], ["a", "b", "on"])
        self.assertEqual(fields[2][2], "Above.")

    def test_members(self):
        members = [(m.kind, m.name, m.comment) for m in self.named["data::Made"].members]
        self.assertEqual(members, [("function", "Made", ""), ("function", "get", "Says."),
                                   ("function", "operator==", ""), ("function", "operator()", "")])
        self.assertEqual(self.named["data::Made"].members[0].text, "explicit Made(Options options = {})")

    def test_groups(self):
        self.assertEqual(self.named["mean"].after, "sum")
        self.assertEqual(self.named["alone"].after, "")

    def test_enumerators(self):
        self.assertEqual([(m.name, m.comment) for m in self.named["Way"].members], [("first", "the first"), ("second", "")])


if __name__ == "__main__":
    sys.exit(0 if unittest.main(exit=False, verbosity=0).result.wasSuccessful() else 1)
