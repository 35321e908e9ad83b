#include "systolic/storage/jwt.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>

#include "systolic/base/error.h"
#include "systolic/io/encoding/base64.h"

namespace systolic::inline v0 {
namespace storage {
namespace {

struct Free {
  void operator()(BIO* bio) const { ::BIO_free(bio); }
  void operator()(EVP_PKEY* key) const { ::EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { ::EVP_MD_CTX_free(context); }
};

std::string rs256(std::string_view text, const std::string& private_key_pem) {
  const std::unique_ptr<BIO, Free> bio(
      ::BIO_new_mem_buf(private_key_pem.data(), static_cast<int>(private_key_pem.size())));
  // An encrypted key asks for no passphrase: there is nobody to type one.
  const auto no_passphrase = [](char*, int, int, void*) { return 0; };
  const std::unique_ptr<EVP_PKEY, Free> key(
      ::PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr));
  if (key == nullptr || ::EVP_PKEY_base_id(key.get()) != EVP_PKEY_RSA) {
    raise<InvalidArgument>({.what = "the private key is not an RSA key in PEM form"});
  }
  const std::unique_ptr<EVP_MD_CTX, Free> context(::EVP_MD_CTX_new());
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  size_t size = 0;
  std::string signature;
  bool signed_well =
      ::EVP_DigestSignInit(context.get(), nullptr, ::EVP_sha256(), nullptr, key.get()) == 1 &&
      ::EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size()) == 1;
  if (signed_well) {
    signature.resize(size);
    signed_well =
        ::EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                         bytes, text.size()) == 1;
    signature.resize(size);
  }
  if (!signed_well) raise<InvalidArgument>({.what = "the private key does not sign"});
  return signature;
}

}  // namespace

std::string base64_of_urls(std::string_view bytes) {
  std::string text = io::base64(bytes);
  while (!text.empty() && text.back() == '=') text.pop_back();
  for (char& c : text) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return text;
}

std::string signed_token(std::string_view header_json, std::string_view claims_json,
                         const std::string& private_key_pem) {
  const std::string text = base64_of_urls(header_json) + "." + base64_of_urls(claims_json);
  return text + "." + base64_of_urls(rs256(text, private_key_pem));
}

}  // namespace storage
}  // namespace systolic::inline v0
