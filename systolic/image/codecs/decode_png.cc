#include "systolic/image/codecs/decode_png.h"

#include <png.h>

#include <array>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/image/codecs/format.h"

namespace systolic::inline v0 {
namespace image {
namespace {

// Deflate makes at most 1032 bytes of one: a size beyond that is false, and is not allocated.
constexpr uint64_t most_expansion = 1032;
// For texts, profiles and other chunks that are not the picture.
constexpr png_alloc_size_t most_chunk_bytes = 8u << 20;

void check_options(const DecodePngOptions& options) {
  if (options.channels < 0 || options.channels > 4) {
    raise<InvalidArgument>(
        {.what = str(options.channels, " channels"), .wanted = "0 (those of the file) to 4"});
  }
  if (options.dtype != DType::u8 && options.dtype != DType::u16) {
    raise<InvalidArgument>(
        {.what = str("pixels of ", to_string(options.dtype)), .wanted = "u8 or u16"});
  }
}

// libpng's reading, with its errors turned into ours.
class PngReader {
 public:
  PngReader(std::string_view bytes, const DecodePngOptions& options);
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  Literal read();

 private:
  // The one place where libpng's errors land. `step` calls libpng and nothing else: a jump out of
  // it runs no destructors.
  template <class Step>
  __attribute__((noinline)) bool finishes(const Step& step) {
    if (setjmp(jump_) != 0) return false;
    step();
    return true;
  }
  template <class Step>
  void run(const Step& step) {
    if (!finishes(step)) {
      raise<DataLoss>({.what = str("a PNG image cannot be decoded: ", message_.data()),
                       .hint = remedy_of_damage});
    }
  }
  [[noreturn]] static void on_error(png_structp png, png_const_charp message);
  static void on_warning(png_structp, png_const_charp) {}
  static void on_read(png_structp png, png_bytep to, size_t count);
  void open();
  void check_claim() const;
  void convert();

  std::string_view bytes_;
  size_t position_ = 0;
  DecodePngOptions options_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::jmp_buf jump_;
  std::array<char, 200> message_{};
};

void PngReader::on_error(png_structp png, png_const_charp message) {
  auto& self = *static_cast<PngReader*>(png_get_error_ptr(png));
  std::snprintf(self.message_.data(), self.message_.size(), "%s", message);
  std::longjmp(self.jump_, 1);
}

void PngReader::on_read(png_structp png, png_bytep to, size_t count) {
  auto& self = *static_cast<PngReader*>(png_get_io_ptr(png));
  if (count > self.bytes_.size() - self.position_) png_error(png, "it ends before its last row");
  std::memcpy(to, self.bytes_.data() + self.position_, count);
  self.position_ += count;
}

PngReader::PngReader(std::string_view bytes, const DecodePngOptions& options)
    : bytes_(bytes), options_(options) {
  png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
  if (png_ != nullptr) info_ = png_create_info_struct(png_);
  if (info_ == nullptr) {
    png_destroy_read_struct(&png_, nullptr, nullptr);
    raise<ResourceExhausted>({.what = "no memory for libpng's state"});
  }
}

void PngReader::open() {
  run([this] {
    png_set_read_fn(png_, this, on_read);
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_chunk_malloc_max(png_, most_chunk_bytes);
    png_set_chunk_cache_max(png_, 128);
    png_read_info(png_, info_);
  });
}

void PngReader::check_claim() const {
  const auto height = static_cast<int64_t>(png_get_image_height(png_, info_));
  const auto width = static_cast<int64_t>(png_get_image_width(png_, info_));
  check_size("PNG", height, width, options_.max_pixels);
  const uint64_t row = png_get_rowbytes(png_, info_);
  if (static_cast<uint64_t>(height) * row / most_expansion > bytes_.size()) {
    raise<DataLoss>({.what = str("a PNG image of ", bytes_.size(), " bytes claims ", height, " × ",
                                 width, " pixels"),
                     .wanted = str("at most ", most_expansion, " bytes of pixels for one")});
  }
}

// Tells libpng what to make of the file's samples.
void PngReader::convert() {
  const int colour = png_get_color_type(png_, info_);
  const bool transparent = png_get_valid(png_, info_, PNG_INFO_tRNS) != 0;
  const bool has_alpha = (colour & PNG_COLOR_MASK_ALPHA) != 0 || transparent;
  const bool is_colour = (colour & PNG_COLOR_MASK_COLOR) != 0;
  if (options_.channels == 0) {
    // A single transparent colour, outside of a palette, is not a channel.
    const bool alpha =
        (colour & PNG_COLOR_MASK_PALETTE) != 0 ? transparent : (colour & PNG_COLOR_MASK_ALPHA) != 0;
    options_.channels = (is_colour ? 3 : 1) + (alpha ? 1 : 0);
  }
  const bool wants_alpha = options_.channels % 2 == 0, wants_colour = options_.channels >= 3;
  const bool wide = options_.dtype == DType::u16;
  run([=, this] {
    png_set_expand(png_);  // palettes, depths below 8, transparency as alpha
    if (!wide) png_set_strip_16(png_);
    if (wide) png_set_expand_16(png_);
    if (wants_colour && !is_colour) png_set_gray_to_rgb(png_);
    if (!wants_colour && is_colour) png_set_rgb_to_gray_fixed(png_, 1, 29900, 58700);
    if (!wants_alpha && has_alpha) png_set_strip_alpha(png_);
    if (wants_alpha && !has_alpha) png_set_add_alpha(png_, wide ? 0xffff : 0xff, PNG_FILLER_AFTER);
    if (wide) png_set_swap(png_);  // the file's order is big-endian
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
  });
}

Literal PngReader::read() {
  open();
  check_claim();
  convert();
  const auto height = static_cast<int64_t>(png_get_image_height(png_, info_));
  const auto width = static_cast<int64_t>(png_get_image_width(png_, info_));
  Literal result(options_.dtype, Shape{height, width, options_.channels});
  const size_t row_bytes = result.byte_size() / static_cast<size_t>(height);
  ensure(png_get_rowbytes(png_, info_) == row_bytes, "libpng's rows are as long as ours");
  std::vector<png_bytep> rows(static_cast<size_t>(height));
  for (size_t y = 0; y < rows.size(); ++y) {
    rows[y] = reinterpret_cast<png_bytep>(result.mutable_raw()) + y * row_bytes;
  }
  run([&] {
    png_read_image(png_, rows.data());
    png_read_end(png_, nullptr);
  });
  return result;
}

}  // namespace

Literal decode_png(std::string_view bytes, const DecodePngOptions& options,
                   SourceLocation location) {
  const ErrorScope scope("decode_png", location);
  check_options(options);
  check_format(Format::png, bytes);
  return PngReader(bytes, options).read();
}

}  // namespace image
}  // namespace systolic::inline v0
