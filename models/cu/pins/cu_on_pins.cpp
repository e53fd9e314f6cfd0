// SPDX-License-Identifier: Apache-2.0
#include "models/cu/pins/cu_on_pins.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "models/common/error.h"
#include "models/common/text.h"
#include "models/common/transaction_id.h"
#include "models/common/verilog_mark.h"
#include "models/cu/pins/cu_pin_core.h"
#include "models/cu/pipeline/wave_text.h"
#include "models/gcn/wave_name.h"

namespace archipelago::cu {
namespace {

// Cycles in which nothing passes the pins while waves are there: the unit hangs.
constexpr Cycle kTimeout = 100'000;

StopKind kind_of(uint8_t reason) {
    switch (reason) {
        case CuPins::kNotImplemented:
            return StopKind::Unimplemented;
        case CuPins::kFault:
            return StopKind::Fault;
        case CuPins::kProtocol:
            return StopKind::Protocol;
        default:
            return StopKind::BadInput;
    }
}
const char* text_of(uint8_t reason) {
    static constexpr const char* kTexts[] = {
        "the Verilog compute unit does not know this instruction",
        "the Verilog compute unit does not implement this instruction",
        "the Verilog compute unit reports a memory fault",
        "the Verilog compute unit does not accept this use of the instruction",
        "the Verilog compute unit reports a broken protocol",
    };
    return reason < std::size(kTexts) ? kTexts[reason] : "the Verilog compute unit has stopped";
}

}  // namespace

CuOnPins::CuOnPins(rtl::PinBlock<CuPins>& block, const CuSpec& spec, const CuIdentity& identity,
                   std::shared_ptr<DecodeCache> decode_cache)
    : ComputeUnit(spec, identity), block_(block), decode_(std::move(decode_cache)) {
    in_.cfg = config_to_pins(spec, identity.position);
    add_inputs(launch_in, fetch_in, scalar_in, mem_in, l1_action_done_in, gds_in);
    reset();
}

void CuOnPins::reset() {
    Unit::reset();
    const CuPins::Config cfg = in_.cfg;
    in_ = CuPins::In{};
    in_.cfg = cfg;
    in_.rst = 1;
    for (unsigned i = 0; i < rtl::kResetCycles; ++i)
        block_.step(in_, out_);
    in_.rst = 0;
    in_.retire = 1;
    waves_ = Waves{};
    resident_ = 0;
    rows_.clear();
    launch_seen_ = rows_known_ = record_open_ = silent_ = false;
    dispatches_.clear();
    counters_ = {};
    take_tiling(tiling_reset_);
}

// ---- address calculation of images -------------------------------------------------------------

void CuOnPins::set_tiling(const surface::TilingRegisters& tiling) {
    tiling_reset_ = tiling;
    take_tiling(tiling);
}

void CuOnPins::take_tiling(const surface::TilingRegisters& tiling) {
    tiling_.clear();
    tiling_.push_back({0, tiling.gb_addr_config});
    for (unsigned n = 0; n < surface::TilingRegisters::kModes; ++n)
        tiling_.push_back({static_cast<uint8_t>(1 + n), tiling.tile_mode[n]});
    tiling_.push_back({surface::TilingWrite::kBorderColors, tiling.cs_border_colors});
}

void CuOnPins::connect_tiling(EventLink<surface::TilingWrite>& in) {
    tiling_in_ = &in;
    in.set_consumer(this);
}

// Written before anything else happens.
void CuOnPins::send_tiling() {
    if (tiling_.empty())
        return;
    CuPins::In in = held();
    CuPins::Out ignored;
    in.tiling_valid = 1;
    for (const surface::TilingWrite& write : tiling_) {
        in.tiling_index = write.index;
        in.tiling_value = write.value;
        block_.step(in, ignored);
    }
    tiling_.clear();
}

// ---- a cycle -----------------------------------------------------------------------------------

bool CuOnPins::tick(Cycle now) {
    bool moved = false;
    in_.tiling_valid = 0;
    const bool stands = resident_ == 0 && out_.busy == 0 && !answers_wait(now);  // the clock
    if (tiling_in_ != nullptr && tiling_in_->ready(now)) {
        const surface::TilingWrite write = tiling_in_->take();
        if (stands)
            tiling_.push_back(write);
        in_.tiling_valid = !stands;
        in_.tiling_index = write.index;
        in_.tiling_value = write.value;
        moved = true;
    }
    const bool launches = run_ == RunState::Running && launch_in.can_pop(now);
    if (stands && !launches)
        return moved;
    if (stands)
        send_tiling();
    put_inputs(now);
    return step(now) || moved;
}

// Also when no wave is resident: blocks of instructions that one has fetched ahead.
bool CuOnPins::answers_wait(Cycle now) const {
    return fetch_in.can_pop(now) || scalar_in.can_pop(now) || mem_in.can_pop(now) ||
           l1_action_done_in.can_pop(now) || gds_in.can_pop(now);
}

bool CuOnPins::step(Cycle now) {
    block_.step(in_, out_);
    if (out_.stop_valid != 0)
        stop();
    bool moved = take_launch(now);
    moved |= take_end(now);
    moved |= take_ports(now);
    moved |= take_message(now);
    if (out_.retire_valid != 0)
        take_beat(now);
    const bool began = now != std::exchange(stepped_at_, now) + 1;
    if (moved || out_.retire_valid != 0 || began)
        moved_at_ = now;
    if (now - moved_at_ > kTimeout)
        throw MachineStop(StopKind::Hang, waiting_for(),
                          "for " + std::to_string(kTimeout) +
                              " cycles nothing has passed the pins of the Verilog");
    return resident_ != 0 || moved || out_.busy != 0 || in_.launch_valid != 0 ||
           in_.init_valid != 0;
}

// What the wave finds that the launch does not carry, of graphics stages.
void CuOnPins::next_rows(const WaveLaunch& launch) {
    rows_known_ = true;
    if (launch.data == nullptr)
        return;
    CuPins::Init row;
    row.wave = wave_number(launch.simd, launch.slot);
    row.lanes = ~uint64_t{0};
    for (unsigned n = 0; n < std::min<unsigned>(launch.vgpr_count, LaunchData::kVgprs); ++n) {
        if ((launch.data->written >> n & 1) == 0)
            continue;
        row.row = static_cast<uint8_t>(n);
        row.data = launch.data->vgpr[n];
        rows_.push_back(row);
    }
    const auto& lds = launch.data->lds;
    row.lds = 1;
    for (size_t first = 0; first < lds.size(); first += CuPins::kLanes) {
        row.row = static_cast<uint8_t>(first / CuPins::kLanes);
        row.data = {};
        const size_t count = std::min<size_t>(CuPins::kLanes, lds.size() - first);
        std::copy_n(lds.begin() + static_cast<std::ptrdiff_t>(first), count, row.data.begin());
        row.lanes = count == CuPins::kLanes ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
        rows_.push_back(row);
    }
}

// A cycle of the block's clock that the chip does not have.
CuPins::In CuOnPins::held() const {
    CuPins::In in;
    in.cfg = in_.cfg;
    in.hold = 1;
    in.retire = in_.retire;
    in.cycle = in_.cycle;
    return in;
}

void CuOnPins::send_rows() {
    CuPins::In in = held();
    CuPins::Out out;
    in.init_valid = 1;
    for (; !rows_.empty(); rows_.pop_front()) {
        in.init = rows_.front();
        block_.step(in, out);
        if (out.init_ready == 0)
            return;
    }
}

void CuOnPins::put_launch(Cycle now) {
    in_.init_valid = in_.launch_valid = 0;
    if (run_ != RunState::Running || !launch_in.can_pop(now))
        return;
    if (!rows_known_)
        next_rows(launch_in.front());
    send_rows();
    // Verilog of a user's that has not taken them: it needs cycles of the chip for that.
    if (!rows_.empty()) {
        in_.init_valid = 1;
        in_.init = rows_.front();
        return;
    }
    in_.launch_valid = 1;
    if (!std::exchange(launch_seen_, true))
        to_pins(launch_in.front(), in_.launch);
}

void CuOnPins::put_inputs(Cycle now) {
    in_.cycle = now;
    in_.pause = run_ == RunState::Paused;
    put_launch(now);
    in_.done_ready = to_wave_done->can_push(now);
    pins::DriveInputs drive{now, in_, out_};
    each_port(drive, *this, spec_.td_responses_per_cycle, spec_.ta_requests_per_cycle);
    in_.message_ready = (!to_interrupts || to_interrupts->can_push(now)) &&
                        (!to_graphics || to_graphics->can_push(now));
}

bool CuOnPins::take_launch(Cycle now) {
    const bool row = in_.init_valid != 0 && out_.init_ready != 0;
    if (row)
        rows_.pop_front();
    const bool launched = in_.launch_valid != 0 && out_.launch_ready != 0;
    if (launched)
        launch(now);
    return row || launched;
}

bool CuOnPins::take_end(Cycle now) {
    if (out_.done_valid == 0 || in_.done_ready == 0)
        return false;
    end_wave(now);
    return true;
}

// What of a message the pins do not carry.
struct CuOnPins::Rest {
    CuOnPins& cu;

    void operator()(FetchRequest& r) const { r.cu = cu.identity_.cache_port; }
    void operator()(ScalarRequest& r) const { r.cu = cu.identity_.cache_port; }
    void operator()(MemRequest& r) const {
        r.source = cu.identity_.source;
        r.uid = cu.next_uid();
    }
    void operator()(GdsRequest& r) const {
        r.source = cu.identity_.source;
        r.uid = cu.next_uid();
    }
    void operator()(ExportMessage& message) const {
        message.wave = cu.identity_of(cu.out_.exp.wave, cu.out_.exp.pc, "export");
    }
    void operator()(const CacheAction&) const {}
};

uint64_t CuOnPins::next_uid() {
    return transaction_id(TransactionUnit::Cu,
                          uint64_t{identity_.source} << 40 | (++next_uid_ & 0xFFFFFFFFFF));
}

// Messages to and from other units.
bool CuOnPins::take_ports(Cycle now) {
    follow_fetches();
    follow_requests();
    require_connected();
    pins::SampleOutputs sample{now, in_, out_, Rest{*this}};
    each_port(sample, *this, spec_.td_responses_per_cycle, spec_.ta_requests_per_cycle);
    return sample.moved;
}

void CuOnPins::follow_fetches() {
    if (out_.fetch_valid != 0 && in_.fetch_ready != 0) {
        resident(out_.fetch_wave, "fetch").pc = out_.fetch_address;
        ++counters_.fetches;
    }
    if (out_.scalar_valid != 0 && in_.scalar_ready != 0) {
        resident(out_.scalar_wave, "scalar");
        if (out_.scalar_dwords < 1 || out_.scalar_dwords > 16)
            protocol("scalar_dwords is " + std::to_string(out_.scalar_dwords) +
                     ", expected 1 to 16");
        ++counters_.smem_requests;
    }
}

void CuOnPins::follow_requests() {
    for (unsigned i = 0; i < CuPins::kRequests; ++i) {
        const CuPins::Request& request = out_.request[i];
        if (out_.request_valid[i] == 0 || in_.request_ready[i] == 0)
            return;
        if (request.command > 2 || request.atomic > static_cast<uint8_t>(AtomicOp::None))
            protocol("request" + std::to_string(i) + ": no such command or atomic operation");
        const auto command = static_cast<MemCommand>(request.command);
        ++counters_.vmem_requests;
        ++(command == MemCommand::Read    ? counters_.vmem_load_requests
           : command == MemCommand::Write ? counters_.vmem_store_requests
                                          : counters_.vmem_atomic_requests);
    }
}

// A wave that uses what a chip may be without stops the machine.
void CuOnPins::require_connected() const {
    const auto require = [&](bool connected, uint8_t valid, uint8_t ready, const char* what) {
        if (!connected && valid != 0 && ready != 0)
            throw MachineStop(StopKind::Unimplemented, identity_.name, what);
    };
    require(static_cast<bool>(to_inst_action), out_.icache_valid, in_.icache_ready,
            "s_icache_inv needs an instruction cache");
    require(static_cast<bool>(to_gds), out_.gds_valid, in_.gds_ready,
            "no global data share is attached");
    require(static_cast<bool>(to_export), out_.export_valid, in_.export_ready,
            "export needs the graphics export units");
}

WaveIdentity CuOnPins::identity_of(uint8_t number, uint64_t pc, const char* port) {
    const WaveLaunch& launch = resident(number, port).about.launch;
    isa::WaveState wave;
    wave.hw_id = hw_id(launch, identity_.position);
    return wave_identity(launch, wave, identity_.source, pc);
}

bool CuOnPins::take_message(Cycle now) {
    if (out_.message_valid == 0 || in_.message_ready == 0)
        return false;
    ShaderMessage message;
    message.wave = identity_of(out_.message.wave, out_.message.pc, "message");
    map_message(pins::FromPins{}, message, out_.message);
    const bool interrupt = message.kind == ShaderMessage::Kind::Interrupt;
    const OutputChannel<ShaderMessage>& out = interrupt ? to_interrupts : to_graphics;
    if (!out)
        throw MachineStop(
            StopKind::Unimplemented, identity_.name,
            interrupt ? "no interrupt handler is connected" : "the message needs a graphics unit");
    out->push(now, message);
    return true;
}

// ---- waves -------------------------------------------------------------------------------------

// Of this number, not ended; null: there is none.
CuOnPins::Wave* CuOnPins::resident(uint8_t number) {
    auto& waves = waves_[number % CuPins::kWaves];
    return waves.empty() || waves.back().ended ? nullptr : &waves.back();
}

CuOnPins::Wave& CuOnPins::resident(uint8_t number, const char* port) {
    Wave* const wave = resident(number);
    if (wave == nullptr)
        protocol(std::string(port) + " names wave " + std::to_string(number) +
                 ", which is not there");
    return *wave;
}

void CuOnPins::launch(Cycle now) {
    const WaveLaunch& launch = launch_in.front();
    const uint8_t number = wave_number(launch.simd, launch.slot);
    if (resident(number) != nullptr)
        throw MachineStop(StopKind::Protocol, identity_.name + " launch of " + wave_name(launch),
                          "the wave slot is occupied");
    Wave& wave = waves_[number].emplace_back();
    wave.about = {launch, wave_name(launch), identity_.name, false};
    wave.launched = now;
    wave.pc = launch.pc;
    if (sink_ != nullptr) {
        isa::WaveState regs;
        std::vector<VectorRegister> registers(std::max<size_t>(launch.vgpr_count, 1));
        init_wave(launch, identity_.position, &registers.front().lanes, regs);
        wave.wanted = sink_->starts(wave.about, regs);
        check_untouched(launch, regs, registers);
    }
    begin_dispatch(launch, now);
    if (resident_++ == 0)
        busy_since_ = now;
    ++counters_.work.waves;
    launch_in.drop(now);
    launch_seen_ = rows_known_ = false;
}

// What the pins bring is all that a wave finds.
void CuOnPins::check_untouched(const WaveLaunch& launch, const isa::WaveState& regs,
                               const std::vector<VectorRegister>& registers) const {
    isa::WaveState untouched;
    std::vector<VectorRegister> fresh(registers.size());
    init_wave(launch, identity_.position, &fresh.front().lanes, untouched);
    if (std::memcmp(untouched.s, regs.s, sizeof regs.s) != 0 ||
        std::memcmp(static_cast<const void*>(fresh.data()), registers.data(),
                    registers.size() * sizeof(VectorRegister)) != 0)
        throw MachineStop(StopKind::Unimplemented,
                          identity_.name + " launch of " + wave_name(launch),
                          "registers that are set from outside do not reach a unit on pins");
}

void CuOnPins::end_wave(Cycle now) {
    Wave& wave = resident(out_.done_wave, "done");
    const WaveLaunch& l = wave.about.launch;
    to_wave_done->push(
        now, WaveDone{l.dispatch, l.group, l.group_slot, l.simd, l.slot, out_.done_exports});
    end_dispatch(wave, now);
    ++counters_.waves_ended;
    if (--resident_ == 0)
        counters_.busy_cycles += now - busy_since_;
    if (observers_.trace != nullptr)
        trace_wave(wave, now);
    wave.ended = true;
    silent_ |= out_.retires == 0;
    if (out_.retires == 0 || wave.retired)
        waves_[out_.done_wave].pop_back();
}

// What the ledger knows of a unit on pins is when waves come and go.
void CuOnPins::begin_dispatch(const WaveLaunch& launch, Cycle now) {
    const DispatchKey key{launch.dispatch, launch.stage};
    auto open = std::find_if(dispatches_.begin(), dispatches_.end(),
                             [&](const OpenDispatch& d) { return d.key == key; });
    if (open == dispatches_.end()) {
        open = dispatches_.insert(open, OpenDispatch{key, 0, {}});
        ledger_->begin(key, launch, now);
    }
    ++open->resident;
    ++open->work.waves;
}

void CuOnPins::end_dispatch(const Wave& wave, Cycle now) {
    const DispatchKey key{wave.about.launch.dispatch, wave.about.launch.stage};
    const auto open = std::find_if(dispatches_.begin(), dispatches_.end(),
                                   [&](const OpenDispatch& d) { return d.key == key; });
    open->work.life += now - wave.launched;
    if (--open->resident != 0)
        return;
    ledger_->end(key, open->work, now);
    dispatches_.erase(open);
}

std::vector<OpenDispatch> CuOnPins::resident_work(Cycle now) const {
    std::vector<OpenDispatch> open = dispatches_;
    for (const auto& waves : waves_)
        for (const Wave& wave : waves)
            for (OpenDispatch& d : open)
                if (!wave.ended &&
                    d.key == DispatchKey{wave.about.launch.dispatch, wave.about.launch.stage})
                    d.work.life += now - wave.launched;
    return open;
}

std::vector<ResidentWave> CuOnPins::resident_waves() const {
    std::vector<ResidentWave> all;
    for (const auto& waves : waves_)
        for (const Wave& wave : waves)
            if (!wave.ended)
                all.push_back({wave.about.launch.simd, wave.about.launch.slot,
                               wave.about.launch.dispatch, wave.pc, "in the Verilog"});
    return all;
}

// ---- retire ------------------------------------------------------------------------------------

void CuOnPins::take_beat(Cycle now) {
    const CuPins::Retire& beat = out_.retire;
    auto& waves = waves_[beat.wave % CuPins::kWaves];
    if (waves.empty())
        protocol("retire names wave " + std::to_string(beat.wave) + ", which is not there");
    if (record_open_ && beat.wave != record_wave_)
        protocol("retire: the beats of an instruction are of two waves");
    Wave& wave = waves.front();
    if (wave.retired)
        protocol("retire names wave " + std::to_string(beat.wave) + " behind its retire_end");
    if (beat.end != 0) {
        if (wave.wanted)
            sink_->ends(wave.about, isa::WaveState{});
        wave.retired = true;
        if (wave.ended)
            waves.pop_front();
        return;
    }
    retire(wave, now);
}

// Adds a transfer to the record, and hands it over with the last one.
void CuOnPins::retire(Wave& wave, Cycle now) {
    const CuPins::Retire& beat = out_.retire;
    Retired& r = record_;
    if (!std::exchange(record_open_, beat.last == 0)) {
        r.scalars.clear();
        r.vectors.clear();
        r.values.clear();
    }
    record_wave_ = beat.wave;
    wave.pc = beat.pc;
    if (beat.scalar != 0)
        r.scalars.push_back({beat.code, beat.value});
    if (beat.vector != 0) {
        r.vectors.push_back({beat.vgpr, beat.lanes, static_cast<uint32_t>(r.values.size())});
        r.values.add() = beat.data;
    }
    if (beat.last == 0)
        return;
    r.decoded =
        &decode_->get(static_cast<uint32_t>(beat.words), static_cast<uint32_t>(beat.words >> 32));
    ++counters_.work.instructions[static_cast<unsigned>(r.decoded->inst.cls)];
    if (++wave.executed > instruction_limit_)
        stop_endless(place(beat.wave, beat.pc), wave.executed);
    if (!wave.wanted)
        return;
    r.pc = beat.pc;
    r.cycle = now;
    r.finished = true;
    r.exec = beat.exec;
    r.vcc = beat.vcc;
    r.m0 = beat.m0;
    r.scc = beat.scc != 0;
    sink_->retired(wave.about, r);
}

// ---- what is wrong, control --------------------------------------------------------------------

std::string CuOnPins::place(uint8_t number, uint64_t pc) const {
    const auto& waves = waves_[number % CuPins::kWaves];
    std::string text = identity_.name + " simd" + std::to_string(number / 16) + " slot" +
                       std::to_string(number % 16);
    if (!waves.empty())
        text += " " + wave_name(waves.back().about.launch);
    return text + " pc " + hex(pc);
}

void CuOnPins::protocol(const std::string& what) const {
    throw MachineStop(StopKind::Protocol, identity_.name + ", Verilog", what);
}

void CuOnPins::stop() const {
    const uint32_t words[2] = {static_cast<uint32_t>(out_.stop_words),
                               static_cast<uint32_t>(out_.stop_words >> 32)};
    std::string where = place(out_.stop_wave, out_.stop_pc);
    const isa::Inst inst = isa::decode(words, 2);
    if (inst.format != isa::Format::Illegal)
        where += " (" + isa::disassemble(inst, out_.stop_pc) + ")";
    throw MachineStop(kind_of(out_.stop_reason), where, text_of(out_.stop_reason));
}

bool CuOnPins::idle() const {
    return inputs_empty() && resident_ == 0 && out_.busy == 0;
}

std::string CuOnPins::waiting_for() const {
    if (idle())
        return {};
    for (unsigned n = 0; n < CuPins::kWaves; ++n)
        if (!waves_[n].empty() && !waves_[n].back().ended)
            return std::string(kVerilogMark) + place(static_cast<uint8_t>(n), waves_[n].back().pc) +
                   " is in it, with " + std::to_string(resident_) + " waves in all";
    return std::string(kVerilogMark) + identity_.name + " has waves to launch";
}

void CuOnPins::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    for (unsigned simd = 0; simd < spec_.simds; ++simd)
        for (unsigned slot = 0; slot < spec_.wave_slots; ++slot)
            tracks_[wave_number(simd, slot)] = observers.track(
                path + ".simd" + std::to_string(simd) + ".slot" + std::to_string(slot));
}

void CuOnPins::trace_wave(const Wave& wave, Cycle end) const {
    const WaveLaunch& l = wave.about.launch;
    const WaveText text = wave_text(l, *observers_.trace);
    observers_.trace->slice(tracks_[wave_number(l.simd, l.slot)], wave.launched, end, text.name,
                            text.flow, text.detail);
}

void CuOnPins::finish_trace(Cycle now) const {
    for (const auto& waves : waves_)
        for (const Wave& wave : waves)
            if (!wave.ended)
                trace_wave(wave, now);
}

}  // namespace archipelago::cu
