#include "text/plain/words.hpp"

#include <cstring>
#include <utility>

namespace vaglio {
namespace {

constexpr std::size_t first_slots = 512;

template <class Bits>
std::uint64_t load(const unsigned char* at) {
    Bits bits;
    std::memcpy(&bits, at, sizeof(bits));
    return bits;
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t bits) {
    hash = (hash ^ bits) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 32);
}

std::uint32_t hash_of(const unsigned char* at, std::size_t size) {
    std::uint64_t hash = size;
    if (size >= 8) {
        for (std::size_t i = 0; i + 8 < size; i += 8) hash = mixed(hash, load<std::uint64_t>(at + i));
        hash = mixed(hash, load<std::uint64_t>(at + size - 8));
    } else if (size >= 4) {
        hash = mixed(hash, load<std::uint32_t>(at) | load<std::uint32_t>(at + size - 4) << 32);
    } else if (size > 0) {
        hash = mixed(hash, at[0] | std::uint64_t{at[size / 2]} << 8 | std::uint64_t{at[size - 1]} << 16);
    }
    return static_cast<std::uint32_t>(hash);
}

bool equal(const Word& one, const Word& other) {
    return one.hash == other.hash && one.size == other.size && std::memcmp(one.at, other.at, one.size) == 0;
}

}  // namespace

Word make_word(const unsigned char* at, std::uint32_t size) { return {at, size, hash_of(at, size)}; }

void WordTable::clear() {
    // A table that one column has made large is not cleared in full for the next one.
    slots_.resize(first_slots);
    slots_.assign(first_slots, -1);
    words_.clear();
}

std::vector<Word> WordTable::take() {
    std::vector<Word> found = std::exchange(words_, {});
    found.shrink_to_fit();
    clear();
    return found;
}

void WordTable::grow() {
    slots_.assign(slots_.size() * 2, -1);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = 0; i < words_.size(); ++i) {
        std::size_t slot = words_[i].hash & mask;
        while (slots_[slot] >= 0) slot = (slot + 1) & mask;
        slots_[slot] = static_cast<std::int32_t>(i);
    }
}

std::int32_t WordTable::number(const Word& word) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = word.hash & mask;
    for (; slots_[slot] >= 0; slot = (slot + 1) & mask)
        if (equal(words_[static_cast<std::size_t>(slots_[slot])], word)) return slots_[slot];
    const auto fresh = static_cast<std::int32_t>(words_.size());
    words_.push_back(word);
    slots_[slot] = fresh;
    if (words_.size() * 2 > slots_.size()) grow();
    return fresh;
}

}  // namespace vaglio
