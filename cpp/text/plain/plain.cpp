#include "text/plain/plain.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>

#include "base/parallel.hpp"
#include "text/plain/fields.hpp"
#include "text/plain/structure.hpp"
#include "text/plain/words.hpp"

namespace vaglio {
namespace {

// Bytes that one thread reads in one go: they stay in its cache between the looks at them.
constexpr std::ptrdiff_t block_size = std::ptrdiff_t{1} << 18;

const auto look_at_lines = VAGLIO_LEVELS(look_at_lines).best();
const auto index_fields = VAGLIO_LEVELS(index_fields).best();

// Whole lines, each with its line end.
struct Block {
    const unsigned char* begin;
    const unsigned char* end;
    std::size_t first_row = 0;
    std::size_t rows = 0;
    std::vector<std::vector<Word>> words = {};  // of each column of words, in the order of their numbers
};

class Reader {
 public:
    Reader(const PlainText& text, int threads)
        : text_(text),
          threads_(threads),
          columns_(text.types.size()),
          given_up_(columns_.size()),
          scratch_(static_cast<std::size_t>(threads)) {
        const unsigned char* const begin = text.rows.data();
        const unsigned char* const end = begin + text.rows.size();
        // The first lines are read from a copy with bytes before it, a last line without an end from one that has it.
        const unsigned char* first = begin;
        while (first < end && first - begin < bytes_before) first = end_of_line(first, end);
        const unsigned char* last = end;
        while (last > first && last[-1] != '\n') --last;
        first_lines_ = padded(begin, first);
        last_line_ = padded(last, end);
        add_block(first_lines_);
        for (const unsigned char* at = first; at < last;) {
            const unsigned char* const stop =
                end_of_line(at + std::min<std::ptrdiff_t>(block_size, last - at) - 1, last);
            blocks_.push_back({at, stop});
            at = stop;
        }
        add_block(last_line_);
    }

    std::vector<PlainColumn> read() {
        if (!prepare()) return {};
        parallel_for(threads_, blocks_.size(), [&](std::size_t block, int worker) {
            if (plain_ && !read_block(blocks_[block], scratch_[static_cast<std::size_t>(worker)])) plain_ = false;
        });
        if (!plain_) return {};
        parallel_for(threads_, columns_.size(), [&](std::size_t column, int) {
            columns_[column].plain = !given_up_[column];
            if (text_.types[column] == FieldType::word) join_words(column);
        });
        return std::move(columns_);
    }

 private:
    static constexpr auto bytes_before = static_cast<std::ptrdiff_t>(Fields::bytes_before);

    // Of one thread.
    struct Scratch {
        std::vector<std::uint32_t> ends;
        WordTable words;
    };

    static const unsigned char* end_of_line(const unsigned char* at, const unsigned char* end) {
        const void* const found = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
        return found ? static_cast<const unsigned char*>(found) + 1 : end;
    }

    // Whole lines, with bytes before them and a line end.
    static std::vector<unsigned char> padded(const unsigned char* begin, const unsigned char* end) {
        const auto size = static_cast<std::size_t>(end - begin);
        const bool ends = size == 0 || end[-1] == '\n';
        std::vector<unsigned char> lines(Fields::bytes_before + size + (ends ? 0 : 1), '\n');
        std::copy(begin, end, lines.data() + Fields::bytes_before);
        return lines;
    }

    void add_block(const std::vector<unsigned char>& lines) {
        if (lines.size() > Fields::bytes_before)
            blocks_.push_back({lines.data() + bytes_before, lines.data() + lines.size()});
    }

    // Counts the rows and makes room for them.
    bool prepare() {
        parallel_for(threads_, blocks_.size(), [&](std::size_t at, int) {
            Block& block = blocks_[at];
            const LineLook found = look_at_lines(block.begin, block.end);
            const bool is_short = block.end - block.begin < std::numeric_limits<std::uint32_t>::max();
            block.rows = found.lines;
            if (!found.plain || !is_short) plain_ = false;
        });
        std::size_t rows = 0;
        for (Block& block : blocks_) {
            block.first_row = rows;
            rows += block.rows;
        }
        if (!plain_ || rows == 0 || rows > std::numeric_limits<std::int32_t>::max()) return false;
        for (std::size_t column = 0; column < columns_.size(); ++column) {
            const FieldType type = text_.types[column];
            given_up_[column] = type == FieldType::other;
            if (type == FieldType::word) columns_[column].codes.resize(rows);
            if (type < FieldType::word) columns_[column].numbers.resize(rows);
        }
        return true;
    }

    bool read_block(Block& block, Scratch& scratch) {
        const std::size_t width = columns_.size();
        Fields fields{block.begin, nullptr, block.rows, width, 0};
        if (!find_fields(block, scratch.ends)) return false;
        fields.ends = scratch.ends.data() + 1;
        block.words.resize(width);
        for (; fields.column < width; ++fields.column) {
            if (given_up_[fields.column]) continue;
            if (!read_column(fields, block, scratch.words)) given_up_[fields.column] = true;
        }
        return true;
    }

    // Whether every row has as many fields as there are columns. An empty line is no row.
    bool find_fields(const Block& block, std::vector<std::uint32_t>& ends) const {
        const std::size_t width = columns_.size(), wanted = block.rows * width;
        if (wanted > static_cast<std::size_t>(block.end - block.begin)) return false;
        if (ends.size() < wanted + 1 + spare_ends) ends.resize(wanted + 1 + spare_ends);
        ends[0] = std::numeric_limits<std::uint32_t>::max();
        if (index_fields(block.begin, block.end, text_.delimiter, ends.data() + 1, wanted) != wanted) return false;
        std::size_t strange = 0;
        for (std::size_t row = 1; row <= block.rows; ++row) {
            const unsigned char* const end = block.begin + ends[row * width];
            const unsigned char* const begin = block.begin + static_cast<std::uint32_t>(ends[(row - 1) * width] + 1);
            strange += *end != '\n' || *begin == '\n' || *begin == '\r';
        }
        return strange == 0;
    }

    bool read_column(const Fields& fields, Block& block, WordTable& table) {
        PlainColumn& out = columns_[fields.column];
        if (text_.types[fields.column] == FieldType::word) {
            read_words(fields, table, out.codes.data() + block.first_row);
            block.words[fields.column] = table.take();
            return true;
        }
        double* const numbers = out.numbers.data() + block.first_row;
        switch (text_.types[fields.column]) {
            case FieldType::whole:
                return read_numbers<read_whole>(fields, text_.missing, numbers);
            case FieldType::decimal:
                return read_numbers<read_decimal>(fields, text_.missing, numbers);
            default:
                return read_numbers<read_date>(fields, text_.missing, numbers);
        }
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
    std::vector<std::atomic<bool>> given_up_;  // columns with a field that is not of their type
    std::vector<Scratch> scratch_;
    std::vector<unsigned char> first_lines_, last_line_;
    std::vector<Block> blocks_;
    std::atomic<bool> plain_ = true;
};

}  // namespace

std::vector<PlainColumn> read_plain(const PlainText& text, int threads) {
    if (text.types.empty() || text.rows.empty()) return {};
    return Reader(text, std::max(threads, 1)).read();
}

}  // namespace vaglio
