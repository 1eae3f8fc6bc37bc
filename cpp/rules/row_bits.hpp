#pragma once
// A set of rows as bits: unions, differences and counts by the word.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vaglio {

class RowBits {
 public:
    explicit RowBits(std::size_t n_rows = 0) : words_((n_rows + 63) / 64, 0) {}
    RowBits(std::size_t n_rows, std::span<const std::uint32_t> rows) : RowBits(n_rows) {
        for (const std::uint32_t row : rows) words_[row >> 6] |= std::uint64_t{1} << (row & 63);
    }

    void remove(const RowBits& other) {
        for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
    }
    bool contains(std::size_t row) const { return (words_[row >> 6] >> (row & 63)) & 1; }
    std::span<const std::uint64_t> words() const { return words_; }

    // The rows of a list that are in the set, in order.
    std::vector<std::uint32_t> among(std::span<const std::uint32_t> rows) const {
        std::vector<std::uint32_t> result(rows.size());
        std::size_t count = 0;
        for (const std::uint32_t row : rows) {
            result[count] = row;
            count += contains(row);
        }
        result.resize(count);
        return result;
    }

    std::vector<std::uint32_t> rows() const { return common_rows(*this); }

    // The rows in both sets.
    std::vector<std::uint32_t> common_rows(const RowBits& other) const {
        std::size_t size = 0;
        for (std::size_t i = 0; i < words_.size(); ++i)
            size += static_cast<std::size_t>(std::popcount(words_[i] & other.words_[i]));
        std::vector<std::uint32_t> result(size);
        std::uint32_t* next = result.data();
        for (std::size_t i = 0; i < words_.size(); ++i) {
            for (std::uint64_t word = words_[i] & other.words_[i]; word; word &= word - 1) {
                *next++ = static_cast<std::uint32_t>(i * 64 + static_cast<std::size_t>(std::countr_zero(word)));
            }
        }
        return result;
    }

 private:
    std::vector<std::uint64_t> words_;
};

}  // namespace vaglio
