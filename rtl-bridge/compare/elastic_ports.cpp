// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/compare/elastic_ports.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "rtl-bridge/compare/random.h"

namespace archipelago::rtl::elastic {

Ports::Ports(const PinTable& table) : reset(&table.reset) {
    for (const PinRow& pin : table.pins)
        add(pin);
    std::istringstream in(table.elastic.inputs), out(table.elastic.outputs),
        faulty(table.elastic.faults);
    for (std::string names; in >> names;)
        for (const unsigned lane : join_lanes(names)) {
            inputs.push_back(lane);
            all[lane].taken = true;
        }
    for (std::string rule; out >> rule;)
        compare(rule, table);
    for (std::string name; faulty >> name;)
        faults.push_back(output(name, table));
}

unsigned Ports::find(const std::string& name) const {
    for (unsigned i = 0; i < all.size(); ++i)
        if (all[i].name == name)
            return i;
    throw std::logic_error("no port " + name);
}

bool Ports::has_fault(const void* out) const {
    return std::any_of(faults.begin(), faults.end(),
                       [&](const PinRow* pin) { return pin->get(out, 0) != 0; });
}

bool Ports::passes(const Port& p, const void* in, const void* out) {
    const auto high = [&](const PinRow* pin) {
        return pin == nullptr || pin->get(pin->input ? in : out, 0) != 0;
    };
    return p.valid != nullptr && high(p.valid) && high(p.ready);
}

uint64_t Ports::key_of(const Port& p, const void* out) const {
    uint64_t hash = 0;
    for (const Port::Key& key : p.keys) {
        const uint64_t mask = key.bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << key.bits) - 1;
        const uint64_t value = key.pin->get(out, 0) >> key.low & mask;
        hash = p.keys.size() == 1 ? value : Random(hash ^ value).bits();
    }
    return hash;
}
void Ports::add(const PinRow& pin) {
    auto port =
        std::find_if(all.begin(), all.end(), [&](const Port& p) { return p.name == pin.port; });
    if (port == all.end()) {
        all.emplace_back();
        port = all.end() - 1;
        port->name = pin.port;
        port->stream = static_cast<unsigned>(all.size() - 1);
    }
    if (pin.field == "valid")
        port->valid = &pin;
    else if (pin.field == "ready")
        port->ready = &pin;
    else
        (pin.input ? port->inputs : port->outputs).push_back(&pin);
}

std::vector<unsigned> Ports::join_lanes(const std::string& names) {
    std::vector<unsigned> lanes;
    std::istringstream list(names);
    for (std::string name; std::getline(list, name, '=');) {
        lanes.push_back(find(name));
        Port& lane = all[lanes.back()];
        lane.stream = lanes.front();
        lane.lane_before = lanes.size() > 1 ? lanes[lanes.size() - 2] : kNoPort;
    }
    return lanes;
}

const PinRow* Ports::output(const std::string& name, const PinTable& table) {
    for (const PinRow& pin : table.pins)
        if (!pin.input && pin.name() == name)
            return &pin;
    throw std::logic_error("no output " + name);
}

void Ports::compare(const std::string& whole, const PinTable& table) {
    const size_t condition = whole.find('?');
    const std::string rule = whole.substr(0, condition);
    const size_t end = rule.find_first_of("/+");
    const std::vector<unsigned> lanes = join_lanes(rule.substr(0, end));
    for (const unsigned lane : lanes)
        all[lane].compared = true;
    Port& port = all[lanes.front()];
    if (condition != std::string::npos)
        port.provided = output(whole.substr(condition + 1), table);
    if (end == std::string::npos)
        return;
    const std::string rest = rule.substr(end + 1);
    if (rule[end] == '+') {
        port.payload = find(rest);
        return;
    }
    std::istringstream fields(rest);
    for (std::string field; std::getline(fields, field, ',');)
        add_key(port, field);
}

// field or field[7:0]
void Ports::add_key(Port& port, const std::string& field) {
    const size_t bracket = field.find('[');
    unsigned low = 0, bits = 64;
    if (bracket != std::string::npos) {
        low = static_cast<unsigned>(std::stoul(field.substr(field.find(':') + 1)));
        bits = static_cast<unsigned>(std::stoul(field.substr(bracket + 1))) - low + 1;
    }
    for (const PinRow* pin : port.outputs)
        if (pin->field == field.substr(0, bracket))
            port.keys.push_back({pin, low, bits});
}

}  // namespace archipelago::rtl::elastic
