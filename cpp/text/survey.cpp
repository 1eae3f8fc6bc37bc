#include "text/survey.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/parallel.hpp"

namespace vaglio {
namespace {

// Bytes that one thread looks at in one go: the work of about 0.1 ms.
constexpr std::size_t block_size = std::size_t{1} << 18;

bool continues(unsigned char byte) { return (byte & 0xC0) == 0x80; }

// Bytes of the valid sequence at the start of [at, end); 0 if it is not valid. The second byte has narrower limits
// where others would write a short character in a long way, half of a surrogate pair, or a number above the last
// character.
std::size_t sequence(const unsigned char* at, const unsigned char* end) {
    const unsigned char first = at[0];
    if (first < 0x80) return 1;
    const std::size_t size = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
    if (size == 0 || static_cast<std::size_t>(end - at) < size) return 0;
    const unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (at[1] < low || at[1] > high) return 0;
    return std::all_of(at + 2, at + size, continues) ? size : 0;
}

const unsigned char* invalid_in(const unsigned char* at, const unsigned char* end) {
    while (at < end) {
        std::uint64_t eight[4];
        if (end - at >= 32) {
            std::memcpy(eight, at, 32);
            if (((eight[0] | eight[1] | eight[2] | eight[3]) & 0x8080808080808080u) == 0) {
                at += 32;
                continue;
            }
        }
        const std::size_t size = sequence(at, end);
        if (size == 0) return at;
        at += size;
    }
    return end;
}

// What is found in the places of a row of bytes: line ends are counted in a byte, which holds 255 of them.
struct Lanes {
    static constexpr std::size_t width = 64;
    unsigned char ends[width] = {};
    unsigned char zero[width] = {};
};

// Bytes may be bytes of anything: the compiler must be told that the text does not change as the lanes do. It would
// turn an "or" of comparisons into a table of bits, which is slower than a sum of them in a vector.
void look_at_lanes(const unsigned char* __restrict at, unsigned char delimiter, unsigned char* __restrict ends,
                   unsigned char* __restrict zero) {
    for (std::size_t i = 0; i < Lanes::width; ++i) {
        const unsigned char before = at[i], here = at[i + 1], after = at[i + 2];
        const auto starts = static_cast<unsigned char>((before == '\n') + (before == '\r') + (before == '"') +
                                                       (before == ' ') + (before == delimiter));
        const bool digit = static_cast<unsigned char>(after - '0') <= 9;
        zero[i] |= static_cast<unsigned char>((here == '0') & digit & (starts != 0));
        ends[i] = static_cast<unsigned char>(ends[i] + (here == '\n'));
    }
}

// Looks at bytes 1 to count of a text that has one more on each side of them.
TextSurvey survey_block(const unsigned char* at, std::size_t count, unsigned char delimiter) {
    TextSurvey found;
    const auto gather = [&](Lanes& lanes) {
        for (const unsigned char each : lanes.ends) found.line_ends += each;
        for (const unsigned char each : lanes.zero) found.leading_zero |= each != 0;
        lanes = {};
    };
    Lanes lanes;
    std::size_t done = 0, rounds = 0;
    for (; count - done >= Lanes::width; done += Lanes::width) {
        look_at_lanes(at + done, delimiter, lanes.ends, lanes.zero);
        if (++rounds % 255 == 0) gather(lanes);
    }
    // The rest in a row of its own, whose further bytes are no part of any number.
    unsigned char rest[Lanes::width + 2] = {};
    std::copy(at + done, at + count + 2, rest);
    gather(lanes);
    look_at_lanes(rest, delimiter, lanes.ends, lanes.zero);
    // The byte after the rest is not of this block.
    lanes.ends[count - done] = 0;
    lanes.zero[count - done] = 0;
    gather(lanes);
    return found;
}

}  // namespace

std::size_t first_invalid_utf8(std::span<const unsigned char> text, int threads) {
    const unsigned char* const end = text.data() + text.size();
    const std::size_t blocks = (text.size() + block_size - 1) / block_size;
    // A block starts with the first byte that can start a character, so that no character lies in two blocks. The
    // first one starts where the text does, whatever is there.
    const auto start = [&](std::size_t block) {
        const unsigned char* at = text.data() + std::min(text.size(), block * block_size);
        while (block > 0 && at < end && continues(*at)) ++at;
        return at;
    };
    std::vector<std::size_t> first(blocks, text.size());
    parallel_for(threads, blocks, [&](std::size_t block, int) {
        const unsigned char* const stop = start(block + 1);
        const unsigned char* const found = invalid_in(start(block), stop);
        if (found < stop) first[block] = static_cast<std::size_t>(found - text.data());
    });
    return first.empty() ? 0 : *std::min_element(first.begin(), first.end());
}

TextSurvey survey_text(std::span<const unsigned char> text, unsigned char delimiter, int threads) {
    TextSurvey found;
    if (text.size() < 3) {
        found.line_ends = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
        found.leading_zero = text.size() == 2 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
        return found;
    }
    // The first byte has none before it and the last none after it: they are looked at here.
    found.line_ends = (text.front() == '\n') + (text.back() == '\n');
    found.leading_zero = text[0] == '0' && text[1] >= '0' && text[1] <= '9';
    const std::size_t inner = text.size() - 2, blocks = (inner + block_size - 1) / block_size;
    std::vector<TextSurvey> parts(blocks);
    parallel_for(threads, blocks, [&](std::size_t block, int) {
        const std::size_t from = block * block_size;
        parts[block] = survey_block(text.data() + from, std::min(block_size, inner - from), delimiter);
    });
    for (const TextSurvey& part : parts) {
        found.line_ends += part.line_ends;
        found.leading_zero |= part.leading_zero;
    }
    return found;
}

}  // namespace vaglio
