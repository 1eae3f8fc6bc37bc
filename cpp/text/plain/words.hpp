#pragma once
// The different words of a column, numbered as they come.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace vaglio {

// A word of a text that outlives it. The key of a word of at most eight bytes is made of all of them: two such words
// are equal if their sizes and keys are. Of a longer word it is a hash.
struct Word {
    const unsigned char* at;
    std::uint64_t key;
    std::uint32_t size;
};

template <class Bits>
std::uint64_t load_bits(const unsigned char* at) {
    Bits bits;
    std::memcpy(&bits, at, sizeof(bits));
    return bits;
}

inline std::uint64_t mix_bits(std::uint64_t bits) {
    bits *= 0x9E3779B97F4A7C15u;
    return bits ^ (bits >> 32);
}

inline Word make_word(const unsigned char* at, std::uint32_t size) {
    std::uint64_t key = 0;
    if (size > 8) {
        for (std::uint32_t i = 0; i + 8 < size; i += 8) key = mix_bits(key ^ load_bits<std::uint64_t>(at + i));
        key ^= load_bits<std::uint64_t>(at + size - 8);
    } else if (size >= 4) {
        key = load_bits<std::uint32_t>(at) | load_bits<std::uint32_t>(at + size - 4) << 32;
    } else if (size > 0) {
        key = at[0] | std::uint64_t{at[size / 2]} << 8 | std::uint64_t{at[size - 1]} << 16;
    }
    return {at, key, size};
}

inline bool equal(const Word& one, const Word& other) {
    if (one.key != other.key || one.size != other.size) return false;
    return one.size <= 8 || std::memcmp(one.at, other.at, one.size) == 0;
}

class WordTable {
 public:
    WordTable() { clear(); }

    // The number of a word, which is new if no equal one was asked for before.
    std::int32_t number(const Word& word) {
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = first_slot(word);
        for (; slots_[slot] >= 0; slot = (slot + 1) & mask)
            if (equal(words_[static_cast<std::size_t>(slots_[slot])], word)) return slots_[slot];
        return add(word, slot);
    }

    const std::vector<Word>& words() const { return words_; }

    // The words found, which the table forgets.
    std::vector<Word> take();

 private:
    std::size_t first_slot(const Word& word) const { return mix_bits(word.key + word.size) & (slots_.size() - 1); }
    std::int32_t add(const Word& word, std::size_t slot);
    void clear();
    void grow();

    std::vector<Word> words_;
    // Open addressing: the number of a word, or -1; at most half of the slots are taken.
    std::vector<std::int32_t> slots_;
};

}  // namespace vaglio
