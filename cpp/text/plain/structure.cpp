#include "text/plain/structure.hpp"

#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "base/compiler.hpp"

namespace vaglio::VAGLIO_LEVEL {
namespace {

constexpr std::size_t word = 64;  // bytes looked at together: a bit of a word for each

// A bit for each of 64 bytes that equals `byte`.
#if defined(__AVX512BW__)
struct Bytes {
    __m512i all;
    VAGLIO_INLINE explicit Bytes(const unsigned char* at) : all(_mm512_loadu_si512(at)) {}
    VAGLIO_INLINE std::uint64_t equal(unsigned char byte) const {
        return _mm512_cmpeq_epi8_mask(all, _mm512_set1_epi8(static_cast<char>(byte)));
    }
};
#elif defined(__AVX2__)
struct Bytes {
    __m256i low, high;
    VAGLIO_INLINE explicit Bytes(const unsigned char* at)
        : low(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at))),
          high(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 32))) {}
    VAGLIO_INLINE std::uint64_t equal(unsigned char byte) const {
        const __m256i wanted = _mm256_set1_epi8(static_cast<char>(byte));
        const auto bits = [&](__m256i part) VAGLIO_INLINE_LAMBDA {
            return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(part, wanted)));
        };
        return bits(low) | std::uint64_t{bits(high)} << 32;
    }
};
#elif defined(__SSE2__)
struct Bytes {
    __m128i part[4];
    VAGLIO_INLINE explicit Bytes(const unsigned char* at) {
        for (int i = 0; i < 4; ++i) part[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 16 * i));
    }
    VAGLIO_INLINE std::uint64_t equal(unsigned char byte) const {
        const __m128i wanted = _mm_set1_epi8(static_cast<char>(byte));
        std::uint64_t bits = 0;
        for (int i = 0; i < 4; ++i) {
            const auto found = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(part[i], wanted)));
            bits |= std::uint64_t{found} << (16 * i);
        }
        return bits;
    }
};
#else
struct Bytes {
    const unsigned char* at;
    VAGLIO_INLINE explicit Bytes(const unsigned char* first) : at(first) {}
    VAGLIO_INLINE std::uint64_t equal(unsigned char byte) const {
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < word; ++i) bits |= std::uint64_t{at[i] == byte} << i;
        return bits;
    }
};
#endif

// Calls use(bytes, place) for 64 bytes after the other until it returns false; zeros fill the last ones.
template <class Use>
VAGLIO_INLINE void in_words(const unsigned char* at, const unsigned char* end, const Use& use) {
    const auto size = static_cast<std::size_t>(end - at);
    std::size_t done = 0;
    for (; size - done >= word; done += word) {
        if (!use(Bytes(at + done), done)) return;
    }
    if (done == size) return;
    unsigned char rest[word] = {};
    memcpy(rest, at + done, size - done);
    use(Bytes(rest), done);
}

}  // namespace

LineLook look_at_lines(const unsigned char* at, const unsigned char* end) {
    LineLook found;
    std::uint64_t strange = 0, pending = 0;  // pending: a carriage return was the last byte
    in_words(at, end, [&](Bytes bytes, std::size_t) VAGLIO_INLINE_LAMBDA {
        const std::uint64_t ends = bytes.equal('\n'), returns = bytes.equal('\r');
        strange |= bytes.equal('"') | ((returns << 1 | pending) & ~ends);
        pending = returns >> 63;
        found.lines += count_ones(ends);
        return true;
    });
    found.plain = strange == 0 && pending == 0;
    return found;
}

std::size_t index_fields(const unsigned char* at, const unsigned char* end, unsigned char delimiter,
                         std::uint32_t* ends, std::size_t most) {
    std::size_t count = 0;
    in_words(at, end, [&](Bytes bytes, std::size_t place) VAGLIO_INLINE_LAMBDA {
        std::uint64_t found = bytes.equal('\n') | bytes.equal(delimiter);
        const std::size_t more = count_ones(found);
        // Eight at a time, whether there are so many or not: a loop of the right length would often be guessed wrong.
        for (std::size_t written = 0; written < more; written += 8) {
#pragma GCC unroll 8
            for (std::size_t i = 0; i < 8; ++i) {
                // What is no end is overwritten by the next, or lies behind the last.
                ends[count + written + i] =
                    static_cast<std::uint32_t>(place + lowest_one(found | std::uint64_t{1} << 63));
                found &= found - 1;
            }
        }
        count += more;
        return count <= most;
    });
    return count;
}

}  // namespace vaglio::VAGLIO_LEVEL
