// Vectors of the width of VAGLIO_VECTOR_BYTES in the namespace VAGLIO_LEVEL, by the compiler's vector extension.
// Nothing of the standard library may be used in files compiled per instruction set: an inline function compiled for
// AVX-512 could be the copy the linker keeps for the whole program.
#include <cstdint>

namespace vaglio::VAGLIO_LEVEL {
namespace {

#define VAGLIO_INLINE inline __attribute__((always_inline))

constexpr int vector_bytes = VAGLIO_VECTOR_BYTES;

template <class T>
struct Lanes;
template <>
struct Lanes<float> {
    typedef float type __attribute__((vector_size(vector_bytes)));
    typedef std::int32_t bits __attribute__((vector_size(vector_bytes)));
    static constexpr float rounding = 12582912.0f;  // 1.5 * 2^23: adding it leaves the nearest integer
    static constexpr float ln2_high = 0.693359375f, ln2_low = -2.12194440e-4f;
    static constexpr float smallest = -87.0f, largest = 88.0f;
    static constexpr int bias = 127, mantissa = 23, terms = 7;
};
template <>
struct Lanes<double> {
    typedef double type __attribute__((vector_size(vector_bytes)));
    typedef std::int64_t bits __attribute__((vector_size(vector_bytes)));
    static constexpr double rounding = 6755399441055744.0;  // 1.5 * 2^52
    static constexpr double ln2_high = 0.693147180369123816490, ln2_low = 1.90821492927058770002e-10;
    static constexpr double smallest = -708.0, largest = 709.0;
    static constexpr int bias = 1023, mantissa = 52, terms = 13;
};

template <class T>
using Vector = typename Lanes<T>::type;
template <class T>
constexpr int width = vector_bytes / static_cast<int>(sizeof(T));

template <class V, class T>
VAGLIO_INLINE V load(const T* from) {
    V value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
}
template <class V, class T>
VAGLIO_INLINE void store(T* to, V value) {
    __builtin_memcpy(to, &value, sizeof value);
}
template <class V>
VAGLIO_INLINE V larger(V a, V b) {
    return a > b ? a : b;
}
template <class V>
VAGLIO_INLINE V smaller(V a, V b) {
    return a < b ? a : b;
}

// 1/j! for the Taylor series: on |r| <= ln(2)/2 eight terms reach float precision, fourteen reach double.
constexpr double inverse_factorial[] = {
    1.0,        1.0,         1.0 / 2,      1.0 / 6,       1.0 / 24,       1.0 / 120,       1.0 / 720,
    1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};

// exp(x) = 2^n * exp(r) with n the integer nearest to x / ln 2.
template <class T>
VAGLIO_INLINE Vector<T> exponential(Vector<T> x) {
    using L = Lanes<T>;
    x = larger(smaller(x, Vector<T>{} + L::largest), Vector<T>{} + L::smallest);
    const Vector<T> n = (x * static_cast<T>(1.4426950408889634) + L::rounding) - L::rounding;
    const Vector<T> r = (x - n * L::ln2_high) - n * L::ln2_low;
    Vector<T> series = Vector<T>{} + static_cast<T>(inverse_factorial[L::terms]);
#pragma GCC unroll 16
    for (int j = L::terms - 1; j >= 0; --j) series = series * r + static_cast<T>(inverse_factorial[j]);
    const typename L::bits power = (__builtin_convertvector(n, typename L::bits) + L::bias) << L::mantissa;
    return series * load<Vector<T>>(&power);
}

}  // namespace
}  // namespace vaglio::VAGLIO_LEVEL
