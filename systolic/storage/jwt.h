// Signed claims about oneself (JSON Web Token, RFC 7519), as Google's token server takes them from
// service accounts.
#pragma once

#include <string>
#include <string_view>

namespace systolic::inline v0 {
namespace storage {

// header.claims.signature by RS256 (RFC 7518, 3.3): RSA, PKCS #1 v1.5, SHA-256. InvalidArgument for
// a key that is not one.
std::string signed_token(std::string_view header_json, std::string_view claims_json,
                         const std::string& private_key_pem);

// Base64 without padding, with '-' and '_' (RFC 4648, 5).
std::string base64_of_urls(std::string_view bytes);

}  // namespace storage
}  // namespace systolic::inline v0
