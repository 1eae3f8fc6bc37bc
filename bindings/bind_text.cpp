#include "support.hpp"
#include "text/plain/plain.hpp"
#include "text/survey.hpp"

namespace {

std::optional<std::size_t> first_invalid_utf8(const Array1<std::uint8_t>& text, int threads) {
    const std::size_t at = without_gil([&] { return vaglio::first_invalid_utf8(span_of(text), threads); });
    return at < text.size() ? std::optional(at) : std::nullopt;
}

auto survey_text(const Array1<std::uint8_t>& text, std::uint8_t delimiter, int threads) {
    const vaglio::TextSurvey found =
        without_gil([&] { return vaglio::survey_text(span_of(text), delimiter, threads); });
    return std::make_tuple(found.line_ends, found.leading_zero);
}

using PlainResult = std::tuple<AnyArray, std::optional<std::vector<std::string>>>;

// Each column as (numbers, None), (codes, words), or None if it is not plain; None if the text is not.
std::optional<std::vector<std::optional<PlainResult>>> read_plain(const Array1<std::uint8_t>& rows,
                                                                  std::uint8_t delimiter, const std::vector<int>& types,
                                                                  std::vector<std::string> missing, int threads) {
    require(delimiter != '\n' && delimiter != '\r' && delimiter != 0, "a line end or a zero cannot separate fields");
    vaglio::PlainText text{span_of(rows), delimiter, {}, std::move(missing)};
    for (const int type : types) {
        require(type >= 0 && type <= static_cast<int>(vaglio::FieldType::other), "a type of fields is 0, 1, 2, 3 or 4");
        text.types.push_back(static_cast<vaglio::FieldType>(type));
    }
    std::vector<vaglio::PlainColumn> columns = without_gil([&] { return vaglio::read_plain(text, threads); });
    if (columns.empty()) return std::nullopt;
    std::vector<std::optional<PlainResult>> out;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        vaglio::PlainColumn& column = columns[i];
        if (!column.plain) {
            out.emplace_back();
        } else if (text.types[i] == vaglio::FieldType::word) {
            out.emplace_back(PlainResult{to_numpy(std::move(column.codes)), std::move(column.words)});
        } else {
            out.emplace_back(PlainResult{to_numpy(std::move(column.numbers)), std::nullopt});
        }
    }
    return out;
}

}  // namespace

void register_text(nb::module_& m) {
    using namespace nb::literals;
    m.def("first_invalid_utf8", &first_invalid_utf8, "text"_a, "threads"_a,
          "Where the first bytes are that are not UTF-8, or None.");
    m.def("survey_text", &survey_text, "text"_a, "delimiter"_a, "threads"_a,
          "How many lines end, and whether a field starts with a zero and another digit.");
    m.def("read_plain", &read_plain, "rows"_a, "delimiter"_a, "types"_a, "missing"_a, "threads"_a,
          "Values and words of every column of a text without quotes and surprises; None if it has any.");
}
