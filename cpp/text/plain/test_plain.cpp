// Plain texts of many blocks, and what is not plain wherever it stands.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "base/check.hpp"
#include "text/plain/number.hpp"
#include "text/plain/plain.hpp"

using namespace vaglio;

namespace {

using enum FieldType;

std::vector<PlainColumn> read(const std::string& text, std::vector<FieldType> types, int threads = 2) {
    // Bytes of their own, without the zero behind a string: a look past the end is a fault.
    const std::vector<unsigned char> bytes(text.begin(), text.end());
    return read_plain({bytes, ',', std::move(types), {"", "NA"}}, threads);
}

bool is_plain(const std::string& text, std::vector<FieldType> types) {
    const auto columns = read(text, std::move(types));
    return !columns.empty() && std::all_of(columns.begin(), columns.end(), [](const auto& each) { return each.plain; });
}

void test_fields() {
    const auto columns = read("1,2.5,1970-01-02,b\r\n-3,-0.125,NA,a\n0,,2000-02-29,", {whole, decimal, date, word});
    CHECK(columns.size() == 4);
    if (columns.size() != 4) return;
    CHECK(columns[0].numbers[0] == 1 && columns[0].numbers[1] == -3 && columns[0].numbers[2] == 0);
    CHECK(columns[1].numbers[0] == 2.5 && columns[1].numbers[1] == -0.125 && std::isnan(columns[1].numbers[2]));
    CHECK(columns[2].numbers[0] == 1 && std::isnan(columns[2].numbers[1]) && columns[2].numbers[2] == 11016);
    CHECK(columns[3].words == (std::vector<std::string>{"", "a", "b"}));
    CHECK(columns[3].codes[0] == 2 && columns[3].codes[1] == 1 && columns[3].codes[2] == 0);
}

void test_what_is_not_plain() {
    for (const char* text : {"", "\n", "1\n\n2", "1\n\r\n", "1,2\n1", "1,2\n1,2,3", "1\r2", "\r", "\r\n", ",", ",,\n"})
        CHECK(!is_plain(text, {whole, whole}) || std::string(text) == ",");
    for (const char* text : {"a", "+1", "1.5", "1 ", " 1", "01", "--1", "9007199254740992", "-9007199254740992", "1e3"})
        CHECK(!is_plain(text, {whole}));
    for (const char* text :
         {".", "-", "-.", "e5", "1e", "1.5.5", "inf", "nan", "1e999", "0x10", "12345678901234567890"})
        CHECK(!is_plain(text, {decimal}));
    for (const char* text : {"2021-02-29", "1900-02-29", "0000-01-01", "2020-13-01", "2020-00-01", "2020-01-00", "2020",
                             "2020-01-32", "2020-01-1", "2020-01-011", "20200101"})
        CHECK(!is_plain(text, {date}));
    CHECK(!is_plain("\"a\"", {word}));
    CHECK(!is_plain("\nb", {word}));
    CHECK(is_plain("007\n", {word}));
}

void test_days() {
    std::int32_t expected = -719162;  // of 0001-01-01
    double days = 0;
    for (int year = 1; year <= 9999; ++year)
        for (int month = 1; month <= 12; ++month)
            for (int day = 1; day <= 31; ++day) {
                char text[64];
                std::snprintf(text, sizeof(text), "%04d-%02d-%02d\n", year, month, day);
                const auto* const begin = reinterpret_cast<const unsigned char*>(text);
                if (!read_date(begin, begin + 10, days)) continue;
                CHECK(days == expected);
                ++expected;
            }
    CHECK(expected == 2932897);  // one day past 9999-12-31
}

// Fields of all lengths at the start, in the middle and at the end of a text.
void test_lengths() {
    for (std::size_t size = 1; size <= 40; ++size) {
        std::string digits, word_of_size(size, 'w');
        for (std::size_t i = 0; i < size; ++i) digits += static_cast<char>('1' + i % 9);
        const std::string fraction = "-" + digits.substr(0, size / 2) + "." + digits.substr(size / 2);
        const std::string text = digits + "," + fraction + "," + word_of_size;
        const auto columns = read(text + "\n" + text + "\r\n" + text, {whole, decimal, word});
        CHECK(columns.size() == 3);
        if (columns.size() != 3) return;
        CHECK(columns[0].plain == (size <= 16));
        CHECK(columns[1].plain == (std::fabs(std::stod(fraction)) < exact_limit));
        CHECK(columns[2].words == std::vector<std::string>{word_of_size});
        for (std::size_t row = 0; row < 3; ++row) {
            CHECK(!columns[0].plain || columns[0].numbers[row] == std::stod(digits));
            CHECK(!columns[1].plain || columns[1].numbers[row] == std::stod(fraction));
        }
    }
}

// A column is given up where something else stands in it; the others are read.
void test_given_up_columns() {
    const auto columns = read("1,1,1\n2,x,2\n3,3,3", {whole, whole, other});
    CHECK(columns.size() == 3);
    if (columns.size() != 3) return;
    CHECK(columns[0].plain && !columns[1].plain && !columns[2].plain);
    CHECK(columns[0].numbers[0] == 1 && columns[0].numbers[1] == 2 && columns[0].numbers[2] == 3);
}

void test_many_blocks() {
    for (const char* end : {"\n", "\r\n"}) {
        std::string text;
        const int rows = 150000;
        for (int row = 0; row < rows; ++row)
            text += std::to_string(row) + ",w" + std::to_string(row * 7919 % 1013) + end;
        const auto columns = read(text, {whole, word}, 3);
        CHECK(columns.size() == 2);
        if (columns.size() != 2) return;
        CHECK(columns[1].words.size() == 1013);
        for (std::size_t row = 0; row < rows; ++row) {
            CHECK(columns[0].numbers[row] == static_cast<double>(row));
            const auto code = static_cast<std::size_t>(columns[1].codes[row]);
            CHECK(columns[1].words[code] == "w" + std::to_string(row * 7919 % 1013));
        }
        CHECK(!is_plain(text + "x,y", {whole, word}));
        CHECK(!is_plain(text + end + text, {whole, word}));
        CHECK(!is_plain("1,\"" + text, {whole, word}));
    }
}

}  // namespace

int main() {
    test_fields();
    test_what_is_not_plain();
    test_days();
    test_lengths();
    test_given_up_columns();
    test_many_blocks();
    return check_result();
}
