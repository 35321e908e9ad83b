#include "systolic/monitor/crash/safe_text.h"

#include <unistd.h>

#include <cerrno>
#include <cmath>

namespace systolic::inline v0 {
namespace monitor {

SafeText::~SafeText() { finish(); }

bool SafeText::finish() {
  flush();
  return ftruncate(file_, written_) == 0 && whole_;
}

void SafeText::flush() {
  size_t done = 0;
  while (done < used_) {
    const ssize_t count = pwrite(file_, buffer_.data() + done, used_ - done, written_);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      whole_ = false;
      break;
    }
    done += static_cast<size_t>(count);
    written_ += count;
  }
  used_ = 0;
}

void SafeText::put(char character) {
  if (used_ == buffer_.size()) flush();
  buffer_[used_++] = character;
}

SafeText& SafeText::operator<<(std::string_view text) {
  for (const char character : text) {
    const auto code = static_cast<unsigned char>(character);
    put(code < ' ' || code == 0x7F ? ' ' : character);
  }
  return *this;
}

SafeText& SafeText::end_line() {
  put('\n');
  return *this;
}

SafeText& SafeText::operator<<(int64_t number) {
  std::array<char, 20> digits{};
  size_t count = 0;
  auto rest = static_cast<uint64_t>(number);
  if (number < 0) {
    put('-');
    rest = 0 - rest;
  }
  do {
    digits[count++] = static_cast<char>('0' + rest % 10);
    rest /= 10;
  } while (rest > 0);
  while (count > 0) put(digits[--count]);
  return *this;
}

SafeText& SafeText::time(double seconds) {
  const auto milliseconds = static_cast<int64_t>(seconds * 1000);
  const auto rest = static_cast<int>(milliseconds % 1000);
  *this << milliseconds / 1000 << ".";
  put(static_cast<char>('0' + rest / 100));
  put(static_cast<char>('0' + rest / 10 % 10));
  put(static_cast<char>('0' + rest % 10));
  return *this;
}

SafeText& SafeText::hexadecimal(uint64_t number) {
  *this << "0x";
  int shift = 60;
  while (shift > 0 && (number >> shift) == 0) shift -= 4;
  for (; shift >= 0; shift -= 4) put("0123456789abcdef"[(number >> shift) & 0xF]);
  return *this;
}

SafeText& SafeText::operator<<(double number) {
  if (std::isnan(number)) return *this << "nan";
  if (std::signbit(number)) put('-');
  number = std::abs(number);
  if (std::isinf(number)) return *this << "inf";
  if (number == 0) return *this << "0";
  int exponent = 0;
  for (; number >= 10; ++exponent) number /= 10;
  for (; number < 1; --exponent) number *= 10;
  constexpr int64_t one = 1'000'000;
  auto digits = static_cast<int64_t>(number * one + 0.5);  // seven of them
  if (digits >= 10 * one) {
    digits /= 10;
    ++exponent;
  }
  *this << digits / one;
  int64_t rest = digits % one;
  if (rest > 0) put('.');
  for (int64_t place = one / 10; rest > 0; place /= 10) {
    put(static_cast<char>('0' + rest / place));
    rest %= place;
  }
  if (exponent != 0) *this << "e" << exponent;
  return *this;
}

}  // namespace monitor
}  // namespace systolic::inline v0
