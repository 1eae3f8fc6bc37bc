#include "optimal/subset.hpp"

#include <algorithm>

#include "base/random.hpp"

namespace vaglio::optimal {
namespace {

void add_entry(Subset& to, std::uint32_t row, std::uint16_t label, Cost gain, Cost most) {
    to.row.push_back(row);
    to.label.push_back(label);
    to.gain.push_back(gain);
    to.most.push_back(most);
    to.total[label] += gain;
    to.all_most += most;
    to.key.first += mix(row);
    to.key.second += mix(~static_cast<std::uint64_t>(row));
}

Subset empty(const Problem& problem) {
    Subset made;
    made.problem = &problem;
    made.total.assign(problem.labels, 0);
    made.codes.resize(problem.columns.size());
    made.values.resize(problem.columns.size());
    return made;
}

// Numbers the codes of a column through: `given` has those of the entries, `known` what each of them means.
template <class Meaning>
void number(std::vector<std::uint32_t>& given, std::vector<std::uint32_t>& known, std::size_t most, Meaning meaning) {
    std::vector<std::uint32_t> place(most, no_code);
    for (const std::uint32_t code : given) place[code] = 0;
    for (std::size_t code = 0; code < most; ++code) {
        if (place[code] == no_code) continue;
        place[code] = static_cast<std::uint32_t>(known.size());
        known.push_back(meaning(code));
    }
    for (std::uint32_t& code : given) code = place[code];
}

}  // namespace

Cost Subset::leaf_cost() const {
    return all_most - *std::max_element(total.begin(), total.end()) + problem->leaf_price;
}

Subset whole(const Problem& problem) {
    Subset made = empty(problem);
    for (const Entry& entry : problem.entries) add_entry(made, entry.row, entry.label, entry.gain, entry.most);
    made.size = problem.entries.size();
    for (std::size_t c = 0; c < problem.columns.size(); ++c) {
        made.codes[c].reserve(made.size);
        for (const std::uint32_t row : made.row) made.codes[c].push_back(problem.codes[c][row]);
        number(made.codes[c], made.values[c], problem.columns[c].values,
               [](std::size_t code) { return static_cast<std::uint32_t>(code); });
    }
    return made;
}

std::pair<Subset, Subset> divide(const Subset& subset, const Test& test) {
    const Problem& problem = *subset.problem;
    const Column& column = problem.columns[test.column];
    std::vector<std::uint8_t> goes_left;
    for (const std::uint32_t code : subset.values[test.column]) goes_left.push_back(test.goes_left(column, code));
    std::vector<std::uint32_t> sides[2];
    const auto& codes = subset.codes[test.column];
    for (std::uint32_t i = 0; i < subset.size; ++i) sides[goes_left[codes[i]] ? 0 : 1].push_back(i);
    std::pair<Subset, Subset> made{empty(problem), empty(problem)};
    for (const int side : {0, 1}) {
        Subset& part = side == 0 ? made.first : made.second;
        part.size = sides[side].size();
        for (const std::uint32_t i : sides[side])
            add_entry(part, subset.row[i], subset.label[i], subset.gain[i], subset.most[i]);
        for (std::size_t c = 0; c < problem.columns.size(); ++c) {
            part.codes[c].reserve(part.size);
            for (const std::uint32_t i : sides[side]) part.codes[c].push_back(subset.codes[c][i]);
            number(part.codes[c], part.values[c], subset.values[c].size(),
                   [&](std::size_t code) { return subset.values[c][code]; });
        }
    }
    return made;
}

}  // namespace vaglio::optimal
