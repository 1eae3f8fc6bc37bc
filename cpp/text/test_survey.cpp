// The bytes of texts, beside plain loops: every place of a fault, and blocks that end inside of characters.
#include <string>

#include "base/check.hpp"
#include "text/survey.hpp"

using namespace vaglio;

namespace {

std::size_t invalid(const std::string& text, int threads = 2) {
    return first_invalid_utf8({reinterpret_cast<const unsigned char*>(text.data()), text.size()}, threads);
}

TextSurvey survey(const std::string& text, char delimiter = ',') {
    return survey_text({reinterpret_cast<const unsigned char*>(text.data()), text.size()},
                       static_cast<unsigned char>(delimiter), 2);
}

void test_utf8() {
    for (const std::string good :
         {"", "a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xED\x9F\xBF", "\xF4\x8F\xBF\xBF"})
        for (std::size_t before = 0; before < 70; ++before)
            CHECK(invalid(std::string(before, 'x') + good + std::string(before / 2, 'y')) ==
                  before + good.size() + before / 2);
    for (const std::string bad :
         {"\x80", "\xC0\xAF", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80",
          "\xF5\x80\x80\x80", "\xFF", "\xC3", "\xE2\x82", "\xF0\x9F\x98", "\xC3(", "\xE2\x82("})
        for (std::size_t before = 0; before < 70; ++before) {
            CHECK(invalid(std::string(before, 'x') + bad) == before);
            CHECK(invalid(std::string(before, 'x') + bad + std::string(50, 'y')) == before);
        }
}

void test_utf8_across_blocks() {
    std::string text;
    while (text.size() < (std::size_t{1} << 20))
        text +=
            "\xE2\x82\xAC"
            "a\xC3\xA9";
    CHECK(invalid(text) == text.size());
    for (std::size_t edge = (std::size_t{1} << 18) - 4; edge < (std::size_t{1} << 18) + 4; ++edge) {
        std::string wrong = text;
        wrong.insert(edge, "\x80");
        CHECK(invalid(wrong, 1) == invalid(wrong, 4));
        CHECK(invalid(wrong) < wrong.size() && invalid(wrong) + 3 > edge);
    }
    // A block of nothing but bytes that continue a character.
    CHECK(invalid("a" + std::string(std::size_t{1} << 19, '\x80')) == 1);
}

void test_survey() {
    CHECK(survey("").line_ends == 0 && survey("\n").line_ends == 1 && survey("\n\n").line_ends == 2);
    CHECK(survey("a,b\n1,2\n").line_ends == 2 && !survey("a,b\n1,2\n").leading_zero);
    for (const std::string padded : {"07", "a\n07", "a\r07,b", "a,07", "\"07\"", "a, 07\n", "1\n00"})
        CHECK(survey(padded).leading_zero);
    for (const std::string plain : {"0", "0.7", "a,0\n", "107", "1.07", "a;07", "-07", "x0 7", "0,0,0\n0"})
        CHECK(!survey(plain).leading_zero);
    CHECK(survey("a;07", ';').leading_zero);
}

void test_survey_across_blocks() {
    for (std::size_t edge = (std::size_t{1} << 18) - 3; edge < (std::size_t{1} << 18) + 4; ++edge) {
        std::string text(std::size_t{1} << 19, '1');
        text.replace(edge, 3, "\n07");
        const TextSurvey found = survey(text);
        CHECK(found.line_ends == 1 && found.leading_zero);
        text[edge + 1] = '7';
        CHECK(!survey(text).leading_zero);
    }
}

}  // namespace

int main() {
    test_utf8();
    test_utf8_across_blocks();
    test_survey();
    test_survey_across_blocks();
    return check_result();
}
