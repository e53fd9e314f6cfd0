// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/retire/retire_reader.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/common/files.h"
#include "testbenches/host/retire/retire_writer.h"

namespace archipelago::host {
namespace {

using json = nlohmann::ordered_json;  // registers in the order of the file

constexpr std::string_view kTextHeader = "# archipelago-retire ";
constexpr const char* kJsonHeader = "archipelago_retire";
constexpr std::string_view kBar = " | ";

// Reason without its place.
struct Wrong {
    std::string reason;
};
[[noreturn]] void wrong(const std::string& reason) {
    throw Wrong{reason};
}

// A piece of a file for a message.
std::string shown(std::string_view text) {
    constexpr size_t kMax = 40;
    std::string out = "\"";
    for (const char c : text.substr(0, kMax))
        out += c >= ' ' && c <= '~' ? c : '?';
    return out + (text.size() > kMax ? "...\"" : "\"");
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f');
}
bool all_hex(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_hex);
}

std::string_view take_number(std::string_view text) {
    size_t n = 0;
    while (n < text.size() && is_digit(text[n]))
        ++n;
    return n == 0 ? std::string_view() : text.substr(n);
}

// "cs1.g7.w0" or "vs3.w7".
bool is_wave(std::string_view text) {
    static constexpr std::string_view kStages[] = {"cs", "ls", "hs", "es", "gs", "vs", "ps"};
    if (std::find(std::begin(kStages), std::end(kStages), text.substr(0, 2)) == std::end(kStages))
        return false;
    const bool compute = text[0] == 'c';
    const auto part = [&](std::string_view prefix) {
        if (text.substr(0, prefix.size()) != prefix)
            return false;
        const size_t before = text.size();
        const std::string_view rest = take_number(text.substr(prefix.size()));
        const bool some = before > prefix.size() && is_digit(text[prefix.size()]);
        text = rest;
        return some;
    };
    return part(text.substr(0, 2)) && (!compute || part(".g")) && part(".w") && text.empty();
}

size_t lane_count(std::string_view mask) {
    size_t n = 0;
    for (const char c : mask)
        n += static_cast<size_t>(
            __builtin_popcount(static_cast<unsigned>(is_digit(c) ? c - '0' : c - 'a' + 10)));
    return n;
}

bool is_value(std::string_view text) {
    return !text.empty() && is_hex(text.front()) &&
           std::all_of(text.begin(), text.end(),
                       [](char c) { return is_hex(c) || c == '.' || c == ':'; });
}

// "name=value", "name[lanes]=value,value" or "unfinished".
void check_field(std::string_view field) {
    if (field == "unfinished")
        return;
    const size_t equals = field.find('=');
    if (equals == std::string_view::npos || equals == 0)
        wrong("field " + shown(field) + ": expected NAME=VALUE or NAME[LANES]=VALUE,...");
    const std::string_view name = field.substr(0, equals);
    std::string_view value = field.substr(equals + 1);
    size_t values = 1;
    const size_t bracket = name.find('[');
    if (bracket != std::string_view::npos) {
        const std::string_view mask = name.substr(bracket + 1, name.size() - bracket - 2);
        if (name.back() != ']' || mask.size() != 16 || !all_hex(mask))
            wrong("field " + shown(field) + ": expected 16 hexadecimal digits of lanes in []");
        values = lane_count(mask);
    }
    for (size_t n = 0; n < values; ++n) {
        const size_t comma = std::min(value.find(','), value.size());
        if (!is_value(value.substr(0, comma)))
            wrong("field " + shown(field) + ": value " + std::to_string(n) +
                  " is not hexadecimal, or missing");
        value.remove_prefix(std::min(comma + 1, value.size()));
    }
    if (!value.empty())
        wrong("field " + shown(field) + ": more values than lanes");
}

// Checks "wave pc words field... | text".
void check_content(std::string_view content) {
    const size_t bar = content.find(kBar);
    if (bar == std::string_view::npos)
        wrong("expected \" | \" and the instruction after the fields");
    std::string_view rest = content.substr(0, bar);
    for (unsigned n = 0; !rest.empty(); ++n) {
        const size_t space = std::min(rest.find(' '), rest.size());
        const std::string_view word = rest.substr(0, space);
        if (n == 0 && !is_wave(word))
            wrong(shown(word) + ": expected a wave, as cs1.g0.w0");
        else if (n == 1 && !all_hex(word))
            wrong(shown(word) + ": expected a program counter in hexadecimal");
        else if (n == 2 && !is_value(word))
            wrong(shown(word) + ": expected the words of an instruction in hexadecimal");
        else if (n > 2)
            check_field(word);
        rest.remove_prefix(std::min(space + 1, rest.size()));
    }
    if (std::count(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(bar), ' ') < 2)
        wrong("expected wave, program counter and words");
}

// ---- JSON ---------------------------------------------------------------------------------------

const json& member(const json& object, const char* key, const char* where) {
    const auto found = object.find(key);
    if (found == object.end())
        wrong(std::string(where) + " has no \"" + key + "\"");
    return *found;
}

const std::string& text_of(const json& object, const char* key, const char* where) {
    const json& value = member(object, key, where);
    if (!value.is_string())
        wrong(std::string("\"") + key + "\": expected a string");
    return value.get_ref<const std::string&>();
}

const json& list_of(const json& object, const char* key, const char* where) {
    const json& value = member(object, key, where);
    if (!value.is_array() ||
        !std::all_of(value.begin(), value.end(), [](const json& v) { return v.is_string(); }))
        wrong(std::string("\"") + key + "\": expected a list of strings");
    return value;
}

void append_writes(const json& writes, std::string& out) {
    if (!writes.is_object())
        wrong("\"writes\": expected an object");
    for (const auto& [name, value] : writes.items()) {
        if (value.is_string()) {
            out += " " + name + "=" + value.get_ref<const std::string&>();
            continue;
        }
        if (!value.is_object())
            wrong("\"writes\": expected a string or an object for " + shown(name));
        out += " " + name + "[" + text_of(value, "lanes", "a write") + "]=";
        const char* separator = "";
        for (const json& lane : list_of(value, "values", "a write")) {
            out += separator + lane.get_ref<const std::string&>();
            separator = ",";
        }
    }
}

void append_access(const json& access, std::string& out) {
    if (!access.is_object())
        wrong("\"accesses\": expected a list of objects");
    const json& bytes = member(access, "bytes", "an access");
    if (!bytes.is_number_unsigned())
        wrong("\"bytes\": expected a number");
    out += " " + text_of(access, "space", "an access") + "." +
           text_of(access, "kind", "an access") + "." + std::to_string(bytes.get<uint64_t>()) +
           "[" + text_of(access, "lanes", "an access") + "]=";
    const json& addresses = list_of(access, "addresses", "an access");
    const json& values = list_of(access, "values", "an access");
    if (addresses.size() != values.size())
        wrong("an access has " + std::to_string(addresses.size()) + " addresses and " +
              std::to_string(values.size()) + " values");
    for (size_t i = 0; i < values.size(); ++i)
        out += (i == 0 ? "" : ",") + addresses[i].get_ref<const std::string&>() + ":" +
               values[i].get_ref<const std::string&>();
}

RetireRecord from_json(const json& o) {
    RetireRecord r;
    r.wave = text_of(o, "wave", "the record");
    r.content = r.wave + " " + text_of(o, "pc", "the record") + " " +
                text_of(o, "words", "the record") + " exec=" + text_of(o, "exec", "the record") +
                " vcc=" + text_of(o, "vcc", "the record");
    const json& scc = member(o, "scc", "the record");
    if (!scc.is_number_unsigned() || scc.get<uint64_t>() > 1)
        wrong("\"scc\": expected 0 or 1");
    r.content += scc.get<uint64_t>() != 0 ? " scc=1" : " scc=0";
    r.content += " m0=" + text_of(o, "m0", "the record");
    if (o.find("unfinished") != o.end())
        r.content += " unfinished";
    if (o.find("writes") != o.end())
        append_writes(o["writes"], r.content);
    if (o.find("accesses") != o.end()) {
        if (!o["accesses"].is_array())
            wrong("\"accesses\": expected a list");
        for (const json& access : o["accesses"])
            append_access(access, r.content);
    }
    if (r.content.find_first_of("|\n") != std::string::npos)
        wrong("a string with a character that no value has");
    const std::string& text = text_of(o, "text", "the record");
    if (text.find('\n') != std::string::npos)
        wrong("\"text\": more than one line");
    r.content += std::string(kBar) + text;
    return r;
}

// The wave of "# WAVE ... accesses=none", else nothing.
std::string wave_without_accesses(std::string_view comment) {
    constexpr std::string_view kNone = " accesses=none";
    if (comment.size() < 2 + kNone.size() || comment.substr(comment.size() - kNone.size()) != kNone)
        return {};
    const std::string_view wave = comment.substr(2, comment.find(' ', 2) - 2);
    return is_wave(wave) ? std::string(wave) : std::string();
}
std::string wave_without_accesses(const json& o) {
    const auto wave = o.find("wave"), accesses = o.find("accesses");
    return wave != o.end() && wave->is_string() && accesses != o.end() && *accesses == "none"
               ? wave->get<std::string>()
               : std::string();
}

// An empty wave: no record, but a header, a dispatch or what is said of a wave.
RetireRecord parse(std::string_view line) {
    RetireRecord r;
    if (line.front() != '{') {
        if (line.front() == '#') {
            r.without_accesses = wave_without_accesses(line);
            return r;
        }
        r.content = RetireTrace::without_place(line);
        check_content(r.content);
        r.wave = r.content.substr(0, r.content.find(' '));
        return r;
    }
    const json o = json::parse(line, nullptr, false);
    if (!o.is_object())
        wrong("not a JSON object");
    if (o.find(kJsonHeader) != o.end() || o.find("dispatch") != o.end()) {
        r.without_accesses = wave_without_accesses(o);
        return r;
    }
    r = from_json(o);
    check_content(r.content);
    return r;
}

// The chip of "... asic=NAME ...", or nothing.
std::string asic_of(std::string_view header) {
    constexpr std::string_view kKey = " asic=";
    const size_t at = header.find(kKey);
    if (at == std::string_view::npos)
        return {};
    const std::string_view rest = header.substr(at + kKey.size());
    return std::string(rest.substr(0, rest.find(' ')));
}

// Throws when the first line does not say that this is a trace of a version we read. Returns the
// chip it names, or nothing.
std::string check_header(std::string_view line) {
    uint64_t version = 0;
    std::string asic;
    if (line.substr(0, kTextHeader.size()) == kTextHeader) {
        const std::string_view rest = line.substr(kTextHeader.size());
        version =
            rest.substr(0, rest.find(' ')) == std::to_string(kRetireSchema) ? kRetireSchema : 0;
        asic = asic_of(line);
    } else {
        const json o = json::parse(line, nullptr, false);
        if (!o.is_object() || o.find(kJsonHeader) == o.end())
            wrong("no retire trace: expected \"" + std::string(kTextHeader) +
                  std::to_string(kRetireSchema) + "\" or {\"" + kJsonHeader +
                  "\": " + std::to_string(kRetireSchema) + "}");
        if (o[kJsonHeader].is_number_unsigned())
            version = o[kJsonHeader].get<uint64_t>();
        if (const auto name = o.find("asic"); name != o.end() && name->is_string())
            asic = name->get<std::string>();
    }
    if (version != kRetireSchema)
        wrong("a version of the format that is not read here: expected " +
              std::to_string(kRetireSchema));
    return asic;
}

}  // namespace

bool RetireField::is_access() const {
    static constexpr std::string_view kSpaces[] = {"scalar.", "global.", "image.", "lds.", "gds."};
    return std::any_of(std::begin(kSpaces), std::end(kSpaces), [&](std::string_view space) {
        return name.substr(0, space.size()) == space;
    });
}

std::string without_accesses(std::string_view content) {
    const size_t bar = std::min(content.find(kBar), content.size());
    std::string out;
    for (std::string_view rest = content.substr(0, bar); !rest.empty();) {
        const size_t space = std::min(rest.find(' '), rest.size());
        const std::string_view word = rest.substr(0, space);
        rest.remove_prefix(std::min(space + 1, rest.size()));
        if (!RetireField{word, {}, {}}.is_access())
            out += (out.empty() ? "" : " ") + std::string(word);
    }
    return out + std::string(content.substr(bar));
}

std::vector<RetireField> fields(std::string_view content) {
    std::vector<RetireField> all;
    const size_t bar = std::min(content.find(kBar), content.size());
    std::string_view rest = content.substr(0, bar);
    for (unsigned n = 0; !rest.empty(); ++n) {
        const size_t space = std::min(rest.find(' '), rest.size());
        const std::string_view word = rest.substr(0, space);
        rest.remove_prefix(std::min(space + 1, rest.size()));
        static constexpr const char* kFirst[] = {"wave", "pc", "words"};
        if (n < 3) {
            all.push_back({kFirst[n], {}, word});
            continue;
        }
        const size_t equals = std::min(word.find('='), word.size());
        const size_t bracket = std::min(word.find('['), equals);
        RetireField field{word.substr(0, bracket), {}, {}};
        if (bracket < equals)
            field.lanes = word.substr(bracket + 1, equals - bracket - 2);
        field.value = word.substr(std::min(equals + 1, word.size()));
        all.push_back(field);
    }
    if (bar < content.size())
        all.push_back({"text", {}, content.substr(bar + kBar.size())});
    return all;
}

std::string_view RetireTrace::without_place(std::string_view line) {
    const size_t at = line.front() == '{' ? line.rfind(",\"at\":") : line.rfind(" | @");
    return line.substr(0, at);
}

RetireTrace::RetireTrace(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)) {
    const std::string_view all = text_;
    size_t number = 0;
    for (size_t from = 0; from < all.size();) {
        const size_t end = std::min(all.find('\n', from), all.size());
        std::string_view line = all.substr(from, end - from);
        from = end + 1;
        ++number;
        if (!line.empty() && line.back() == '\r')
            line.remove_suffix(1);
        try {
            if (number == 1)
                asic_ = check_header(line);
            else if (!line.empty())
                add(number, line);
        } catch (const Wrong& w) {
            throw RetireError(name_ + ":" + std::to_string(number) + ": " + w.reason);
        }
    }
    if (number == 0)
        throw RetireError(name_ + ": no retire trace: the file is empty");
}

RetireTrace RetireTrace::open(const std::string& path) {
    try {
        return {path, read_file(path)};
    } catch (const FileError& error) {
        throw RetireError(std::string("cannot read ") + error.what());
    }
}

void RetireTrace::add(size_t number, std::string_view line) {
    const RetireRecord r = parse(line);
    if (!r.without_accesses.empty())
        without_accesses_.insert(r.without_accesses);
    if (r.wave.empty())
        return;
    const auto [found, fresh] = numbers_.try_emplace(r.wave, names_.size());
    if (fresh) {
        names_.push_back(r.wave);
        of_waves_.emplace_back();
    }
    of_waves_[found->second].push_back(lines_.size());
    lines_.push_back({number, line, found->second});
}

size_t RetireTrace::find_wave(const std::string& name) const {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? npos : found->second;
}

RetireRecord RetireTrace::record(size_t line) const {
    return parse(lines_[line].text);
}

}  // namespace archipelago::host
