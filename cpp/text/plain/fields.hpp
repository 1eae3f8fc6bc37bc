#pragma once
// One field of a plain text at a time.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include "text/plain/number.hpp"
#include "text/plain/plain.hpp"
#include "text/plain/words.hpp"

namespace vaglio {

// Reads fields of lines that end before `end`, the last with a line end. Each function returns where the field ends: at
// a delimiter or a line end; or nullptr if it is not plain.
class FieldReader {
 public:
    FieldReader(const PlainText& text, const unsigned char* end)
        : text_(text), end_(end), delimiters_(text.delimiter * ones), newlines_('\n' * ones) {}

    const unsigned char* number(const unsigned char* at, FieldType type, double& value) const {
        const unsigned char* const stop = type == FieldType::decimal ? read_decimal(at, value)
                                          : type == FieldType::whole ? read_whole(at, value)
                                                                     : read_date(at, value);
        return stop && ends_field(*stop) ? stop : missing(at, value);
    }

    const unsigned char* word(const unsigned char* at, WordTable& table, std::int32_t& code) const {
        const unsigned char* const stop = end_of_field(at);
        if (stop - at > longest) return nullptr;
        code = table.number(make_word(at, static_cast<std::uint32_t>(stop - at)));
        return stop;
    }

 private:
    static constexpr std::uint64_t ones = 0x0101010101010101u;
    static constexpr std::ptrdiff_t longest = std::numeric_limits<std::int32_t>::max();

    bool ends_field(unsigned char byte) const { return byte == text_.delimiter || byte == '\n' || byte == '\r'; }

    // Bytes of `bits` that are zero, of which the lowest is certain.
    static std::uint64_t zeros(std::uint64_t bits) { return (bits - ones) & ~bits & (ones << 7); }

    // The carriage return of a line end is no part of a field.
    const unsigned char* end_of_field(const unsigned char* const start) const {
        const unsigned char* at = start;
        if constexpr (std::endian::native == std::endian::little) {
            for (; end_ - at >= 8; at += 8) {
                std::uint64_t bits;
                std::memcpy(&bits, at, 8);
                const std::uint64_t found = zeros(bits ^ delimiters_) | zeros(bits ^ newlines_);
                if (found == 0) continue;
                at += std::countr_zero(found) / 8;
                break;
            }
        }
        while (*at != text_.delimiter && *at != '\n') ++at;
        return *at == '\n' && at > start && at[-1] == '\r' ? at - 1 : at;
    }

    const unsigned char* missing(const unsigned char* at, double& value) const {
        const unsigned char* const stop = end_of_field(at);
        const std::string_view field(reinterpret_cast<const char*>(at), static_cast<std::size_t>(stop - at));
        if (std::find(text_.missing.begin(), text_.missing.end(), field) == text_.missing.end()) return nullptr;
        value = std::numeric_limits<double>::quiet_NaN();
        return stop;
    }

    const PlainText& text_;
    const unsigned char* end_;
    std::uint64_t delimiters_, newlines_;
};

}  // namespace vaglio
