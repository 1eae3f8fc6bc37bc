#include "support.hpp"
#include "text/survey.hpp"

namespace {

nb::object first_invalid_utf8(const Array1<std::uint8_t>& text, int threads) {
    const std::size_t at = without_gil([&] { return vaglio::first_invalid_utf8(span_of(text), threads); });
    return at < text.size() ? nb::cast(at) : nb::none();
}

nb::tuple survey_text(const Array1<std::uint8_t>& text, std::uint8_t delimiter, int threads) {
    const vaglio::TextSurvey found =
        without_gil([&] { return vaglio::survey_text(span_of(text), delimiter, threads); });
    return nb::make_tuple(found.line_ends, found.leading_zero);
}

}  // namespace

void register_text(nb::module_& m) {
    using namespace nb::literals;
    m.def("first_invalid_utf8", &first_invalid_utf8, "text"_a, "threads"_a,
          "Where the first bytes are that are not UTF-8, or None.");
    m.def("survey_text", &survey_text, "text"_a, "delimiter"_a, "threads"_a,
          "How many lines end, and whether a field starts with a zero and another digit.");
}
