#include "systolic/image/codecs/jpeg_reader.h"

#include <jpeglib.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>
// After jpeglib.h: it declares nothing by itself.
#include <jerror.h>

#include "systolic/base/error.h"
#include "systolic/image/codecs/format.h"

namespace systolic::inline v0 {
namespace image {
namespace {

// Why libjpeg stopped.
enum class Stop : uint8_t { error, truncated, scans };

// libjpeg calls back with its own struct; ours begins with it.
struct ErrorManager {
  jpeg_error_mgr base;
  std::jmp_buf jump;
  std::array<char, JMSG_LENGTH_MAX> message;
  Stop stop;
  bool accepts_truncation;
};

struct ScanLimit {
  jpeg_progress_mgr base;
  int max_scans;
};

ErrorManager& manager_of(j_common_ptr info) { return *reinterpret_cast<ErrorManager*>(info->err); }

[[noreturn]] void leave(j_common_ptr info, Stop stop) {
  ErrorManager& manager = manager_of(info);
  manager.stop = stop;
  info->err->format_message(info, manager.message.data());
  std::longjmp(manager.jump, 1);
}

// libjpeg's own would call exit().
void on_error(j_common_ptr info) { leave(info, Stop::error); }

// Warnings are damage that decoders tolerate, as TensorFlow's and Pillow's do; but the end of the
// bytes before the end of the picture looks like a download that broke off.
void on_message(j_common_ptr info, int level) {
  if (level >= 0) return;
  ++info->err->num_warnings;
  if (info->err->msg_code == JWRN_JPEG_EOF && !manager_of(info).accepts_truncation) {
    leave(info, Stop::truncated);
  }
}

void on_progress(j_common_ptr info) {
  const auto* limit = reinterpret_cast<const ScanLimit*>(info->progress);
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number > limit->max_scans) {
    leave(info, Stop::scans);
  }
}

void quiet(j_common_ptr) {}

void check_options(const DecodeJpegOptions& options) {
  if (options.channels != 0 && options.channels != 1 && options.channels != 3) {
    raise<InvalidArgument>({.what = str("decode_jpeg to ", options.channels, " channels"),
                            .wanted = "0 (those of the file), 1 or 3"});
  }
  const int ratio = options.ratio;
  if (ratio != 1 && ratio != 2 && ratio != 4 && ratio != 8) {
    raise<InvalidArgument>(
        {.what = str("decode_jpeg with ratio ", ratio), .wanted = "1, 2, 4 or 8"});
  }
  if (ratio != 1 && (options.min_height > 0 || options.min_width > 0)) {
    raise<InvalidArgument>({.what = "decode_jpeg with both ratio and min_height or min_width",
                            .wanted = "one of them"});
  }
}

// The smallest of 1, 2, 4 and 8 eighths that leaves the wanted rows and columns; 8 where the file
// has fewer. libjpeg-turbo has other eighths, but without SIMD: 5 take longer than 8.
unsigned int eighths(const DecodeJpegOptions& options, int64_t height, int64_t width) {
  if (options.ratio != 1) return static_cast<unsigned int>(8 / options.ratio);
  if (options.min_height <= 0 && options.min_width <= 0) return 8;
  unsigned int m = 1;
  while (m < 8 &&
         ((height * m + 7) / 8 < options.min_height || (width * m + 7) / 8 < options.min_width)) {
    m *= 2;
  }
  return m;
}

// As TensorFlow and Pillow convert: files of Adobe's programs store the complement.
void cmyk_to_rgb(const uint8_t* cmyk, int64_t pixels, bool inverted, int64_t channels,
                 uint8_t* out) {
  for (int64_t i = 0; i < pixels; ++i, cmyk += 4, out += channels) {
    std::array<int, 3> rgb;
    for (size_t c = 0; c < 3; ++c) {
      rgb[c] = inverted ? cmyk[3] * cmyk[c] / 255 : (255 - cmyk[3]) * (255 - cmyk[c]) / 255;
    }
    if (channels == 3) {
      for (size_t c = 0; c < 3; ++c) out[c] = static_cast<uint8_t>(rgb[c]);
    } else {  // ITU-R BT.601's luma, in libjpeg's fixed point
      out[0] =
          static_cast<uint8_t>((19595 * rgb[0] + 38470 * rgb[1] + 7471 * rgb[2] + 32768) >> 16);
    }
  }
}

}  // namespace

struct JpegReader::State {
  State() = default;
  ~State() { jpeg_destroy_decompress(&info); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // The one place where libjpeg's errors land. `step` calls libjpeg and nothing else: a jump out of
  // it runs no destructors.
  template <class Step>
  __attribute__((noinline)) bool finishes(const Step& step) {
    if (setjmp(errors.jump) != 0) return false;
    step();
    return true;
  }
  template <class Step>
  void run(const Step& step) {
    if (!finishes(step)) fail();
  }
  [[noreturn]] void fail() const;
  void open(std::string_view bytes, const DecodeJpegOptions& options);
  void choose_output(const DecodeJpegOptions& options);
  void check_claim(size_t file_bytes, int64_t max_pixels) const;

  jpeg_decompress_struct info{};
  ErrorManager errors{};
  ScanLimit scans{};
  bool is_cmyk = false;
  int64_t channels = 0;
};

void JpegReader::State::open(std::string_view bytes, const DecodeJpegOptions& options) {
  info.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = on_error;
  errors.base.emit_message = on_message;
  errors.base.output_message = quiet;
  errors.accepts_truncation = options.try_recover_truncated;
  scans.base.progress_monitor = on_progress;
  scans.max_scans = options.max_scans;
  run([&] {
    jpeg_create_decompress(&info);
    info.progress = &scans.base;
    jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()),
                 static_cast<unsigned long>(bytes.size()));
    jpeg_read_header(&info, TRUE);
  });
  check_claim(bytes.size(), options.max_pixels);
  choose_output(options);
  run([&] { jpeg_calc_output_dimensions(&info); });
}

void JpegReader::State::fail() const {
  if (errors.stop == Stop::scans) {
    raise<ResourceExhausted>(
        {.what = "a progressive JPEG image has more passes than a picture needs",
         .wanted = str("at most ", scans.max_scans),
         .hint = "raise max_scans in decode_jpeg's options if it may be so"});
  }
  const bool truncated = errors.stop == Stop::truncated;
  raise<DataLoss>(
      {.what = truncated ? "a JPEG image ends before its last row"
                         : str("a JPEG image cannot be decoded: ", errors.message.data()),
       .hint = truncated ? "decode_jpeg(..., {.try_recover_truncated = true}) takes what is there"
                         : remedy_of_damage});
}

// Every block of 8 × 8 samples takes at least one bit, except in arithmetic coding: a size beyond
// that is false, and is not allocated.
void JpegReader::State::check_claim(size_t file_bytes, int64_t max_pixels) const {
  const auto height = static_cast<int64_t>(info.image_height);
  const auto width = static_cast<int64_t>(info.image_width);
  check_size("JPEG", height, width, max_pixels);
  if (!errors.accepts_truncation && info.arith_code == 0 &&
      static_cast<uint64_t>(height / 8) * static_cast<uint64_t>(width / 8) > 8 * file_bytes) {
    raise<DataLoss>({.what = str("a JPEG image of ", file_bytes, " bytes claims ", height, " × ",
                                 width, " pixels"),
                     .wanted = "at least one bit for each block of 8 × 8"});
  }
}

void JpegReader::State::choose_output(const DecodeJpegOptions& options) {
  is_cmyk = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
  if (info.num_components != 1 && info.num_components != 3 && !is_cmyk) {
    raise<Unimplemented>({.what = str("a JPEG image of ", info.num_components, " components"),
                          .wanted = "1, 3, or 4 as CMYK",
                          .hint = remedy_of_damage});
  }
  channels = options.channels != 0 ? options.channels : info.num_components == 1 ? 1 : 3;
  info.out_color_space = is_cmyk ? JCS_CMYK : channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  info.dct_method = options.dct == Dct::fast ? JDCT_IFAST : JDCT_ISLOW;
  info.do_fancy_upsampling = options.fancy_upscaling ? TRUE : FALSE;
  info.scale_num = eighths(options, info.image_height, info.image_width);
  info.scale_denom = 8;
}

JpegReader::JpegReader(std::string_view bytes, const DecodeJpegOptions& options) {
  check_options(options);
  state_ = std::make_unique<State>();
  state_->open(bytes, options);
}

JpegReader::~JpegReader() = default;

int64_t JpegReader::height() const { return state_->info.output_height; }
int64_t JpegReader::width() const { return state_->info.output_width; }
int64_t JpegReader::channels() const { return state_->channels; }

void JpegReader::read(uint8_t* pixels) {
  State& state = *state_;
  j_decompress_ptr info = &state.info;
  const int64_t width = this->width(), row_bytes = width * channels();
  std::vector<uint8_t> cmyk(state.is_cmyk ? static_cast<size_t>(4 * width) : 0);
  state.run([&] { jpeg_start_decompress(info); });
  while (info->output_scanline < info->output_height) {
    if (state.is_cmyk) {
      uint8_t* row = cmyk.data();
      state.run([&] { jpeg_read_scanlines(info, &row, 1); });
      cmyk_to_rgb(row, width, info->saw_Adobe_marker != 0, channels(), pixels);
      pixels += row_bytes;
    } else {
      std::array<uint8_t*, 16> rows;
      for (size_t i = 0; i < rows.size(); ++i) {
        rows[i] = pixels + static_cast<int64_t>(i) * row_bytes;
      }
      const JDIMENSION before = info->output_scanline;
      const auto wanted = std::min<JDIMENSION>(rows.size(), info->output_height - before);
      state.run([&] { jpeg_read_scanlines(info, rows.data(), wanted); });
      pixels += static_cast<int64_t>(info->output_scanline - before) * row_bytes;
    }
  }
}

}  // namespace image
}  // namespace systolic::inline v0
