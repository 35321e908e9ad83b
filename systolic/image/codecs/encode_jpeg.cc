#include "systolic/image/codecs/encode_jpeg.h"

#include <jpeglib.h>

#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "systolic/base/error.h"
#include "systolic/image/data_format.h"

namespace systolic::inline v0 {
namespace image {
namespace {

struct ErrorManager {
  jpeg_error_mgr base;
  std::jmp_buf jump;
  std::array<char, JMSG_LENGTH_MAX> message;
};

[[noreturn]] void on_error(j_common_ptr info) {
  auto& manager = *reinterpret_cast<ErrorManager*>(info->err);
  info->err->format_message(info, manager.message.data());
  std::longjmp(manager.jump, 1);
}

struct Encoder {
  Encoder() = default;
  ~Encoder() {
    jpeg_destroy_compress(&info);
    std::free(bytes);
  }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  // The one place where libjpeg's errors land; nothing here has a destructor.
  __attribute__((noinline)) bool encode(const uint8_t* pixels, const EncodeJpegOptions& options) {
    if (setjmp(errors.jump) != 0) return false;
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &bytes, &size);
    info.image_height = height;
    info.image_width = width;
    info.input_components = channels;
    info.in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, options.quality, TRUE);
    if (!options.chroma_downsampling) {
      info.comp_info[0].h_samp_factor = info.comp_info[0].v_samp_factor = 1;
    }
    if (options.progressive) jpeg_simple_progression(&info);
    info.optimize_coding = TRUE;
    jpeg_start_compress(&info, TRUE);
    while (info.next_scanline < info.image_height) {
      auto* row = const_cast<uint8_t*>(pixels) +
                  size_t{info.next_scanline} * width * static_cast<unsigned int>(channels);
      jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    return true;
  }

  jpeg_compress_struct info{};
  ErrorManager errors{};
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  JDIMENSION height = 0, width = 0;
  int channels = 0;
};

}  // namespace

std::string encode_jpeg(const Literal& picture, const EncodeJpegOptions& options,
                        SourceLocation location) {
  const ErrorScope scope("encode_jpeg", location);
  const Extent extent = extent_of("encode_jpeg", picture);
  if (extent.has_batch || picture.dtype() != DType::u8 ||
      (extent.channels != 1 && extent.channels != 3) || extent.height > JPEG_MAX_DIMENSION ||
      extent.width > JPEG_MAX_DIMENSION) {
    raise<InvalidArgument>({.what = str("a picture of ", picture.dtype(), " ", picture.shape()),
                            .wanted = "u8 [height, width, 1 or 3], sides up to 65500"});
  }
  if (options.quality < 1 || options.quality > 100) {
    raise<InvalidArgument>({.what = str("quality ", options.quality), .wanted = "1 to 100"});
  }
  Encoder encoder;
  encoder.info.err = jpeg_std_error(&encoder.errors.base);
  encoder.errors.base.error_exit = on_error;
  encoder.height = static_cast<JDIMENSION>(extent.height);
  encoder.width = static_cast<JDIMENSION>(extent.width);
  encoder.channels = static_cast<int>(extent.channels);
  if (!encoder.encode(picture.data<uint8_t>().data(), options)) {
    raise<Internal>({.what = str("libjpeg: ", encoder.errors.message.data())});
  }
  return std::string(reinterpret_cast<char*>(encoder.bytes), encoder.size);
}

}  // namespace image
}  // namespace systolic::inline v0
