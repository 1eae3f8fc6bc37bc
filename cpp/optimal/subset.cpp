#include "optimal/subset.hpp"

#include <algorithm>
#include <numeric>

#include "base/random.hpp"
#include "optimal/gain.hpp"

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
    made.marked.assign(problem.marks.size(), 0);
    made.marked_stakes.assign(problem.marks.size(), 0);
    made.marked_gains.assign(problem.marks.size() * problem.labels, 0);
    return made;
}

// Counts the marks of the entries.
void count_marks(Subset& subset) {
    const std::size_t labels = subset.total.size();
    for (std::size_t i = 0; i < subset.size; ++i) {
        Cost* gains = subset.marked_gains.data() + subset.label[i];
        for (const std::uint32_t mark : subset.problem->marks.of_row(subset.row[i])) {
            ++subset.marked[mark];
            subset.marked_stakes[mark] += subset.most[i];
            gains[mark * labels] += subset.gain[i];
        }
    }
}

// The marks that are in `all` and not in `other`.
void count_rest(Subset& subset, const Subset& all, const Subset& other) {
    const auto take = [](auto& into, const auto& whole, const auto& part) {
        for (std::size_t i = 0; i < into.size(); ++i) into[i] = whole[i] - part[i];
    };
    take(subset.marked, all.marked, other.marked);
    take(subset.marked_stakes, all.marked_stakes, other.marked_stakes);
    take(subset.marked_gains, all.marked_gains, other.marked_gains);
}

// The values of the columns of two values that are here.
void list_marked_values(Subset& subset) {
    const Marks& marks = subset.problem->marks;
    for (std::uint32_t mark = 0; mark < marks.size(); ++mark) {
        const bool has[] = {subset.marked[mark] < subset.size, subset.marked[mark] > 0};
        for (const std::uint32_t code : {0u, 1u})
            if (has[code == marks.code(mark)]) subset.values[marks.column(mark)].push_back(code);
    }
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

// Takes some of the entries, with the codes of the columns of more than two values.
void take_entries(Subset& part, const Subset& from, const std::vector<std::uint32_t>& entries) {
    const Problem& problem = *from.problem;
    part.size = entries.size();
    for (const std::uint32_t i : entries) add_entry(part, from.row[i], from.label[i], from.gain[i], from.most[i]);
    for (std::uint32_t c = 0; c < problem.columns.size(); ++c) {
        if (problem.marks.of_column(c) != Marks::none) continue;
        part.codes[c].reserve(part.size);
        for (const std::uint32_t i : entries) part.codes[c].push_back(from.codes[c][i]);
        number(part.codes[c], part.values[c], from.values[c].size(),
               [&](std::size_t code) { return from.values[c][code]; });
    }
}

}  // namespace

std::uint64_t Subset::cells() const {
    const std::uint64_t others = values.size() - marked.size();
    return std::accumulate(marked.begin(), marked.end(), others * size);
}

Cost Subset::leaf_cost() const { return all_most - best_gain(total, problem->numbers) + problem->leaf_price; }

Subset whole(const Problem& problem) {
    Subset made = empty(problem);
    for (const Entry& entry : problem.entries) add_entry(made, entry.row, entry.label, entry.gain, entry.most);
    made.size = problem.entries.size();
    count_marks(made);
    list_marked_values(made);
    for (std::uint32_t c = 0; c < problem.columns.size(); ++c) {
        if (problem.marks.of_column(c) != Marks::none) continue;
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
    for (std::uint32_t i = 0; i < subset.size; ++i)
        sides[goes_left[subset.number(test.column, i)] ? 0 : 1].push_back(i);
    std::pair<Subset, Subset> made{empty(problem), empty(problem)};
    for (const int side : {0, 1}) take_entries(side == 0 ? made.first : made.second, subset, sides[side]);
    const bool left_is_smaller = made.first.size <= made.second.size;
    Subset &smaller = left_is_smaller ? made.first : made.second, &larger = left_is_smaller ? made.second : made.first;
    count_marks(smaller);
    count_rest(larger, subset, smaller);
    list_marked_values(smaller);
    list_marked_values(larger);
    return made;
}

}  // namespace vaglio::optimal
