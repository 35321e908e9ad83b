#include "systolic/stablehlo/dense.h"

#include <charconv>
#include <cstring>

#include "systolic/base/error.h"
#include "systolic/stablehlo/narrow.h"
#include "systolic/stablehlo/print.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

int hexadecimal_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// As the specification labels the constraints of a constant: the first is about what its elements
// are, the second about how many of them stand where.
std::string_view label_of(const Program& program, const Attribute& attribute) {
  if (attribute.kind == Attribute::Kind::floating) return "float_constant";
  const bool typed = attribute.type != no_type;
  const bool quantized = typed && program.type(attribute.type).quantization != nullptr;
  return quantized ? "quantized_tensor_constant" : "tensor_constant";
}

// Reads the elements of one constant.
class DenseReader {
 public:
  DenseReader(const Program& program, const Attribute& attribute, DType dtype, const Shape& shape,
              ElementType element = ElementType::none)
      : program_(program),
        attribute_(attribute),
        label_(label_of(program, attribute)),
        element_(element),
        dtype_(dtype),
        shape_(shape),
        text_(attribute.text),
        width_(static_cast<size_t>(byte_width(dtype))) {}

  DenseValue read() {
    if (attribute_.name == "dense_resource") return from_resource();
    skip_space();
    if (at_ == text_.size()) return empty();
    if (text_[at_] == '"') {
      const size_t start = at_ + 1;
      const std::string_view digits = text_.substr(start, text_.find('"', start) - start);
      const DenseValue value = from_bytes(digits, prefix.size());
      at_ = start + digits.size() + 1;
      expect_end();
      return value;
    }
    if (text_[at_] != '[') {
      Literal scalar(dtype_, {});
      read_element(scalar.mutable_raw());
      expect_end();
      if (shape_.rank() == 0) return {scalar, false};
      return {scalar, true};
    }
    // Never more memory than the text has elements: each takes two characters or more.
    if (shape_.elements() > static_cast<int64_t>(text_.size())) {
      fail_shape(at_, str("a list of at most ", text_.size() / 2, " elements"));
    }
    Literal literal(dtype_, shape_);
    std::byte* to = literal.mutable_raw();
    read_list(0, to);
    expect_end();
    return {literal, false};
  }

 private:
  [[noreturn]] void fail(size_t at, std::string what, std::string wanted) const {
    raise_at(program_, attribute_.offset + at, str("a constant: ", what), {}, std::move(wanted));
  }
  [[noreturn]] void fail_shape(size_t at, const std::string& what) const {
    raise_at(program_, attribute_.offset + at, str(label_, "_c2: ", what), {}, type_name());
  }
  std::string_view element_name() const {
    return element_ == ElementType::none ? info(dtype_).name : info(element_).name;
  }
  std::string type_name() const {
    return str("the elements of ", element_name(), to_string(shape_));
  }

  void skip_space() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '/' && at_ + 1 < text_.size() && text_[at_ + 1] == '/') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
        ++at_;
      } else {
        return;
      }
    }
  }

  bool next_is(char c) {
    skip_space();
    return at_ < text_.size() && text_[at_] == c;
  }

  bool accept(char c) {
    if (!next_is(c)) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(at_, str("'", c, "' is missing"), type_name());
  }

  void expect_end() {
    skip_space();
    if (at_ != text_.size()) fail(at_, "there is something after its elements", "'>'");
  }

  DenseValue empty() const {
    if (shape_.elements() != 0) fail_shape(0, "it is empty");
    return {Literal(dtype_, shape_), false};
  }

  void read_list(int axis, std::byte*& to) {
    if (axis == shape_.rank()) {
      if (next_is('[')) fail_shape(at_, "a list appears where an element is expected");
      read_element(to);
      to += width_;
      return;
    }
    skip_space();
    const size_t start = at_;
    if (!accept('[')) fail_shape(at_, str("a list of axis ", axis, " is missing"));
    for (int64_t i = 0; i < shape_[axis]; ++i) {
      if (next_is(']')) fail_shape(start, str("a list of axis ", axis, " has ", i, " entries"));
      if (i > 0) expect(',');
      read_list(axis + 1, to);
    }
    if (next_is(',') || (shape_[axis] == 0 && !next_is(']'))) {
      fail_shape(start, str("a list of axis ", axis, " has more than ", shape_[axis], " entries"));
    }
    expect(']');
  }

  std::string_view word() {
    skip_space();
    const size_t start = at_;
    while (at_ < text_.size() && std::strchr(",])([ \n\t\r", text_[at_]) == nullptr) ++at_;
    return text_.substr(start, at_ - start);
  }

  // A float's bits, from a number or from its bits in hexadecimal.
  void read_narrow_float(std::byte* to) {
    skip_space();
    const size_t start = at_;
    const std::string_view text = word();
    uint8_t held = 0;
    double number = 0;
    if (text.substr(0, 2) == "0x") {
      const bool good = bits(text.substr(2), held) && held >> element_bits(element_) == 0;
      if (!good) fail_element(start, text);
    } else {
      if (!parse_number(text, number)) fail_element(start, text);
      held = narrow_float_bits(number, element_);
    }
    *to = std::byte{held};
  }

  // Only the part of a complex number and a float outside of dense<...> have labels of their own.
  [[noreturn]] void fail_element(size_t start, std::string_view text,
                                 std::string_view part = {}) const {
    const bool bits = attribute_.kind == Attribute::Kind::floating && text.substr(0, 2) == "0x";
    const std::string label = part.empty() ? str(label_, bits ? "_c2" : "_c1") : std::string(part);
    raise_at(program_, attribute_.offset + start,
             str(label, ": '", text.substr(0, 40), "' is not an element"), {},
             std::string(element_name()));
  }

  void read_element(std::byte* to) {
    if (is_narrow_float(element_)) return read_narrow_float(to);
    visit_dtype(dtype_, [&](auto tag) {
      using T = typename decltype(tag)::type;
      T value{};
      if constexpr (requires { value.real(); }) {
        using Part = typename T::value_type;
        if (!next_is('(')) {
          const size_t start = at_;
          fail_element(start, word());
        }
        expect('(');
        const Part real = number<Part>("complex_constant_c1");
        expect(',');
        const Part imaginary = number<Part>("complex_constant_c2");
        expect(')');
        value = T(real, imaginary);
      } else {
        value = number<T>();
      }
      std::memcpy(to, &value, sizeof value);
    });
  }

  template <class T>
  T number(std::string_view part = {}) {
    skip_space();
    const size_t start = at_;
    const std::string_view text = word();
    T value{};
    bool good = false;
    if constexpr (std::is_same_v<T, bool>) {
      value = text == "true" || text == "1" || text == "-1";
      good = value || text == "false" || text == "0";
    } else if constexpr (std::is_integral_v<T>) {
      good = whole_number(text, value);
    } else if (text.substr(0, 2) == "0x") {
      good = bits(text.substr(2), value);
    } else {
      double wide = 0;
      good = parse_number(text, wide);
      if constexpr (std::is_same_v<T, double>) {
        value = wide;
      } else if constexpr (std::is_same_v<T, float>) {
        // Not by way of double, which would round twice; what no float holds becomes 0 or infinity.
        const char* end = text.data() + text.size();
        if (std::from_chars(text.data(), end, value).ec != std::errc()) {
          value = static_cast<float>(wide);
        }
      } else {
        value = T(static_cast<float>(wide));
      }
    }
    if constexpr (std::is_integral_v<T>) good = good && narrow(value);
    if (!good) fail_element(start, text, part);
    return value;
  }

  // Does an integer fit the bits of its type, where it is held in more? With the sign of those.
  template <class T>
  bool narrow(T& value) const {
    const int width = element_bits(element_);
    if (width == 0 || width >= 8 || sizeof(T) > 1) return true;
    const auto number = static_cast<int>(value);
    const int half = 1 << (width - 1);
    if (std::is_signed_v<T> && number >= half) value = static_cast<T>(number - 2 * half);
    return number >= (std::is_signed_v<T> ? -half : 0) && number < 2 * half;
  }

  template <class T>
  static bool whole_number(std::string_view text, T& value) {
    const bool negative = !text.empty() && text[0] == '-';
    std::string_view digits = text.substr(negative ? 1 : 0);
    int base = 10;
    if (digits.substr(0, 2) == "0x") {
      base = 16;
      digits.remove_prefix(2);
    }
    uint64_t magnitude = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, base);
    if (error != std::errc() || end != digits.data() + digits.size() || digits.empty())
      return false;
    const uint64_t wide = negative ? ~magnitude + 1 : magnitude;
    value = static_cast<T>(wide);
    // All bits of a type may be written without a sign: 255 is the -1 of i8.
    const auto low_bits = static_cast<uint64_t>(static_cast<std::make_unsigned_t<T>>(value));
    const auto back = static_cast<uint64_t>(static_cast<int64_t>(value));
    return negative ? back == wide : low_bits == wide;
  }

  template <class T>
  static bool bits(std::string_view digits, T& value) {
    if (digits.empty() || digits.size() > 2 * sizeof(T)) return false;
    uint64_t word = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), word, 16);
    if (error != std::errc() || end != digits.data() + digits.size()) return false;
    std::memcpy(static_cast<void*>(&value), &word, sizeof value);
    return true;
  }

  // The bytes after the first four, which say how they are aligned.
  DenseValue from_resource() {
    const std::string_view bytes = text_of_elements(program_, attribute_);
    if (bytes.empty()) {
      fail(0, str("there is no resource ", trim(text_)),
           "one of the section {-# dialect_resources #-}");
    }
    constexpr size_t alignment = 8;
    if (bytes.size() < prefix.size() + alignment) {
      fail(0, str("resource ", trim(text_), " has no alignment"),
           "\"0x\" and eight digits in front");
    }
    return from_bytes(bytes, prefix.size() + alignment);
  }

  // "0x0102...", of which the first `left_out` characters are not elements: as many bytes as the
  // type has, or one element's for a splat.
  DenseValue from_bytes(std::string_view digits, size_t left_out) {
    if (digits.substr(0, prefix.size()) != prefix || digits.size() % 2 != 0) {
      fail(at_, "its string is not a hexadecimal number of whole bytes", "\"0x...\"");
    }
    digits.remove_prefix(left_out);
    const size_t bytes = digits.size() / 2;
    const int64_t elements = shape_.elements();
    const bool packed = dtype_ == DType::pred && static_cast<int64_t>(bytes) != elements &&
                        static_cast<int64_t>(bytes) == elements / 8 + (elements % 8 != 0);
    const bool splat = !packed && shape_.rank() > 0 && bytes == width_ && elements != 1;
    const auto count = static_cast<size_t>(splat ? 1 : elements);
    if (!packed && (bytes % width_ != 0 || bytes / width_ != count)) {
      fail_shape(at_, str("its string holds ", bytes, " bytes"));
    }
    Literal literal(dtype_, splat ? Shape{} : shape_);
    std::byte* to = literal.mutable_raw();
    for (size_t i = 0; i < bytes; ++i) {
      const int high = hexadecimal_digit(digits[2 * i]), low = hexadecimal_digit(digits[2 * i + 1]);
      if (high < 0 || low < 0)
        fail(at_ + 1 + left_out + 2 * i, "this is not a hexadecimal digit", "0-9, A-F");
      const auto value = static_cast<unsigned>(high * 16 + low);
      if (packed) {
        for (size_t bit = 0; bit < 8 && i * 8 + bit < count; ++bit) {
          to[i * 8 + bit] = static_cast<std::byte>((value >> bit) & 1u);
        }
      } else {
        to[i] = static_cast<std::byte>(dtype_ == DType::pred ? value != 0 : value);
      }
    }
    return {literal, splat};
  }

  static constexpr std::string_view prefix = "0x";

  const Program& program_;
  const Attribute& attribute_;
  std::string_view label_;
  ElementType element_;
  DType dtype_;
  const Shape& shape_;
  std::string_view text_;
  size_t width_;
  size_t at_ = 0;
};

}  // namespace

std::string_view text_of_elements(const Program& program, const Attribute& attribute) {
  if (attribute.name != "dense_resource") return attribute.text;
  std::string_view name = trim(attribute.text);
  if (name.size() > 1 && name.front() == '"') name = name.substr(1, name.size() - 2);
  const auto found = program.resources.find(name);
  return found == program.resources.end() ? std::string_view() : found->second;
}

DenseValue read_dense(const Program& program, const Attribute& attribute, DType dtype,
                      const Shape& shape) {
  return DenseReader(program, attribute, dtype, shape).read();
}

DenseValue read_dense(const Program& program, const Attribute& attribute, ElementType element,
                      const Shape& shape) {
  const std::optional<DType> held = held_in(element);
  if (!held) {
    raise<Unimplemented>(
        {.what = str(place_of(program, attribute.offset), ": constants of ", info(element).name)});
  }
  return DenseReader(program, attribute, *held, shape, element).read();
}

namespace {

// [1, 2]
std::vector<int64_t> integers_of_items(const Program& program, const Attribute& array) {
  std::vector<int64_t> values;
  for (const Attribute& item : array.items) {
    if (item.kind != Attribute::Kind::integer && item.kind != Attribute::Kind::boolean) {
      raise_at(program, item.offset, "a list of numbers", attribute_text(program, item),
               "a whole number");
    }
    values.push_back(item.integer);
  }
  return values;
}

// array<i64: 1, 2>
std::vector<int64_t> integers_of_text(const Program& program, const Attribute& dense_array) {
  std::vector<int64_t> values;
  for (const std::string& part : split(dense_array.text, ',')) {
    const std::string_view text = trim(part);
    int64_t value = text == "true" ? 1 : 0;
    if (text != "true" && text != "false" && !parse_number(text, value)) {
      raise_at(program, dense_array.offset, "a list of numbers", str("'", text, "'"),
               "a whole number");
    }
    values.push_back(value);
  }
  return values;
}

// dense<[1, 2]> : tensor<2xi64>. Nothing where that is not a short list of whole numbers.
std::optional<std::vector<int64_t>> integers_of_elements(const Program& program,
                                                         const Attribute& elements) {
  if (elements.type == no_type) return std::nullopt;
  const Type& type = program.type(elements.type);
  // Numbers of type index, of which core holds no arrays, are written as those of i64.
  const bool index = type.element == ElementType::index;
  const std::optional<DType> dtype = index ? DType::i64 : info(type.element).dtype;
  if (!dtype || (!is_integer(*dtype) && *dtype != DType::pred)) return std::nullopt;
  const Shape shape(type.dims);
  const DenseValue dense = read_dense(program, elements, *dtype, shape);
  constexpr int64_t most = 1 << 20;
  if (shape.elements() > most) return std::nullopt;
  std::vector<int64_t> values;
  for (int64_t i = 0; i < shape.elements(); ++i) {
    values.push_back(dense.literal.integer_at(dense.splat ? 0 : i));
  }
  return values;
}

}  // namespace

std::vector<int64_t> read_integers(const Program& program, const Attribute& attribute) {
  switch (attribute.kind) {
    case Attribute::Kind::array:
      return integers_of_items(program, attribute);
    case Attribute::Kind::dense_array:
      return integers_of_text(program, attribute);
    case Attribute::Kind::elements:
      if (auto values = integers_of_elements(program, attribute)) return *std::move(values);
      break;
    default:
      break;
  }
  raise_at(program, attribute.offset, "an attribute", attribute_text(program, attribute),
           "a list of whole numbers");
}

double read_float(const Program& program, const Attribute& attribute) {
  double value = 0;
  if (attribute.text.substr(0, 2) == "0x" && attribute.type != no_type) {
    const std::optional<DType> dtype = info(program.type(attribute.type).element).dtype;
    if (dtype && is_float(*dtype)) {
      return read_dense(program, attribute, *dtype, {}).literal.number_at(0);
    }
  }
  if (!parse_number(attribute.text, value)) {
    const bool floating = attribute.kind == Attribute::Kind::floating;
    raise_at(program, attribute.offset, floating ? "float_constant_c1" : "an attribute",
             attribute_text(program, attribute), "a number");
  }
  return value;
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
