// Vectors of numbers for sources that are compiled per level (base/dispatch.hpp). No include guard is needed: such a
// source includes it once, and everything lies in the namespace of the level.
//
// GCC and Clang have vector types of any width; operators work lane by lane. For other compilers a plain array with the
// same operators takes their place: slower, but the same results.
#include <string.h>

#include <cstddef>
#include <cstdint>

#include "base/compiler.hpp"

#if defined(__GNUC__)
// Wide vectors are passed among functions that are always inlined, so no calling convention is involved.
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace vaglio::VAGLIO_LEVEL {
namespace {

constexpr int vector_bytes = VAGLIO_VECTOR_BYTES;

// The 64-bit integer that a comparison of doubles gives. It is std::int64_t on Linux, but not on every system.
template <bool long_is_wide>
struct WideInteger {
    using type = long long;
};
template <>
struct WideInteger<true> {
    using type = long;
};
using Int64 = WideInteger<sizeof(long) == 8>::type;

#if defined(__GNUC__) && !defined(VAGLIO_PLAIN_VECTORS)

template <class T, int lanes>
struct PackOf {
    using type __attribute__((vector_size(lanes * sizeof(T)))) = T;
};
template <class T, int lanes>
using Pack = typename PackOf<T, lanes>::type;

template <class To, class From>
VAGLIO_INLINE To convert(From values) {
    return __builtin_convertvector(values, To);
}
// Lanes of `yes` where the mask has all bits, of `no` where it has none.
template <class Mask, class V>
VAGLIO_INLINE V choose(Mask mask, V yes, V no) {
    return mask ? yes : no;
}

#else

template <class T>
struct MaskOf;
template <>
struct MaskOf<float> {
    using type = std::int32_t;
};
template <>
struct MaskOf<double> {
    using type = Int64;
};
template <>
struct MaskOf<std::int32_t> {
    using type = std::int32_t;
};
template <>
struct MaskOf<Int64> {
    using type = Int64;
};

template <class T, int count>
struct Pack {
    static constexpr int lanes = count;
    using Lane = T;
    using Mask = Pack<typename MaskOf<T>::type, count>;
    T lane[count];

    VAGLIO_INLINE T& operator[](int i) { return lane[i]; }
    VAGLIO_INLINE T operator[](int i) const { return lane[i]; }
    static VAGLIO_INLINE Pack all(T value) {
        Pack result;
        for (int i = 0; i < count; ++i) result.lane[i] = value;
        return result;
    }

#define VAGLIO_OPERATOR(Result, op, expression)                                  \
    friend VAGLIO_INLINE Result operator op(Pack a, Pack b) {                    \
        Result result;                                                           \
        for (int i = 0; i < count; ++i) result.lane[i] = expression;             \
        return result;                                                           \
    }                                                                            \
    friend VAGLIO_INLINE Result operator op(Pack a, T b) { return a op all(b); } \
    friend VAGLIO_INLINE Result operator op(T a, Pack b) { return all(a) op b; }
    VAGLIO_OPERATOR(Pack, +, a.lane[i] + b.lane[i])
    VAGLIO_OPERATOR(Pack, -, a.lane[i] - b.lane[i])
    VAGLIO_OPERATOR(Pack, *, a.lane[i] * b.lane[i])
    VAGLIO_OPERATOR(Pack, /, a.lane[i] / b.lane[i])
    VAGLIO_OPERATOR(Pack, &, a.lane[i] & b.lane[i])
    VAGLIO_OPERATOR(Pack, |, a.lane[i] | b.lane[i])
    VAGLIO_OPERATOR(Pack, ^, a.lane[i] ^ b.lane[i])
    VAGLIO_OPERATOR(Mask, <, a.lane[i] < b.lane[i] ? -1 : 0)
    VAGLIO_OPERATOR(Mask, >, a.lane[i] > b.lane[i] ? -1 : 0)
    VAGLIO_OPERATOR(Mask, <=, a.lane[i] <= b.lane[i] ? -1 : 0)
    VAGLIO_OPERATOR(Mask, >=, a.lane[i] >= b.lane[i] ? -1 : 0)
    VAGLIO_OPERATOR(Mask, ==, a.lane[i] == b.lane[i] ? -1 : 0)
    VAGLIO_OPERATOR(Mask, !=, a.lane[i] != b.lane[i] ? -1 : 0)
#undef VAGLIO_OPERATOR

    friend VAGLIO_INLINE Pack operator<<(Pack a, int bits) {
        for (int i = 0; i < count; ++i) a.lane[i] <<= bits;
        return a;
    }
    friend VAGLIO_INLINE Pack operator>>(Pack a, int bits) {
        for (int i = 0; i < count; ++i) a.lane[i] >>= bits;
        return a;
    }
    friend VAGLIO_INLINE Pack operator~(Pack a) {
        for (int i = 0; i < count; ++i) a.lane[i] = ~a.lane[i];
        return a;
    }
    friend VAGLIO_INLINE Pack operator-(Pack a) {
        for (int i = 0; i < count; ++i) a.lane[i] = -a.lane[i];
        return a;
    }
    VAGLIO_INLINE Pack& operator+=(Pack b) { return *this = *this + b; }
    VAGLIO_INLINE Pack& operator-=(Pack b) { return *this = *this - b; }
    VAGLIO_INLINE Pack& operator*=(Pack b) { return *this = *this * b; }
    VAGLIO_INLINE Pack& operator&=(Pack b) { return *this = *this & b; }
    VAGLIO_INLINE Pack& operator|=(Pack b) { return *this = *this | b; }
    VAGLIO_INLINE Pack& operator+=(T b) { return *this = *this + b; }
};

template <class To, class From>
VAGLIO_INLINE To convert(From values) {
    To result;
    for (int i = 0; i < To::lanes; ++i) result.lane[i] = static_cast<typename To::Lane>(values.lane[i]);
    return result;
}
template <class Mask, class V>
VAGLIO_INLINE V choose(Mask mask, V yes, V no) {
    for (int i = 0; i < V::lanes; ++i) yes.lane[i] = mask.lane[i] ? yes.lane[i] : no.lane[i];
    return yes;
}

#endif

template <class V, class T>
VAGLIO_INLINE V load(const T* from) {
    V value;
    memcpy(&value, from, sizeof value);
    return value;
}
template <class V, class T>
VAGLIO_INLINE void store(T* to, V value) {
    memcpy(to, &value, sizeof value);
}
// The same bits as lanes of another type.
template <class To, class From>
VAGLIO_INLINE To as_bits(From value) {
    static_assert(sizeof(To) == sizeof(From));
    return load<To>(&value);
}
template <class V>
VAGLIO_INLINE V larger(V a, V b) {
    return choose(a > b, a, b);
}
template <class V>
VAGLIO_INLINE V smaller(V a, V b) {
    return choose(a < b, a, b);
}

// What the exponential needs to know of a type of numbers.
template <class T>
struct Lanes;
template <>
struct Lanes<float> {
    using bits = std::int32_t;
    static constexpr float rounding = 12582912.0f;  // 1.5 * 2^23: adding it leaves the nearest integer
    static constexpr float ln2_high = 0.693359375f, ln2_low = -2.12194440e-4f;
    static constexpr float smallest = -87.0f, largest = 88.0f;  // exp stays a normal number between these
    static constexpr int bias = 127, mantissa = 23, terms = 7;
};
template <>
struct Lanes<double> {
    using bits = Int64;
    static constexpr double rounding = 6755399441055744.0;  // 1.5 * 2^52
    static constexpr double ln2_high = 0.693147180369123816490, ln2_low = 1.90821492927058770002e-10;
    static constexpr double smallest = -708.0, largest = 709.0;
    static constexpr int bias = 1023, mantissa = 52, terms = 13;
};

// As many numbers as fill a register of this level, and the integers of the same width.
template <class T>
constexpr int width = vector_bytes / static_cast<int>(sizeof(T));
template <class T>
using Vector = Pack<T, width<T>>;
template <class T>
using VectorBits = Pack<typename Lanes<T>::bits, width<T>>;

// 1/j! for the Taylor series: on |r| <= ln(2)/2 eight terms reach float precision, fourteen reach double.
constexpr double inverse_factorial[] = {
    1.0,        1.0,         1.0 / 2,      1.0 / 6,       1.0 / 24,       1.0 / 120,       1.0 / 720,
    1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};

// exp(x) = 2^n * exp(r) with n the integer nearest to x / ln 2.
template <class T>
VAGLIO_INLINE Vector<T> exponential(Vector<T> x) {
    using L = Lanes<T>;
    x = larger(smaller(x, Vector<T>{} + L::largest), Vector<T>{} + L::smallest);
    const Vector<T> n = (x * static_cast<T>(1.4426950408889634) + L::rounding) - L::rounding;  // 1 / ln 2
    const Vector<T> r = (x - n * L::ln2_high) - n * L::ln2_low;
    Vector<T> series = Vector<T>{} + static_cast<T>(inverse_factorial[L::terms]);
#pragma GCC unroll 16
    for (int j = L::terms - 1; j >= 0; --j) series = series * r + static_cast<T>(inverse_factorial[j]);
    const auto power = (convert<VectorBits<T>>(n) + L::bias) << L::mantissa;
    return series * as_bits<Vector<T>>(power);
}

}  // namespace
}  // namespace vaglio::VAGLIO_LEVEL
