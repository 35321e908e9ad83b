// keras.ops against ops::, function by function: data/ops.json has a case for each row.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "golden_file.h"
#include "systolic/ops/ops.h"

namespace systolic {
namespace {

using Inputs = std::vector<Tensor>;
using Call = Tensor (*)(const Inputs& in);

struct OpRow {
  const char* name;
  Call call;
};

// clang-format off
constexpr OpRow elementwise_rows[] = {
    {"absolute", [](const Inputs& in) { return ops::absolute(in[0]); }},
    {"fabs", [](const Inputs& in) { return ops::fabs(in[0]); }},
    {"angle", [](const Inputs& in) { return ops::angle(in[0]); }},
    {"arccos", [](const Inputs& in) { return ops::arccos(in[0]); }},
    {"arccosh", [](const Inputs& in) { return ops::arccosh(in[0]); }},
    {"arcsin", [](const Inputs& in) { return ops::arcsin(in[0]); }},
    {"arcsinh", [](const Inputs& in) { return ops::arcsinh(in[0]); }},
    {"arctan", [](const Inputs& in) { return ops::arctan(in[0]); }},
    {"arctanh", [](const Inputs& in) { return ops::arctanh(in[0]); }},
    {"bitwise_invert", [](const Inputs& in) { return ops::bitwise_invert(in[0]); }},
    {"cbrt", [](const Inputs& in) { return ops::cbrt(in[0]); }},
    {"conj", [](const Inputs& in) { return ops::conj(in[0]); }},
    {"cosh", [](const Inputs& in) { return ops::cosh(in[0]); }},
    {"deg2rad", [](const Inputs& in) { return ops::deg2rad(in[0]); }},
    {"erfc", [](const Inputs& in) { return ops::erfc(in[0]); }},
    {"erfinv", [](const Inputs& in) { return ops::erfinv(in[0]); }},
    {"exp2", [](const Inputs& in) { return ops::exp2(in[0]); }},
    {"i0", [](const Inputs& in) { return ops::i0(in[0]); }},
    {"imag", [](const Inputs& in) { return ops::imag(in[0]); }},
    {"isfinite", [](const Inputs& in) { return ops::isfinite(in[0]); }},
    {"isinf", [](const Inputs& in) { return ops::isinf(in[0]); }},
    {"isnan", [](const Inputs& in) { return ops::isnan(in[0]); }},
    {"isneginf", [](const Inputs& in) { return ops::isneginf(in[0]); }},
    {"isposinf", [](const Inputs& in) { return ops::isposinf(in[0]); }},
    {"isreal", [](const Inputs& in) { return ops::isreal(in[0]); }},
    {"log10", [](const Inputs& in) { return ops::log10(in[0]); }},
    {"log2", [](const Inputs& in) { return ops::log2(in[0]); }},
    {"negative", [](const Inputs& in) { return ops::negative(in[0]); }},
    {"rad2deg", [](const Inputs& in) { return ops::rad2deg(in[0]); }},
    {"real", [](const Inputs& in) { return ops::real(in[0]); }},
    {"reciprocal", [](const Inputs& in) { return ops::reciprocal(in[0]); }},
    {"signbit", [](const Inputs& in) { return ops::signbit(in[0]); }},
    {"sinc", [](const Inputs& in) { return ops::sinc(in[0]); }},
    {"sinh", [](const Inputs& in) { return ops::sinh(in[0]); }},
    {"trunc", [](const Inputs& in) { return ops::trunc(in[0]); }},
    {"hard_shrink", [](const Inputs& in) { return ops::hard_shrink(in[0]); }},
    {"soft_shrink", [](const Inputs& in) { return ops::soft_shrink(in[0]); }},
    {"hard_swish", [](const Inputs& in) { return ops::hard_swish(in[0]); }},
    {"log_sigmoid", [](const Inputs& in) { return ops::log_sigmoid(in[0]); }},
    {"sparse_plus", [](const Inputs& in) { return ops::sparse_plus(in[0]); }},
    {"sparse_sigmoid", [](const Inputs& in) { return ops::sparse_sigmoid(in[0]); }},
    {"squareplus", [](const Inputs& in) { return ops::squareplus(in[0]); }},
    {"swish", [](const Inputs& in) { return ops::swish(in[0]); }},
    {"tanh_shrink", [](const Inputs& in) { return ops::tanh_shrink(in[0]); }},
    {"glu", [](const Inputs& in) { return ops::glu(in[0]); }},
    {"sparsemax", [](const Inputs& in) { return ops::sparsemax(in[0]); }},
    {"arctan2", [](const Inputs& in) { return ops::arctan2(in[0], in[1]); }},
    {"bitwise_and", [](const Inputs& in) { return ops::bitwise_and(in[0], in[1]); }},
    {"bitwise_or", [](const Inputs& in) { return ops::bitwise_or(in[0], in[1]); }},
    {"bitwise_xor", [](const Inputs& in) { return ops::bitwise_xor(in[0], in[1]); }},
    {"floor_divide", [](const Inputs& in) { return ops::floor_divide(in[0], in[1]); }},
    {"fmax", [](const Inputs& in) { return ops::fmax(in[0], in[1]); }},
    {"fmin", [](const Inputs& in) { return ops::fmin(in[0], in[1]); }},
    {"fmod", [](const Inputs& in) { return ops::fmod(in[0], in[1]); }},
    {"gcd", [](const Inputs& in) { return ops::gcd(in[0], in[1]); }},
    {"greater_equal", [](const Inputs& in) { return ops::greater_equal(in[0], in[1]); }},
    {"heaviside", [](const Inputs& in) { return ops::heaviside(in[0], in[1]); }},
    {"hypot", [](const Inputs& in) { return ops::hypot(in[0], in[1]); }},
    {"lcm", [](const Inputs& in) { return ops::lcm(in[0], in[1]); }},
    {"ldexp", [](const Inputs& in) { return ops::ldexp(in[0], in[1]); }},
    {"less_equal", [](const Inputs& in) { return ops::less_equal(in[0], in[1]); }},
    {"logaddexp", [](const Inputs& in) { return ops::logaddexp(in[0], in[1]); }},
    {"logaddexp2", [](const Inputs& in) { return ops::logaddexp2(in[0], in[1]); }},
    {"mod", [](const Inputs& in) { return ops::mod(in[0], in[1]); }},
    {"nextafter", [](const Inputs& in) { return ops::nextafter(in[0], in[1]); }},
    {"power", [](const Inputs& in) { return ops::power(in[0], in[1]); }},
    {"true_divide", [](const Inputs& in) { return ops::true_divide(in[0], in[1]); }},
    {"isclose", [](const Inputs& in) { return ops::isclose(in[0], in[1]); }},
    {"bitwise_left_shift", [](const Inputs& in) { return ops::bitwise_left_shift(in[0], 2); }},
    {"bitwise_right_shift", [](const Inputs& in) { return ops::bitwise_right_shift(in[0], 1); }},
    {"logical_xor", [](const Inputs& in) { return ops::logical_xor(in[0] > 0, in[1] > 0); }},
    {"saturate_cast", [](const Inputs& in) { return ops::saturate_cast(100 * in[0], DType::u8); }},
    {"nan_to_num", [](const Inputs& in) { return ops::nan_to_num(in[0], {.nan = 0.5, .posinf = 9.0, .neginf = -9.0}); }},
    {"threshold", [](const Inputs& in) { return ops::threshold(in[0], 0.5, -1.0); }},
};

constexpr OpRow fold_rows[] = {
    {"amax", [](const Inputs& in) { return ops::amax(in[0]); }},
    {"amin", [](const Inputs& in) { return ops::amin(in[0]); }},
    {"count_nonzero", [](const Inputs& in) { return ops::count_nonzero(in[0]); }},
    {"logsumexp", [](const Inputs& in) { return ops::logsumexp(in[0]); }},
    {"median", [](const Inputs& in) { return ops::median(in[0]); }},
    {"ptp", [](const Inputs& in) { return ops::ptp(in[0]); }},
    {"std", [](const Inputs& in) { return ops::std(in[0]); }},
    {"var", [](const Inputs& in) { return ops::var(in[0]); }},
    {"average", [](const Inputs& in) { return ops::average(in[0]); }},
    {"nansum", [](const Inputs& in) { return ops::nansum(in[0]); }},
    {"nanprod", [](const Inputs& in) { return ops::nanprod(in[0]); }},
    {"diff", [](const Inputs& in) { return ops::diff(in[0]); }},
    {"trapezoid", [](const Inputs& in) { return ops::trapezoid(in[0]); }},
    {"corrcoef", [](const Inputs& in) { return ops::corrcoef(in[0]); }},
    {"normalize", [](const Inputs& in) { return ops::normalize(in[0], 0, 3); }},
    {"norm of order 1", [](const Inputs& in) { return ops::norm(in[0], 1, {.axis = {1}}); }},
    {"cumprod", [](const Inputs& in) { return ops::cumprod(in[0], 1); }},
    {"std of an axis", [](const Inputs& in) { return ops::std(in[0], {.axis = {0}, .keepdims = true}); }},
    {"average with weights", [](const Inputs& in) { return ops::average(in[0], in[1], {.axis = {1}}); }},
    {"quantile", [](const Inputs& in) { return ops::quantile(in[0], std::vector<double>{0.2, 0.75}, {.axis = {1}}); }},
    {"quantile nearest", [](const Inputs& in) { return ops::quantile(in[0], 0.6, {.axis = {0}}, "nearest"); }},
    {"median of axes", [](const Inputs& in) { return ops::median(in[0], {.axis = {0, 2}, .keepdims = true}); }},
    {"nanmean", [](const Inputs& in) { return ops::nanmean(in[0], {.axis = {1}}); }},
    {"nanvar", [](const Inputs& in) { return ops::nanvar(in[0], {.axis = {0}}); }},
    {"nanmax", [](const Inputs& in) { return ops::nanmax(in[0], {.axis = {1}}); }},
    {"nanmin", [](const Inputs& in) { return ops::nanmin(in[0], {.axis = {1}}); }},
    {"nanstd", [](const Inputs& in) { return ops::nanstd(in[0]); }},
    {"nanmedian", [](const Inputs& in) { return ops::nanmedian(in[0], {.axis = {1}}); }},
    {"nanargmax", [](const Inputs& in) { return ops::nanargmax(in[0], 1); }},
    {"nancumsum", [](const Inputs& in) { return ops::nancumsum(in[0], 1); }},
    {"nanquantile", [](const Inputs& in) { return ops::nanquantile(in[0], 0.3, {.axis = {1}}); }},
    {"moments", [](const Inputs& in) { return ops::moments(in[0], {.axis = {0}}).variance; }},
    {"psnr", [](const Inputs& in) { return ops::psnr(in[0], in[1], 2); }},
};

constexpr OpRow movement_rows[] = {
    {"hstack", [](const Inputs& in) { return ops::hstack(std::vector<Tensor>{in[0], in[1]}); }},
    {"vstack", [](const Inputs& in) { return ops::vstack(std::vector<Tensor>{in[0], in[1]}); }},
    {"dstack", [](const Inputs& in) { return ops::dstack(std::vector<Tensor>{in[0], in[1]}); }},
    {"append", [](const Inputs& in) { return ops::append(in[0], in[1]); }},
    {"fliplr", [](const Inputs& in) { return ops::fliplr(in[0]); }},
    {"flipud", [](const Inputs& in) { return ops::flipud(in[0]); }},
    {"ravel", [](const Inputs& in) { return ops::ravel(in[0]); }},
    {"trace", [](const Inputs& in) { return ops::trace(in[0]); }},
    {"tril", [](const Inputs& in) { return ops::tril(in[0]); }},
    {"triu", [](const Inputs& in) { return ops::triu(in[0]); }},
    {"rot90", [](const Inputs& in) { return ops::rot90(in[0]); }},
    {"diag", [](const Inputs& in) { return ops::diag(in[0]); }},
    {"diagflat", [](const Inputs& in) { return ops::diagflat(in[0]); }},
    {"moveaxis", [](const Inputs& in) { return ops::moveaxis(in[0], {0, 2}, {1, 0}); }},
    {"swapaxes", [](const Inputs& in) { return ops::swapaxes(in[0], 0, -1); }},
    {"roll", [](const Inputs& in) { return ops::roll(in[0], 2, 1); }},
    {"roll flat", [](const Inputs& in) { return ops::roll(in[0], -3); }},
    {"repeat", [](const Inputs& in) { return ops::repeat(in[0], 2, 1); }},
    {"take", [](const Inputs& in) { return ops::take(in[0], in[1], 0); }},
    {"split", [](const Inputs& in) { return ops::split(in[0], std::vector<int64_t>{1, 3}, 1)[1]; }},
    {"array_split", [](const Inputs& in) { return ops::array_split(in[0], 3, 1)[0]; }},
    {"unstack", [](const Inputs& in) { return ops::unstack(in[0], 1)[2]; }},
    {"pad reflect", [](const Inputs& in) { return ops::pad(in[0], {{1, 2}, {0, 3}}, ops::PadMode::reflect); }},
    {"pad symmetric", [](const Inputs& in) { return ops::pad(in[0], {{2, 0}, {3, 1}}, ops::PadMode::symmetric); }},
    {"diagonal", [](const Inputs& in) { return ops::diagonal(in[0], 1, 0, 2); }},
    {"diag of a vector", [](const Inputs& in) { return ops::diag(in[0], -1); }},
    {"extract_sequences", [](const Inputs& in) { return ops::extract_sequences(in[0], 3, 2); }},
    {"unravel_index", [](const Inputs& in) { return ops::unravel_index(in[0], {3, 4})[1]; }},
    {"select", [](const Inputs& in) { return ops::select({in[0] > 1, in[1] > 0}, {in[0], in[1]}, 7); }},
    {"rearrange", [](const Inputs& in) { return ops::rearrange(in[0], "b (h w) c -> (b h) c w", {{"h", 3}}); }},
};

constexpr OpRow search_rows[] = {
    {"argsort", [](const Inputs& in) { return ops::argsort(in[0]); }},
    {"isin", [](const Inputs& in) { return ops::isin(in[0], in[1]); }},
    {"searchsorted", [](const Inputs& in) { return ops::searchsorted(constant({-1.f, 0.f, 0.5f, 1.f}), in[0], true); }},
    {"digitize", [](const Inputs& in) { return ops::digitize(in[0], {-1, 0, 0.5}); }},
    {"bincount", [](const Inputs& in) { return ops::bincount(in[0], 9); }},
    {"histogram", [](const Inputs& in) { return ops::histogram(in[0], 4).counts; }},
    {"in_top_k", [](const Inputs& in) { return ops::in_top_k(in[0], in[1], 2); }},
    {"segment_sum", [](const Inputs& in) { return ops::segment_sum(in[0], in[1], 4); }},
    {"segment_max", [](const Inputs& in) { return ops::segment_max(in[0], in[1], 3); }},
    {"scatter", [](const Inputs& in) { return ops::scatter(in[0], in[1], {3, 4}); }},
    {"scatter_update", [](const Inputs& in) { return ops::scatter_update(in[0], in[1], in[2]); }},
};

constexpr OpRow creation_rows[] = {
    {"vander", [](const Inputs& in) { return ops::vander(in[0]); }},
    {"arange", [](const Inputs&) { return ops::arange(-1.0, 2.0, 0.4); }},
    {"eye", [](const Inputs&) { return ops::eye(3, 4, 1); }},
    {"tri", [](const Inputs&) { return ops::tri(3, 4, -1); }},
    {"linspace", [](const Inputs&) { return ops::linspace(-1, 2, 7, false); }},
    {"logspace", [](const Inputs&) { return ops::logspace(0, 2, 5); }},
    {"geomspace", [](const Inputs&) { return ops::geomspace(1, 16, 5); }},
    {"bartlett", [](const Inputs&) { return ops::bartlett(7); }},
    {"blackman", [](const Inputs&) { return ops::blackman(7); }},
    {"hamming", [](const Inputs&) { return ops::hamming(7); }},
    {"hanning", [](const Inputs&) { return ops::hanning(7); }},
    {"kaiser", [](const Inputs&) { return ops::kaiser(7, 5); }},
    {"meshgrid", [](const Inputs& in) { return ops::meshgrid({in[0], in[1]})[1]; }},
};

constexpr OpRow matrix_rows[] = {
    {"vdot", [](const Inputs& in) { return ops::vdot(in[0], in[1]); }},
    {"inner", [](const Inputs& in) { return ops::inner(in[0], in[1]); }},
    {"kron", [](const Inputs& in) { return ops::kron(in[0], in[1]); }},
    {"outer", [](const Inputs& in) { return ops::outer(in[0], in[1]); }},
    {"dot", [](const Inputs& in) { return ops::dot(in[0], in[1]); }},
    {"cross", [](const Inputs& in) { return ops::cross(in[0], in[1]); }},
    {"cdist", [](const Inputs& in) { return ops::cdist(in[0], in[1]); }},
    {"correlate", [](const Inputs& in) { return ops::correlate(in[0], in[1]); }},
    {"solve", [](const Inputs& in) { return ops::solve(in[0], in[1]); }},
    {"inv", [](const Inputs& in) { return ops::inv(in[0]); }},
    {"det", [](const Inputs& in) { return ops::det(in[0]); }},
    {"cholesky", [](const Inputs& in) { return ops::cholesky(in[0]); }},
    {"logdet", [](const Inputs& in) { return ops::logdet(in[0]); }},
    {"tensordot", [](const Inputs& in) { return ops::tensordot(in[0], in[1], {{1, 2}, {2, 1}}); }},
    {"correlate same", [](const Inputs& in) { return ops::correlate(in[0], in[1], ops::CorrelateMode::same); }},
    {"correlate full", [](const Inputs& in) { return ops::correlate(in[0], in[1], ops::CorrelateMode::full); }},
    {"slogdet", [](const Inputs& in) { return ops::slogdet(in[0]).logabsdet; }},
    {"cholesky_inverse", [](const Inputs& in) { return ops::cholesky_inverse(ops::cholesky(in[0])); }},
    {"solve_triangular", [](const Inputs& in) { return ops::solve_triangular(in[0], in[1], true); }},
    {"associative_scan", [](const Inputs& in) {
       return ops::associative_scan([](const Tensor& a, const Tensor& b) { return a + b; }, in[0], true, 1); }},
    {"scan", [](const Inputs& in) {
       const auto step = [](const Tensors& c, const Tensor& x) { return std::pair(Tensors{c[0] + x}, c[0] * x); };
       return ops::scan(step, {constant(0.5f)}, in[0]).ys; }},
    {"map", [](const Inputs& in) { return ops::map([](const Tensor& row) { return ops::norm(row); }, in[0]); }},
};

constexpr OpRow layer_rows[] = {
    {"binary_crossentropy", [](const Inputs& in) { return ops::binary_crossentropy(in[0], in[1]); }},
    {"conv", [](const Inputs& in) { return ops::conv(in[0], in[1], {.strides = {2, 1}, .padding = "same"}); }},
    {"conv dilated", [](const Inputs& in) { return ops::conv(in[0], in[1], {.dilation_rate = {2}}); }},
    {"depthwise_conv", [](const Inputs& in) { return ops::depthwise_conv(in[0], in[1], {.padding = "same"}); }},
    {"separable_conv", [](const Inputs& in) { return ops::separable_conv(in[0], in[1], in[2]); }},
    {"conv_transpose", [](const Inputs& in) { return ops::conv_transpose(in[0], in[1], {.strides = {2}, .padding = "same"}); }},
    {"max_pool", [](const Inputs& in) { return ops::max_pool(in[0], {.pool_size = {2}, .strides = {2}, .padding = "same"}); }},
    {"average_pool", [](const Inputs& in) { return ops::average_pool(in[0], {.pool_size = {3, 2}, .strides = {1}}); }},
    {"adaptive_max_pool", [](const Inputs& in) { return ops::adaptive_max_pool(in[0], {4, 2}); }},
    {"adaptive_average_pool", [](const Inputs& in) { return ops::adaptive_average_pool(in[0], {4, 2}); }},
    {"batch_normalization", [](const Inputs& in) { return ops::batch_normalization(in[0], in[1], in[2], {.offset = in[1]}); }},
    {"layer_normalization", [](const Inputs& in) { return ops::layer_normalization(in[0], in[1]); }},
    {"rms_normalization", [](const Inputs& in) { return ops::rms_normalization(in[0], in[1]); }},
    {"dot_product_attention", [](const Inputs& in) { return ops::dot_product_attention(in[0], in[0], in[0], {.causal = true}); }},
    {"binary_crossentropy of logits", [](const Inputs& in) { return ops::binary_crossentropy(in[0], in[1], true); }},
    {"multi_hot", [](const Inputs& in) { return ops::multi_hot(in[0], 5); }},
    {"space_to_depth", [](const Inputs& in) { return ops::space_to_depth(in[0], 2); }},
    {"depth_to_space", [](const Inputs& in) { return ops::depth_to_space(in[0], 2); }},
    {"rfft", [](const Inputs& in) { return ops::rfft(in[0]).imag; }},
    {"fft", [](const Inputs& in) { return ops::fft({in[0], in[1]}).real; }},
    {"fft2", [](const Inputs& in) { return ops::fft2({in[0], in[1]}).imag; }},
    {"ifft2", [](const Inputs& in) { return ops::ifft2({in[0], in[1]}).real; }},
    {"stft", [](const Inputs& in) { return ops::stft(in[0], {.sequence_length = 5, .sequence_stride = 2, .fft_length = 8}).real; }},
    {"istft", [](const Inputs& in) {
       const ops::FrameOptions frames{.sequence_length = 5, .sequence_stride = 2, .fft_length = 8};
       return ops::istft(ops::stft(in[0], frames), frames); }},
    {"unfold", [](const Inputs& in) { return ops::unfold(in[0], {.kernel_size = {2, 3}, .padding = 1, .stride = 2}); }},
    {"fold", [](const Inputs& in) {
       const ops::UnfoldOptions windows{.kernel_size = 2, .dilation = 2};
       return ops::fold(ops::unfold(in[0], windows), {6, 5}, windows); }},
    {"extract_patches", [](const Inputs& in) {
       return ops::image::extract_patches(in[0], {.size = {2, 3}, .strides = 2, .padding = "same"}); }},
    {"rgb_to_hsv", [](const Inputs& in) { return ops::image::rgb_to_hsv(in[0]); }},
    {"hsv_to_rgb", [](const Inputs& in) { return ops::image::hsv_to_rgb(in[0]); }},
    {"rgb_to_grayscale", [](const Inputs& in) { return ops::image::rgb_to_grayscale(in[0]); }},
    {"irfft", [](const Inputs& in) { return ops::irfft({in[0], in[1]}); }},
};

namespace image = ops::image;

constexpr OpRow image_rows[] = {
    {"map_coordinates constant", [](const Inputs& in) { return image::map_coordinates(in[0], in[1], {.order = 1, .fill_mode = "constant", .fill_value = 0.5}); }},
    {"map_coordinates nearest", [](const Inputs& in) { return image::map_coordinates(in[0], in[1], {.order = 1, .fill_mode = "nearest", .fill_value = 0.5}); }},
    {"map_coordinates wrap", [](const Inputs& in) { return image::map_coordinates(in[0], in[1], {.order = 1, .fill_mode = "wrap", .fill_value = 0.5}); }},
    {"map_coordinates reflect", [](const Inputs& in) { return image::map_coordinates(in[0], in[1], {.order = 1, .fill_mode = "reflect", .fill_value = 0.5}); }},
    {"map_coordinates mirror", [](const Inputs& in) { return image::map_coordinates(in[0], in[1], {.order = 1, .fill_mode = "mirror", .fill_value = 0.5}); }},
    {"affine_transform constant", [](const Inputs& in) { return image::affine_transform(in[0], in[1], {.fill_mode = "constant", .fill_value = 0.5}); }},
    {"affine_transform nearest", [](const Inputs& in) { return image::affine_transform(in[0], in[1], {.fill_mode = "nearest", .fill_value = 0.5}); }},
    {"affine_transform wrap", [](const Inputs& in) { return image::affine_transform(in[0], in[1], {.fill_mode = "wrap", .fill_value = 0.5}); }},
    {"affine_transform reflect", [](const Inputs& in) { return image::affine_transform(in[0], in[1], {.fill_mode = "reflect", .fill_value = 0.5}); }},
    {"affine_transform mirror", [](const Inputs& in) { return image::affine_transform(in[0], in[1], {.fill_mode = "mirror", .fill_value = 0.5}); }},
    {"map_coordinates nearest element", [](const Inputs& in) { return image::map_coordinates(in[0], in[1], {.order = 0, .fill_mode = "reflect"}); }},
    {"map_coordinates of integers", [](const Inputs& in) { return image::map_coordinates(in[0], in[1], {.order = 1, .fill_mode = "nearest"}); }},
    {"affine_transform of one", [](const Inputs& in) { return image::affine_transform(in[0], in[1], {.interpolation = "nearest"}); }},
    {"perspective_transform", [](const Inputs& in) { return image::perspective_transform(in[0], in[1], in[2], {.fill_value = 0.25}); }},
    {"perspective_transform of one", [](const Inputs& in) { return image::perspective_transform(in[0], in[1], in[2], {.interpolation = "nearest"}); }},
    {"gaussian_blur", [](const Inputs& in) { return image::gaussian_blur(in[0], {.kernel_size = {3, 4}, .sigma = {0.8, 1.7}}); }},
    {"gaussian_blur of one", [](const Inputs& in) { return image::gaussian_blur(in[0], {.kernel_size = 5, .sigma = {2.0, 0.6}}); }},
    {"sobel_edges", [](const Inputs& in) { return image::sobel_edges(in[0]); }},
    {"ssim", [](const Inputs& in) { return image::ssim(in[0], in[1]); }},
    {"ssim of one", [](const Inputs& in) { return image::ssim(in[0], in[1], {.max_val = 2, .filter_size = 5, .filter_sigma = 1, .k1 = 0.02, .k2 = 0.05}); }},
    {"crop_images", [](const Inputs& in) { return image::crop_images(in[0], {.top_cropping = 1, .left_cropping = 1, .bottom_cropping = 2, .target_width = 3}); }},
    {"crop_images of one", [](const Inputs& in) { return image::crop_images(in[0], {.bottom_cropping = 1, .right_cropping = 1, .target_height = 4, .target_width = 2}); }},
    {"pad_images", [](const Inputs& in) { return image::pad_images(in[0], {.top_padding = 1, .bottom_padding = 2, .right_padding = 1, .target_width = 9}); }},
    {"pad_images of one", [](const Inputs& in) { return image::pad_images(in[0], {.left_padding = 2, .bottom_padding = 2, .target_height = 9, .target_width = 8}); }},
    {"resize bilinear", [](const Inputs& in) { return image::resize(in[0], {4, 9}); }},
    {"resize antialias", [](const Inputs& in) { return image::resize(in[0], {5, 6}, {.interpolation = "bicubic", .antialias = true}); }},
    {"resize crop", [](const Inputs& in) { return image::resize(in[0], {4, 8}, {.crop_to_aspect_ratio = true}); }},
    {"resize pad", [](const Inputs& in) { return image::resize(in[0], {4, 8}, {.interpolation = "nearest", .pad_to_aspect_ratio = true, .fill_value = 0.5}); }},
    {"scale_and_translate", [](const Inputs& in) { return image::scale_and_translate(in[0], {2, 9, 7, 4}, {.scale = {1.7, 0.8}, .translation = {-1.3, 0.9}, .spatial_dims = {1, 2}}); }},
    {"scale_and_translate sharp", [](const Inputs& in) { return image::scale_and_translate(in[0], {2, 6, 8}, {.scale = {2.5}, .translation = {0.4}, .spatial_dims = {-1}, .method = "lanczos3", .antialias = false}); }},
    {"extract_patches_3d", [](const Inputs& in) { return image::extract_patches_3d(in[0], {.size = {2, 2, 3}}); }},
    {"extract_patches_3d same", [](const Inputs& in) { return image::extract_patches_3d(in[0], {.size = 2, .strides = 2, .padding = "same"}); }},
    {"extract_patches_3d dilated", [](const Inputs& in) { return image::extract_patches_3d(in[0], {.size = 2, .strides = 1, .dilation_rate = 2}); }},
};
// clang-format on

std::map<std::string, Call> all_rows() {
  std::map<std::string, Call> rows;
  const auto add = [&](const auto& some) {
    for (const OpRow& row : some) rows[row.name] = row.call;
  };
  add(elementwise_rows);
  add(fold_rows);
  add(movement_rows);
  add(search_rows);
  add(creation_rows);
  add(matrix_rows);
  add(layer_rows);
  add(image_rows);
  return rows;
}

TEST(KerasOps, AreAsInKeras) {
  std::map<std::string, Call> rows = all_rows();
  const Json cases = golden_file("ops");
  for (const Json& one : cases.at("cases")) {
    const std::string name = one.at("name");
    const auto row = rows.find(name);
    ASSERT_NE(row, rows.end()) << name;
    const Tensor found = row->second(tensors_of(one.at("inputs")));
    expect_close(found.literal(), one.at("output"), 1e-5, name);
    rows.erase(row);
  }
  for (const auto& [name, call] : rows) ADD_FAILURE() << name << " has no case";
}

}  // namespace
}  // namespace systolic
