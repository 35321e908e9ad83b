// RFC 1321's examples, and OpenSSL's digests of repeated letters.
#include "systolic/io/encoding/md5.h"

#include <gtest/gtest.h>

namespace systolic {
namespace {

std::string md5_of(const std::string& text, size_t piece) {
  io::Md5 hash;
  for (size_t at = 0; at < text.size(); at += piece)
    hash.add(std::string_view(text).substr(at, piece));
  return hash.digest();
}

TEST(Md5, PublishedDigests) {
  const std::pair<std::string, const char*> table[] = {
      {"", "d41d8cd98f00b204e9800998ecf8427e"},
      {"a", "0cc175b9c0f1b6a831c399e269772661"},
      {"abc", "900150983cd24fb0d6963f7d28e17f72"},
      {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
      {"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
      {std::string(55, 'a'), "ef1772b6dff9a122358552954ad0df65"},
      {std::string(56, 'a'), "3b0c8ac703f828b04c6c197006d17218"},
      {std::string(57, 'a'), "652b906d60af96844ebd21b674f35e93"},
      {std::string(63, 'a'), "b06521f39153d618550606be297466d5"},
      {std::string(64, 'a'), "014842d480b571495a4a0363793f7367"},
      {std::string(65, 'a'), "c743a45e0d2e6a95cb859adae0248435"},
      {std::string(1000, 'a'), "cabe45dcc9ae5b66ba86600cca6b8ba8"},
  };
  for (const auto& [text, digest] : table) {
    for (const size_t piece : {size_t{1}, size_t{63}, size_t{64}, size_t{1} << 20})
      EXPECT_EQ(md5_of(text, piece), digest) << text.size() << " in pieces of " << piece;
  }
}

}  // namespace
}  // namespace systolic
