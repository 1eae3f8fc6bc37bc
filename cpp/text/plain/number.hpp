#pragma once
// Numbers and dates as the bytes of a field, without a branch that depends on how many digits there are: the last
// sixteen bytes are read together. Every function returns whether the field is written in the plain way.
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <system_error>

#include "text/plain/bytes.hpp"

namespace vaglio {

// Whole numbers from here on are not all different as floats: whoever reads them must see how they are written.
constexpr double exact_limit = 9007199254740992.0;

// The last sixteen bytes of a field, each without the bits of the digit zero; those that are no part of it are zero.
inline Sixteen read_tail(const unsigned char* end, std::size_t size) {
    const Sixteen& mask = last_bytes[size];
    return {(load_bytes(end - 16) ^ each_byte('0')) & mask.first, (load_bytes(end - 8) ^ each_byte('0')) & mask.last};
}

// Bytes that are no digits leave a bit.
inline std::uint64_t not_digits(std::uint64_t digits) { return (digits | (digits + each_byte(6))) & each_byte(0xF0); }

// The number of eight digits, by pairs, fours and eights of them.
inline std::uint64_t join_digits(std::uint64_t digits) {
    const std::uint64_t pairs = (digits * 10 + (digits >> 8)) & 0x00FF00FF00FF00FFu;
    const std::uint64_t fours = (pairs * 100 + (pairs >> 16)) & 0x0000FFFF0000FFFFu;
    return (fours * 10000 + (fours >> 32)) & 0xFFFFFFFFu;
}

inline std::uint64_t join_digits(const Sixteen& tail) {
    return join_digits(tail.first) * 100000000 + join_digits(tail.last);
}

// A whole number below 2^53. A zero before other digits is refused: these may be codes.
inline bool read_whole(const unsigned char* begin, const unsigned char* end, double& value) {
    const bool negative = *begin == '-';
    const std::size_t digits = static_cast<std::size_t>(end - begin) - negative;
    if (digits - 1 >= 16) return false;
    const Sixteen tail = read_tail(end, digits);
    const auto number = static_cast<std::int64_t>(join_digits(tail));
    // By way of an integer, in which -0 is 0.
    value = static_cast<double>(negative ? -number : number);
    const bool padded = begin[negative] == '0' && digits > 1;
    const bool large = static_cast<double>(number) >= exact_limit;
    return !((not_digits(tail.first) | not_digits(tail.last)) != 0 || padded || large);
}

// The nearest float of a decimal that is too long for the short way, or has an exponent.
inline bool read_long_decimal(const unsigned char* begin, const unsigned char* end, double& value) {
#if defined(__cpp_lib_to_chars)
    for (const unsigned char* at = begin; at < end; ++at) {
        const bool digit = static_cast<unsigned char>(*at - '0') <= 9;
        if (!digit && *at != '.' && *at != '-' && *at != '+' && *at != 'e' && *at != 'E') return false;
    }
    const auto* const first = reinterpret_cast<const char*>(begin);
    const auto* const last = reinterpret_cast<const char*>(end);
    const std::from_chars_result read = std::from_chars(first, last, value, std::chars_format::general);
    return read.ec == std::errc() && read.ptr == last && value > -exact_limit && value < exact_limit;
#else
    static_cast<void>(begin), static_cast<void>(end), static_cast<void>(value);
    return false;
#endif
}

// A decimal number of a size below 2^53. A fraction of two whole numbers that are floats without an error is rounded
// once, as the nearest float is.
inline bool read_decimal(const unsigned char* begin, const unsigned char* end, double& value) {
    // By sign and the number of digits behind the point; the last ones are for numbers without a point.
    static constexpr double powers[][17] = {
        {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e0},
        {-1e0, -1e1, -1e2, -1e3, -1e4, -1e5, -1e6, -1e7, -1e8, -1e9, -1e10, -1e11, -1e12, -1e13, -1e14, -1e15, -1e0}};
    const bool negative = *begin == '-';
    const std::size_t size = static_cast<std::size_t>(end - begin) - negative;
    if (size > 16) return read_long_decimal(begin, end, value);
    const Sixteen tail = read_tail(end, size);
    const std::uint64_t point = each_byte('.' ^ '0');
    const std::uint64_t last = zero_bytes(tail.last ^ point), first = zero_bytes(tail.first ^ point);
    const int zeros = last != 0 ? std::countl_zero(last) : 64 + std::countl_zero(first);
    const auto places = static_cast<std::size_t>(zeros) / 8;  // 16 without a point
    // What is before the point moves into its place.
    const Sixteen& behind = last_bytes[places];
    const Sixteen digits{(tail.first & behind.first) | ((tail.first << 8) & ~behind.first),
                         (tail.last & behind.last) | ((tail.last << 8 | tail.first >> 56) & ~behind.last)};
    const std::size_t count = size - (places < 16);
    if ((not_digits(digits.first) | not_digits(digits.last)) != 0 || count - 1 >= 15)
        return read_long_decimal(begin, end, value);
    value = static_cast<double>(static_cast<std::int64_t>(join_digits(digits))) / powers[negative][places];
    return true;
}

// Days from 1970-01-01 to a date of the Gregorian calendar, by eras of 400 years that start in March.
inline std::int32_t days_since_1970(std::int32_t year, std::int32_t month, std::int32_t day) {
    year -= month <= 2;
    const std::int32_t era = year / 400, of_era = year % 400;
    const std::int32_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

// A date written YYYY-MM-DD, as days since 1970.
inline bool read_date(const unsigned char* begin, const unsigned char* end, double& value) {
    if (end - begin != 10) return false;
    // The digits of year and month; the hyphens behind them become zeros, which nothing else does.
    constexpr std::uint64_t hyphens = std::uint64_t{'-' ^ '0'} << 32 | std::uint64_t{'-' ^ '0'} << 56;
    constexpr std::uint64_t of_hyphens = std::uint64_t{0xFF} << 32 | std::uint64_t{0xFF} << 56;
    const std::uint64_t digits = load_bytes(begin) ^ each_byte('0') ^ hyphens;
    const std::uint32_t tens = begin[8] ^ '0', ones = begin[9] ^ '0';
    if ((not_digits(digits) | (digits & of_hyphens)) != 0 || tens > 9 || ones > 9) return false;
    const std::uint64_t pairs = digits * 10 + (digits >> 8);
    const auto year = static_cast<std::int32_t>(100 * (pairs & 0xFF) + (pairs >> 16 & 0xFF));
    const auto month = static_cast<std::int32_t>(pairs >> 40 & 0xFF), day = static_cast<std::int32_t>(10 * tens + ones);
    if (year < 1 || month < 1 || month > 12 || day < 1) return false;
    static constexpr std::int32_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (day > lengths[month - 1] + (month == 2 && leap)) return false;
    value = days_since_1970(year, month, day);
    return true;
}

}  // namespace vaglio
