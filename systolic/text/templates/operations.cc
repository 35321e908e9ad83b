#include "systolic/text/templates/operations.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "systolic/base/error.h"
#include "systolic/text/templates/work.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {
namespace {

bool is_in(const Value& a, const Value& b) {
  if (b.is_text()) {
    if (!a.is_text()) fail_operation(str(a.kind(), " in a text"), "a text");
    return find_part(b.text(), a.text()) != std::string::npos;
  }
  if (b.is_map()) return a.is_text() && b.find(a.text()) != nullptr;
  if (b.is_undefined()) return false;
  if (!b.is_list()) fail_operation(str("in ", b.kind()), "a list, a map or a text");
  return std::find(b.list().begin(), b.list().end(), a) != b.list().end();
}

// -1, 0 or 1.
int order_of(const std::string& symbol, const Value& a, const Value& b) {
  if (a.is_number() && b.is_number())
    return a.number() < b.number() ? -1 : (a.number() > b.number() ? 1 : 0);
  if (a.is_text() && b.is_text()) {
    TemplateWork::spend_bytes(std::min(a.text().size(), b.text().size()));
    const int order = a.text().compare(b.text());
    return order < 0 ? -1 : (order > 0 ? 1 : 0);
  }
  fail_operation(str(a.kind(), " ", symbol, " ", b.kind()), "two numbers or two texts");
}

Value repeated(const Value& of, int64_t times) {
  const auto count = static_cast<size_t>(std::max<int64_t>(times, 0));
  if (of.is_text()) {
    if (!of.text().empty() && count > limits::template_text / of.text().size())
      fail_operation(str("a text ", times, " times"), "16 MiB at most");
    std::string result;
    for (size_t i = 0; i < count && !of.text().empty(); ++i) result += of.text();
    return result;
  }
  if (!of.list().empty() && count > limits::template_items / of.list().size())
    fail_operation(str("a list ", times, " times"), "a million elements at most");
  ValueList result;
  for (size_t i = 0; i < count && !of.list().empty(); ++i)
    result.insert(result.end(), of.list().begin(), of.list().end());
  return result;
}

Value sum_of(const Value& a, const Value& b) {
  if (a.is_text() && b.is_text()) return checked_text(a.text() + b.text());
  if (a.is_list() && b.is_list()) {
    ValueList result = a.list();
    if (result.size() + b.list().size() > limits::template_items)
      fail_operation("a list of more than a million elements");
    result.insert(result.end(), b.list().begin(), b.list().end());
    return a.is_tuple() && b.is_tuple() ? Value::tuple(std::move(result))
                                        : Value(std::move(result));
  }
  fail_operation(str(a.kind(), " + ", b.kind()), "two numbers, two texts or two lists");
}

int64_t floor_quotient(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

Value whole_operation(const std::string& symbol, int64_t a, int64_t b) {
  int64_t result = 0;
  const bool divides = symbol == "//" || symbol == "%";
  if (divides && b == 0) fail_operation("a division by 0");
  if (divides && b == -1) return symbol == "%" ? Value(int64_t{0}) : whole_operation("-", 0, a);
  if (symbol == "//") return floor_quotient(a, b);
  if (symbol == "%") return a - floor_quotient(a, b) * b;
  const bool overflows = symbol == "+"   ? __builtin_add_overflow(a, b, &result)
                         : symbol == "-" ? __builtin_sub_overflow(a, b, &result)
                                         : __builtin_mul_overflow(a, b, &result);
  if (overflows) fail_operation(str(a, " ", symbol, " ", b), "a result that 64 bits hold");
  return result;
}

Value number_operation(const std::string& symbol, const Value& a, const Value& b) {
  if (symbol != "/" && a.is_whole() && b.is_whole())
    return whole_operation(symbol, a.integer(), b.integer());
  const double x = a.number(), y = b.number();
  if (symbol == "+") return x + y;
  if (symbol == "-") return x - y;
  if (symbol == "*") return x * y;
  if (y == 0) fail_operation("a division by 0");
  if (symbol == "/") return x / y;
  const double quotient = std::floor(x / y);
  return symbol == "//" ? quotient : x - quotient * y;
}

// Where a slice begins and ends, as Python clamps it.
int64_t place_in(const Value& value, int64_t missing, int64_t size, int64_t least, int64_t most) {
  if (value.is_none()) return missing;
  if (!value.is_whole()) fail_operation(str("a slice by ", value.kind()), "whole numbers");
  const int64_t place = value.integer();
  return std::clamp(place < 0 ? place + size : place, least, most);
}

}  // namespace

void fail_operation(std::string what, std::string wanted) {
  raise<InvalidArgument>({.what = std::move(what), .wanted = std::move(wanted)});
}

void check_text_size(size_t size) {
  if (size > limits::template_text)
    fail_operation(str("a text of ", size, " bytes"), "16 MiB at most");
}

Value checked_text(std::string text) {
  check_text_size(text.size());
  return text;
}

size_t find_part(const std::string& text, const std::string& part, size_t from) {
  if (from > text.size()) return std::string::npos;
  // std::string::find() takes the product of both sizes for some texts; this does not.
  const void* found = memmem(text.data() + from, text.size() - from, part.data(), part.size());
  const size_t at = found == nullptr
                        ? std::string::npos
                        : static_cast<size_t>(static_cast<const char*>(found) - text.data());
  TemplateWork::spend_bytes((found == nullptr ? text.size() : at) - from + part.size());
  return at;
}

const Value* CallArguments::find(size_t place, std::string_view name) const {
  if (place < places.size()) return &places[place];
  for (const auto& [given, value] : names)
    if (given == name) return &value;
  return nullptr;
}

std::vector<std::string> characters_of_text(const std::string& text) {
  TemplateWork::spend(text.size() / 4);
  std::vector<std::string> result;
  for (size_t at = 0; at < text.size();) {
    const size_t size = utf8_size(static_cast<unsigned char>(text[at]));
    result.push_back(text.substr(at, size));
    at += size;
  }
  return result;
}

ValueList elements_of(const Value& of) {
  if (of.is_list()) {
    TemplateWork::spend(of.list().size());
    return of.list();
  }
  ValueList result;
  if (of.is_undefined()) return result;
  if (of.is_map()) {
    for (const auto& member : of.map()) result.emplace_back(member.first);
  } else if (of.is_text()) {
    if (of.text().size() > limits::template_items)
      fail_operation("a text of more than a million characters, one by one");
    for (std::string& one : characters_of_text(of.text())) result.emplace_back(std::move(one));
  } else {
    fail_operation(str("the elements of ", of.kind()), "a list, a map or a text");
  }
  return result;
}

Value binary_operation(const std::string& symbol, const Value& a, const Value& b) {
  if (symbol == "==") return a == b;
  if (symbol == "!=") return !(a == b);
  if (symbol == "in") return is_in(a, b);
  if (symbol == "not in") return !is_in(a, b);
  if (symbol == "<") return order_of(symbol, a, b) < 0;
  if (symbol == ">") return order_of(symbol, a, b) > 0;
  if (symbol == "<=") return order_of(symbol, a, b) <= 0;
  if (symbol == ">=") return order_of(symbol, a, b) >= 0;
  if (symbol == "~") return checked_text(a.shown() + b.shown());
  if (a.is_number() && b.is_number()) return number_operation(symbol, a, b);
  if (symbol == "+") return sum_of(a, b);
  const bool repeats = symbol == "*" && ((a.is_text() || a.is_list()) && b.is_whole());
  if (repeats) return repeated(a, b.integer());
  if (symbol == "*" && a.is_whole() && (b.is_text() || b.is_list()))
    return repeated(b, a.integer());
  fail_operation(str(a.kind(), " ", symbol, " ", b.kind()), "two numbers");
}

Value item_of(const Value& of, const Value& key) {
  if (of.is_map()) {
    const Value* found = key.is_text() ? of.find(key.text()) : nullptr;
    return found != nullptr ? *found : Value(Value::Undefined{key.shown()});
  }
  if (!of.is_list() && !of.is_text())
    fail_operation(str("[", key.written(), "] of ", of.kind()), "a list, a map or a text");
  if (!key.is_whole()) return Value::Undefined{key.shown()};
  const bool is_text = of.is_text();
  const std::vector<std::string> letters =
      is_text ? characters_of_text(of.text()) : std::vector<std::string>();
  const auto size = static_cast<int64_t>(is_text ? letters.size() : of.list().size());
  const int64_t place = key.integer() < 0 ? key.integer() + size : key.integer();
  if (place < 0 || place >= size) return Value::Undefined{key.shown()};
  return is_text ? Value(letters[static_cast<size_t>(place)])
                 : of.list()[static_cast<size_t>(place)];
}

Value item_by_path(const Value& of, const Value& path) {
  if (!path.is_text()) return item_of(of, path);
  Value at = of;
  size_t from = 0;
  while (true) {
    const size_t dot = path.text().find('.', from);
    const std::string name = path.text().substr(from, dot - from);
    const bool is_place = !name.empty() && name.size() < 10 &&
                          name.find_first_not_of("0123456789") == std::string::npos;
    if (is_place) {
      at = item_of(at, static_cast<int64_t>(std::stoll(name)));
    } else {
      at = at.is_map() ? item_of(at, name) : Value(Value::Undefined{name});
    }
    if (dot == std::string::npos) return at;
    from = dot + 1;
  }
}

Value slice_of(const Value& of, const Value& begin, const Value& end, const Value& step) {
  if (!of.is_list() && !of.is_text())
    fail_operation(str("a slice of ", of.kind()), "a list or a text");
  const ValueList all = elements_of(of);
  const auto size = static_cast<int64_t>(all.size());
  const int64_t stride = step.is_none() ? 1 : step.is_whole() ? step.integer() : 0;
  if (stride == 0) fail_operation("a slice by steps of 0", "whole numbers");
  const bool forward = stride > 0;
  const int64_t least = forward ? 0 : -1, most = forward ? size : size - 1;
  const int64_t from = place_in(begin, forward ? 0 : size - 1, size, least, most);
  const int64_t to = place_in(end, forward ? size : -1, size, least, most);
  ValueList chosen;
  for (int64_t i = from; forward ? i < to : i > to;) {
    chosen.push_back(all[static_cast<size_t>(i)]);
    if (__builtin_add_overflow(i, stride, &i)) break;
  }
  if (of.is_tuple()) return Value::tuple(std::move(chosen));
  if (!of.is_text()) return chosen;
  std::string text;
  for (const Value& one : chosen) text += one.text();
  return text;
}

}  // namespace text
}  // namespace systolic::inline v0
