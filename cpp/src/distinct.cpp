#include "vaglio/distinct.hpp"

#include <algorithm>
#include <cstring>

#include "vaglio/random.hpp"

namespace vaglio {
namespace {

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

}  // namespace

Distinct distinct_items(const unsigned char* data, std::size_t count, std::size_t width, const Control& control) {
    Distinct result;
    result.code.resize(count);
    std::vector<std::int64_t> slots(256, -1);
    const auto item = [&](std::size_t i) { return data + i * width; };
    const auto place = [&](std::size_t i) {
        std::size_t slot = hash_bytes(item(i), width) & (slots.size() - 1);
        while (slots[slot] >= 0 &&
               std::memcmp(item(static_cast<std::size_t>(result.first[static_cast<std::size_t>(slots[slot])])), item(i),
                           width) != 0) {
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

}  // namespace vaglio
