// Ends of lines and fields beside plain loops, in every version that the processor can run.
#include <algorithm>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "base/random.hpp"
#include "text/plain/structure.hpp"

using namespace vaglio;

namespace {

void test_text(const std::string& text) {
    // Bytes of their own: a look past the end is a fault.
    const std::vector<unsigned char> bytes(text.begin(), text.end());
    const unsigned char* const begin = bytes.data();
    const unsigned char* const end = begin + bytes.size();
    std::vector<std::uint32_t> expected;
    LineLook look;
    for (std::uint32_t i = 0; i < bytes.size(); ++i) {
        if (bytes[i] == '\n' || bytes[i] == ',') expected.push_back(i);
        look.lines += bytes[i] == '\n';
        if (bytes[i] == '"' || (bytes[i] == '\r' && (i + 1 == bytes.size() || bytes[i + 1] != '\n')))
            look.plain = false;
    }
    VAGLIO_LEVELS(look_at_lines).each([&](auto look_at_lines) {
        const LineLook found = look_at_lines(begin, end);
        CHECK(found.lines == look.lines && found.plain == look.plain);
    });
    VAGLIO_LEVELS(index_fields).each([&](auto index_fields) {
        std::vector<std::uint32_t> ends(expected.size() + spare_ends);
        CHECK(index_fields(begin, end, ',', ends.data(), expected.size()) == expected.size());
        CHECK(std::equal(expected.begin(), expected.end(), ends.begin()));
        if (expected.size() < 2) return;
        ends.resize(1 + spare_ends);
        CHECK(index_fields(begin, end, ',', ends.data(), 1) > 1);
    });
}

}  // namespace

int main() {
    Random random(1);
    for (std::size_t size = 0; size < 300; ++size) {
        for (const char* const letters :
             {"ab,\n", ",", "\n", "a", "\r\n,abcdefghijkl", "\"abcdefghijklmnopqrstuvwx,\n"}) {
            const std::string choice(letters);
            std::string text;
            for (std::size_t i = 0; i < size; ++i)
                text += choice[static_cast<std::size_t>(random.uniform() * static_cast<double>(choice.size()))];
            test_text(text);
            test_text(text + "\r\n");
        }
    }
    return check_result();
}
