// Open addressing with our own hash: a general hash map would allocate per item and compare through pointers. Items as
// wide as a machine word are compared as numbers.
#include "base/distinct.hpp"

#include <algorithm>
#include <cstring>

#include "base/random.hpp"

namespace vaglio {
namespace {

constexpr std::size_t least_table = 256, widest_table = 1 << 16;  // of whole numbers by value

std::uint64_t hash_bytes(const unsigned char* item, std::size_t width) {
    std::uint64_t hash = width;
    for (; width >= 8; item += 8, width -= 8) {
        std::uint64_t word;
        std::memcpy(&word, item, 8);
        hash = mix(hash ^ word);
    }
    std::uint64_t rest = 0;
    std::memcpy(&rest, item, width);
    return mix(hash ^ rest);
}

// Items of any width, compared where they lie.
struct Bytes {
    const unsigned char* data;
    std::size_t width;

    std::uint64_t hash(std::size_t i) const { return hash_bytes(data + i * width, width); }
    bool same(std::size_t i, std::size_t j) const {
        return std::memcmp(data + i * width, data + j * width, width) == 0;
    }
};

// Items as wide as a machine word, or a part of one: no loop and no call for each of a million labels.
template <class Word>
struct Words {
    const unsigned char* data;

    Word at(std::size_t i) const {
        Word word;
        std::memcpy(&word, data + i * sizeof(Word), sizeof(Word));
        return word;
    }
    std::uint64_t hash(std::size_t i) const {
        const std::uint64_t product = std::uint64_t{at(i)} * 0x9E3779B97F4A7C15ULL;
        return product ^ product >> 32;
    }
    bool same(std::size_t i, std::size_t j) const { return at(i) == at(j); }
};

template <class Items>
Distinct find_distinct(const Items& items, std::size_t count, const Control& control) {
    Distinct result;
    result.code.resize(count);
    std::vector<std::int64_t> slots(256, -1);
    const auto place = [&](std::size_t i) {
        std::size_t slot = items.hash(i) & (slots.size() - 1);
        while (slots[slot] >= 0 &&
               !items.same(static_cast<std::size_t>(result.first[static_cast<std::size_t>(slots[slot])]), i)) {
            slot = (slot + 1) & (slots.size() - 1);
        }
        return slot;
    };
    for (std::size_t i = 0; i < count; ++i) {
        if (i % (std::size_t{1} << 18) == 0) control.check();
        std::size_t slot = place(i);
        if (slots[slot] < 0) {
            slots[slot] = static_cast<std::int64_t>(result.first.size());
            result.first.push_back(static_cast<std::int64_t>(i));
            if (result.first.size() * 2 > slots.size()) {
                slots.assign(slots.size() * 4, -1);
                for (std::size_t d = 0; d < result.first.size(); ++d) {
                    slots[place(static_cast<std::size_t>(result.first[d]))] = static_cast<std::int64_t>(d);
                }
                slot = place(i);
            }
        }
        result.code[i] = slots[slot];
    }
    return result;
}

// Labels are most often small numbers: a table by value needs no hash, and gives them in ascending order.
template <class Number>
std::optional<Distinct> find_whole(const Number* numbers, std::size_t count, const Control& control) {
    if (count == 0) return Distinct{};
    Number low = numbers[0], high = numbers[0];
    for (std::size_t i = 0; i < count; ++i) {
        low = numbers[i] < low ? numbers[i] : low;
        high = numbers[i] > high ? numbers[i] : high;
    }
    const auto place = [low](Number number) {
        return static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(low);
    };
    // The table must not take longer to make than the rows to look up.
    if (place(high) >= std::max(least_table, std::min(widest_table, count))) return std::nullopt;
    control.check();
    std::vector<std::int64_t> table(place(high) + 1, -1);
    for (std::size_t i = count; i-- > 0;) table[place(numbers[i])] = static_cast<std::int64_t>(i);
    Distinct result;
    for (std::int64_t& each : table) {
        if (each < 0) continue;
        result.first.push_back(each);
        each = static_cast<std::int64_t>(result.first.size()) - 1;
    }
    control.check();
    result.code.resize(count);
    for (std::size_t i = 0; i < count; ++i) result.code[i] = table[place(numbers[i])];
    return result;
}

template <class Signed, class Unsigned>
std::optional<Distinct> find_whole(const unsigned char* data, std::size_t count, bool signs, const Control& control) {
    if (signs) return find_whole(reinterpret_cast<const Signed*>(data), count, control);
    return find_whole(reinterpret_cast<const Unsigned*>(data), count, control);
}

}  // namespace

std::optional<Distinct> whole_numbers(const unsigned char* data, std::size_t count, std::size_t width, bool signs,
                                      const Control& control) {
    switch (width) {
        case 1:
            return find_whole<std::int8_t, std::uint8_t>(data, count, signs, control);
        case 2:
            return find_whole<std::int16_t, std::uint16_t>(data, count, signs, control);
        case 4:
            return find_whole<std::int32_t, std::uint32_t>(data, count, signs, control);
        default:
            return find_whole<std::int64_t, std::uint64_t>(data, count, signs, control);
    }
}

Distinct distinct_items(const unsigned char* data, std::size_t count, std::size_t width, const Control& control) {
    switch (width) {
        case 1:
            return find_distinct(Words<std::uint8_t>{data}, count, control);
        case 2:
            return find_distinct(Words<std::uint16_t>{data}, count, control);
        case 4:
            return find_distinct(Words<std::uint32_t>{data}, count, control);
        case 8:
            return find_distinct(Words<std::uint64_t>{data}, count, control);
        default:
            return find_distinct(Bytes{data, width}, count, control);
    }
}

}  // namespace vaglio
