#pragma once
// The different words of a column, numbered as they come.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "text/plain/bytes.hpp"

namespace vaglio {

// A word of a text that outlives it. The key of a word of at most eight bytes is made of all of them: two such words
// are equal if their sizes and keys are. Of a longer word it is a hash.
struct Word {
    const unsigned char* at;
    std::uint64_t key;
    std::uint32_t size;
};

inline std::uint64_t mix_bits(std::uint64_t bits) {
    bits *= 0x9E3779B97F4A7C15u;
    return bits ^ (bits >> 32);
}

// The word at `at`; the eight bytes before its end can be read.
inline Word make_word(const unsigned char* at, std::uint32_t size) {
    const std::uint64_t last = load_bytes(at + size - 8);
    if (size <= 8) return {at, last & last_bytes[size].last, size};
    std::uint64_t key = 0;
    for (std::uint32_t i = 0; i + 8 < size; i += 8) key = mix_bits(key ^ load_bytes(at + i));
    return {at, key ^ last, size};
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
    // The high bits, because the first bytes of a short word, which are the low ones of its key, are zero.
    std::size_t first_slot(const Word& word) const { return mix_bits(word.key + word.size) >> shift_; }
    std::int32_t add(const Word& word, std::size_t slot);
    void clear();
    void grow();

    std::vector<Word> words_;
    // Open addressing: the number of a word, or -1. At most a quarter of the slots are taken, so that nearly every word
    // is found in its first one.
    std::vector<std::int32_t> slots_;
    int shift_;  // that leaves as many bits as number the slots
};

}  // namespace vaglio
