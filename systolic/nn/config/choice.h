// A name out of a fixed list. A literal is checked by the compiler, text read at run time by
// parse().
//
//   Padding padding = "same";        // "smae" does not compile, and the message lists the names
//   Padding::parse(text)             // InvalidArgument with the closest names
//
// `Names` has `subject` ("padding"), `names` (an array of string_view) and `position(name)`, which
// throws a text of its own: compilers show the source of the throw.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {

// The position of `name` among `names`; an unknown one is an InvalidArgument: "padding 'smae' is
// not known, expected one of: ...".
int parse_choice(std::string_view subject, std::string_view name,
                 const std::vector<std::string>& names, SourceLocation location);

template <class Names>
class Choice {
 public:
  template <size_t n>
  consteval Choice(const char (&name)[n]) : position_(Names::position({name, n - 1})) {}  // NOLINT

  static Choice parse(std::string_view name, SourceLocation location = SourceLocation::current()) {
    return Choice(parse_choice(Names::subject, name, known(), location));
  }
  static std::vector<std::string> known() {
    return std::vector<std::string>(Names::names.begin(), Names::names.end());
  }

  constexpr std::string_view name() const { return Names::names[static_cast<size_t>(position_)]; }
  constexpr bool is(std::string_view name) const { return this->name() == name; }
  friend constexpr bool operator==(Choice a, Choice b) { return a.position_ == b.position_; }

 private:
  constexpr explicit Choice(int position) : position_(position) {}
  int position_;
};

// Where `name` stands in `names`, -1 where it does not.
template <class List>
constexpr int position_in(const List& names, std::string_view name) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace systolic::inline v0
