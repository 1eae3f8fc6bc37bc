#pragma once
// Eight bytes of a text as one number, the first of them lowest on any machine.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace vaglio {

constexpr std::uint64_t each_byte(unsigned char byte) { return byte * std::uint64_t{0x0101010101010101u}; }

inline std::uint64_t load_bytes(const unsigned char* at) {
    std::uint64_t bytes = 0;
    if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(&bytes, at, sizeof(bytes));
    } else {
        for (std::size_t i = 0; i < 8; ++i) bytes |= std::uint64_t{at[i]} << (8 * i);
    }
    return bytes;
}

// The highest bit of each byte that is zero.
constexpr std::uint64_t zero_bytes(std::uint64_t bytes) {
    constexpr std::uint64_t low = each_byte(0x7F);
    return ~(((bytes & low) + low) | bytes | low);
}

struct Sixteen {
    std::uint64_t first, last;
};

// Masks of the last 0 to 16 bytes.
constexpr std::array<Sixteen, 17> last_bytes = [] {
    std::array<Sixteen, 17> masks{};
    for (unsigned bytes = 1; bytes <= 16; ++bytes) {
        masks[bytes].last = bytes < 8 ? ~std::uint64_t{0} << (64 - 8 * bytes) : ~std::uint64_t{0};
        masks[bytes].first = bytes > 8 ? ~std::uint64_t{0} << (128 - 8 * bytes) : 0;
    }
    return masks;
}();

}  // namespace vaglio
