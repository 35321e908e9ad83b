// FIPS 180-4's examples, and OpenSSL's digests of repeated letters.
#include "systolic/io/encoding/sha256.h"

#include <gtest/gtest.h>

namespace systolic {
namespace {

std::string digest_of(const std::string& text, size_t piece) {
  io::Sha256 hash;
  for (size_t at = 0; at < text.size(); at += piece)
    hash.add(std::string_view(text).substr(at, piece));
  return hash.digest();
}

TEST(Sha256, PublishedDigests) {
  const std::pair<std::string, const char*> table[] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {std::string(55, 'a'), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
      {std::string(56, 'a'), "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
      {std::string(57, 'a'), "f13b2d724659eb3bf47f2dd6af1accc87b81f09f59f2b75e5c0bed6589dfe8c6"},
      {std::string(63, 'a'), "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
      {std::string(64, 'a'), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
      {std::string(65, 'a'), "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"},
      {std::string(1000, 'a'), "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"},
  };
  for (const auto& [text, digest] : table) {
    for (const size_t piece : {size_t{1}, size_t{63}, size_t{64}, size_t{1} << 20})
      EXPECT_EQ(digest_of(text, piece), digest) << text.size() << " in pieces of " << piece;
  }
}

}  // namespace
}  // namespace systolic
