#include "forest/ranked/treelets.hpp"

namespace vaglio::forest {
namespace {

class Cutter {
 public:
    Cutter(std::span<const ForestNode> nodes, std::span<const std::uint16_t> ranks) : nodes_(nodes), ranks_(ranks) {}

    TreeletTree cut() {
        TreeletTree made;
        fill(0, made.top);
        made.parts.reserve(nodes_.size() / 8);
        for (std::size_t part = 0; part < roots_.size(); ++part) fill(roots_[part], made.parts.emplace_back());
        made.parts.shrink_to_fit();
        return made;
    }

 private:
    const ForestNode& node(std::int32_t place) const { return nodes_[static_cast<std::size_t>(place)]; }

    // Writes the tests from `root` on, and numbers the parts that follow.
    template <class Some>
    void fill(std::int32_t root, Some& some) {
        std::int32_t at[2 * Some::size];
        at[1] = root;
        some.feature[0] = some.rank[0] = 0;
        for (int h = 1; h < Some::size; ++h) {
            const ForestNode& test = node(at[h]);
            const bool leaf = test.link < 0, right = (test.feature & missing_right) != 0;
            const auto feature = static_cast<std::uint16_t>(test.feature & ~missing_right);
            some.feature[h] = leaf ? 0 : feature | (right ? missing_goes_right : 0);
            some.rank[h] = leaf ? 0 : ranks_[static_cast<std::size_t>(at[h])];
            at[2 * h] = leaf ? at[h] : test.link;
            at[2 * h + 1] = leaf ? at[h] : test.link + 1;
        }
        for (int e = 0; e < Some::size; ++e) {
            const std::int32_t place = at[Some::size + e], link = node(place).link;
            some.end[e] = link < 0 ? link : static_cast<std::int32_t>(roots_.size());
            if (link >= 0) roots_.push_back(place);
        }
    }

    std::span<const ForestNode> nodes_;
    std::span<const std::uint16_t> ranks_;
    std::vector<std::int32_t> roots_;  // of the parts
};

}  // namespace

TreeletTree cut_into_treelets(std::span<const ForestNode> nodes, std::span<const std::uint16_t> ranks) {
    return Cutter(nodes, ranks).cut();
}

}  // namespace vaglio::forest
