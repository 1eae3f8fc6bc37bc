#include "text/plain/plain.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <limits>

#include "base/parallel.hpp"
#include "text/plain/fields.hpp"
#include "text/plain/words.hpp"

namespace vaglio {
namespace {

// Bytes that one thread reads in one go: they stay in its cache between the looks at them.
constexpr std::size_t block_size = std::size_t{1} << 18;

// Whole lines, each with its line end.
struct Block {
    const unsigned char* begin;
    const unsigned char* end;
    std::size_t first_row = 0;
    std::size_t rows = 0;
    std::vector<std::vector<Word>> words = {};  // of each column of words, in the order of their numbers
};

std::vector<Block> cut(const unsigned char* begin, const unsigned char* end) {
    std::vector<Block> blocks;
    while (begin < end) {
        const unsigned char* stop = end;
        if (static_cast<std::size_t>(end - begin) > block_size) {
            const unsigned char* const near = begin + block_size;
            const void* const found = std::memchr(near, '\n', static_cast<std::size_t>(end - near));
            stop = static_cast<const unsigned char*>(found) + 1;  // the last line has an end, so there is one
        }
        blocks.push_back({begin, stop});
        begin = stop;
    }
    return blocks;
}

std::size_t count_lines(const unsigned char* at, const unsigned char* end) {
    std::size_t found = 0;
    while (at < end) {
        // So few at a time that a byte can count them.
        const std::ptrdiff_t some = std::min<std::ptrdiff_t>(end - at, 255);
        unsigned char count = 0;
        for (std::ptrdiff_t i = 0; i < some; ++i) count = static_cast<unsigned char>(count + (at[i] == '\n'));
        found += count;
        at += some;
    }
    return found;
}

// Whether there are no quotes, and carriage returns only at line ends.
bool has_plain_lines(const Block& block) {
    const auto size = static_cast<std::size_t>(block.end - block.begin);
    if (std::memchr(block.begin, '"', size)) return false;
    for (const unsigned char* at = block.begin; at < block.end; ++at) {
        at = static_cast<const unsigned char*>(std::memchr(at, '\r', static_cast<std::size_t>(block.end - at)));
        if (!at) return true;
        if (at[1] != '\n') return false;  // the last byte of a block is a line end
    }
    return true;
}

class Reader {
 public:
    Reader(const PlainText& text, int threads)
        : text_(text), threads_(threads), columns_(text.types.size()), tables_(static_cast<std::size_t>(threads)) {
        for (auto& tables : tables_) tables.resize(columns_.size());
        // A last line without an end is read from a copy that has one.
        const unsigned char* const begin = text.rows.data();
        const unsigned char* end = begin + text.rows.size();
        const unsigned char* last = end;
        while (last > begin && last[-1] != '\n') --last;
        last_line_.assign(last, end);
        if (!last_line_.empty()) last_line_.push_back('\n');
        blocks_ = cut(begin, last);
        if (!last_line_.empty()) blocks_.push_back({last_line_.data(), last_line_.data() + last_line_.size()});
    }

    std::vector<PlainColumn> read() {
        if (!prepare()) return {};
        parallel_for(threads_, blocks_.size(), [&](std::size_t block, int worker) {
            if (plain_ && !read_block(blocks_[block], tables_[static_cast<std::size_t>(worker)])) plain_ = false;
        });
        if (!plain_) return {};
        parallel_for(threads_, columns_.size(), [&](std::size_t column, int) {
            if (text_.types[column] == FieldType::word) join_words(column);
        });
        return std::move(columns_);
    }

 private:
    // Counts the rows and makes room for them.
    bool prepare() {
        parallel_for(threads_, blocks_.size(), [&](std::size_t at, int) {
            Block& block = blocks_[at];
            if (plain_ && !has_plain_lines(block)) plain_ = false;
            block.rows = count_lines(block.begin, block.end);
        });
        std::size_t rows = 0;
        for (Block& block : blocks_) {
            block.first_row = rows;
            rows += block.rows;
        }
        if (!plain_ || rows == 0 || rows > std::numeric_limits<std::int32_t>::max()) return false;
        for (std::size_t column = 0; column < columns_.size(); ++column) {
            if (text_.types[column] == FieldType::word) {
                columns_[column].codes.resize(rows);
            } else {
                columns_[column].numbers.resize(rows);
            }
        }
        return true;
    }

    bool read_block(Block& block, std::vector<WordTable>& tables) {
        const FieldReader fields(text_, block.end);
        const std::size_t last = columns_.size() - 1;
        const unsigned char* at = block.begin;
        for (std::size_t row = block.first_row; row < block.first_row + block.rows; ++row) {
            if (*at == '\n' || *at == '\r') return false;  // an empty line is no row
            for (std::size_t column = 0; column <= last; ++column) {
                PlainColumn& out = columns_[column];
                const FieldType type = text_.types[column];
                at = type == FieldType::word ? fields.word(at, tables[column], out.codes[row])
                                             : fields.number(at, type, out.numbers[row]);
                if (!at) return false;
                if (column < last && *at++ != text_.delimiter) return false;
            }
            at += *at == '\r';
            if (*at++ != '\n') return false;
        }
        block.words.resize(columns_.size());
        for (std::size_t column = 0; column <= last; ++column) block.words[column] = tables[column].take();
        return true;
    }

    // Numbers the words of all blocks in their order.
    void join_words(std::size_t column) {
        WordTable table;
        std::vector<std::vector<std::int32_t>> numbers(blocks_.size());
        for (std::size_t block = 0; block < blocks_.size(); ++block)
            for (const Word& word : blocks_[block].words[column]) numbers[block].push_back(table.number(word));
        const std::vector<Word>& words = table.words();
        std::vector<std::int32_t> order(words.size()), place(words.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i);
        const auto text = [&](std::int32_t number) {
            const Word& word = words[static_cast<std::size_t>(number)];
            return std::string_view(reinterpret_cast<const char*>(word.at), word.size);
        };
        std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return text(a) < text(b); });
        PlainColumn& out = columns_[column];
        for (std::size_t i = 0; i < order.size(); ++i) {
            place[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
            out.words.emplace_back(text(order[i]));
        }
        for (std::size_t block = 0; block < blocks_.size(); ++block) {
            std::vector<std::int32_t>& of = numbers[block];
            for (std::int32_t& number : of) number = place[static_cast<std::size_t>(number)];
            std::int32_t* const codes = out.codes.data() + blocks_[block].first_row;
            for (std::size_t i = 0; i < blocks_[block].rows; ++i) codes[i] = of[static_cast<std::size_t>(codes[i])];
        }
    }

    const PlainText& text_;
    int threads_;
    std::vector<PlainColumn> columns_;
    std::vector<std::vector<WordTable>> tables_;  // of each thread, for each column
    std::vector<unsigned char> last_line_;
    std::vector<Block> blocks_;
    std::atomic<bool> plain_ = true;
};

}  // namespace

std::vector<PlainColumn> read_plain(const PlainText& text, int threads) {
    if (text.types.empty() || text.rows.empty()) return {};
    return Reader(text, std::max(threads, 1)).read();
}

}  // namespace vaglio
