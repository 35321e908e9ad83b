// A name out of a fixed list. A literal is checked by the compiler, text read at run time by
// parse().
//
//   Padding padding = "same";        // "smae" does not compile, and the message lists the names
//   Padding::parse(text)             // InvalidArgument with the closest names
//
// The names are listed once, where compilers show them: in the source of what is thrown.
//
//   struct PaddingNames {
//     SYSTOLIC_NAMES(throw "padding must be one of: valid same")
//   };
//
// Where each name stands for something, one list has both, which a table of rows is made of as well
// (nn/config/choice_rows.h):
//
//   #define SYSTOLIC_OPTIMIZERS(named) named("sgd", SGD) named("adam", Adam)
//   struct OptimizerNames {
//     SYSTOLIC_NAMES_OF("optimizer", SYSTOLIC_OPTIMIZERS)
//   };
//
// A struct of names has `subject` ("padding"), `names` (an array of string_view) and
// `position(name)`.
#pragma once

#include <array>
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

namespace internal {

// Parts of `throw "padding must be one of: valid same"`.
constexpr std::string_view subject_in(std::string_view text) {
  text.remove_prefix(text.find('"') + 1);
  return text.substr(0, text.find(" must be one of: "));
}
constexpr std::string_view list_in(std::string_view text) {
  text.remove_prefix(text.find(": ") + 2);
  return text.substr(0, text.find('"'));
}
constexpr size_t count_words(std::string_view list) {
  size_t count = 1;
  for (const char letter : list) count += letter == ' ' ? 1 : 0;
  return count;
}
template <size_t count>
constexpr std::array<std::string_view, count> words_of(std::string_view list) {
  std::array<std::string_view, count> words;
  for (std::string_view& word : words) {
    word = list.substr(0, list.find(' '));
    list.remove_prefix(word.size() < list.size() ? word.size() + 1 : list.size());
  }
  return words;
}

// Not for a constant: compilers show the call that they cannot compute, with `names`.
constexpr int must_be_one_of(const char* names) {
  if (names != nullptr) throw names;
  return -1;
}

}  // namespace internal

#define SYSTOLIC_NAMES_OF(subject_text, list)                                                    \
  static constexpr std::string_view subject = subject_text;                                      \
  static constexpr auto names = std::to_array<std::string_view>({list(SYSTOLIC_NAME)});          \
  static constexpr int position(std::string_view name) {                                         \
    const int found = ::systolic::position_in(names, name);                                      \
    if (found >= 0) return found;                                                                \
    return ::systolic::internal::must_be_one_of(subject_text                                     \
                                                " must be one of:" list(SYSTOLIC_NAME_AS_WORD)); \
  }
#define SYSTOLIC_NAME(name, ...) name,
#define SYSTOLIC_NAME_AS_WORD(name, ...) " " name

#define SYSTOLIC_NAMES(throw_list)                                                                \
  static constexpr std::string_view subject = ::systolic::internal::subject_in(#throw_list);      \
  static constexpr auto names = ::systolic::internal::words_of<::systolic::internal::count_words( \
      ::systolic::internal::list_in(#throw_list))>(::systolic::internal::list_in(#throw_list));   \
  static constexpr int position(std::string_view name) {                                          \
    const int found = ::systolic::position_in(names, name);                                       \
    if (found < 0) throw_list;                                                                    \
    return found;                                                                                 \
  }

}  // namespace systolic::inline v0
