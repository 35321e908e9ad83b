#include "systolic/image/codecs/decode_jpeg.h"

#include "systolic/base/error.h"
#include "systolic/image/codecs/format.h"
#include "systolic/image/codecs/jpeg_reader.h"

namespace systolic::inline v0 {
namespace image {

Literal decode_jpeg(std::string_view bytes, const DecodeJpegOptions& options,
                    SourceLocation location) {
  const ErrorScope scope("decode_jpeg", location);
  check_format(Format::jpeg, bytes);
  JpegReader reader(bytes, options);
  Literal result(DType::u8, Shape{reader.height(), reader.width(), reader.channels()});
  reader.read(result.mutable_data<uint8_t>().data());
  return result;
}

}  // namespace image
}  // namespace systolic::inline v0
