#pragma once
// Numbers and dates at the start of bytes. Every function returns where the value ends, or nullptr if the bytes are not
// written in the plain way; what ends a field is no part of any value, so none of them reads past a line end.
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <system_error>

namespace vaglio {

// Whole numbers from here on are not all different as floats: whoever reads them must see how they are written.
constexpr double exact_limit = 9007199254740992.0;

inline bool is_digit(unsigned char byte) { return static_cast<unsigned char>(byte - '0') <= 9; }

// A whole number below 2^53. A zero before other digits is refused: these may be codes.
inline const unsigned char* read_whole(const unsigned char* at, double& value) {
    const bool negative = *at == '-';
    at += negative;
    if (!is_digit(at[0]) || (at[0] == '0' && is_digit(at[1]))) return nullptr;
    const unsigned char* const first = at;
    std::int64_t number = 0;
    for (; is_digit(*at) && at - first < 17; ++at) number = 10 * number + (*at - '0');
    if (is_digit(*at) || static_cast<double>(number) >= exact_limit) return nullptr;
    // By way of an integer, in which -0 is 0.
    value = static_cast<double>(negative ? -number : number);
    return at;
}

// The nearest float of a decimal that the short way below cannot read; [at, end) is the whole field.
inline const unsigned char* read_long_decimal(const unsigned char* at, const unsigned char* end, double& value) {
#if defined(__cpp_lib_to_chars)
    const auto* const first = reinterpret_cast<const char*>(at);
    const auto* const last = reinterpret_cast<const char*>(end);
    const std::from_chars_result read = std::from_chars(first, last, value, std::chars_format::general);
    const bool small = value > -exact_limit && value < exact_limit;
    return read.ec == std::errc() && read.ptr == last && small ? end : nullptr;
#else
    static_cast<void>(at), static_cast<void>(end), static_cast<void>(value);
    return nullptr;
#endif
}

inline const unsigned char* end_of_numeral(const unsigned char* at) {
    while (is_digit(*at) || *at == '.' || *at == '-' || *at == '+' || *at == 'e' || *at == 'E') ++at;
    return at;
}

// A decimal number of a size below 2^53. A fraction of two whole numbers that are floats without an error is rounded
// once, as the nearest float is.
inline const unsigned char* read_decimal(const unsigned char* const start, double& value) {
    static constexpr double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                        1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const bool negative = *start == '-';
    const unsigned char* at = start + negative;
    const unsigned char* const first = at;
    std::uint64_t number = 0;
    for (; is_digit(*at); ++at) number = 10 * number + (*at - '0');
    std::ptrdiff_t digits = at - first, places = 0;
    if (*at == '.') {
        const unsigned char* const fraction = ++at;
        for (; is_digit(*at); ++at) number = 10 * number + (*at - '0');
        places = at - fraction;
        digits += places;
    }
    if (digits == 0) return nullptr;
    if (digits > 15 || *at == 'e' || *at == 'E') return read_long_decimal(start, end_of_numeral(at), value);
    const double size = static_cast<double>(number) / powers[places];
    value = negative ? -size : size;
    return at;
}

// Days from 1970-01-01 to a date of the Gregorian calendar, by eras of 400 years that start in March.
inline std::int32_t days_since_1970(std::int32_t year, std::int32_t month, std::int32_t day) {
    year -= month <= 2;
    const std::int32_t era = year / 400, of_era = year % 400;
    const std::int32_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

// A date written YYYY-MM-DD, as days since 1970.
inline const unsigned char* read_date(const unsigned char* at, double& value) {
    for (int i = 0; i < 10; ++i)
        if (i == 4 || i == 7 ? at[i] != '-' : !is_digit(at[i])) return nullptr;
    const auto two = [&](int i) { return 10 * (at[i] - '0') + (at[i + 1] - '0'); };
    const std::int32_t year = 100 * two(0) + two(2), month = two(5), day = two(8);
    if (year < 1 || month < 1 || month > 12 || day < 1) return nullptr;
    static constexpr std::int32_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (day > lengths[month - 1] + (month == 2 && leap)) return nullptr;
    value = days_since_1970(year, month, day);
    return at + 10;
}

}  // namespace vaglio
